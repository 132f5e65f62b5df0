"""The keys of an EchoMQ queue, and the gate that no bad id passes (echomq.md 1)."""

import re
from dataclasses import dataclass, field

from emqtop.wire.echomq.branded_id import group_id, job_id
from emqtop.wire.resp import raw

VERSION = b"{emq}:version"
"""Wire version of the deployment; read it, never write it."""

_GLOB = frozenset(b"*?[]\\^")


def prefix_glob(prefix: str) -> str:
    """A prefix as a glob that matches it alone, `*` as one that matches any.

    A byte that no rule of an ACL can hold matches any byte.
    """
    if prefix == "*":
        return prefix
    signs = []
    for byte in raw(prefix):
        if byte in _GLOB:
            signs.append("\\" + chr(byte))
        else:
            signs.append(chr(byte) if 0x20 < byte < 0x7F else "?")
    return "".join(signs)


@dataclass(frozen=True, slots=True)
class QueueKeys:
    """Every key of one queue; all share the slot of `{name}`."""

    prefix: str
    """Key prefix; `emq` in EchoMQ itself."""
    name: str
    """Queue name."""
    base: bytes = field(init=False)
    """`prefix:{name}:`, the root of every key, ending in a colon."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", raw(f"{self.prefix}:{{{self.name}}}:"))

    def part(self, suffix: str) -> bytes:
        """A key of the queue by its last part: `pending`, `active`, `schedule`, `dead`, `ring`, `meta`, …"""
        return self.base + raw(suffix)

    @property
    def pending(self) -> bytes:
        """ZSET: flat jobs that are ready."""
        return self.base + b"pending"

    @property
    def active(self) -> bytes:
        """ZSET: jobs under a lease, by deadline in server ms."""
        return self.base + b"active"

    @property
    def schedule(self) -> bytes:
        """ZSET: jobs that wait for their time, by due ms."""
        return self.base + b"schedule"

    @property
    def dead(self) -> bytes:
        """ZSET: jobs that gave up."""
        return self.base + b"dead"

    @property
    def meta(self) -> bytes:
        """HASH: `paused`, `concurrency`, `max`."""
        return self.base + b"meta"

    @property
    def wake(self) -> bytes:
        """LIST: tokens that wake blocked workers."""
        return self.base + b"wake"

    @property
    def events(self) -> bytes:
        """Pub/sub channel, no key."""
        return self.base + b"events"

    @property
    def outbox(self) -> bytes:
        """LIST: news for flow parents on other queues."""
        return self.base + b"flow:outbox"

    @property
    def row_root(self) -> bytes:
        """What the key of every row starts with; the id follows."""
        return self.base + b"job:"

    def row(self, job: str) -> bytes:
        """HASH: the row of a job.

        Raises:
            BadId: not the id of a job.
        """
        return self.base + b"job:" + raw(job_id(job))

    def sub(self, job: str, suffix: str) -> bytes:
        """A subkey of a job: `logs`, `lock`, `dependencies`, `processed`, `failed`, `unsuccessful`.

        Raises:
            BadId: not the id of a job.
        """
        return self.row(job) + b":" + raw(suffix)

    def found_row(self, member: bytes) -> bytes:
        """The row key of a member found in a set, ungated: for reading only, since foreign tools write anything."""
        return self.base + b"job:" + member

    def lane(self, group: str) -> bytes:
        """ZSET: the jobs that wait in one lane.

        Raises:
            BadId: not a branded id.
        """
        return self.found_lane(raw(group_id(group)))

    def found_lane(self, group: bytes) -> bytes:
        """The lane key of a group found on the server, ungated: for reading only."""
        return self.base + b"g:" + group + b":pending"

    def group_of(self, lane: bytes) -> bytes:
        """The group in a lane's key."""
        return lane[len(self.base) + len(b"g:") : -len(b":pending")]

    def glob(self, suffix: bytes) -> bytes:
        """A MATCH pattern for keys of this queue; only the suffix is a pattern, the name stands for itself."""
        return re.sub(rb"([*?\[\]\\])", rb"\\\1", self.base) + suffix
