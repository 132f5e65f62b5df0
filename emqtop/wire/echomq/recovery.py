"""Sweeps that free jobs: due ones become ready, overdue leases are taken back (echomq.md 4.4)."""

from dataclasses import dataclass

from emqtop.wire.echomq.branded_id import group_id, job_id
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.refusals import refusing
from emqtop.wire.replies import blobs, count
from emqtop.wire.resp import Conversation, Reply, text
from emqtop.wire.scripts import call

BATCH = 100
"""Jobs per sweep: fixed in reap, what every loop of EchoMQ asks for in the others."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What a stalled sweep did."""

    recovered: tuple[str, ...]
    """Ids that are ready again."""
    dead: tuple[str, ...]
    """Ids that stalled too often."""


def promote(keys: QueueKeys, batch: int = BATCH) -> Conversation[int]:
    """Make due jobs ready, at most batch of them; returns how many."""
    return count((yield from call("promote", [keys.schedule, keys.pending], keys.base, batch)))


def reap(keys: QueueKeys) -> Conversation[int]:
    """Make at most 100 jobs ready whose lease ran out; returns how many."""
    return count((yield from call("reap", [keys.active, keys.pending], keys.base)))


def reap_group(keys: QueueKeys, group: str, limit: int = BATCH) -> Conversation[int]:
    """Make those of one lane ready among the first limit overdue jobs of the queue; returns how many.

    Raises:
        BadId: the group is not branded; nothing was sent.
    """
    group_id(group)
    return count((yield from call("reap_group", [keys.active, keys.base], group, limit)))


def sweep_stalled(keys: QueueKeys, max_stalled: int = 1, limit: int = BATCH) -> Conversation[Swept]:
    """Count a stall for each overdue job, at most limit of them; the one that reaches max_stalled kills."""
    reply = yield from call("stalled", [keys.active, keys.pending, keys.dead], keys.base, max_stalled, limit)
    recovered, dead = reply if isinstance(reply, list) else ([], [])
    return Swept(_ids(recovered), _ids(dead))


def extend(keys: QueueKeys, job: str, token: int, lease_ms: int) -> Conversation[bool]:
    """Give a held job a deadline of now and the lease; False: it is gone.

    Raises:
        BadId: not the id of a job; nothing was sent.
        StaleToken: another claim holds the job; nothing changed.
    """
    return (yield from refusing(call("extend", [keys.active, keys.row(job)], job, token, lease_ms))) == 1


def extend_many(keys: QueueKeys, held: list[tuple[str, int]], lease_ms: int) -> Conversation[tuple[str, ...]]:
    """Give held jobs (id, token) one new deadline; returns the ids that are gone or that another claim holds.

    Raises:
        BadId: one is not the id of a job; nothing was sent.
    """
    pairs: list[str | int] = []
    for job, token in held:
        pairs += (job_id(job), token)
    return _ids((yield from call("extend_many", [keys.active], keys.base, lease_ms, *pairs)))


def _ids(reply: Reply) -> tuple[str, ...]:
    return tuple(map(text, blobs(reply)))
