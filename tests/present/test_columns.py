"""Which columns a width has room for, and what their cells say."""

from itertools import pairwise
from typing import Any

import pytest

from emqtop.model.job import Job, Odd
from emqtop.model.queue import Family, Lane, Location, Queue, QueueId
from emqtop.model.rates import Rates
from emqtop.model.snapshot import Snapshot
from emqtop.present.columns import Cell, Column, Tone, fit
from emqtop.present.job_columns import job_columns
from emqtop.present.job_rows import JobRow
from emqtop.present.lane_columns import LANES
from emqtop.present.queue_columns import OVERVIEW
from emqtop.present.rows import QueueRow, queue_rows
from emqtop.present.scheduler_columns import scheduler_columns
from emqtop.present.worker_columns import worker_columns
from emqtop.text import cells

NOW = 1_790_000_000_000
ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
JOB = "JOB0NgWEfAEJhZ"

EVERY = [
    OVERVIEW,
    LANES,
    *(job_columns(location, family) for location in Location for family in Family),
    *(columns(family) for columns in (worker_columns, scheduler_columns) for family in Family),
]


@pytest.mark.parametrize("width", [1, 5, 20, 60, 80, 120, 200, 400])
@pytest.mark.parametrize("columns", EVERY)
def test_columns_stay_within_the_width_and_do_not_touch(columns: tuple[Column[Any], ...], width: int) -> None:
    placed = fit(columns, width)
    assert placed[-1].start + placed[-1].width <= width
    assert all(left.start + left.width + 1 == right.start for left, right in pairwise(placed))
    assert min(columns, key=lambda column: column.priority) in [at.column for at in placed]


@pytest.mark.parametrize("columns", EVERY)
def test_what_is_left_over_is_given_to_the_elastic_ones(columns: tuple[Column[Any], ...]) -> None:
    last = fit(columns, 300)[-1]
    assert last.start + last.width == 300


@pytest.mark.parametrize("columns", EVERY)
def test_titles_fit_keys_and_priorities_are_unique_and_each_is_explained(columns: tuple[Column[Any], ...]) -> None:
    assert all(cells(column.title) <= column.width and column.title and column.help for column in columns)
    assert len({column.key for column in columns}) == len({column.priority for column in columns}) == len(columns)


def test_80_cells_show_every_location_and_the_lease() -> None:
    keys = {at.column.key for at in fit(OVERVIEW, 80)}
    assert keys >= {"mark", "name", "pending", "active", "schedule", "dead", "held", "overdue", "lease", "done_rate"}


def row(**values: Any) -> QueueRow:
    return QueueRow(Queue(ORDERS, **values), Rates(done=12.5, failed=0.0, empty_in_ms=4_000))


BUSY = row(
    pending=123_456, lanes=3, active=4, schedule=0, overdue=2, due=1, paused=True, next_deadline_ms=NOW - 2_100,
    oldest_pending_ms=NOW - 5_300,
)  # fmt: skip


@pytest.mark.parametrize(
    ("key", "shown", "cell"),
    [
        ("mark", row(error="WRONGTYPE"), Cell("E", Tone.BAD)),
        ("mark", BUSY, Cell("!", Tone.BAD)),
        ("mark", row(paused=True, active=1), Cell("P", Tone.WARN)),
        ("mark", row(active=1), Cell(">", Tone.GOOD)),
        ("mark", row(active=0), Cell("·", Tone.DIM)),
        ("pending", BUSY, Cell("123k", Tone.PLAIN)),
        ("schedule", BUSY, Cell("0", Tone.DIM)),
        ("dead", BUSY, Cell("-", Tone.DIM)),
        ("overdue", BUSY, Cell("2", Tone.BAD)),
        ("lease", BUSY, Cell("-2.1s", Tone.BAD)),
        ("lease", row(next_deadline_ms=NOW + 2_100), Cell("2.1s", Tone.PLAIN)),
        ("lease", row(), Cell("-", Tone.DIM)),
        ("oldest", BUSY, Cell("5.3s", Tone.PLAIN)),
        ("oldest", row(oldest_pending_ms=NOW + 9), Cell("0s", Tone.PLAIN)),
        ("done_rate", BUSY, Cell("12.5", Tone.GOOD)),
        ("died_rate", BUSY, Cell("0", Tone.DIM)),
        ("in_rate", BUSY, Cell("-", Tone.DIM)),
        ("empty", BUSY, Cell("4.0s", Tone.PLAIN)),
        ("note", BUSY, Cell("paused, 2 overdue, 1 due", Tone.BAD)),
        ("note", row(error="WRONGTYPE \x1b[2J"), Cell("WRONGTYPE ␛[2J", Tone.BAD)),
    ],
)
def test_overview_cells(key: str, shown: QueueRow, cell: Cell) -> None:
    (column,) = (column for column in OVERVIEW if column.key == key)
    assert column.cell(shown, NOW) == cell


def test_a_local_clock_marks_times_as_approximate() -> None:
    (only,) = queue_rows(Snapshot(at_ms=NOW, clock="local", queues=(Queue(ORDERS, next_deadline_ms=NOW + 2_000),)))
    (lease,) = (column for column in OVERVIEW if column.key == "lease")
    assert lease.cell(only, NOW).text == "~2.0s"


def test_queues_of_one_name_are_told_apart_by_prefix() -> None:
    names = [("bull", "mail"), ("bull2", "mail"), ("bull", "\x1b")]
    queues = tuple(Queue(QueueId(Family.BULLMQ, prefix, name)) for prefix, name in names)
    rows = queue_rows(Snapshot(at_ms=NOW, queues=queues))
    (name,) = (column for column in OVERVIEW if column.key == "name")
    assert [name.cell(each, NOW).text for each in rows] == ["bull:mail", "bull2:mail", "␛"]


@pytest.mark.parametrize(
    ("location", "key", "job", "cell"),
    [
        (Location.ACTIVE, "mark", Job(JOB, deadline_ms=NOW - 1), Cell("!", Tone.BAD)),
        (Location.ACTIVE, "mark", Job(JOB, deadline_ms=NOW + 1), Cell(" ", Tone.PLAIN)),
        (Location.DEAD, "mark", Job(JOB, odd=(Odd.NO_ROW,)), Cell("?", Tone.BAD)),
        (Location.ACTIVE, "lease", Job(JOB, deadline_ms=NOW - 80_000), Cell("-1m20s", Tone.BAD)),
        (Location.ACTIVE, "lease", Job(JOB, deadline_ms=884_541_340_800_000), Cell("27973y", Tone.PLAIN)),
        (Location.SCHEDULE, "due", Job(JOB, due_ms=NOW - 1_000), Cell("-1.0s", Tone.WARN)),
        (Location.PENDING, "attempts", Job(JOB, attempts=2), Cell("2", Tone.PLAIN)),
        (Location.PENDING, "age", Job(JOB, minted_ms=NOW - 42_000), Cell("42s", Tone.PLAIN)),
        (Location.PENDING, "size", Job(JOB, payload_bytes=5 << 20), Cell("5.0M", Tone.PLAIN)),
        (Location.PENDING, "lane", Job(JOB, group="GRP\x9b"), Cell("GRP‹U+009B›", Tone.PLAIN)),
        (Location.PENDING, "note", Job(JOB, payload=b"[/red]\x1b", payload_bytes=7), Cell("[/red]␛", Tone.DIM)),
        (Location.PENDING, "note", Job(JOB, payload="né".encode()[:-1], payload_bytes=3), Cell("n", Tone.DIM)),
        (Location.DEAD, "note", Job(JOB, last_error="boom\nat x"), Cell("boom␊at x", Tone.WARN)),
        (
            Location.DEAD,
            "note",
            Job(JOB, state="active", odd=(Odd.STATE_DIFFERS,)),
            Cell("state-differs (row says active)", Tone.BAD),
        ),
    ],
)
def test_job_cells(location: Location, key: str, job: Job, cell: Cell) -> None:
    (column,) = (column for column in job_columns(location, Family.ECHOMQ) if column.key == key)
    assert column.cell(JobRow(job, location), NOW) == cell


@pytest.mark.parametrize(
    ("lane", "mark", "ring"),
    [
        (Lane("GRP1", 3, 1, 1, None, False, False), "=", "at its limit"),
        (Lane("GRP1", 3, 0, None, 2, True, False), "P", "paused"),
        (Lane("GRP1", 3, 0, None, None, False, True), "·", "in the ring"),
        (Lane("GRP1", 3, 0, None, None, False, False), "·", "waiting, but not in the ring"),
        (Lane("GRP1", 0, 1, 2, None, False, False), ">", "empty"),
    ],
)
def test_lanes_say_why_they_are_not_offered(lane: Lane, mark: str, ring: str) -> None:
    cell = {column.key: column.cell(lane, NOW).text for column in LANES}
    assert (cell["mark"], cell["ring"]) == (mark, ring)
