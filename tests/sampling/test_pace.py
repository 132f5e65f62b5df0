"""How many keys a step looks at follows the server where it is near, and the link where it is far."""

import time

import pytest

from emqtop.sampling.discovery import Discovery
from emqtop.sampling.pace import CARRIED_MS, Pace, paced
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from tests.conftest import Hand
from tests.sampling.test_outline import fill_rows
from tests.servers.weather import Weather


@pytest.mark.parametrize(
    ("rtt_ms", "took_ms", "counts"),
    [
        (0.1, 0.3, [250, 250]),
        (0.1, 900, [250, 250]),
        (20, 25, [100, 200, 400, 800, 1000, 1000]),
        (200, 200 + 180, [50, 50]),
        (200, 200 + 500, [25, 25]),
    ],
)
def test_steps_grow_while_the_link_carries_them(rtt_ms: float, took_ms: float, counts: list[int]) -> None:
    pace, found = Pace(), []
    for _ in counts:
        pace.note(took_ms, rtt_ms)
        found.append(pace.count)
    assert found == counts


def test_a_new_pass_begins_small_again() -> None:
    pace = Pace()
    for _ in range(5):
        pace.note(25, 20)
    pace.begin()
    assert pace.count == 50


@pytest.mark.parametrize(
    ("took_ms", "price"),
    [([], 0.5), ([0.3], 0.2), ([0.3, 9.0, 9.0], 0.3 * 1.01**2 - 0.1), ([0.11], 0.05)],
)
def test_what_a_call_takes_is_told_by_the_fastest(took_ms: list[float], price: float) -> None:
    pace = Pace()
    for each in took_ms:
        pace.note(each, 0.1)
    assert pace.call_ms(0.1) == pytest.approx(price)


@pytest.mark.parametrize("bytes_a_second", [10_000, 40_000])
def test_a_thin_link_is_never_filled_for_long(valkey: Hand, bytes_a_second: int) -> None:
    fill_rows(valkey, 2000)
    with Weather(valkey.url.removeprefix("unix://"), rtt_ms=20) as weather, _link(weather) as link:
        link.run(Discovery(("emq",)).look(1, 1))
        weather.bytes_a_second = bytes_a_second
        pace, discovery, steps = Pace(), Discovery(("emq",)), []
        for _ in range(5):
            before = link.received_bytes
            link.run(paced(discovery.look, pace, link, 1, time.monotonic()))
            steps.append(link.received_bytes - before)
    assert max(steps) <= 1.2 * bytes_a_second * CARRIED_MS / 1000


def test_no_step_begins_after_the_end(valkey: Hand) -> None:
    fill_rows(valkey, 2000)
    before = valkey.link.commands
    discovery = Discovery(("emq",))
    assert not valkey.link.run(paced(discovery.look, Pace(), valkey.link, 10, time.monotonic()))
    assert valkey.link.commands - before == 1
    assert valkey.link.run(paced(discovery.look, Pace(), valkey.link, 10_000, time.monotonic() + 60))


def _link(weather: Weather) -> BareLink:
    return BareLink(parse_address(weather.url))
