"""Jobs that move between the looks of a page: nothing odd is said of them, and what is odd stays so."""

from collections.abc import Callable

import pytest

from emqtop.wire.bullmq.reads import page
from emqtop.wire.readings import PageReading
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull


@pytest.fixture
def bull(valkey: Hand) -> Bull:
    return Bull(valkey, version="5.81.5")


def while_moving(bull: Bull, location: str, before: int, move: Callable[[], object]) -> tuple[PageReading, int]:
    """A page, and its writes; before the write of this number, from 1, something moves."""
    talk, writes = page(bull.keys, location), 0
    try:
        ask = next(talk)
        while True:
            writes += 1
            if writes == before:
                move()
            ask = talk.send(bull.valkey.link.run(_passed_on(ask)))
    except StopIteration as end:
        return end.value, writes


def _passed_on(ask):  # type: ignore[no-untyped-def]
    return (yield ask)


def taken(bull: Bull, part: str) -> None:
    """Out of its place, whatever that is."""
    bull.put("LREM" if part in {"wait", "active"} else "ZREM", part, *((0,) if part in {"wait", "active"} else ()), "1")


def finished(bull: Bull, part: str) -> None:
    taken(bull, part)
    bull.put("DEL", "1")


def failed(bull: Bull, part: str) -> None:
    taken(bull, part)
    bull.put("ZADD", "failed", 9, "1")


PLACES = {
    "pending": ("wait", lambda bull: bull.waiting("1")),
    "active": ("active", lambda bull: bull.active("1", "w:1")),
    "schedule": ("delayed", lambda bull: bull.delayed("1")),
}


@pytest.mark.parametrize("move", [finished, failed])
@pytest.mark.parametrize("location", PLACES)
def test_a_job_that_moves_on_is_not_odd(bull: Bull, location: str, move: Callable[[Bull, str], None]) -> None:
    part, put = PLACES[location]
    put(bull)
    quiet, writes = while_moving(bull, location, 0, lambda: None)
    torn, more = while_moving(bull, location, writes, lambda: move(bull, part))
    assert [(job.id, job.odd) for job in (*quiet.jobs, *torn.jobs)] == [(b"1", ())] * 2
    assert more == writes + 1


@pytest.mark.parametrize("location", PLACES)
def test_what_is_odd_at_one_moment_is_told(bull: Bull, location: str) -> None:
    part, put = PLACES[location]
    put(bull)
    bull.put("ZADD", "failed", 9, "1")
    bull.put("DEL", "1")
    (line,) = while_moving(bull, location, 0, lambda: None)[0].jobs
    assert line.odd == ("no-row", "second-location")
    taken(bull, part)
    assert while_moving(bull, location, 0, lambda: None)[0].jobs == ()
