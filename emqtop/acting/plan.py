"""What an act would touch: looked up before the operator is asked, and fixed from then on (operator law 8)."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from emqtop.acting.hands import Hands, Link, hands_of
from emqtop.acting.words import refused, skip
from emqtop.model.actions import ACTS, Danger, Order, Reason, Seen, Skip, Verb
from emqtop.model.filters import EVERY, Filter
from emqtop.model.job import Job, Odd
from emqtop.model.queue import Location
from emqtop.wire.readings import JobReading, PageReading
from emqtop.wire.resp import text
from emqtop.wire.verdicts import DEFERRED, DONE

SAMPLE = 5
"""Jobs that a plan shows."""
FORESEEN = 1_000
"""Jobs whose verdict is foreseen for a dialog; the scripts judge the rest. A dry run foresees all."""
PAYLOAD_BYTES = 65_536
"""How much of each payload is read where a filter asks for it."""

_PAGE, _CHUNK = 500, 100
_SWEEPING = {
    Verb.REAP: Location.ACTIVE,
    Verb.PROMOTE: Location.SCHEDULE,
    Verb.REQUEUE: Location.DEAD,
    Verb.DRAIN: Location.PENDING,
}
"""Verbs that mean a whole location where nothing else is said."""
_MOST_ERRORS, _ERROR_LENGTH = 20, 500


@dataclass(frozen=True, slots=True)
class Selection:
    """Which jobs an act is meant for: those that were marked as seen, those named by id, or all of a location."""

    seen: tuple[Seen, ...] = ()
    """Marked in a view, as they were seen there."""
    ids: tuple[str, ...] = ()
    """Named by id; looked up now."""
    location: Location | None = None
    """All that lie here; None: where the verb takes them from."""
    where: Filter = EVERY
    """Of those only the ones that fit."""
    lane: str | None = None
    """Of those only the ones in this lane (pending)."""
    limit: int | None = None
    """At most so many."""

    @property
    def is_bulk(self) -> bool:
        """Is it a whole location, not named jobs?"""
        return not self.seen and not self.ids

    def __str__(self) -> str:
        if not self.is_bulk:
            return f"{len(self.seen) + len(self.ids)} by id"
        parts = [f"all {self.location or ''}".rstrip()]
        parts += [f"of lane {self.lane}"] * (self.lane is not None)
        parts += [f"where {self.where}"] * (self.where != EVERY)
        parts += [f"at most {self.limit}"] * (self.limit is not None)
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Plan:
    """The jobs of an act, and what is known of them."""

    order: Order
    """What is to be done."""
    jobs: tuple[Seen, ...] = ()
    """The jobs to send, each as it was seen; no id twice."""
    skipped: tuple[Skip, ...] = ()
    """Jobs that are known to be left alone."""
    selection: str = ""
    """How they were chosen, in words."""
    oldest: Job | None = None
    """The job minted first."""
    newest: Job | None = None
    """The job minted last."""
    sample: tuple[Job, ...] = ()
    """The first few."""
    errors: tuple[tuple[str, int], ...] = ()
    """Last errors with the number of jobs, the most frequent first, at most 20."""
    at_ms: int = 0
    """When it was looked up, server's clock, Unix ms; 0: it did not say."""
    stopped: bool = False
    """Was the look-up broken off, so that the plan covers less than was asked for?"""

    @property
    def matched(self) -> int:
        """All jobs that it covers."""
        return len(self.jobs) + len(self.skipped)

    @property
    def is_whole(self) -> bool:
        """Is it an act on the queue or a lane, not on jobs?"""
        return not ACTS[self.order.verb].fits

    @property
    def wants_name(self) -> bool:
        """Must the operator type the queue's name?"""
        act = ACTS[self.order.verb]
        return act.danger is Danger.DESTROYS and (self.is_whole or self.order.verb is Verb.DRAIN or len(self.jobs) > 1)


@dataclass(slots=True)
class _Draft:
    """A plan in the making."""

    order: Order
    jobs: dict[str, Seen] = field(default_factory=dict)
    skipped: dict[str, Skip] = field(default_factory=dict)
    oldest: Job | None = None
    newest: Job | None = None
    sample: list[Job] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)
    at_ms: int = 0
    stopped: bool = False

    def __len__(self) -> int:
        return len(self.jobs) + len(self.skipped)

    def known(self, job_id: str) -> bool:
        return job_id in self.jobs or job_id in self.skipped

    def take(self, job: Job, seen: Seen) -> None:
        self.jobs[job.id] = seen
        if len(self.sample) < SAMPLE:
            self.sample.append(job)
        if job.minted_ms is not None:
            if self.oldest is None or job.minted_ms < (self.oldest.minted_ms or 0):
                self.oldest = job
            if self.newest is None or job.minted_ms > (self.newest.minted_ms or 0):
                self.newest = job
        if job.last_error is not None:
            error = job.last_error[:_ERROR_LENGTH]
            if error in self.errors or len(self.errors) < 10 * _MOST_ERRORS:
                self.errors[error] = self.errors.get(error, 0) + 1

    def leave(self, left: Skip) -> None:
        self.jobs.pop(left.id, None)
        self.skipped[left.id] = left

    def plan(self, selection: Selection) -> Plan:
        errors = sorted(self.errors.items(), key=lambda pair: -pair[1])[:_MOST_ERRORS]
        return Plan(
            self.order,
            tuple(self.jobs.values()),
            tuple(self.skipped.values()),
            str(selection),
            self.oldest,
            self.newest,
            tuple(self.sample),
            tuple(errors),
            self.at_ms,
            self.stopped,
        )


async def make_plan(
    link: Link,
    order: Order,
    selection: Selection | None = None,
    *,
    dry_run: bool = False,
    stop: asyncio.Event | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Plan:
    """Look up what an order covers, by reads alone.

    Args:
        link: to the server.
        order: what is to be done.
        selection: to which jobs; None: to all that the verb is for.
        dry_run: foresee the verdict of every job, not only of the first 1,000.
        stop: breaks the look-up off.
        on_progress: told how many jobs were found so far.

    Raises:
        SourceError: the server could not be asked.
        ReplyError: it refused to be read.
        ValueError: one of the ids cannot be a job's, or a verb that is not meant for whole locations was given neither
            ids nor a location; nothing was asked.
    """
    hands, chosen = hands_of(order.queue.family), selection or Selection()
    if hands is None or order.verb not in hands.verbs:
        return Plan(order, skipped=_all_refused(order, chosen, Reason.NOT_SUPPORTED), selection=str(chosen))
    hands.check(order)
    if not ACTS[order.verb].fits:
        return Plan(order, selection=f"lane {order.lane}" if order.lane else "the queue")
    draft = _Draft(order)
    if chosen.is_bulk:
        await _find_all(link, hands, chosen, draft, stop, on_progress)
    else:
        await _find_named(link, hands, chosen, draft)
    await _foresee(link, hands, draft, None if dry_run else FORESEEN, stop)
    return draft.plan(chosen)


def refuse(order: Order, selection: Selection | None, reason: Reason) -> Plan:
    """A plan that nothing is sent for: each id named is skipped, or else the queue as a whole."""
    chosen = selection or Selection()
    return Plan(order, skipped=_all_refused(order, chosen, reason), selection=str(chosen))


def without(plan: Plan, ids: Iterable[str]) -> Plan:
    """The plan with some jobs taken out, such as those that the operator unmarked in the dialog."""
    dropped = frozenset(ids)
    return replace(plan, jobs=tuple(job for job in plan.jobs if job.id not in dropped))


def _all_refused(order: Order, chosen: Selection, reason: Reason) -> tuple[Skip, ...]:
    named = [*(seen.id for seen in chosen.seen), *chosen.ids] or [order.queue.name]
    return tuple(refused(name, reason) for name in dict.fromkeys(named))


async def _find_named(link: Link, hands: Hands, chosen: Selection, draft: _Draft) -> None:
    """Those marked are compared as they were seen, the others as they are now."""
    marked = {seen.id: seen for seen in chosen.seen}
    ids = list(dict.fromkeys([*marked, *chosen.ids]))
    for begin in range(0, len(ids), _CHUNK):
        found = await link.run(hands.locate(draft.order.queue, ids[begin : begin + _CHUNK]))
        for place, reading in found:
            job = _job(reading)
            seen = marked.get(job.id) or _seen(job, Location(place) if place else _fallback(draft.order.verb))
            draft.take(job, seen)


async def _find_all(
    link: Link,
    hands: Hands,
    chosen: Selection,
    draft: _Draft,
    stop: asyncio.Event | None,
    on_progress: Callable[[int], None] | None,
) -> None:
    location = chosen.location or _SWEEPING.get(draft.order.verb)
    if location is None:
        raise ValueError(f"{draft.order.verb} wants ids or a location")
    payload = PAYLOAD_BYTES if chosen.where.needs_payload else 0
    after: str | None = None
    while True:
        if stop is not None and stop.is_set():
            draft.stopped = True
            return
        page = await link.run(hands.page(draft.order.queue, location, after, _PAGE, payload, chosen.lane))
        draft.at_ms = page.at_ms
        through = _take_page(page, location, chosen, draft)
        if on_progress is not None:
            on_progress(len(draft))
        after = page.next
        if through or after is None:
            return


def _take_page(page: PageReading, location: Location, chosen: Selection, draft: _Draft) -> bool:
    """Note the jobs of a page that are meant; is the rest of the location known not to be?"""
    for reading in page.jobs:
        job = _job(reading)
        if _beyond(draft.order, job, page.at_ms):
            return True
        if draft.known(job.id) or not chosen.where.matches(job, page.at_ms):
            continue
        if chosen.limit is not None and len(draft.jobs) >= chosen.limit:
            return True
        draft.take(job, _seen(job, location))
        if job.odd:
            draft.leave(refused(job.id, Reason(_worst(job.odd))))
    return False


def _beyond(order: Order, job: Job, now_ms: int) -> bool:
    """Leases end and scheduled jobs come due in order: behind the first that is not meant none is."""
    if order.verb is Verb.REAP:
        return job.deadline_ms is not None and job.deadline_ms > now_ms
    return order.verb is Verb.PROMOTE and not order.early and job.due_ms is not None and job.due_ms > now_ms


async def _foresee(link: Link, hands: Hands, draft: _Draft, most: int | None, stop: asyncio.Event | None) -> None:
    jobs = list(draft.jobs.values())[:most]
    for begin in range(0, len(jobs), _CHUNK):
        if stop is not None and stop.is_set():
            draft.stopped = True
            return
        for verdict in await link.run(hands.foresee(draft.order, jobs[begin : begin + _CHUNK])):
            if verdict.reason not in {DONE, DEFERRED}:
                draft.leave(skip(verdict))


def _fallback(verb: Verb) -> Location:
    """Stands in for the place of a job that lies nowhere; its verdict will not be about the place."""
    return min(ACTS[verb].fits)


def _worst(odd: tuple[Odd, ...]) -> Odd:
    return next(each for each in (Odd.NO_ROW, Odd.NO_PAYLOAD, Odd.SECOND_LOCATION, Odd.STATE_DIFFERS) if each in odd)


def _seen(job: Job, location: Location) -> Seen:
    return Seen(job.id, location, job.attempts, job.deadline_ms)


def _job(reading: JobReading) -> Job:
    return Job(
        id=text(reading.id),
        state=_text(reading.state),
        attempts=reading.attempts,
        minted_ms=reading.minted_ms,
        deadline_ms=reading.deadline_ms,
        due_ms=reading.due_ms,
        group=_text(reading.group),
        last_error=_text(reading.last_error),
        payload_bytes=reading.payload_bytes,
        payload=reading.payload,
        odd=tuple(map(Odd, reading.odd)),
    )


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else text(raw)
