"""The columns of the recurring jobs of a queue."""

from emqtop.model.queue import Family
from emqtop.model.timetable import NextRun, Scheduler
from emqtop.present.cells import UNKNOWN, age, time_left
from emqtop.present.columns import Cell, Column, Tone, left, right
from emqtop.text import safe
from emqtop.units import NOTHING, count, duration, iso, size

LATE_MS = 5_000
"""How long after its time a run that nobody took is told as late, ms: a beat of the slowest worker."""

_NOWHERE = frozenset({NextRun.ENDED, NextRun.NO_RECORD})
_WORDS = {
    NextRun.SCHEDULE: Cell("scheduled", Tone.DIM),
    NextRun.PENDING: Cell("waiting"),
    NextRun.ACTIVE: Cell("running", Tone.GOOD),
    NextRun.REGISTERED: Cell("registered", Tone.DIM),
    NextRun.ENDED: Cell("ended unseen", Tone.BAD),
    NextRun.NO_RECORD: Cell("no record", Tone.BAD),
}
_LATE = {
    NextRun.SCHEDULE: Cell("due, not taken", Tone.WARN),
    NextRun.PENDING: Cell("due, not taken", Tone.WARN),
    NextRun.REGISTERED: Cell("due, not fired", Tone.WARN),
}


def is_late(scheduler: Scheduler, now_ms: int) -> bool:
    """Is its next run long due, and nobody took it?"""
    return scheduler.next_run in _LATE and scheduler.next_ms + LATE_MS < now_ms


def has_ended(scheduler: Scheduler) -> bool:
    """Will it never run again, though it is registered?"""
    return scheduler.next_run in _NOWHERE


def _mark(scheduler: Scheduler, now_ms: int) -> Cell:
    if has_ended(scheduler):
        return Cell("!", Tone.BAD)
    if is_late(scheduler, now_ms):
        return Cell("!", Tone.WARN)
    return Cell(">", Tone.GOOD) if scheduler.next_run is NextRun.ACTIVE else Cell("·", Tone.DIM)


def _state(scheduler: Scheduler, now_ms: int) -> Cell:
    return (_LATE if is_late(scheduler, now_ms) else _WORDS)[scheduler.next_run]


def _rule(scheduler: Scheduler, _now_ms: int) -> Cell:
    if scheduler.pattern is not None:
        return Cell(safe(scheduler.pattern))
    return UNKNOWN if scheduler.every_ms is None else Cell(f"every {duration(scheduler.every_ms)}")


def _runs(scheduler: Scheduler, _now_ms: int) -> Cell:
    if scheduler.runs is None:
        return UNKNOWN
    of = "" if scheduler.limit is None else f" of {count(scheduler.limit)}"
    return Cell(f"{count(scheduler.runs)}{of}")


def _last(scheduler: Scheduler, now_ms: int) -> Cell:
    if scheduler.last_ms is None:
        return UNKNOWN
    since = age(scheduler.last_ms, now_ms).text
    return Cell(f"failed {since}", Tone.BAD) if scheduler.last_failed else Cell(f"done {since}", Tone.GOOD)


def _makes(scheduler: Scheduler, _now_ms: int) -> Cell:
    end = iso(scheduler.ends_ms)
    words = [word for word in (safe(scheduler.name or ""), f"until {end}" if end != NOTHING else "") if word]
    return Cell("  ".join(words), Tone.DIM) if words else UNKNOWN


def _next(approximate: bool) -> Column[Scheduler]:
    def cell(scheduler: Scheduler, now_ms: int) -> Cell:
        return time_left(scheduler.next_ms, now_ms, approximate, past=Tone.WARN)

    return right("next", "NEXT IN", 8, 3, cell, "Time until its next run, negative when past")


_FIRST: tuple[Column[Scheduler], ...] = (
    left("mark", "S", 1, 2, _mark, "! it is late or has ended, > it runs"),
    left("scheduler", "SCHEDULER", 12, 1, lambda each, _: Cell(safe(each.id)), "Id", stretch=True),
)
_RULE = left("rule", "RULE", 14, 4, _rule, "Pattern, or how often", stretch=True)
_STATE = left("state", "NEXT RUN", 14, 5, _state, "Where its next run is")
_BULLMQ: tuple[Column[Scheduler], ...] = (
    left("last", "LAST RUN", 13, 6, _last, "How the run before ended, and how long ago; told of intervals only"),
    left("runs", "RUNS", 10, 7, _runs, "Runs made, and how many at most"),
    left("zone", "ZONE", 12, 8, lambda each, _: Cell(safe(each.zone)) if each.zone else UNKNOWN, "Time zone"),
    left("makes", "MAKES", 10, 9, _makes, "Name of its jobs, and until when", stretch=True),
)
_SIZE: Column[Scheduler] = right(
    "size", "SIZE", 5, 6, lambda each, _: Cell(size(each.payload_bytes)), "Size of each job's payload"
)


def scheduler_columns(family: Family, *, approximate: bool = False) -> tuple[Column[Scheduler], ...]:
    """What can be told of a recurring job, from the left.

    Args:
        family: whose jobs.
        approximate: are times by a clock that is not the server's? EchoMQ's are by the one who fires them.
    """
    first = (*_FIRST, _next(approximate or family is Family.ECHOMQ), _RULE, _STATE)
    return (*first, _SIZE) if family is Family.ECHOMQ else (*first, *_BULLMQ)
