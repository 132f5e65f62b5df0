"""One moment of one server."""

from dataclasses import dataclass, field

from emqtop.model.queue import Queue

NEAR_LIMIT = 0.9
"""Part of maxmemory in use above which it is near its end."""
SAFE_POLICY = "noeviction"
"""The one policy of a server under which no key is thrown out."""


@dataclass(frozen=True, slots=True)
class Server:
    """Who answered."""

    url: str = ""
    """Address without password."""
    kind: str | None = None
    """`valkey` or `redis`."""
    version: str | None = None
    """Its version."""
    mode: str | None = None
    """`standalone`, `sentinel` or `cluster`."""
    role: str | None = None
    """`master` or `replica`."""
    memory_bytes: int | None = None
    """Memory in use."""
    memory_limit_bytes: int | None = None
    """maxmemory; 0: none."""
    eviction: str | None = None
    """maxmemory-policy."""
    clients: int | None = None
    """Connected clients."""
    wire_version: str | None = None
    """Text of `{emq}:version` where the key is there."""
    silent_ms: int | None = None
    """How long a replica has not heard its master, or a master the most silent of its replicas, ms."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What emqtop itself asked for since the last snapshot."""

    commands: int = 0
    """Commands sent."""
    sent_bytes: int = 0
    """Bytes sent."""
    received_bytes: int = 0
    """Bytes received."""
    round_trip_ms: float | None = None
    """Wall time of the sample, ms."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All queues at one moment; nothing yet is the empty snapshot, not None."""

    at_ms: int = 0
    """When, Unix ms; 0: nothing yet."""
    clock: str = "server"
    """Whose clock `at_ms` is: `server`, or `local` where the server withholds TIME."""
    server: Server = field(default_factory=Server)
    """Who answered."""
    queues: tuple[Queue, ...] = ()
    """Sorted by family, prefix and name."""
    swept: bool = False
    """Has the whole keyspace been seen, so that no queue can be missing?"""
    cost: Cost = field(default_factory=Cost)
    """What the sample cost."""
    mode: str = "polling"
    """How changes are noticed: `tracking` or `polling`."""
    limits: tuple[str, ...] = ()
    """What the server withholds, in words, each once (operator law 13)."""


EMPTY = Snapshot()
