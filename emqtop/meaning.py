"""What the wire read, with the domain's meaning: the one place where a reading becomes a queue, a job, a server."""

from collections import Counter
from dataclasses import fields, replace
from operator import attrgetter

from emqtop.model.job import Job, JobDetail, Odd
from emqtop.model.metrics import Metric, Metrics
from emqtop.model.queue import Family, Lane, Location, Queue, QueueId
from emqtop.model.snapshot import Server
from emqtop.model.team import Team, Tie, Worker
from emqtop.model.timetable import Scheduler, Standing, Timetable
from emqtop.wire.around import (
    HolderReading,
    MetricReading,
    MetricsReading,
    SchedulerReading,
    TeamReading,
    TimetableReading,
    WorkerReading,
)
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


def team_of(reading: TeamReading) -> Team:
    """Who works on a queue: connections, each with the jobs that bear its name, then jobs that no connection claims."""
    workers, holders = reading.workers or (), reading.holders or ()
    named = {holder.name: holder for holder in holders if holder.name is not None}
    # Jobs that tell no name, or were not looked at, could be anybody's.
    all_named = reading.holders is not None and reading.looked_at == reading.active and len(named) == len(holders)
    namesakes = Counter(worker.name for worker in workers if worker.is_told)
    rows = [_worker(one, named.get(one.name or b""), all_named, namesakes[one.name]) for one in workers]
    strangers = (holder for holder in holders if holder.name is None or holder.name not in namesakes)
    unseen = (_unseen(holder, Tie.GONE if reading.workers is not None else Tie.JOBS) for holder in strangers)
    return Team((*rows, *unseen), reading.workers is None, reading.unlisted, reading.active, reading.looked_at)


def _worker(one: WorkerReading, holder: HolderReading | None, all_named: bool, namesakes: int) -> Worker:
    return Worker(
        key=str(one.client),
        tie=Tie.NAME if one.is_told else Tie.WAIT,
        name=_text(one.name),
        address=text(one.address),
        age_s=one.age_s,
        idle_s=one.idle_s,
        waits=one.is_waiting,
        library=text(one.library),
        holds=holder.jobs if holder is not None else 0 if all_named else None,
        lapsed=0 if holder is None else holder.lapsed,
        namesakes=max(1, namesakes),
    )


def _unseen(holder: HolderReading, tie: Tie) -> Worker:
    name, token = _text(holder.name), _text(holder.token)
    return Worker(
        key=f"{name} {token}",
        tie=tie if name is not None else Tie.LOCKS,
        name=name if name is not None else token,
        holds=holder.jobs,
        lapsed=holder.lapsed,
    )


def timetable_of(family: Family, reading: TimetableReading) -> Timetable:
    """The recurring jobs of a queue."""
    return Timetable(tuple(_scheduler(family, each) for each in reading.schedulers), reading.total)


def _scheduler(family: Family, reading: SchedulerReading) -> Scheduler:
    if reading.next_lies is not None:
        standing = Standing(reading.next_lies)
    elif family is Family.BULLMQ:
        standing = Standing.ENDED
    else:
        standing = Standing.REGISTERED if reading.has_record else Standing.NO_RECORD
    return Scheduler(
        id=text(reading.id),
        next_ms=reading.next_ms,
        standing=standing,
        name=_text(reading.name),
        pattern=_text(reading.pattern),
        every_ms=reading.every_ms,
        zone=_text(reading.zone),
        runs=reading.runs,
        limit=reading.limit,
        ends_ms=reading.ends_ms,
        last_ms=reading.last_ms,
        last_failed=reading.last_failed,
        payload_bytes=reading.payload_bytes,
    )


def metrics_of(reading: MetricsReading) -> Metrics:
    """Both counters of a queue."""
    completed, failed = _metric(reading.completed), _metric(reading.failed)
    # Workers count both or neither, so what has no counter beside one that has minutes has not happened.
    return Metrics(_beside(completed, failed), _beside(failed, completed))


def _beside(metric: Metric, other: Metric) -> Metric:
    if metric.count is not None or other.newest_minute is None:
        return metric
    return replace(other, count=0, minutes=(0,) * len(other.minutes))


def _metric(reading: MetricReading) -> Metric:
    if reading.counted_ms is None or reading.count is None:
        return Metric(reading.count)
    minutes = (max(0, reading.count - reading.counted_before), *reading.points)
    return Metric(reading.count, reading.counted_ms // 60_000, minutes, reading.kept)


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
        silent_ms=facts.silent_ms,
    )


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else text(raw)
