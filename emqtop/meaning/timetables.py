"""What recurs on a queue."""

from emqtop.meaning.texts import maybe_text
from emqtop.model.queue import Family
from emqtop.model.timetable import NextRun, Scheduler, Timetable
from emqtop.wire.around import SchedulerReading, TimetableReading
from emqtop.wire.resp import text


def timetable_of(family: Family, reading: TimetableReading) -> Timetable:
    """The recurring jobs of a queue."""
    return Timetable(tuple(_scheduler(family, each) for each in reading.schedulers), reading.total)


def _scheduler(family: Family, reading: SchedulerReading) -> Scheduler:
    if reading.next_lies is not None:
        next_run = NextRun(reading.next_lies)
    elif family is Family.BULLMQ:
        next_run = NextRun.ENDED
    else:
        next_run = NextRun.REGISTERED if reading.has_record else NextRun.NO_RECORD
    return Scheduler(
        id=text(reading.id),
        next_ms=reading.next_ms,
        next_run=next_run,
        name=maybe_text(reading.name),
        pattern=maybe_text(reading.pattern),
        every_ms=reading.every_ms,
        zone=maybe_text(reading.zone),
        runs=reading.runs,
        limit=reading.limit,
        ends_ms=reading.ends_ms,
        last_ms=reading.last_ms,
        last_failed=reading.last_failed,
        payload_bytes=reading.payload_bytes,
    )
