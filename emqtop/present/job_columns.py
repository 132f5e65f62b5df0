"""The columns of a page of jobs, by location."""

from dataclasses import replace

from emqtop.model.job import Odd
from emqtop.model.queue import Family, Location
from emqtop.present.cells import UNKNOWN, age, number, time_left
from emqtop.present.columns import Cell, Column, Tone, left, right
from emqtop.present.job_rows import JobRow, payload_text
from emqtop.text import safe
from emqtop.units import NOTHING, size

_BAR, _FULL, _LEFT = 6, "━", "─"
"""Cells of the bar of a lease, and what it is made of."""
_PREVIEW = 400
"""Characters of an error that a line may need."""


def _overdue(row: JobRow, now_ms: int) -> bool:
    return row.location is Location.ACTIVE and row.job.deadline_ms is not None and row.job.deadline_ms <= now_ms


def _mark(row: JobRow, now_ms: int) -> Cell:
    if row.job.odd:
        return Cell("?", Tone.BAD)
    if _overdue(row, now_ms):
        return Cell("!", Tone.BAD)
    return Cell(" ")


def _id(row: JobRow, _now_ms: int) -> Cell:
    return Cell(safe(row.job.id), Tone.BAD if row.job.odd else Tone.PLAIN)


def _lease(row: JobRow, now_ms: int) -> Cell:
    return time_left(row.job.deadline_ms, now_ms, row.approximate)


def _bar(row: JobRow, now_ms: int) -> Cell:
    """What is left of the lease, of the longest that was seen of it."""
    deadline_ms, watched = row.job.deadline_ms, row.watched
    if deadline_ms is None or watched is None:
        return UNKNOWN
    left_ms = deadline_ms - now_ms
    if left_ms <= 0 or watched.longest_ms <= 0:
        return Cell(_LEFT * _BAR, Tone.BAD)
    full = min(_BAR, -(-left_ms * _BAR // watched.longest_ms))
    return Cell(_FULL * full + _LEFT * (_BAR - full), Tone.GOOD if 3 * full > _BAR else Tone.WARN)


def _seen(row: JobRow, now_ms: int) -> Cell:
    return age(None if row.watched is None else row.watched.since_ms, now_ms)


def _due(row: JobRow, now_ms: int) -> Cell:
    return time_left(row.job.due_ms, now_ms, row.approximate, past=Tone.WARN)


def _group(row: JobRow, _now_ms: int) -> Cell:
    return UNKNOWN if row.job.group is None else Cell(safe(row.job.group))


def _size(row: JobRow, _now_ms: int) -> Cell:
    return Cell(size(row.job.payload_bytes), Tone.PLAIN if row.job.payload_bytes else Tone.DIM)


def _note(row: JobRow, _now_ms: int) -> Cell:
    job = row.job
    if job.odd:
        detail = f" (row says {safe(job.state or NOTHING)})" if Odd.STATE_DIFFERS in job.odd else ""
        return Cell(", ".join(job.odd) + detail, Tone.BAD)
    if job.last_error is not None:
        return Cell(safe(job.last_error[:_PREVIEW]), Tone.WARN)
    return Cell(payload_text(job), Tone.DIM)


_MARK = left("mark", "S", 1, 2, _mark, "! overdue, ? something is wrong with it")
_ID = {
    # A branded id is fourteen letters; BullMQ's are the producer's own, often a UUID.
    Family.ECHOMQ: left("id", "JOB", 14, 1, _id, "Id"),
    Family.BULLMQ: left("id", "JOB", 20, 1, _id, "Id", stretch=True),
}
_TIMES: dict[Location, tuple[Column[JobRow], ...]] = {
    Location.ACTIVE: (right("lease", "LEASE", 8, 3, _lease, "Time left of the lease, negative when past"),),
    Location.SCHEDULE: (right("due", "DUE IN", 8, 3, _due, "Time until it is due, negative when past"),),
}
_WATCHED = (
    left("bar", "LEFT", _BAR, 10, _bar, "What is left of the lease"),
    right("seen", "SEEN", 6, 11, _seen, "For how long it has been seen active from here"),
)
_NUMBERS: tuple[Column[JobRow], ...] = (
    right("attempts", "ATT", 5, 4, lambda row, _: number(row.job.attempts), "Attempts: the fencing token"),
    right("age", "AGE", 6, 5, lambda row, now_ms: age(row.job.minted_ms, now_ms), "Since it was made"),
    right("size", "SIZE", 5, 8, _size, "Size of the payload"),
)
_LANE = left("lane", "LANE", 14, 7, _group, "Its lane")
_NOTE = left("note", "NOTE", 10, 6, _note, "What is wrong, the last error, or the payload", stretch=True)
_ERROR = replace(_NOTE, width=24)
"""Of a dead job the error is what one looks for: lane and size go before it is cut to a few letters."""


def job_columns(location: Location, family: Family, *, watched: bool = False) -> tuple[Column[JobRow], ...]:
    """What a page of this location can show, from the left; `fit` says what a width has room for.

    Args:
        location: where the jobs lie.
        family: whose jobs.
        watched: is somebody watching, so that it is known since when a job is active?
    """
    lane = (_LANE,) if family is Family.ECHOMQ else ()
    seen = _WATCHED if watched and location is Location.ACTIVE else ()
    note = _ERROR if location is Location.DEAD else _NOTE
    return (_MARK, _ID[family], *_TIMES.get(location, ()), *seen, *_NUMBERS, *lane, note)
