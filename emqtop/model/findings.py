"""What can be wrong with queues and their server: how bad each kind is, where it is seen, and what helps."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from emqtop.model.actions import Verb
from emqtop.model.queue import Location, QueueId


class Severity(StrEnum):
    """How bad it is."""

    CRITICAL = "critical"
    """Jobs stand still or get lost."""
    WARNING = "warning"
    """It comes to that, or part of the work stands still."""
    NOTE = "note"
    """Somebody wanted it so, and should not forget it."""


class Kind(StrEnum):
    """What is wrong; stable words of `doctor --json`."""

    MEMORY_FULL = "memory-full"
    UNREADABLE = "unreadable"
    OVERDUE = "overdue"
    NOT_SERVED = "not-served"
    LANE_LEFT_OUT = "lane-left-out"
    LANE_LEAKED = "lane-leaked"
    DUE = "due"
    MEMORY_NEAR = "memory-near"
    EVICTS = "evicts"
    LAGS = "lags"
    PAUSED = "paused"
    FLAT_NOT_SERVED = "flat-not-served"
    WAITS_LONG = "waits-long"
    DYING = "dying"
    LANE_PAUSED = "lane-paused"
    REPLICA = "replica"


@dataclass(frozen=True, slots=True)
class Nature:
    """What holds for every finding of a kind."""

    severity: Severity
    """How bad it is."""
    place: Location | None = None
    """Where in the queue it is seen; None: in its lanes, or nowhere in particular."""
    verb: Verb | None = None
    """The act that helps; None: none does, or only one with numbers of its own."""
    advice: str = ""
    """What helps where no act does."""


_CRITICAL, _WARNING, _NOTE = Severity

NATURES: Mapping[Kind, Nature] = {
    Kind.MEMORY_FULL: Nature(_CRITICAL, advice="free memory, or raise maxmemory"),
    Kind.UNREADABLE: Nature(_CRITICAL, advice="mend the key, or the right to read it"),
    Kind.OVERDUE: Nature(_CRITICAL, Location.ACTIVE, Verb.REAP),
    Kind.NOT_SERVED: Nature(_CRITICAL, Location.PENDING, advice="start a worker"),
    Kind.LANE_LEFT_OUT: Nature(_CRITICAL, verb=Verb.RESUME),
    Kind.LANE_LEAKED: Nature(_CRITICAL, advice="raise its limit"),
    Kind.DUE: Nature(_CRITICAL, Location.SCHEDULE, Verb.PROMOTE),
    Kind.MEMORY_NEAR: Nature(_WARNING, advice="free memory, or raise maxmemory"),
    Kind.EVICTS: Nature(_WARNING, advice="set maxmemory-policy to noeviction"),
    Kind.LAGS: Nature(_WARNING, advice="see to the link between master and replica"),
    Kind.PAUSED: Nature(_WARNING, Location.PENDING, Verb.RESUME),
    Kind.FLAT_NOT_SERVED: Nature(_WARNING, Location.PENDING, advice="start a worker that claims outside of lanes too"),
    Kind.WAITS_LONG: Nature(_WARNING, Location.PENDING, advice="more workers, or quicker jobs"),
    Kind.DYING: Nature(_WARNING, Location.DEAD, advice="look at the errors"),
    Kind.LANE_PAUSED: Nature(_NOTE, verb=Verb.RESUME),
    Kind.REPLICA: Nature(_NOTE, advice="look at the master to act"),
}
"""Every kind, the worst first."""

_RANKS = {kind: rank for rank, kind in enumerate(NATURES)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong."""

    queue: QueueId | None
    """With which queue; None: with the server."""
    kind: Kind
    """What it is."""
    says: str
    """The same in words, with the numbers."""
    evidence: Mapping[str, int] = field(default_factory=dict)
    """The numbers by name; those that end in `_ms` are ms."""
    lane: str | None = None
    """Which lane; None: the queue as a whole."""
    act: str | None = None
    """The command line that helps; None: none of this program's does."""

    @property
    def nature(self) -> Nature:
        """What holds for every finding of its kind."""
        return NATURES[self.kind]

    @property
    def key(self) -> tuple[QueueId | None, Kind, str | None]:
        """What it is known by from look to look, whatever its numbers."""
        return self.queue, self.kind, self.lane

    @property
    def lasts_ms(self) -> int | None:
        """For how long it has been so, as far as the numbers tell, ms; None: they do not."""
        return self.evidence.get(_LASTING.get(self.kind, ""))


_LASTING = {
    Kind.OVERDUE: "late_ms",
    Kind.DUE: "late_ms",
    Kind.WAITS_LONG: "oldest_ms",
    Kind.LAGS: "silent_ms",
}


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """By kind, then by queue and lane: never by numbers, so that none moves while they grow."""
    return sorted(findings, key=_order)


def _order(finding: Finding) -> tuple[int, tuple[str, str, str], str]:
    queue = finding.queue
    where = ("", "", "") if queue is None else (queue.family.value, queue.prefix, queue.name)
    return _RANKS[finding.kind], where, finding.lane or ""
