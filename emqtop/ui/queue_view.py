"""Where the user is within a queue: tab, lane and page; pure."""

from dataclasses import dataclass, replace
from enum import StrEnum

from emqtop.model.queue import Family, Location, QueueId
from emqtop.sampling.source import PageRequest

PAGE = 200
"""Jobs of a location that are loaded at once."""


class Tab(StrEnum):
    """What can be looked at in a queue: a location, its lanes, and what stands around its jobs."""

    PENDING = "pending"
    ACTIVE = "active"
    SCHEDULE = "schedule"
    DEAD = "dead"
    HELD = "held"
    DONE = "done"
    LANES = "lanes"
    WORKERS = "workers"
    SCHEDULERS = "schedulers"
    METRICS = "metrics"


AROUND = frozenset({Tab.WORKERS, Tab.SCHEDULERS, Tab.METRICS})
"""The tabs about what stands around the jobs."""
_LOCATIONS = frozenset(Location)


@dataclass(frozen=True, slots=True)
class QueueView:
    """One look into a queue."""

    queue: QueueId
    """Which queue."""
    tab: Tab = Tab.ACTIVE
    """Which tab is in front."""
    lane: str | None = None
    """Only the jobs of this lane (pending)."""
    start: int = 0
    """Rank of the first job that is loaded."""

    @property
    def tabs(self) -> tuple[Tab, ...]:
        """The tabs there are; BullMQ has no lanes."""
        return tuple(tab for tab in Tab if tab is not Tab.LANES or self.queue.family is Family.ECHOMQ)

    @property
    def location(self) -> Location | None:
        """The location in front; None for a tab that shows no jobs."""
        return Location(self.tab.value) if self.tab.value in _LOCATIONS else None

    @property
    def request(self) -> PageRequest | None:
        """Which jobs to read for it; None for a tab that shows none."""
        location = self.location
        if location is None:
            return None
        return PageRequest(self.queue, location, PAGE, start=self.start, lane=self.lane, payload=True)

    def show(self, tab: Tab) -> "QueueView":
        """Another tab, from its first page."""
        return QueueView(self.queue, tab)

    def step(self, places: int) -> "QueueView":
        """The next tab, or the one before, round and round."""
        return self.show(self.tabs[(self.tabs.index(self.tab) + places) % len(self.tabs)])

    def nth(self, number: int) -> "QueueView":
        """The tab of a number from 1 on; the same view where there is none."""
        return self.show(self.tabs[number - 1]) if 0 < number <= len(self.tabs) else self

    def into(self, lane: str) -> "QueueView":
        """The waiting jobs of one lane."""
        return QueueView(self.queue, Tab.PENDING, lane)

    def out(self) -> "QueueView | None":
        """From a lane back to the lanes; None where there is nothing to go back to within the queue."""
        return None if self.lane is None else self.show(Tab.LANES)

    def page(self, pages: int, total: int) -> "QueueView":
        """The next page of jobs, or the one before; the same view at an end."""
        start = self.start + pages * PAGE
        return replace(self, start=start) if 0 <= start < max(1, total) else self

    def end(self, last: bool, total: int) -> "QueueView":
        """The first page or the last."""
        return replace(self, start=max(0, (total - 1) // PAGE * PAGE) if last else 0)
