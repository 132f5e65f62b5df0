"""What is wrong with a job, as far as it is so at one moment (bullmq.md 2)."""

from collections.abc import Sequence

from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.members import Member
from emqtop.wire.bullmq.places import ALL, Place
from emqtop.wire.errors import is_withheld
from emqtop.wire.moment import at_one_moment
from emqtop.wire.replies import whole
from emqtop.wire.resp import Conversation, Reply, ReplyError, pack

_LOOKED_THROUGH = 50_000
"""Ids of lists that a look at one moment goes past, all jobs and both ends together."""
_NEAR_END = 100


def marks(*, there: bool, payload: bool, elsewhere: bool) -> tuple[str, ...]:
    """The words for what is wrong.

    Args:
        there: is there a row?
        payload: does it hold a payload?
        elsewhere: does its id lie in a second place?
    """
    odd = () if there and payload else ("no-payload" if there else "no-row",)
    return (*odd, "second-location") if elsewhere else odd


def odd_now(keys: QueueKeys, jobs: Sequence[Member]) -> Conversation[list[tuple[str, ...] | None]]:
    """What is wrong with jobs that seem odd, each looked at as a whole at one moment; without jobs, nothing is asked.

    Nothing is said of a job that has left its place. Nor of one that is not found near the ends of a long list: it has
    left, or cannot be found at a bearable price. None: the server did not answer, as where a cluster has scattered the
    keys.
    """
    most = max(_NEAR_END, _LOOKED_THROUGH // (2 * len(jobs) or 1))
    replies = yield from at_one_moment([_look(keys, job, most) for job in jobs], keys.base)
    return [_marks(job, told) for job, told in zip(jobs, replies, strict=True)]


def _look(keys: QueueKeys, job: Member, most: int) -> list[bytes]:
    row = keys.row(job.id)
    commands = [pack("EXISTS", row), pack("TYPE", row), pack("HSTRLEN", row, "data")]
    for place in ALL:
        commands += _holds(keys, place, job.id, most if place == job.place else _NEAR_END)
    return commands


def _holds(keys: QueueKeys, place: Place, job: bytes, most: int) -> list[bytes]:
    key = keys.part(place.part)
    if not place.is_list:
        return [pack("ZSCORE", key, job)]
    return [pack("LPOS", key, job, "RANK", rank, "MAXLEN", most) for rank in (1, -1)]


def _marks(job: Member, told: list[Reply] | None) -> tuple[str, ...] | None:
    if told is None or any(map(is_withheld, told)):
        return None
    exists, kind, size, *found = told
    where: set[Place] = set()
    for place in ALL:
        mine = [found.pop(0) for _ in range(2 if place.is_list else 1)]
        if any(reply is not None and not isinstance(reply, ReplyError) for reply in mine):
            where.add(place)
    here = {job.place} if job.place is not None else set()
    if (here and not here <= where) or (job.place is None and where):
        return ()
    there = whole(exists) == 1 and kind == b"hash"
    return marks(there=there, payload=bool(whole(size)), elsewhere=bool(where - here))
