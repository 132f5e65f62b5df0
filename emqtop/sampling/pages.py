"""What a queue holds, and what stands around it, as conversations: the family's reads, with the domain's meaning.

Any link can hold them, so the dashboard and the one-shot commands share them.
"""

from collections.abc import Iterable
from typing import TypeVar

from emqtop.meaning.jobs import detail_of, job_of
from emqtop.meaning.lanes import lane_of
from emqtop.meaning.metrics import metrics_of
from emqtop.meaning.teams import team_of
from emqtop.meaning.timetables import timetable_of
from emqtop.model.job import JobDetail, Page
from emqtop.model.lane_look import LaneLook, counted
from emqtop.model.metrics import Metrics
from emqtop.model.queue import Family, Lane, Location, QueueId
from emqtop.model.team import Team
from emqtop.model.timetable import Timetable
from emqtop.sampling.source import PageRequest
from emqtop.wire.bullmq import metrics as bullmq_metrics
from emqtop.wire.bullmq import reads as bullmq
from emqtop.wire.bullmq import schedulers as bullmq_schedulers
from emqtop.wire.bullmq import workers as bullmq_workers
from emqtop.wire.bullmq.keyspace import QueueKeys as BullMQKeys
from emqtop.wire.bullmq.queue_facts import about as about_bullmq
from emqtop.wire.echomq import reads as echomq
from emqtop.wire.echomq import timetable as echomq_timetable
from emqtop.wire.echomq import workers as echomq_workers
from emqtop.wire.echomq.keyspace import QueueKeys as EchoMQKeys
from emqtop.wire.errors import Refused
from emqtop.wire.readings import PageReading
from emqtop.wire.ready import ready
from emqtop.wire.resp import Conversation, ReplyError, raw

T = TypeVar("T")

MOST_COUNTED = 1_000
"""Active jobs up to which they are counted by group."""

LANE_SWEEP = 20_000
"""Keys of the keyspace that a look at the lanes of one queue takes along, about."""


def page(request: PageRequest, known_groups: Iterable[str] = ()) -> Conversation[Page]:
    """Some jobs of a location.

    Args:
        request: which.
        known_groups: lanes of the queue that were met before; one that drifted out of its books is listed then too.

    Raises:
        BadCursor, BadId: nothing was sent.
        Refused: the server says no.
    """
    queue, payload_bytes = request.queue, request.payload_bytes if request.payload else 0
    where = (str(request.location), request.start, request.limit, request.after, request.lane, payload_bytes)
    if queue.family is Family.ECHOMQ:
        known = [raw(group) for group in known_groups]
        reading = yield from _asked(echomq.page(_echomq(queue), *where, known))
    else:
        reading = yield from _asked(bullmq.page(_bullmq(queue), *where))
    return _page(request, reading)


def detail(queue: QueueId, job_id: str) -> Conversation[JobDetail | None]:
    """Everything about one job; None: no row and in no location.

    Raises:
        BadId: not the id of a job of this family; nothing was sent.
        Refused: the server says no.
    """
    if queue.family is Family.ECHOMQ:
        reading = yield from _asked(echomq.detail(_echomq(queue), job_id))
    else:
        reading = yield from _asked(bullmq.detail(_bullmq(queue), job_id))
    return None if reading is None else detail_of(queue, reading)


def field_part(queue: QueueId, job_id: str, name: str, start: int, length: int) -> Conversation[bytes]:
    """Part of one field of a row, in bytes; empty where there is none. Costs the server the whole value.

    Raises:
        BadId: not the id of a job of this family; nothing was sent.
        Refused: the server says no.
    """
    if queue.family is Family.ECHOMQ:
        return (yield from _asked(echomq.field_part(_echomq(queue), job_id, name, start, length)))
    return (yield from _asked(bullmq.field_part(_bullmq(queue), job_id, name, start, length)))


def lanes(
    queue: QueueId, known_groups: Iterable[str] = (), sweep_keys: int = LANE_SWEEP
) -> Conversation[tuple[Lane, ...]]:
    """The lanes of a queue, the longest backlog first, then by name; empty for a family without lanes.

    Args:
        queue: whose lanes.
        known_groups: lanes that were met before.
        sweep_keys: how many keys of the whole keyspace to look at, about, for lanes that no book names.

    Raises:
        Refused: the server says no.
    """
    if queue.family is not Family.ECHOMQ:
        return ()
    known = [raw(group) for group in known_groups]
    readings = yield from _asked(echomq.lanes(_echomq(queue), known, sweep_keys))
    return tuple(sorted(map(lane_of, readings), key=lambda lane: (-lane.pending, lane.group)))


def lane_look(queue: QueueId, known_groups: Iterable[str] = (), sweep_keys: int = 0) -> Conversation[LaneLook]:
    """The lanes of a queue as they are judged: where jobs wait behind a limit, with the active jobs counted.

    Args:
        queue: whose lanes.
        known_groups: lanes that were met before.
        sweep_keys: as for `lanes`.

    Raises:
        Refused: the server says no.
    """
    look = LaneLook((yield from lanes(queue, known_groups, sweep_keys)))
    if not look.is_held_up:
        return look
    return counted(look.lanes, (yield from page(PageRequest(queue, Location.ACTIVE, MOST_COUNTED))))


def about(queue: QueueId, database: int | None = None) -> Conversation[tuple[tuple[str, str], ...]]:
    """What else is known of a BullMQ queue, label and words; nothing for the other family, whose keys tell it all.

    Raises:
        Refused: the server says no.
    """
    return () if queue.family is Family.ECHOMQ else (yield from _asked(about_bullmq(_bullmq(queue), database)))


def team(queue: QueueId, database: int | None = None) -> Conversation[Team]:
    """Who works on a queue; what the server withholds of that is told in the answer.

    Args:
        queue: which.
        database: only connections that use it; None: all.

    Raises:
        Refused: the server says no to a key of the queue.
    """
    if queue.family is Family.ECHOMQ:
        return team_of((yield from _asked(echomq_workers.team(_echomq(queue), database))))
    return team_of((yield from _asked(bullmq_workers.team(_bullmq(queue), database))))


def timetable(queue: QueueId) -> Conversation[Timetable]:
    """The recurring jobs of a queue.

    Raises:
        Refused: the server says no.
    """
    if queue.family is Family.ECHOMQ:
        return timetable_of(queue.family, (yield from _asked(echomq_timetable.timetable(_echomq(queue)))))
    return timetable_of(queue.family, (yield from _asked(bullmq_schedulers.schedulers(_bullmq(queue)))))


def metrics(queue: QueueId) -> Conversation[Metrics]:
    """How many jobs of a queue ended, by the minute where its workers keep that.

    EchoMQ keeps no more than the two counters that every snapshot has: nothing is asked.

    Raises:
        Refused: the server says no.
    """
    if queue.family is Family.ECHOMQ:
        return Metrics()
    return metrics_of((yield from _asked(bullmq_metrics.metrics(_bullmq(queue)))))


def _echomq(queue: QueueId) -> EchoMQKeys:
    return EchoMQKeys(queue.prefix, queue.name)


def _bullmq(queue: QueueId) -> BullMQKeys:
    return BullMQKeys(queue.prefix, queue.name)


def _asked(conversation: Conversation[T]) -> Conversation[T]:
    try:
        return (yield from ready(conversation))
    except ReplyError as refusal:
        raise Refused(str(refusal)) from None


def _page(request: PageRequest, reading: PageReading) -> Page:
    return Page(
        queue=request.queue,
        location=request.location,
        at_ms=reading.at_ms,
        total=reading.total,
        start=reading.start,
        jobs=tuple(map(job_of, reading.jobs)),
        next=reading.next,
    )
