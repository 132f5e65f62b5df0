"""What the wire read, with the domain's meaning: the one place where a reading becomes a queue, a job, a server."""

from dataclasses import fields
from operator import attrgetter

from emqtop.model.job import Job, JobDetail, Odd
from emqtop.model.queue import Family, Lane, Location, Queue, QueueId
from emqtop.model.snapshot import Server
from emqtop.wire.readings import Counts, DetailReading, JobReading, LaneReading
from emqtop.wire.resp import text
from emqtop.wire.server import Facts

_SHARED = tuple({field.name for field in fields(Counts)} & {field.name for field in fields(Queue)})
_values = attrgetter(*_SHARED)


def queue_of(queue: QueueId, counts: Counts, held: int | None = None) -> Queue:
    """The numbers of a queue; `held` is the sweep's number, where the layout has no set for it."""
    values = dict(zip(_SHARED, _values(counts), strict=True))
    if counts.held is None and queue.family is Family.ECHOMQ:
        values["held"] = held
    return Queue(queue, **values)


def lane_of(reading: LaneReading) -> Lane:
    """One lane."""
    return Lane(
        group=text(reading.group),
        pending=reading.pending,
        active=reading.active,
        limit=reading.limit,
        weight=reading.weight,
        paused=reading.paused,
        in_ring=reading.in_ring,
    )


def job_of(reading: JobReading) -> Job:
    """One line of a page."""
    return Job(
        id=text(reading.id),
        state=_text(reading.state),
        attempts=reading.attempts,
        minted_ms=reading.minted_ms,
        deadline_ms=reading.deadline_ms,
        due_ms=reading.due_ms,
        group=_text(reading.group),
        last_error=_text(reading.last_error),
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
        parent=_text(reading.parent),
        parent_queue=_text(reading.parent_queue),
        waiting_for=reading.waiting_for,
        children=tuple((text(child), word) for child, word in reading.children),
        lock_ms=reading.lock_ms,
        facts=reading.facts,
    )


def server_of(url: str, facts: Facts, wire_version: str | None) -> Server:
    """Who answered.

    Args:
        url: address without password.
        facts: what its first node tells.
        wire_version: text of EchoMQ's version fence.
    """
    return Server(
        url=url,
        kind=facts.kind,
        version=facts.version,
        mode=facts.mode,
        role=facts.role,
        memory_bytes=facts.memory_bytes,
        memory_limit_bytes=facts.memory_limit_bytes,
        eviction=facts.eviction,
        clients=facts.clients,
        wire_version=wire_version,
    )


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else text(raw)
