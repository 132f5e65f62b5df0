"""The columns of the overview."""

from collections.abc import Callable
from typing import TypeAlias

from emqtop.model.queue import Queue
from emqtop.present.cells import UNKNOWN, age, number, time_left
from emqtop.present.columns import Cell, Column, Tone
from emqtop.present.rows import QueueRow
from emqtop.present.trend import BARS, trend
from emqtop.text import Align, safe
from emqtop.units import duration, rate

CellOf: TypeAlias = Callable[[QueueRow, int], Cell]

_ERROR_CHARACTERS = 400


def _mark(row: QueueRow, _now_ms: int) -> Cell:
    queue = row.queue
    if queue.error is not None:
        return Cell("E", Tone.BAD)
    if queue.overdue:
        return Cell("!", Tone.BAD)
    if queue.paused:
        return Cell("P", Tone.WARN)
    return Cell(">", Tone.GOOD) if queue.active else Cell("·", Tone.DIM)


def _name(row: QueueRow, _now_ms: int) -> Cell:
    name = safe(row.queue.id.name)
    return Cell(f"{safe(row.queue.id.prefix)}:{name}" if row.twin else name)


def _count(of: Callable[[Queue], int | None], tone: Tone = Tone.PLAIN) -> CellOf:
    return lambda row, _: number(of(row.queue), tone)


def _per_second(per_second: float | None, tone: Tone) -> Cell:
    return Cell(rate(per_second), tone if per_second else Tone.DIM)


def _lease(row: QueueRow, now_ms: int) -> Cell:
    return time_left(row.queue.next_deadline_ms, now_ms, row.approximate)


def _oldest(row: QueueRow, now_ms: int) -> Cell:
    return age(row.queue.oldest_pending_ms, now_ms)


def _empty(row: QueueRow, _now_ms: int) -> Cell:
    return UNKNOWN if row.rates.empty_in_ms is None else Cell(duration(row.rates.empty_in_ms))


def _trend(row: QueueRow, _now_ms: int) -> Cell:
    return Cell("" if row.past is None else trend(row.past, row.queue.id), Tone.TREND)


def _note(row: QueueRow, _now_ms: int) -> Cell:
    queue = row.queue
    if queue.error is not None:
        return Cell(safe(queue.error[:_ERROR_CHARACTERS]), Tone.BAD)
    words = ["paused"] if queue.paused else []
    if queue.overdue:
        words.append(f"{queue.overdue} overdue")
    if queue.due:
        words.append(f"{queue.due} due")
    return Cell(", ".join(words), Tone.BAD if queue.overdue else Tone.WARN)


_BY_CLOCK = (_lease, _oldest, _trend)


def _left(key: str, title: str, width: int, priority: int, cell: CellOf, says: str) -> Column[QueueRow]:
    return Column(key, title, width, Align.LEFT, priority, cell, help=says, runs=cell in _BY_CLOCK)


def _elastic(key: str, title: str, width: int, priority: int, cell: CellOf, says: str) -> Column[QueueRow]:
    return Column(key, title, width, Align.LEFT, priority, cell, stretch=True, help=says, runs=cell in _BY_CLOCK)


def _right(key: str, title: str, width: int, priority: int, cell: CellOf, says: str) -> Column[QueueRow]:
    return Column(key, title, width, Align.RIGHT, priority, cell, help=says, runs=cell in _BY_CLOCK)


OVERVIEW: tuple[Column[QueueRow], ...] = (
    _left("mark", "S", 1, 2, _mark, "E error, ! overdue, P paused, > running, · idle"),
    _elastic("name", "QUEUE", 12, 1, _name, "Name of the queue"),
    _left("prefix", "PREFIX", 6, 19, lambda row, _: Cell(safe(row.queue.id.prefix), Tone.DIM), "Key prefix"),
    _left("family", "FAMILY", 6, 20, lambda row, _: Cell(row.queue.id.family, Tone.DIM), "Key layout"),
    _right("pending", "PEND", 5, 3, _count(lambda queue: queue.pending), "Wait to be claimed, lanes counted"),
    _right("lanes", "LANES", 5, 16, _count(lambda queue: queue.lanes), "The part of PEND that waits in lanes"),
    _right("active", "ACTIVE", 6, 4, _count(lambda queue: queue.active, Tone.GOOD), "Under a lease"),
    _right("overdue", "LATE", 5, 5, _count(lambda queue: queue.overdue, Tone.BAD), "Leases past their deadline"),
    _right("lease", "LEASE", 8, 8, _lease, "Time left of the earliest lease, negative when past"),
    _right("schedule", "SCHED", 5, 7, _count(lambda queue: queue.schedule), "Wait for their time"),
    _right("due", "DUE", 5, 17, _count(lambda queue: queue.due, Tone.WARN), "Scheduled, and their time has come"),
    _right("dead", "DEAD", 5, 6, _count(lambda queue: queue.dead, Tone.WARN), "Gave up"),
    _right("held", "HELD", 5, 11, _count(lambda queue: queue.held), "Wait for their children"),
    _right("in_rate", "IN/S", 5, 15, lambda row, _: _per_second(row.rates.entered, Tone.PLAIN), "Came in a second"),
    _right("done_rate", "DONE/S", 6, 9, lambda row, _: _per_second(row.rates.done, Tone.GOOD), "Completed a second"),
    _right("died_rate", "DIED/S", 6, 14, lambda row, _: _per_second(row.rates.failed, Tone.WARN), "Gave up a second"),
    _right("empty", "EMPTY", 6, 18, _empty, "Time until nothing waits, if it goes on like this"),
    _right("oldest", "OLDEST", 6, 10, _oldest, "Age of the oldest that waits"),
    _right("completed", "DONE", 5, 21, _count(lambda queue: queue.completed), "Completed so far (BullMQ: still kept)"),
    _right("failed", "DIED", 5, 22, _count(lambda queue: queue.failed), "Gave up so far (BullMQ: still kept)"),
    _elastic("note", "NOTE", 12, 12, _note, "What is the matter, in words"),
)
"""What `ls` can show, from the left; `fit` says what a width has room for."""

_TREND = _left(
    "trend",
    "TREND",
    BARS,
    13,
    _trend,
    "PEND over the last 80 seconds, its highest as the highest bar; blank where it stands still",
)

WATCHED = tuple(shown for column in OVERVIEW for shown in ((column, _TREND) if column.key == "pending" else (column,)))
"""What the overview of the dashboard can show: it has a past to tell of, too."""
