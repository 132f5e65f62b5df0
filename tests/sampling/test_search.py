"""Jobs that fit a condition, page after page, and the errors of the dead."""

import pytest

from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.where import parse_filter
from emqtop.sampling.search import Found, dead_errors, search
from emqtop.sampling.source import PageRequest
from tests.conftest import Hand
from tests.wire.echomq.shelf import Shelf, job_id

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")


@pytest.fixture
def shelf(valkey: Hand) -> Shelf:
    return Shelf(valkey)


def attempts(found: Found) -> list[int | None]:
    return [job.attempts for job in found.page.jobs]


@pytest.fixture
def dead(shelf: Shelf) -> Shelf:
    """620 dead jobs; attempts is their number."""
    for number in range(620):
        payload, error = ("even", f"timeout after {number} ms") if number % 2 == 0 else ("odd", "declined")
        shelf.put("dead", number, attempts=str(number), payload=payload, last_error=error)
    return shelf


@pytest.mark.parametrize(
    ("where", "limit", "wanted", "looked_at", "goes_on"),
    [
        ("attempts>=615", 100, [615, 616, 617, 618, 619], 620, False),
        ("attempts>=560 and attempts<900", 3, [560, 561, 562], 563, True),
        ("attempts=619", 1, [619], 620, False),
        ("attempts=499", 1, [499], 500, True),
        ("attempts>5000", 5, [], 620, False),
        ("payload~even attempts>100", 2, [102, 104], 105, True),
        ("payload!~even", 3, [1, 3, 5], 6, True),
    ],
)
def test_those_that_fit_and_no_more(
    dead: Shelf, where: str, limit: int, wanted: list[int], looked_at: int, goes_on: bool
) -> None:
    found = dead.run(search(PageRequest(ORDERS, Location.DEAD, limit=limit), parse_filter(where)))
    assert attempts(found) == wanted
    assert (found.looked_at, found.page.total) == (looked_at, 620)
    assert (found.page.next is not None) is goes_on
    assert {job.payload for job in found.page.jobs} <= {None}


def test_the_cursor_goes_on_right_behind_the_last_that_fits(dead: Shelf) -> None:
    after, seen = None, []
    while True:
        request = PageRequest(ORDERS, Location.DEAD, limit=70, after=after)
        found = dead.run(search(request, parse_filter("payload~odd")))
        seen += attempts(found)
        if found.page.next is None:
            break
        after = found.page.next
    assert seen == list(range(1, 620, 2))


def test_it_looks_at_so_many_and_no_more(dead: Shelf) -> None:
    request = PageRequest(ORDERS, Location.DEAD, limit=1000)
    found = dead.run(search(request, parse_filter("attempts>=400"), most=500))
    assert attempts(found) == list(range(400, 500))
    assert found.looked_at == 500
    assert found.page.next is not None


def test_the_errors_of_the_dead_in_groups(dead: Shelf) -> None:
    errors = dead.run(dead_errors(ORDERS))
    assert (errors.total, errors.looked_at, errors.rest) == (620, 620, 0)
    assert [(group.pattern, group.count) for group in errors.groups] == [
        ("declined", 310),
        ("timeout after <n> ms", 310),
    ]
    assert dead.run(dead_errors(ORDERS, most=500)).looked_at == 500


def test_payloads_are_moved_only_for_a_condition_about_them(shelf: Shelf) -> None:
    shelf.put("dead", 1, payload="x" * 60_000 + "needle")
    shelf.put("dead", 2, payload="x" * 70_000 + "needle")
    request = PageRequest(ORDERS, Location.DEAD)
    _, received, _ = shelf.trips(search(request, parse_filter("id~JOB")))
    assert received < 1_000
    found = shelf.run(search(request, parse_filter("payload~needle")))
    assert [(job.id, job.payload) for job in found.page.jobs] == [(job_id(1), None)]
    shown = PageRequest(ORDERS, Location.DEAD, payload=True)
    (job,) = shelf.run(search(shown, parse_filter("payload~needle"))).page.jobs
    assert job.payload == b"x" * 256
    assert shelf.run(search(request, parse_filter("payload!~needle"))).page.jobs == ()
