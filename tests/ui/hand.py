"""Acts on queues in memory: what the dialogs are tried with."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from emqtop.acting.plan import Plan, Selection
from emqtop.acting.tally import Progress
from emqtop.model.actions import Order, Outcome, Reason, Seen, Skip, Verb
from emqtop.model.acts import ACTS
from emqtop.model.queue import Location
from emqtop.sampling.memory import MemorySource, Shelf
from emqtop.ui.acts import Found, Told

TARGETS = {
    Verb.REAP: Location.PENDING,
    Verb.PROMOTE: Location.PENDING,
    Verb.REQUEUE: Location.PENDING,
    Verb.DEAD_LETTER: Location.DEAD,
}


@dataclass
class MemoryActs:
    """Moves jobs of a memory source; keeps what it was asked to run. `gate` holds every run back until it is set."""

    source: MemorySource
    ran: list[Plan] = field(default_factory=list)
    gate: asyncio.Event | None = None
    fault: Exception | None = None

    async def standing(self, order: Order, seen: Sequence[Seen]) -> Order | None:
        """The ceiling of a lane."""
        if self.fault is not None:
            raise self.fault
        if order.verb is Verb.LIMIT:
            lanes = self.source.shelves[order.queue].lanes
            return next((replace(order, ceiling=lane.limit) for lane in lanes if lane.group == order.lane), None)
        return order if order.verb is Verb.EXTEND else None

    async def plan(self, order: Order, selection: Selection, *, stop: asyncio.Event, on_progress: Found) -> Plan:
        """Look what is there now."""
        if self.fault is not None:
            raise self.fault
        shelf = self.source.shelves[order.queue]
        if not ACTS[order.verb].fits:
            return Plan(order)
        meant = selection.seen or tuple(
            Seen(job.id, place, job.attempts, job.deadline_ms)
            for place in ACTS[order.verb].fits
            for job in shelf.at(place)
            if selection.location in {None, place} and selection.where.matches(job, self.source.now_ms)
            if order.verb is not Verb.REAP or (job.deadline_ms or 0) <= self.source.now_ms
        )
        skipped = tuple(skip for job in meant if (skip := self._skip(order, shelf, job)) is not None)
        left = {skip.id for skip in skipped}
        jobs = tuple(job for job in meant if job.id not in left)
        known = [found[1] for job in jobs if (found := shelf.find(job.id)) is not None]
        oldest = min(known, key=lambda job: job.minted_ms or 0, default=None)
        newest = max(known, key=lambda job: job.minted_ms or 0, default=None)
        return Plan(order, jobs, skipped, str(selection), oldest, newest, tuple(known[:5]))

    def _skip(self, order: Order, shelf: Shelf, seen: Seen) -> Skip | None:
        found = shelf.find(seen.id)
        if found is None:
            return Skip(seen.id, Reason.GONE, "finished or removed by now")
        place, job = found
        if place is not seen.location:
            return Skip(seen.id, Reason.MOVED, f"moved to {place}")
        left = (job.deadline_ms or 0) - self.source.now_ms
        if place is Location.ACTIVE and left > 0 and order.verb is not Verb.EXTEND:
            return Skip(seen.id, Reason.LEASE_LIVE, f"lease has {left // 1000} s left")
        return None

    async def run(self, plan: Plan, *, stop: asyncio.Event, on_progress: Told) -> Outcome:
        """Do it, against what is there by now."""
        self.ran.append(plan)
        order, shelf = plan.order, self.source.shelves[plan.order.queue]
        if plan.is_whole:
            if order.verb is Verb.LIMIT:
                shelf.lanes = [
                    replace(lane, limit=order.ceiling) if lane.group == order.lane else lane for lane in shelf.lanes
                ]
            else:
                shelf.paused = order.verb is Verb.PAUSE
            return Outcome(order.verb, order.queue, 1, 1, lane=order.lane)
        skipped, moved = list(plan.skipped), 0
        for job in plan.jobs:
            if self.gate is not None:
                on_progress(Progress(moved, plan.matched, moved, len(skipped), 0, 1, None))
                await self.gate.wait()
            if stop.is_set():
                return Outcome(order.verb, order.queue, plan.matched, moved, skipped=tuple(skipped), stopped=True)
            if (skip := self._skip(order, shelf, job)) is not None:
                skipped.append(skip)
                continue
            if order.verb is Verb.REMOVE:
                shelf.jobs[job.location] = [kept for kept in shelf.at(job.location) if kept.id != job.id]
            elif order.verb in TARGETS:
                shelf.move(job.id, TARGETS[order.verb], deadline_ms=None, due_ms=None)
            moved += 1
            on_progress(Progress(moved, plan.matched, moved, len(skipped), 0, 0, None))
        return Outcome(order.verb, order.queue, plan.matched, moved, skipped=tuple(skipped))
