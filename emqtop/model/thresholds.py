"""Numbers of queues held against thresholds, for monitoring."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from emqtop.model.queue import Queue
from emqtop.model.snapshot import Snapshot


class Status(IntEnum):
    """How it stands; the exit codes of monitoring plug-ins."""

    OK = 0
    WARNING = 1
    CRITICAL = 2
    UNKNOWN = 3


WORST_FIRST = (Status.CRITICAL, Status.WARNING, Status.UNKNOWN, Status.OK)


@dataclass(frozen=True, slots=True)
class Threshold:
    """Above which values there is reason to look."""

    critical: int
    """Above this it is critical."""
    warning: int | None = None
    """Above this it is a warning; None: there is none before it is critical."""

    def judge(self, value: int | None) -> Status:
        """How a value stands; None is not known."""
        if value is None:
            return Status.UNKNOWN
        if value > self.critical:
            return Status.CRITICAL
        return Status.WARNING if self.warning is not None and value > self.warning else Status.OK


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that a threshold can be set for."""

    name: str
    """As options and lines call it."""
    says: str
    """What it counts."""
    of: Callable[[Queue, int], int | None]
    """The number of a queue, at a time of the server's clock in Unix ms; None: not known."""
    is_time: bool = False
    """Is it a length of time in ms?"""


def _age(queue: Queue, now_ms: int) -> int | None:
    if queue.oldest_pending_ms is not None:
        return max(0, now_ms - queue.oldest_pending_ms)
    return 0 if queue.pending == 0 else None


def _lateness(queue: Queue, now_ms: int) -> int | None:
    if queue.next_deadline_ms is not None:
        return max(0, now_ms - queue.next_deadline_ms)
    return None if queue.active is None else 0


MEASURES = (
    Measure("pending", "jobs that wait", lambda queue, _: queue.pending),
    Measure("active", "jobs under a lease", lambda queue, _: queue.active),
    Measure("schedule", "jobs with a due time", lambda queue, _: queue.schedule),
    Measure("dead", "jobs that gave up", lambda queue, _: queue.dead),
    Measure("overdue", "leases past their end", lambda queue, _: queue.overdue),
    Measure("due", "scheduled jobs past their time", lambda queue, _: queue.due),
    Measure("age", "age of the oldest pending job", _age, is_time=True),
    Measure("lease-late", "how long the first lease is past its end", _lateness, is_time=True),
)
"""What can be held against a threshold, in the order of the options."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A number that is not as it should be, or not known."""

    queue: Queue
    """Whose number."""
    measure: Measure | None
    """Which; None: the queue cannot be read whole."""
    value: int | None
    """What it is; None: not known."""
    status: Status
    """How bad that is."""


def breaches(snapshot: Snapshot, wanted: Mapping[Measure, Threshold]) -> list[Breach]:
    """All numbers that are above their threshold or not known, the worst first."""
    found = [
        Breach(queue, measure, value, status)
        for queue in snapshot.queues
        for measure, threshold in wanted.items()
        if (status := threshold.judge(value := measure.of(queue, snapshot.at_ms))) is not Status.OK
    ]
    named = {breach.queue.id for breach in found if breach.status is Status.UNKNOWN}
    found += [
        Breach(queue, None, None, Status.UNKNOWN)
        for queue in snapshot.queues
        if queue.error is not None and queue.id not in named
    ]
    return sorted(found, key=lambda breach: WORST_FIRST.index(breach.status))


def worst(found: Sequence[Breach]) -> Status:
    """How it stands as a whole."""
    return next((status for status in WORST_FIRST if any(breach.status is status for breach in found)), Status.OK)
