"""What both key layouts are read into of all that stands around the jobs of a queue: workers, schedulers, metrics.

None = the server did not say, or the layout does not keep it. Times are Unix ms unless they say otherwise.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerReading:
    """One worker process, as its connection to the server shows it."""

    name: bytes | None
    """The name that its owner gave it; None: it has none."""
    address: bytes
    """Where it calls from."""
    age_s: int
    """Seconds since it connected."""
    is_waiting: bool
    """Does it wait for a job?"""
    library: bytes
    """Its client library, with version."""
    idle_s: int = 0
    """Seconds since its last command."""
    client: int = 0
    """The server's number of the connection."""
    is_told: bool = True
    """Does its name tell the queue? Else it waits for some queue of EchoMQ's, and none knows which."""


@dataclass(frozen=True, slots=True)
class HolderReading:
    """Running jobs that are marked as one worker's."""

    name: bytes | None
    """The worker's name in their rows; None: they tell none."""
    token: bytes | None
    """Where they tell no name, what their locks have in common; None: they have no locks either."""
    jobs: int
    """How many."""
    lapsed: int
    """Those of them without a live lock."""


@dataclass(frozen=True, slots=True)
class TeamReading:
    """Who works on a queue."""

    workers: tuple[WorkerReading, ...] | None
    """By connection, the oldest first; None: the server withholds them."""
    unlisted: int = 0
    """How many more there are, which are left out."""
    holders: tuple[HolderReading, ...] | None = None
    """Who holds jobs; None: nothing in the layout tells it."""
    active: int = 0
    """Running jobs."""
    looked_at: int = 0
    """How many of them were looked at, the longest running first."""


@dataclass(frozen=True, slots=True)
class SchedulerReading:
    """One recurring job: what makes its runs, and when."""

    id: bytes
    """Its id or name; the text of a hash for a repeatable of BullMQ 5 and older."""
    next_ms: int
    """When it runs next."""
    name: bytes | None = None
    """Name of the jobs it makes."""
    pattern: bytes | None = None
    """Cron pattern."""
    every_ms: int | None = None
    """Interval."""
    zone: bytes | None = None
    """Time zone of the pattern."""
    runs: int | None = None
    """Runs made; None for a repeatable, and for all of EchoMQ's."""
    limit: int | None = None
    """Runs at most."""
    ends_ms: int | None = None
    """When it ends."""
    next_lies: str | None = None
    """Where its next run lies: `schedule`, `pending` or `active`; None: nowhere (always so with EchoMQ)."""
    last_ms: int | None = None
    """When the run before ended."""
    last_failed: bool = False
    """Did that run fail?"""
    payload_bytes: int | None = None
    """Size of what each of its jobs is given."""
    has_record: bool = True
    """Does it tell what to make? One without a record makes nothing."""


@dataclass(frozen=True, slots=True)
class TimetableReading:
    """The recurring jobs of a queue."""

    total: int
    """How many there are."""
    schedulers: tuple[SchedulerReading, ...]
    """The first of them by their next run."""


@dataclass(frozen=True, slots=True)
class MetricReading:
    """Jobs that ended one way, as the workers count them."""

    count: int | None
    """All ever."""
    counted_ms: int | None = None
    """Some time in the newest minute in which one was counted; None: minutes are not kept."""
    counted_before: int = 0
    """The count when that minute began."""
    points: tuple[int, ...] = ()
    """Jobs of each minute before it, the newest first."""
    kept: int = 0
    """Minutes that are kept, also those that were not read."""


@dataclass(frozen=True, slots=True)
class MetricsReading:
    """Both counters of a queue."""

    completed: MetricReading
    """Jobs done."""
    failed: MetricReading
    """Jobs given up."""
