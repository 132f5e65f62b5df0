"""What repeats on a queue: an interval and what each job is given, fired by a pump (echomq.md 4.8).

Next runs are by the clock of whoever fired the last one, which is not the server's.
"""

from emqtop.wire.around import SchedulerReading, TimetableReading
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.replies import blob, bounded_ms, checked, count, items, scored, whole
from emqtop.wire.resp import Conversation, Reply, ask_all, pack

MOST = 200
"""Registrations that are read, by their next run."""


def timetable(keys: QueueKeys) -> Conversation[TimetableReading]:
    """The registrations of a queue; two round trips, one where there are none.

    Raises:
        ReplyError: the server refused.
    """
    registry = keys.part("repeat")
    first = [pack("ZCARD", registry), pack("ZRANGE", registry, 0, MOST - 1, "WITHSCORES")]
    total, reply = yield from ask_all(first, registry)
    found = scored(checked(reply))
    commands = []
    for name, _ in found:
        record = keys.part("repeat:") + name
        commands += [pack("HMGET", record, "every_ms"), pack("HSTRLEN", record, "template")]
    replies = yield from ask_all(commands, registry)
    rows = zip(found, replies[::2], replies[1::2], strict=True)
    return TimetableReading(count(total), tuple(_scheduler(*each, *rest) for each, *rest in rows))


def _scheduler(name: bytes, score: float, record: Reply, length: Reply) -> SchedulerReading:
    (every,) = items(record) or [None]
    return SchedulerReading(
        id=name,
        next_ms=bounded_ms(score),
        every_ms=whole(every),
        payload_bytes=whole(length),
        has_record=blob(every) is not None,
    )
