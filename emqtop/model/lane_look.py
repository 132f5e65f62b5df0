"""Looks at the lanes of a queue.

The books of a queue and its lanes are read one after the other while workers go on, so that a single look may see a
lane between two of them: only what two looks agree on is sure.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from emqtop.model.job import Page
from emqtop.model.queue import Lane


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
        return any(lane.pending and lane.is_full and not lane.paused for lane in self.lanes)

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
