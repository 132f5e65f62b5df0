"""Recurring jobs of a queue: what makes them, when next, and is the series alive (bullmq.md 1, 9)."""

from dataclasses import dataclass

from emqtop.wire.bullmq.keyed_reads import ask_each, clock, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.places import ACTIVE, DELAYED, HELD_BACK, PRIORITIZED, WAIT
from emqtop.wire.replies import blob, bounded_ms, checked, items, number, scored, server_ms, whole
from emqtop.wire.resp import Conversation, Reply

_MOST = 500
_FIELDS = ("name", "pattern", "every", "tz", "limit", "ic")
_ALIVE = (DELAYED, WAIT, HELD_BACK, PRIORITIZED, ACTIVE)
_PER_SERIES = 1 + len(_ALIVE)


@dataclass(frozen=True, slots=True)
class SchedulerReading:
    """One scheduler, or a repeatable of BullMQ 5 and older."""

    id: bytes
    """Its id; the text of a hash for a repeatable."""
    next_ms: int
    """When it runs next, Unix ms."""
    name: bytes | None
    """Name of the jobs it makes."""
    rule: bytes | None
    """Cron pattern, or the interval in ms."""
    zone: bytes | None
    """Time zone of the pattern."""
    runs: int | None
    """Runs made; None for a repeatable."""
    limit: int | None
    """Runs at most."""
    next_lies: str | None
    """Where its next run lies: `schedule`, `pending` or `active`; None: nowhere, the series has ended unseen."""


def schedulers(keys: QueueKeys) -> Conversation[tuple[int, tuple[SchedulerReading, ...]]]:
    """Server's clock and the first 500 schedulers by their next run: two round trips.

    Raises:
        ReplyError: the server refused.
    """
    time, reply = yield from ask_each(
        keys, [clock(keys), read("ZRANGE", keys.part("repeat"), 0, _MOST - 1, "WITHSCORES")]
    )
    series = [(id_, bounded_ms(score)) for id_, score in scored(checked(reply))]
    reads = []
    for id_, next_ms in series:
        run = b"repeat:%b:%d" % (id_, next_ms)
        reads.append(read("HMGET", keys.part("repeat:") + id_, *_FIELDS))
        reads += [place.holds(keys, run) for place in _ALIVE]
    replies = yield from ask_each(keys, reads)
    found = (_scheduler(*each, replies[at * _PER_SERIES :][:_PER_SERIES]) for at, each in enumerate(series))
    return server_ms(time), tuple(found)


def _scheduler(id_: bytes, next_ms: int, replies: list[Reply]) -> SchedulerReading:
    fields, *where = replies
    name, pattern, every, zone, limit, runs = [blob(value) for value in items(fields)] or [None] * len(_FIELDS)
    lies = (place.location for place, rank in zip(_ALIVE, where, strict=True) if number(rank) is not None)
    return SchedulerReading(id_, next_ms, name, pattern or every, zone, whole(runs), whole(limit), next(lies, None))
