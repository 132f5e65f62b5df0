"""How long leases were when they were first seen: a deadline alone says how much is left, not of what."""

from dataclasses import dataclass

from emqtop.model.job import Page
from emqtop.model.queue import Location


@dataclass(frozen=True, slots=True)
class Watched:
    """What a viewer saw of one attempt at a job."""

    attempts: int | None
    """The token it has."""
    since_ms: int
    """When it was first seen active, server's clock, Unix ms; it was so before."""
    longest_ms: int
    """The longest time it was seen to have left."""


class LeaseWatch:
    """Remembers the active jobs of the last page, so never more than a page of them."""

    def __init__(self) -> None:
        self._known: dict[str, Watched] = {}

    def see(self, page: Page) -> None:
        """Note what a page of active jobs shows; another location is of no interest."""
        if page.location is not Location.ACTIVE:
            return
        known: dict[str, Watched] = {}
        for job in page.jobs:
            left_ms = 0 if job.deadline_ms is None else job.deadline_ms - page.at_ms
            before = self._known.get(job.id)
            if before is None or before.attempts != job.attempts:
                before = Watched(job.attempts, page.at_ms, left_ms)
            known[job.id] = Watched(job.attempts, before.since_ms, max(left_ms, before.longest_ms))
        self._known = known

    def of(self, job_id: str) -> Watched | None:
        """What was seen of a job; None: it is not on the last page."""
        return self._known.get(job_id)
