"""What is wrong with the lanes of a queue.

The books of a queue and its lanes are read one after the other while workers go on, so that a single look may see a
lane between two of them: only what two looks agree on is told.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from emqtop.model.findings import Kind
from emqtop.model.job import Page
from emqtop.model.queue import Lane
from emqtop.text import safe


@dataclass(frozen=True, slots=True)
class LaneLook:
    """The lanes of a queue at one moment."""

    lanes: Sequence[Lane] = ()
    """Every lane."""
    running: Mapping[str, int] | None = None
    """Jobs of each group that are active, as their rows tell; None: not counted."""

    @property
    def in_flight(self) -> int:
        """Jobs in flight as the lanes count them."""
        return sum(lane.active for lane in self.lanes)

    @property
    def is_held_up(self) -> bool:
        """Do jobs wait behind the limit of a lane, so that its counter must be right?"""
        return any(lane.pending and _is_full(lane) and not lane.paused for lane in self.lanes)

    def leaked(self, lane: Lane) -> int:
        """Jobs that a lane counts as in flight, and that are not active; 0 where that was not counted."""
        return 0 if self.running is None else max(0, lane.active - self.running.get(lane.group, 0))


def counted(lanes: Sequence[Lane], active: Page) -> LaneLook:
    """A look with the active jobs counted by group, where the page holds all of them."""
    is_whole = active.start == 0 and len(active.jobs) >= active.total
    return LaneLook(lanes, Counter(job.group for job in active.jobs if job.group is not None) if is_whole else None)


@dataclass(frozen=True, slots=True)
class LaneLooks:
    """The lanes at two moments; twice the same look agrees with itself in everything."""

    before: LaneLook = LaneLook()
    """As they were."""
    now: LaneLook = LaneLook()
    """As they are."""

    @property
    def in_flight(self) -> int:
        """Jobs in flight that the lanes count at least."""
        return min(self.before.in_flight, self.now.in_flight)

    @property
    def offer_none(self) -> bool:
        """Are there lanes, none of which with jobs waiting is offered to a worker?"""
        lanes = self.now.lanes
        return bool(lanes) and not any(lane.pending and lane.in_ring and not lane.paused for lane in lanes)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with one lane."""

    kind: Kind
    """What it is."""
    lane: Lane
    """Which."""
    says: str
    """The same in words."""
    act: tuple[str, ...]
    """The verb that helps, and its options."""
    evidence: dict[str, int]
    """The numbers by name."""


def examine_lanes(looks: LaneLooks) -> Iterator[Trouble]:
    """What both looks agree is wrong."""
    before = {lane.group: _wrong(looks.before, lane) for lane in looks.before.lanes}
    for lane in looks.now.lanes:
        kind, leaked = _wrong(looks.now, lane)
        before_kind, before_leaked = before.get(lane.group, (None, 0))
        if kind is not None and kind is before_kind:
            yield _trouble(kind, lane, min(leaked, before_leaked))


def _wrong(look: LaneLook, lane: Lane) -> tuple[Kind | None, int]:
    """What is wrong with a lane, and how many jobs it counts in vain."""
    if not lane.pending:
        return None, 0
    if lane.paused:
        return Kind.LANE_PAUSED, 0
    if _is_full(lane):
        leaked = look.leaked(lane)
        return (Kind.LANE_LEAKED if leaked else None), leaked
    return (None if lane.in_ring else Kind.LANE_LEFT_OUT), 0


def _is_full(lane: Lane) -> bool:
    return lane.limit is not None and lane.active >= lane.limit


def _trouble(kind: Kind, lane: Lane, leaked: int) -> Trouble:
    name, options, evidence = safe(lane.group), ("--lane", lane.group), {"pending": lane.pending}
    if kind is Kind.LANE_PAUSED:
        says = f"lane {name} is paused, with {lane.pending} pending"
        return Trouble(kind, lane, says, ("resume", *options), evidence)
    if kind is Kind.LANE_LEFT_OUT:
        says = f"lane {name} has {lane.pending} pending, and no worker will be offered it"
        return Trouble(kind, lane, says, ("resume", *options), evidence)
    limit = lane.limit or 0
    says = f"lane {name} is full by its counter, {lane.active} of {limit}, but {leaked} of them are not active"
    told = {"counted": lane.active, "limit": limit, "leaked": leaked}
    return Trouble(kind, lane, says, ("limit", *options, "--jobs", str(limit + leaked)), evidence | told)
