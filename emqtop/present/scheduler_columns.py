"""The columns of the recurring jobs of a queue."""

from collections.abc import Callable
from typing import TypeAlias

from emqtop.model.queue import Family
from emqtop.model.timetable import Scheduler, Standing
from emqtop.present.columns import Cell, Column, Tone
from emqtop.present.queue_columns import age, time_left
from emqtop.text import Align, safe
from emqtop.units import NOTHING, count, duration, iso, size

CellOf: TypeAlias = Callable[[Scheduler, int], Cell]

LATE_MS = 5_000
"""How long after its time a run that nobody took is told as late, ms: a beat of the slowest worker."""

_UNKNOWN = Cell(NOTHING, Tone.DIM)
_NOWHERE = frozenset({Standing.ENDED, Standing.NO_RECORD})
_WORDS = {
    Standing.SCHEDULE: Cell("scheduled", Tone.DIM),
    Standing.PENDING: Cell("waiting"),
    Standing.ACTIVE: Cell("running", Tone.GOOD),
    Standing.REGISTERED: Cell("registered", Tone.DIM),
    Standing.ENDED: Cell("ended unseen", Tone.BAD),
    Standing.NO_RECORD: Cell("no record", Tone.BAD),
}
_LATE = {
    Standing.SCHEDULE: Cell("due, not taken", Tone.WARN),
    Standing.PENDING: Cell("due, not taken", Tone.WARN),
    Standing.REGISTERED: Cell("due, not fired", Tone.WARN),
}


def is_late(scheduler: Scheduler, now_ms: int) -> bool:
    """Is its next run long due, and nobody took it?"""
    return scheduler.standing in _LATE and scheduler.next_ms + LATE_MS < now_ms


def has_ended(scheduler: Scheduler) -> bool:
    """Will it never run again, though it is registered?"""
    return scheduler.standing in _NOWHERE


def _mark(scheduler: Scheduler, now_ms: int) -> Cell:
    if has_ended(scheduler):
        return Cell("!", Tone.BAD)
    if is_late(scheduler, now_ms):
        return Cell("!", Tone.WARN)
    return Cell(">", Tone.GOOD) if scheduler.standing is Standing.ACTIVE else Cell("·", Tone.DIM)


def _state(scheduler: Scheduler, now_ms: int) -> Cell:
    return (_LATE if is_late(scheduler, now_ms) else _WORDS)[scheduler.standing]


def _rule(scheduler: Scheduler, _now_ms: int) -> Cell:
    if scheduler.pattern is not None:
        return Cell(safe(scheduler.pattern))
    return _UNKNOWN if scheduler.every_ms is None else Cell(f"every {duration(scheduler.every_ms)}")


def _runs(scheduler: Scheduler, _now_ms: int) -> Cell:
    if scheduler.runs is None:
        return _UNKNOWN
    of = "" if scheduler.limit is None else f" of {count(scheduler.limit)}"
    return Cell(f"{count(scheduler.runs)}{of}")


def _last(scheduler: Scheduler, now_ms: int) -> Cell:
    if scheduler.last_ms is None:
        return _UNKNOWN
    since = age(scheduler.last_ms, now_ms).text
    return Cell(f"failed {since}", Tone.BAD) if scheduler.last_failed else Cell(f"done {since}", Tone.GOOD)


def _makes(scheduler: Scheduler, _now_ms: int) -> Cell:
    end = "" if scheduler.ends_ms is None else f"until {iso(scheduler.ends_ms)}"
    words = [word for word in (safe(scheduler.name or ""), end) if word]
    return Cell("  ".join(words), Tone.DIM) if words else _UNKNOWN


def _column(key: str, title: str, width: int, priority: int, cell: CellOf, says: str) -> Column[Scheduler]:
    return Column(key, title, width, Align.LEFT, priority, cell, help=says)


def _next(approximate: bool) -> Column[Scheduler]:
    def cell(scheduler: Scheduler, now_ms: int) -> Cell:
        return time_left(scheduler.next_ms, now_ms, approximate, past=Tone.WARN)

    return Column("next", "NEXT IN", 8, Align.RIGHT, 3, cell, help="Time until its next run, negative when past")


_FIRST: tuple[Column[Scheduler], ...] = (
    _column("mark", "S", 1, 2, _mark, "! it is late or has ended, > it runs"),
    Column("scheduler", "SCHEDULER", 12, Align.LEFT, 1, lambda each, _: Cell(safe(each.id)), stretch=True, help="Id"),
)
_RULE = Column("rule", "RULE", 14, Align.LEFT, 4, _rule, stretch=True, help="Pattern, or how often")
_STATE = _column("state", "NEXT RUN", 14, 5, _state, "Where its next run is")
_BULLMQ = (
    _column("last", "LAST RUN", 13, 6, _last, "How the run before ended, and how long ago; told of intervals only"),
    _column("runs", "RUNS", 10, 7, _runs, "Runs made, and how many at most"),
    _column("zone", "ZONE", 12, 8, lambda each, _: Cell(safe(each.zone)) if each.zone else _UNKNOWN, "Time zone"),
    Column("makes", "MAKES", 10, Align.LEFT, 9, _makes, stretch=True, help="Name of its jobs, and until when"),
)
_SIZE: Column[Scheduler] = Column(
    "size", "SIZE", 5, Align.RIGHT, 6, lambda each, _: Cell(size(each.payload_bytes)), help="Size of each job's payload"
)


def scheduler_columns(family: Family, *, approximate: bool = False) -> tuple[Column[Scheduler], ...]:
    """What can be told of a recurring job, from the left.

    Args:
        family: whose jobs.
        approximate: are times by a clock that is not the server's? EchoMQ's are by the one who fires them.
    """
    first = (*_FIRST, _next(approximate or family is Family.ECHOMQ), _RULE, _STATE)
    return (*first, _SIZE) if family is Family.ECHOMQ else (*first, *_BULLMQ)
