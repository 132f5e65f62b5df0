"""A job, as a line of a page and as a whole."""

from emqtop.meaning.texts import maybe_text
from emqtop.model.job import Job, JobDetail, Odd
from emqtop.model.queue import Location, QueueId
from emqtop.wire.readings import DetailReading, JobReading
from emqtop.wire.resp import text


def job_of(reading: JobReading) -> Job:
    """One line of a page."""
    return Job(
        id=text(reading.id),
        state=maybe_text(reading.state),
        attempts=reading.attempts,
        minted_ms=reading.minted_ms,
        deadline_ms=reading.deadline_ms,
        due_ms=reading.due_ms,
        group=maybe_text(reading.group),
        last_error=maybe_text(reading.last_error),
        payload_bytes=reading.payload_bytes,
        payload=reading.payload,
        odd=tuple(map(Odd, reading.odd)),
    )


def detail_of(queue: QueueId, reading: DetailReading) -> JobDetail:
    """Everything about one job of a queue."""
    return JobDetail(
        queue=queue,
        job=job_of(reading.job),
        at_ms=reading.at_ms,
        location=None if reading.location is None else Location(reading.location),
        fields=tuple((text(name), value, size) for name, value, size in reading.fields),
        logs=reading.logs,
        log_total=reading.log_total,
        parent=maybe_text(reading.parent),
        parent_queue=maybe_text(reading.parent_queue),
        waiting_for=reading.waiting_for,
        children=tuple((text(child), word) for child, word in reading.children),
        lock_ms=reading.lock_ms,
        facts=reading.facts,
    )
