"""Who works on a queue, as far as its server can tell."""

from dataclasses import dataclass
from enum import StrEnum


class Tie(StrEnum):
    """What ties a worker to the queue."""

    NAME = "name"
    """Its connection is named after it."""
    WAIT = "wait"
    """It waits for some queue of EchoMQ's; for which one the server does not say."""
    GONE = "gone"
    """Jobs of the queue bear its name, but no connection does."""
    JOBS = "jobs"
    """Jobs of the queue bear its name; who is connected is withheld."""
    LOCKS = "locks"
    """Jobs of the queue are locked by one whose name they do not tell; without a lock by nobody knows whom."""


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker. None = not known."""

    key: str
    """What it is known by among its team."""
    tie: Tie
    """What ties it to the queue."""
    name: str | None = None
    """The name that its owner gave it; of one that only its jobs tell of, else the common part of its locks."""
    address: str | None = None
    """Where it calls from."""
    age_s: int | None = None
    """Seconds since it connected."""
    idle_s: int | None = None
    """Seconds since its last command."""
    waits: bool | None = None
    """Does it wait for a job?"""
    library: str = ""
    """Its client library, with version."""
    holds: int | None = None
    """Running jobs that are marked as its own, or as those of all workers of its name."""
    lapsed: int = 0
    """Those of them without a live lock."""
    namesakes: int = 1
    """Workers of its name."""


@dataclass(frozen=True, slots=True)
class Team:
    """The workers of a queue at one moment."""

    workers: tuple[Worker, ...] = ()
    """Connected ones first, the oldest first."""
    withheld: bool = False
    """Does the server refuse to list its connections?"""
    unlisted: int = 0
    """Workers that wait for some queue and are left out, since there are so many."""
    active: int = 0
    """Running jobs, where they tell who holds them."""
    looked_at: int = 0
    """How many of them were asked, the longest running first."""

    @property
    def connected(self) -> int:
        """How many connections are named after the queue."""
        return sum(worker.tie is Tie.NAME for worker in self.workers)
