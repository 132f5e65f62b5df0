"""Where ids lie, in the order in which workers take them (bullmq.md 1.2)."""

from dataclasses import dataclass

from emqtop.wire.bullmq.keyed_reads import Read, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.replies import blobs, scored, whole
from emqtop.wire.resp import Reply

_SHIFT = 1000
"""How far an anchor in a list is looked for behind its old rank."""


@dataclass(frozen=True, slots=True)
class Place:
    """One structure that holds ids."""

    part: str
    """Last part of its key."""
    location: str
    """The word that both families share."""
    is_list: bool
    """LIST, served from its right end; else ZSET, lowest score first."""

    def size(self, keys: QueueKeys) -> Read:
        """How many ids it holds."""
        return read("LLEN" if self.is_list else "ZCARD", keys.part(self.part))

    def members(self, keys: QueueKeys, start: int, count: int) -> Read:
        """Some ids from a rank on, rank 0 being served first; `decode` puts the answer in order."""
        key = keys.part(self.part)
        if self.is_list:
            return read("LRANGE", key, -(start + count), -(start + 1))
        return read("ZRANGE", key, start, start + count - 1, "WITHSCORES")

    def decode(self, reply: Reply) -> list[tuple[bytes, float | None]]:
        """Ids with their scores in the order served."""
        if self.is_list:
            return [(job, None) for job in reversed(blobs(reply))]
        return list(scored(reply))

    def holds(self, keys: QueueKeys, job: bytes) -> Read:
        """Does it hold an id? Answered by a number, in a ZSET its score; None: it does not."""
        return read("LPOS" if self.is_list else "ZSCORE", keys.part(self.part), job)

    def find(self, keys: QueueKeys, job: bytes, near: int | None = None) -> Read:
        """The rank of an id, counted from the served end of a ZSET and from the left of a list; `at` reads the answer.

        Args:
            keys: which queue.
            job: the id.
            near: look no further than a little behind this rank (lists only); None: everywhere.
        """
        if not self.is_list:
            return read("ZRANK", keys.part(self.part), job)
        most = () if near is None else ("MAXLEN", near + _SHIFT)
        return read("LPOS", keys.part(self.part), job, "RANK", -1, *most)

    def at(self, reply: Reply, size: int) -> int | None:
        """The served rank that an answer to `find` tells; None: not there."""
        rank = whole(reply)
        return rank if rank is None or not self.is_list else size - 1 - rank


WAIT = Place("wait", "pending", is_list=True)
HELD_BACK = Place("paused", "pending", is_list=True)
PRIORITIZED = Place("prioritized", "pending", is_list=False)
ACTIVE = Place("active", "active", is_list=True)
DELAYED = Place("delayed", "schedule", is_list=False)
FAILED = Place("failed", "dead", is_list=False)
CHILDREN = Place("waiting-children", "held", is_list=False)
COMPLETED = Place("completed", "done", is_list=False)

ALL = (COMPLETED, FAILED, DELAYED, PRIORITIZED, ACTIVE, WAIT, HELD_BACK, CHILDREN)
"""Every place, in the order in which BullMQ itself looks an id up: an id in two of them shows the first (2)."""


def places(location: str, *, paused: bool) -> tuple[Place, ...]:
    """The places of a location, first served first.

    Args:
        location: `pending`, `active`, `schedule`, `dead`, `held` or `done`.
        paused: is the flag set? What lies in `paused` is then served first after a resume, else only after the rest.

    Raises:
        KeyError: no such location.
    """
    if location == "pending":
        return (HELD_BACK, WAIT, PRIORITIZED) if paused else (WAIT, PRIORITIZED, HELD_BACK)
    return {"active": (ACTIVE,), "schedule": (DELAYED,), "dead": (FAILED,), "held": (CHILDREN,), "done": (COMPLETED,)}[
        location
    ]
