"""What both key layouts are read into, before the domain gives it a meaning.

None = the server did not say. Times are Unix ms; those of leases and due times are on the server's clock.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JobReading:
    """One member of a location, with the small fields of its row."""

    id: bytes
    """The member as it stands in the set."""
    state: bytes | None = None
    """Field `state`; None in the BullMQ layout."""
    attempts: int | None = None
    """EchoMQ's token; BullMQ's attempts made."""
    minted_ms: int | None = None
    """Time of minting, from the id or the row."""
    deadline_ms: int | None = None
    """Lease deadline, for a running job."""
    is_unlocked: bool = False
    """Does it run without a lock? Its deadline is then the moment before it was read (BullMQ layout)."""
    due_ms: int | None = None
    """Due time, for a scheduled job."""
    group: bytes | None = None
    """Its lane."""
    last_error: bytes | None = None
    """Its last failure, cut at 4,096 bytes."""
    payload_bytes: int | None = None
    """Size of the payload."""
    payload: bytes | None = None
    """First part of the payload, where asked for."""
    odd: tuple[str, ...] = ()
    """`no-row`, `no-payload`, `state-differs`, `second-location`."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """Some members of one location, in the order the server serves."""

    at_ms: int
    """Server's clock when it was read."""
    total: int
    """Size of the location."""
    start: int
    """Rank of the first."""
    jobs: tuple[JobReading, ...]
    """The members."""
    next: str | None
    """Cursor of the page after this one."""
    by_deadline: bool = True
    """Do running jobs stand in the order of their deadlines? Not in a long list of the BullMQ layout."""


@dataclass(frozen=True, slots=True)
class DetailReading:
    """Everything about one job."""

    at_ms: int
    """Server's clock when it was read."""
    job: JobReading
    """Its line."""
    location: str | None
    """`pending`, `active`, `schedule`, `dead`, `held`, `done`, or None."""
    fields: tuple[tuple[bytes, bytes, int], ...] = ()
    """The row: name, first part of the value, full size in bytes."""
    logs: tuple[bytes, ...] = ()
    """Newest log lines, oldest first."""
    log_total: int = 0
    """All log lines."""
    parent: bytes | None = None
    """Id of its flow parent."""
    parent_queue: bytes | None = None
    """The parent's queue, where another."""
    waiting_for: int | None = None
    """Children outstanding."""
    children: tuple[tuple[bytes, str], ...] = ()
    """Known children: id, and `done`, `failed` or `waiting`."""
    lock_ms: int | None = None
    """Time left of the job's `:lock` key, ms; None: no such key, or one that never expires."""
    facts: tuple[tuple[str, str], ...] = ()
    """What else its layout tells of it: label and words."""


@dataclass(frozen=True, slots=True)
class LaneReading:
    """One lane of an EchoMQ queue."""

    group: bytes
    """Group id."""
    pending: int
    """Waiting in the lane."""
    active: int
    """In flight, by `gactive`."""
    limit: int | None
    """`glimit`."""
    weight: int | None
    """`gweight`."""
    paused: bool
    """In the set `paused`."""
    in_ring: bool
    """In the list `ring`."""
