"""The recurring jobs of a queue."""

from dataclasses import dataclass
from enum import StrEnum

_RUN = "repeat:"
"""What the ids of runs begin with (bullmq.md 1.1); the scheduler's own and the time follow."""


class NextRun(StrEnum):
    """Where the next run of a scheduler is."""

    SCHEDULE = "schedule"
    PENDING = "pending"
    ACTIVE = "active"
    REGISTERED = "registered"
    """Nowhere yet: a pump makes it when its time has come (EchoMQ)."""
    ENDED = "ended"
    """Nowhere, and nothing will make it: the series has ended unseen (BullMQ)."""
    NO_RECORD = "no-record"
    """Nowhere: what is to be made is not written down (EchoMQ)."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """One recurring job. None = not known, or not set."""

    id: str
    """Its id or name; what an act on it wants to know."""
    next_ms: int
    """When it runs next, Unix ms; by the clock of a producer where it is EchoMQ's."""
    next_run: NextRun
    """Where that run is."""
    name: str | None = None
    """Name of the jobs it makes."""
    pattern: str | None = None
    """Cron pattern."""
    every_ms: int | None = None
    """Interval, ms."""
    zone: str | None = None
    """Time zone of the pattern."""
    runs: int | None = None
    """Runs made."""
    limit: int | None = None
    """Runs at most."""
    ends_ms: int | None = None
    """When it ends, Unix ms."""
    last_ms: int | None = None
    """When the run before ended, Unix ms."""
    last_failed: bool = False
    """Did that run fail?"""
    payload_bytes: int | None = None
    """Size of what each of its jobs is given."""

    @property
    def run_id(self) -> str:
        """Id of the job that its next run is (BullMQ)."""
        return f"{_RUN}{self.id}:{self.next_ms}"


def series_of(job: str) -> str | None:
    """The scheduler whose run this job is, by its id (BullMQ); None: none."""
    series, _, at_ms = job.removeprefix(_RUN).rpartition(":")
    return series if job.startswith(_RUN) and series and at_ms.isdigit() else None


@dataclass(frozen=True, slots=True)
class Timetable:
    """The schedulers of a queue at one moment."""

    schedulers: tuple[Scheduler, ...] = ()
    """The first of them by their next run."""
    total: int = 0
    """How many there are."""
