"""Speeds from two moments."""

from dataclasses import replace

import pytest

from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.rates import UNKNOWN, Rates, between, rates
from emqtop.model.snapshot import EMPTY, Snapshot

ID = QueueId(Family.ECHOMQ, "emq", "orders")
CALM = Queue(ID, pending=10, lanes=4, active=2, schedule=3, dead=0, held=None, completed=100, failed=5)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({}, Rates(0.0, 0.0, 0.0, 0.0, None)),
        ({"completed": 108, "failed": 6}, Rates(4.5, 4.0, 0.5, 0.0, None)),
        ({"pending": 6}, Rates(0.0, 0.0, 0.0, -2.0, 3_000)),
        ({"pending": 6, "completed": 104}, Rates(0.0, 2.0, 0.0, -2.0, 3_000)),
        ({"pending": 14, "active": 4, "completed": 102}, Rates(4.0, 1.0, 0.0, 2.0, None)),
        ({"pending": 0, "completed": 110}, Rates(0.0, 5.0, 0.0, -5.0, 0)),
        ({"completed": 3, "pending": 12}, Rates(None, None, 0.0, 1.0, None)),
        ({"failed": 0}, Rates(None, 0.0, None, 0.0, None)),
        ({"pending": None}, Rates(None, 0.0, 0.0, None, None)),
        ({"completed": None}, Rates(None, None, 0.0, 0.0, None)),
    ],
)
def test_speeds_of_one_queue_over_two_seconds(change: dict[str, int | None], wanted: Rates) -> None:
    assert between(CALM, replace(CALM, **change), 2.0) == wanted


def test_held_jobs_count_as_present_once_both_moments_know_them() -> None:
    before, after = replace(CALM, held=1), replace(CALM, held=3)
    assert between(before, after, 1.0).entered == 2.0


FIRST = Snapshot(at_ms=1_000, queues=(CALM,))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (EMPTY, FIRST),
        (FIRST, FIRST),
        (replace(FIRST, at_ms=2_000), FIRST),
        (FIRST, replace(FIRST, at_ms=2_000, clock="local")),
        (replace(FIRST, queues=()), replace(FIRST, at_ms=2_000)),
    ],
    ids=["nothing yet", "same moment", "back in time", "another clock", "new queue"],
)
def test_moments_that_say_nothing_about_speed(before: Snapshot, after: Snapshot) -> None:
    assert rates(before, after) == {ID: UNKNOWN}


def test_time_between_snapshots_is_the_measure() -> None:
    after = Snapshot(at_ms=1_500, queues=(replace(CALM, completed=101),))
    assert rates(FIRST, after)[ID].done == 2.0
