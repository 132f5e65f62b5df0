"""Looking up what an act covers, page by page or id by id, by reads alone."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from emqtop.acting.hands import Hands, Link
from emqtop.acting.selection import Selection
from emqtop.acting.words import refused, skip
from emqtop.meaning.jobs import job_of
from emqtop.model.actions import Order, Reason, Seen, Skip, Verb
from emqtop.model.acts import ACTS
from emqtop.model.job import Job, Odd
from emqtop.model.queue import Location
from emqtop.wire.readings import PageReading
from emqtop.wire.ready import ready
from emqtop.wire.verdicts import DEFERRED, DONE

SAMPLE = 5
"""Jobs that a plan shows."""
PAYLOAD_BYTES = 65_536
"""How much of each payload is read where a filter asks for it."""
MOST_ERRORS = 20
"""Different errors that a plan tells."""

_PAGE, _CHUNK = 500, 100
_ERROR_LENGTH = 500


@dataclass(slots=True)
class Draft:
    """A plan in the making."""

    order: Order
    """What is to be done."""
    jobs: dict[str, Seen] = field(default_factory=dict)
    """The jobs to send, by id."""
    skipped: dict[str, Skip] = field(default_factory=dict)
    """The jobs to leave alone, by id."""
    oldest: Job | None = None
    """The job minted first, of those to send."""
    newest: Job | None = None
    """The job minted last."""
    sample: list[Job] = field(default_factory=list)
    """The first few."""
    errors: dict[str, int] = field(default_factory=dict)
    """Last errors, cut, with the number of jobs."""
    at_ms: int = 0
    """Server's clock at the last page."""
    stopped: bool = False
    """Was the look-up broken off?"""

    def __len__(self) -> int:
        return len(self.jobs) + len(self.skipped)

    def known(self, job_id: str) -> bool:
        """Was it met already?"""
        return job_id in self.jobs or job_id in self.skipped

    def take(self, job: Job, seen: Seen) -> None:
        """It will be sent."""
        self.jobs[job.id] = seen
        if len(self.sample) < SAMPLE:
            self.sample.append(job)
        if job.minted_ms is not None:
            if self.oldest is None or job.minted_ms < (self.oldest.minted_ms or 0):
                self.oldest = job
            if self.newest is None or job.minted_ms >= (self.newest.minted_ms or 0):
                self.newest = job
        if job.last_error is not None:
            error = job.last_error[:_ERROR_LENGTH]
            if error in self.errors or len(self.errors) < 10 * MOST_ERRORS:
                self.errors[error] = self.errors.get(error, 0) + 1

    def leave(self, left: Skip) -> None:
        """It will not."""
        self.skipped[left.id] = left


@dataclass(slots=True)
class Survey:
    """Looking up what a plan covers."""

    link: Link
    """To the server."""
    hands: Hands
    """Of the family."""
    chosen: Selection
    """What is looked for."""
    draft: Draft
    """What was found."""
    foreseen: int
    """Jobs whose verdict may still be foreseen."""
    stop: asyncio.Event | None
    """Breaks it off."""

    async def named(self) -> None:
        """Those marked are compared as they were seen, the others as they are now."""
        marked = {seen.id: seen for seen in self.chosen.seen}
        ids = list(dict.fromkeys([*marked, *self.chosen.ids]))
        for begin in range(0, len(ids), _CHUNK):
            asked = self.hands.locate(self.draft.order.queue, ids[begin : begin + _CHUNK])
            found = await self.link.run(ready(asked))
            jobs = []
            for place, reading in found:
                job = job_of(reading)
                location = Location(place) if place else _fallback(self.draft.order.verb)
                jobs.append((job, marked.get(job.id) or _seen(job, location)))
            await self._admit(jobs)

    async def everything(self, location: Location, on_progress: Callable[[int], None] | None) -> None:
        """Page after page of a location, until what is meant is known or enough has been looked at."""
        queue, chosen = self.draft.order.queue, self.chosen
        payload = PAYLOAD_BYTES if chosen.where.needs_payload else 0
        after, looked_at = None, 0
        while True:
            if looked_at >= chosen.scan or self._is_stopped:
                self.draft.stopped = True
                return
            page = await self.link.run(ready(self.hands.page(queue, location, after, _PAGE, payload, chosen.lane)))
            self.draft.at_ms = page.at_ms
            through = await self._admit(self._meant(page, location))
            looked_at += len(page.jobs)
            if on_progress is not None:
                on_progress(len(self.draft))
            after = page.next
            if through or after is None or self._ends_in(page):
                return

    @property
    def _is_stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()

    @property
    def _spares_odd(self) -> bool:
        """Are jobs left alone that something is wrong with? With a whole queue they go too."""
        return self.chosen.is_bulk and self.draft.order.verb is not Verb.OBLITERATE

    def _meant(self, page: PageReading, location: Location) -> list[tuple[Job, Seen]]:
        found = []
        for job in map(job_of, page.jobs):
            if _beyond(self.draft.order, job, page.at_ms):
                continue
            if not self.draft.known(job.id) and self.chosen.where.matches(job, page.at_ms):
                found.append((job, _seen(job, location)))
        return found

    def _ends_in(self, page: PageReading) -> bool:
        """Does the part of the location that is meant end in this page?"""
        is_ordered = page.by_deadline or self.draft.order.verb is not Verb.REAP
        return bool(page.jobs) and is_ordered and _beyond(self.draft.order, job_of(page.jobs[-1]), page.at_ms)

    async def _admit(self, jobs: list[tuple[Job, Seen]]) -> bool:
        """Sort jobs into those to send and those that are known to be left alone; are there enough?"""
        for begin in range(0, len(jobs), _CHUNK):
            chunk = jobs[begin : begin + _CHUNK]
            left = await self._foresee([seen for job, seen in chunk if not (job.odd and self.chosen.is_bulk)])
            for job, seen in chunk:
                if self.chosen.limit is not None and len(self.draft.jobs) >= self.chosen.limit:
                    return True
                if job.odd and self._spares_odd:
                    self.draft.leave(refused(job.id, Reason(_worst(job.odd))))
                elif job.id in left:
                    self.draft.leave(left[job.id])
                else:
                    self.draft.take(job, seen)
        return False

    async def _foresee(self, jobs: list[Seen]) -> dict[str, Skip]:
        chunk = jobs[: self.foreseen]
        self.foreseen -= len(chunk)
        if not chunk:
            return {}
        verdicts = await self.link.run(ready(self.hands.foresee(self.draft.order, chunk)))
        return {verdict.id: skip(verdict) for verdict in verdicts if verdict.reason not in {DONE, DEFERRED}}


def _beyond(order: Order, job: Job, now_ms: int) -> bool:
    """Is it none of those that have ended or are due? Where jobs stand in that order, none behind it is."""
    if order.verb is Verb.REAP:
        return job.deadline_ms is not None and job.deadline_ms > now_ms
    return order.verb is Verb.PROMOTE and not order.early and job.due_ms is not None and job.due_ms > now_ms


def _fallback(verb: Verb) -> Location:
    """Stands in for the place of a job that lies nowhere; its verdict will not be about the place."""
    return min(ACTS[verb].fits)


def _worst(odd: tuple[Odd, ...]) -> Odd:
    return next(each for each in (Odd.NO_ROW, Odd.NO_PAYLOAD, Odd.SECOND_LOCATION, Odd.STATE_DIFFERS) if each in odd)


def _seen(job: Job, location: Location) -> Seen:
    return Seen(job.id, location, job.attempts, job.deadline_ms)
