"""What the cells of workers and schedulers say, and minutes as they were seen."""

import pytest

from emqtop.model.history import History, Series
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.rates import Rates
from emqtop.model.snapshot import Snapshot
from emqtop.model.team import Tie, Worker
from emqtop.model.timetable import NextRun, Scheduler
from emqtop.present.columns import Cell, Tone
from emqtop.present.scheduler_columns import LATE_MS, scheduler_columns
from emqtop.present.seen_minutes import seen_minutes
from emqtop.present.worker_columns import worker_columns

NOW = 1_790_000_000_000
ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
HOLDING = Worker("1", Tie.NAME, "ada\x1b", "::1:5", 61, 0, True, "lib 1", holds=2)


@pytest.mark.parametrize(
    ("key", "worker", "cell"),
    [
        ("mark", HOLDING, Cell(">", Tone.GOOD)),
        ("mark", Worker("1", Tie.NAME, waits=True, holds=0), Cell("·", Tone.DIM)),
        ("mark", Worker("1", Tie.NAME, waits=False), Cell(">", Tone.GOOD)),
        ("mark", Worker("1", Tie.WAIT, waits=True), Cell("?", Tone.DIM)),
        ("mark", Worker("1", Tie.GONE, holds=1), Cell("?", Tone.WARN)),
        ("mark", Worker("1", Tie.GONE, holds=1, lapsed=1), Cell("!", Tone.BAD)),
        ("mark", Worker("1", Tie.JOBS, holds=1), Cell(">", Tone.GOOD)),
        ("worker", HOLDING, Cell("ada␛")),
        ("worker", Worker("1", Tie.NAME), Cell("no name", Tone.DIM)),
        ("state", HOLDING, Cell("waits for a job", Tone.DIM)),
        ("state", Worker("1", Tie.NAME, waits=False), Cell("does not wait", Tone.GOOD)),
        ("state", Worker("1", Tie.LOCKS, "u"), Cell("known by its locks", Tone.DIM)),
        ("state", Worker("1", Tie.LOCKS, lapsed=1), Cell("no lock tells who", Tone.BAD)),
        ("holds", HOLDING, Cell("2")),
        ("holds", Worker("1", Tie.NAME, holds=3, namesakes=2), Cell("<=3")),
        ("holds", Worker("1", Tie.NAME), Cell("-", Tone.DIM)),
        ("lapsed", Worker("1", Tie.GONE, lapsed=4), Cell("4", Tone.BAD)),
        ("age", HOLDING, Cell("1m01s")),
        ("idle", Worker("1", Tie.GONE), Cell("-", Tone.DIM)),
        ("address", HOLDING, Cell("::1:5", Tone.DIM)),
    ],
)
def test_workers(key: str, worker: Worker, cell: Cell) -> None:
    (column,) = (column for column in worker_columns(Family.BULLMQ) if column.key == key)
    assert column.cell(worker, NOW) == cell


def test_nothing_is_said_of_what_an_echomq_worker_holds() -> None:
    assert not {"holds", "lapsed"} & {column.key for column in worker_columns(Family.ECHOMQ)}


def series(next_run: NextRun, next_ms: int = NOW, **rest: object) -> Scheduler:
    return Scheduler("s", next_ms, next_run, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "scheduler", "cell"),
    [
        ("mark", series(NextRun.ENDED), Cell("!", Tone.BAD)),
        ("mark", series(NextRun.SCHEDULE, NOW - LATE_MS), Cell("·", Tone.DIM)),
        ("mark", series(NextRun.SCHEDULE, NOW - LATE_MS - 1), Cell("!", Tone.WARN)),
        ("mark", series(NextRun.ACTIVE, NOW - 60_000), Cell(">", Tone.GOOD)),
        ("state", series(NextRun.PENDING, NOW - 60_000), Cell("due, not taken", Tone.WARN)),
        ("state", series(NextRun.REGISTERED, NOW - 60_000), Cell("due, not fired", Tone.WARN)),
        ("state", series(NextRun.REGISTERED), Cell("registered", Tone.DIM)),
        ("state", series(NextRun.NO_RECORD, NOW - 60_000), Cell("no record", Tone.BAD)),
        ("next", series(NextRun.SCHEDULE, NOW + 1_000), Cell("1.0s")),
        ("rule", series(NextRun.SCHEDULE, pattern="0 3 * *\n*"), Cell("0 3 * *␊*")),
        ("rule", series(NextRun.SCHEDULE, every_ms=5_000), Cell("every 5.0s")),
        ("rule", series(NextRun.SCHEDULE), Cell("-", Tone.DIM)),
        ("runs", series(NextRun.SCHEDULE, runs=3, limit=9), Cell("3 of 9")),
        ("runs", series(NextRun.SCHEDULE, limit=9), Cell("-", Tone.DIM)),
        ("last", series(NextRun.SCHEDULE, last_ms=NOW - 2_000), Cell("done 2.0s", Tone.GOOD)),
        ("last", series(NextRun.SCHEDULE, last_ms=NOW - 2_000, last_failed=True), Cell("failed 2.0s", Tone.BAD)),
        ("makes", series(NextRun.SCHEDULE, name="n", ends_ms=0), Cell("n", Tone.DIM)),
        ("makes", series(NextRun.SCHEDULE, name="n"), Cell("n", Tone.DIM)),
    ],
)
def test_schedulers(key: str, scheduler: Scheduler, cell: Cell) -> None:
    (column,) = (column for column in scheduler_columns(Family.BULLMQ) if column.key == key)
    assert column.cell(scheduler, NOW) == cell


def test_times_of_echomqs_repeats_are_marked_as_of_another_clock() -> None:
    (column,) = (column for column in scheduler_columns(Family.ECHOMQ) if column.key == "next")
    assert column.cell(series(NextRun.REGISTERED, NOW + 1_000), NOW).text == "~1.0s"


def test_a_minute_that_was_not_watched_from_its_begin_is_unknown() -> None:
    past, begin_s = History(), NOW // 60_000 * 60 + 30
    for second in range(begin_s, begin_s + 30 + 60 + 10):
        snapshot = Snapshot(at_ms=second * 1_000, queues=(Queue(ORDERS),))
        past.add(snapshot, {ORDERS: Rates(done=2.0)}, {ORDERS})
    now_ms = (begin_s + 99) * 1_000
    assert seen_minutes(past, ORDERS, Series.DONE, now_ms, 4) == [None, None, 120.0, 20.0]
    assert seen_minutes(past, ORDERS, Series.FAILED, now_ms, 2) == [None, None]
    assert seen_minutes(History(), ORDERS, Series.DONE, now_ms, 3) == [None, None, None]


def test_a_minute_that_one_came_into_counts_what_was_seen() -> None:
    past, begin_s = History(), NOW // 60_000 * 60 + 30
    for second in range(begin_s, begin_s + 5):
        past.add(Snapshot(at_ms=second * 1_000, queues=(Queue(ORDERS),)), {ORDERS: Rates(done=2.0)}, {ORDERS})
    assert seen_minutes(past, ORDERS, Series.DONE, (begin_s + 4) * 1_000, 2) == [None, 10.0]
