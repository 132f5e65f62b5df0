"""Jobs that meet a condition, page after page."""

import pytest

from emqtop.model.job import Page
from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.where import parse_filter
from emqtop.sampling.chosen import chosen
from emqtop.sampling.source import PageRequest
from tests.conftest import Hand
from tests.wire.echomq.shelf import Shelf, job_id

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")


@pytest.fixture
def shelf(valkey: Hand) -> Shelf:
    return Shelf(valkey)


def attempts(found: Page) -> list[int | None]:
    return [job.attempts for job in found.jobs]


@pytest.fixture
def dead(shelf: Shelf) -> Shelf:
    """250 dead jobs; attempts is their number."""
    for number in range(250):
        shelf.put("dead", number, attempts=str(number), payload="even" if number % 2 == 0 else "odd")
    return shelf


@pytest.mark.parametrize(
    ("where", "limit", "wanted", "goes_on"),
    [
        ("attempts>=245", 100, [245, 246, 247, 248, 249], False),
        ("attempts>=120 and attempts<300", 3, [120, 121, 122], True),
        ("attempts=249", 1, [249], False),
        ("attempts>500", 5, [], False),
        ("payload~even attempts>100", 2, [102, 104], True),
        ("payload!~even", 3, [1, 3, 5], True),
    ],
)
def test_those_that_match_and_no_more(dead: Shelf, where: str, limit: int, wanted: list[int], goes_on: bool) -> None:
    found = dead.run(chosen(PageRequest(ORDERS, Location.DEAD, limit=limit), parse_filter(where)))
    assert attempts(found) == wanted
    assert (found.next is not None) is goes_on
    assert (found.total, found.start) == (250, 0)
    assert {job.payload for job in found.jobs} <= {None}


def test_the_cursor_goes_on_right_behind_the_last_match(dead: Shelf) -> None:
    after, seen = None, []
    while True:
        request = PageRequest(ORDERS, Location.DEAD, limit=7, after=after)
        found = dead.run(chosen(request, parse_filter("payload~odd")))
        seen += attempts(found)
        if found.next is None:
            break
        after = found.next
    assert seen == list(range(1, 250, 2))


def test_it_looks_at_so_many_and_no_more(dead: Shelf) -> None:
    request = PageRequest(ORDERS, Location.DEAD)
    found = dead.run(chosen(request, parse_filter("attempts>=150"), most_looked_at=200))
    assert attempts(found) == list(range(150, 200))
    assert found.next is not None


def test_payloads_are_moved_only_for_a_condition_about_them(shelf: Shelf) -> None:
    shelf.put("dead", 1, payload="x" * 60_000 + "needle")
    shelf.put("dead", 2, payload="x" * 70_000 + "needle")
    request = PageRequest(ORDERS, Location.DEAD)
    _, received, _ = shelf.trips(chosen(request, parse_filter("id~JOB")))
    assert received < 1_000
    found = shelf.run(chosen(request, parse_filter("payload~needle")))
    assert [job.id for job in found.jobs] == [job_id(1)]
    assert found.jobs[0].payload is None
    shown = PageRequest(ORDERS, Location.DEAD, payload=True)
    (job,) = shelf.run(chosen(shown, parse_filter("payload~needle"))).jobs
    assert job.payload == b"x" * 256
    assert shelf.run(chosen(request, parse_filter("payload!~needle"))).jobs == ()
