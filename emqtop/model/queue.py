"""A queue as one moment shows it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Family(StrEnum):
    """The two key layouts."""

    ECHOMQ = "echomq"
    BULLMQ = "bullmq"

    # An enum hashes by its name, in Python; as part of every queue's id it is hashed at every look.
    __hash__ = str.__hash__


class Location(StrEnum):
    """The key that holds a job's id, in the words that both families share."""

    PENDING = "pending"
    ACTIVE = "active"
    SCHEDULE = "schedule"
    DEAD = "dead"
    HELD = "held"
    DONE = "done"


class QueueId(NamedTuple):
    """Which queue: names alone repeat between prefixes and families.

    A tuple, since ten thousand of them are keys of a dict at every tick.
    """

    family: Family
    """Its key layout."""
    prefix: str
    """Key prefix, such as `emq` or `bull`."""
    name: str
    """Exact name; bytes that are no UTF-8 stand as lone surrogates. BullMQ names keep their braces."""


@dataclass(frozen=True, slots=True)
class Queue:
    """What is known of one queue at the time of its snapshot. None = not known."""

    id: QueueId
    """Which queue."""
    pending: int | None = None
    """Jobs that wait to be claimed, lanes counted."""
    lanes: int | None = None
    """The part of `pending` that waits in lanes."""
    active: int | None = None
    """Jobs under a lease."""
    schedule: int | None = None
    """Jobs with a due time."""
    dead: int | None = None
    """Jobs that gave up."""
    held: int | None = None
    """Rows that wait for children."""
    completed: int | None = None
    """EchoMQ: all ever completed; BullMQ: size of the completed set."""
    failed: int | None = None
    """EchoMQ: all ever died; BullMQ: size of the failed set."""
    overdue: int | None = None
    """Active jobs whose lease is past its deadline (BullMQ: without a live lock)."""
    due: int | None = None
    """Scheduled jobs whose time has come."""
    paused: bool | None = None
    """Is claiming switched off?"""
    next_deadline_ms: int | None = None
    """Earliest lease deadline, Unix ms of the server's clock."""
    next_due_ms: int | None = None
    """Earliest due time, Unix ms of the server's clock."""
    oldest_pending_ms: int | None = None
    """Mint time of the oldest pending job, Unix ms; flat set and lanes."""
    error: str | None = None
    """Why this queue could not be read, in the server's words."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One group of an EchoMQ queue (echomq.md 4.6)."""

    group: str
    """Group id."""
    pending: int
    """Jobs that wait in the lane."""
    active: int
    """Jobs in flight, as `gactive` counts them."""
    limit: int | None
    """Ceiling of jobs in flight; None: none."""
    weight: int | None
    """Jobs a weighted claim may take at once; None: 1."""
    paused: bool
    """Is the lane held back?"""
    in_ring: bool
    """Will a worker be offered this lane?"""

    @property
    def is_full(self) -> bool:
        """Are as many in flight by its counter as may be?"""
        return self.limit is not None and self.active >= self.limit
