"""One location at one moment: its size, and the ids from a rank or a cursor on."""

from dataclasses import dataclass
from typing import Self

from emqtop.wire.bullmq.keyed_reads import Read, ask_each, clock, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.locks import NO_LOCK, deadline
from emqtop.wire.bullmq.places import Place, places
from emqtop.wire.cursor import Cursor
from emqtop.wire.replies import checked, count, server_ms, whole
from emqtop.wire.resp import Conversation, Reply

SORTED_LEASES = 10_000
"""Up to so many running jobs are put in order of their deadlines; more stand in order of their claims."""

_LOCKS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a location, before its row is read."""

    id: bytes
    """As it stands in the structure."""
    place: Place | None
    """Which structure; None: none, the row stands alone."""
    score: float | None = None
    """Its score, in a ZSET."""
    deadline_ms: int | None = None
    """Its lease deadline, where running."""
    is_unlocked: bool = False
    """Does it run without a lock?"""

    @classmethod
    def running(cls, job: bytes, place: Place, ttl: Reply, now_ms: int) -> Self:
        """A running one.

        Args:
            job: its id.
            place: what holds it.
            ttl: answer to PTTL of its lock.
            now_ms: server's clock.
        """
        return cls(job, place, None, deadline(ttl, now_ms), whole(ttl) == NO_LOCK)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some members of one location."""

    now_ms: int
    """Server's clock."""
    total: int
    """Size of the location."""
    start: int
    """Rank of the first member."""
    found: tuple[Member, ...]
    """The members, in the order served; up to 10,000 running ones by deadline."""

    @property
    def by_deadline(self) -> bool:
        """Are running ones in the order of their deadlines, not of their claims?"""
        return self.total <= SORTED_LEASES


def stretch(keys: QueueKeys, location: str, start: int, limit: int, cursor: Cursor | None) -> Conversation[Stretch]:
    """The members of a location: one round trip from the top, two from a cursor or for running jobs.

    Raises:
        ReplyError: the server refused.
    """
    known = places(location, paused=False)
    at_once = cursor is None and location != "active" and (len(known) == 1 or start == 0)
    reads = [clock(keys), read("HEXISTS", keys.part("meta"), "paused"), *(place.size(keys) for place in known)]
    if at_once:
        reads += [place.members(keys, start, limit) for place in known]
    elif cursor is not None and cursor.anchor is not None:
        reads += [place.find(keys, cursor.anchor, cursor.rank) for place in known]
    now, flag, *told = yield from ask_each(keys, reads)
    sizes = {place: count(checked(size)) for place, size in zip(known, told, strict=False)}
    now_ms, total = server_ms(now), sum(sizes.values())
    extra = dict(zip(known, told[len(known) :], strict=False))
    served = places(location, paused=count(flag) > 0)
    if at_once:
        found = [one for place in served for one in _members(place, extra[place])][:limit]
        return Stretch(now_ms, total, start, tuple(found))
    first = start if cursor is None else _after(served, sizes, extra, cursor)
    if location == "active" and total <= SORTED_LEASES:
        running = yield from _running(keys, served[0], 0, SORTED_LEASES, now_ms)
        running.sort(key=lambda one: (one.deadline_ms is None, one.deadline_ms or 0))
        first = start if cursor is None else _after_anchor(running, cursor)
        return Stretch(now_ms, total, first, tuple(running[first : first + limit]))
    if location == "active":
        return Stretch(now_ms, total, first, tuple((yield from _running(keys, served[0], first, limit, now_ms))))
    return Stretch(now_ms, total, first, tuple((yield from _slice(keys, served, sizes, first, limit))))


def _members(place: Place, reply: Reply) -> list[Member]:
    return [Member(job, place, score) for job, score in place.decode(checked(reply))]


def _after(served: tuple[Place, ...], sizes: dict[Place, int], found: dict[Place, Reply], cursor: Cursor) -> int:
    """The rank behind the anchor; where that has left, its old rank, which the next job has taken."""
    before = 0
    for place in served:
        rank = place.at(found.get(place), sizes[place])
        if rank is not None:
            return before + rank + 1
        before += sizes[place]
    return max(cursor.rank - 1, 0)


def _slice(
    keys: QueueKeys, served: tuple[Place, ...], sizes: dict[Place, int], first: int, limit: int
) -> Conversation[list[Member]]:
    asked: list[tuple[Place, Read]] = []
    for place in served:
        size = sizes[place]
        take = min(limit, size - first)
        if take > 0:
            asked.append((place, place.members(keys, first, take)))
            limit -= take
        first = max(first - size, 0)
    replies = yield from ask_each(keys, [one for _, one in asked])
    return [one for (place, _), reply in zip(asked, replies, strict=True) for one in _members(place, reply)]


def _running(keys: QueueKeys, place: Place, first: int, limit: int, now_ms: int) -> Conversation[list[Member]]:
    """Running jobs with their deadlines, oldest claim first."""
    (reply,) = yield from ask_each(keys, [place.members(keys, first, limit)])
    ids = [one.id for one in _members(place, reply)]
    ttls: list[Reply] = []
    for at in range(0, len(ids), _LOCKS_AT_ONCE):
        some = ids[at : at + _LOCKS_AT_ONCE]
        ttls += yield from ask_each(keys, [read("PTTL", keys.sub(job, "lock")) for job in some])
    return [Member.running(job, place, checked(ttl), now_ms) for job, ttl in zip(ids, ttls, strict=True)]


def _after_anchor(running: list[Member], cursor: Cursor) -> int:
    ranks = (rank for rank, one in enumerate(running) if one.id == cursor.anchor)
    return next(ranks, max(cursor.rank - 2, -1)) + 1
