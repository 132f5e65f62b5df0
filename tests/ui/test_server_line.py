"""The server strip: what it says, and that it stands still."""

from dataclasses import replace

import pytest

from emqtop.model.snapshot import Cost, Server, Snapshot
from emqtop.ui.screens.server import server_text
from emqtop.ui.server_line import round_to_two, round_trip, rounded, server_parts
from emqtop.ui.vitals import Meter, Vitals
from tests.corpus import HOSTILE, unsafe

SERVER = Server(
    url="redis://h:1", kind="valkey", version="9.1.2", mode="cluster", role="replica",
    memory_limit_bytes=1 << 30, eviction="allkeys-lru", clients=9,
)  # fmt: skip
VITALS = Vitals(1.4, 1_234.0, 40_000.0, 990 << 20, 9)


def line(snapshot: Snapshot, vitals: Vitals, width: int) -> str:
    return "".join(part.text for part in server_parts(snapshot, vitals, width)).strip()


def test_everything_where_there_is_room() -> None:
    snapshot = Snapshot(server=SERVER, mode="tracking", limits=("INFO is withheld",))
    assert line(snapshot, VITALS, 200) == (
        "redis://h:1  replica  evicts: allkeys-lru  1 withheld  valkey 9.1.2  mem 990M/1.0G  9 clients  1ms"
        "  asks 1200/s 39.0K/s  tracking  cluster"
    )


def test_what_is_wrong_stays_longest() -> None:
    snapshot = Snapshot(server=SERVER, limits=("a", "b"))
    assert line(snapshot, VITALS, 56) == "redis://h:1  replica  evicts: allkeys-lru  2 withheld"
    assert line(snapshot, VITALS, 0) == ""


def test_a_full_memory_is_a_warning() -> None:
    tones = {part.text: part.tone for part in server_parts(Snapshot(server=SERVER), VITALS, 200)}
    assert tones["mem 990M/1.0G"] == "warn"


@pytest.mark.parametrize(("ms", "shown"), [(0.2, "<1ms"), (1.4, "1ms"), (123.0, "120ms"), (2_340.0, "2.3s")])
def test_round_trip(ms: float, shown: str) -> None:
    assert round_trip(ms) == shown


@pytest.mark.parametrize(("number", "shown"), [(0.0, "0"), (0.4, "<1"), (7.2, "7"), (99.6, "100"), (1_234.0, "1200")])
def test_rounded(number: float, shown: str) -> None:
    assert rounded(number) == shown
    assert round_to_two(987_654) == 990_000


def snapshot(at_s: float, commands: int = 10, trip_ms: float | None = 1.0, memory: int = 1_000_000) -> Snapshot:
    server = Server(memory_bytes=memory, clients=20)
    return Snapshot(at_ms=int(at_s * 1_000), cost=Cost(commands, 100, 300, trip_ms), server=server)


def shown_after(meter: Meter, seconds: range, commands: int = 10, trip_ms: float = 1.0, memory: int = 10**6) -> Vitals:
    """What stands there after a sample in each of these seconds."""
    return [meter.take(snapshot(second, commands, trip_ms, memory)) for second in seconds][-1]


def test_the_cost_of_beginning_is_not_shown() -> None:
    meter = Meter()
    assert meter.take(snapshot(1, 900, 80.0)) == Vitals(memory_bytes=1_000_000, clients=20)
    assert meter.take(snapshot(2, 300, 2.0)).round_trip_ms is None
    assert meter.take(snapshot(3, 10, 1.0)) == Vitals(2.0, None, None, 1_000_000, 20)
    assert shown_after(meter, range(4, 11)).commands is None
    assert shown_after(meter, range(11, 12)).commands == 39.0


def test_small_changes_are_not_shown() -> None:
    meter = Meter()
    first = shown_after(meter, range(1, 13))
    assert first == Vitals(1.0, 10.0, 400.0, 1_000_000, 20)
    for second in range(13, 60):
        drift = 0.2 if second % 2 else -0.2
        assert meter.take(snapshot(second, 10 + second % 2, 1.0 + drift, 1_000_000 + second * 100)) == first


def test_material_changes_are_shown_after_a_while() -> None:
    meter = Meter()
    first = shown_after(meter, range(1, 21))
    assert shown_after(meter, range(21, 30), 40, 3.0, 1_020_000) == first
    assert shown_after(meter, range(30, 31), 40, 3.0, 1_020_000) == Vitals(3.0, 40.0, 400.0, 1_020_000, 20)
    assert shown_after(meter, range(31, 40), 40, 3.0, 1_050_000).memory_bytes == 1_020_000
    assert shown_after(meter, range(40, 41), 40, 3.0, 1_050_000).memory_bytes == 1_050_000


def test_a_server_that_began_anew_is_measured_anew() -> None:
    meter = Meter()
    assert shown_after(meter, range(100, 120)).commands == 10.0
    assert meter.take(snapshot(1)).commands is None


def test_what_is_withheld_is_not_shown() -> None:
    assert line(replace(Snapshot(), server=Server(url="redis://h:1")), Vitals(), 80) == "redis://h:1"


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_server_is_shown_safely(raw: bytes) -> None:
    text = raw.decode("utf-8", "surrogateescape")
    server = Server(text, text, text, text, text, 1, 2, text, 3, text)
    snapshot = Snapshot(server=server, limits=(text,), mode=text)
    shown = "".join(part.text for line in server_text(snapshot, VITALS) for part in line)
    assert not unsafe(shown + line(snapshot, VITALS, 100_000))


def test_all_that_is_withheld_is_named() -> None:
    snapshot = Snapshot(server=SERVER, limits=("INFO is withheld", "SCAN is withheld"), clock="local")
    words = ["".join(part.text for part in each) for each in server_text(snapshot, VITALS)]
    assert words[-2:] == ["  ! INFO is withheld", "  ! SCAN is withheld"]
    assert "  eviction        allkeys-lru: jobs can vanish when memory is full" in words
    assert "  clock           this machine's, since the server withholds its own" in words


@pytest.mark.parametrize(
    ("role", "silent_ms", "wanted"),
    [
        ("master", None, None),
        ("master", 1_000, ("every replica was heard within 1.0s", "plain")),
        ("replica", 15_000, ("the master was heard within 15s", "warn")),
    ],
)
def test_how_replication_stands(role: str, silent_ms: int | None, wanted: tuple[str, str] | None) -> None:
    snapshot = Snapshot(server=Server(role=role, silent_ms=silent_ms))
    told = [each[-1] for each in server_text(snapshot, VITALS) if each and "replication" in each[0].text]
    assert [(part.text, part.tone) for part in told] == ([] if wanted is None else [wanted])
