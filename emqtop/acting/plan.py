"""What an act would touch: looked up before the operator is asked, and fixed from then on (operator law 8)."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from emqtop.acting.hands import Hands, Link, hands_of
from emqtop.acting.selection import Selection
from emqtop.acting.survey import MOST_ERRORS, Draft, Survey
from emqtop.acting.words import refused, skip
from emqtop.model.actions import Order, Reason, Seen, Skip, Verb
from emqtop.model.acts import ACTS, Danger
from emqtop.model.job import Job
from emqtop.model.queue import Family, Location, QueueId
from emqtop.wire.family import is_shared
from emqtop.wire.ready import ready
from emqtop.wire.resp import Conversation
from emqtop.wire.together import together

__all__ = ["Plan", "Selection", "bar_of", "make_plan", "refuse", "tag_of"]

FORESEEN = 1_000
"""Jobs whose verdict is foreseen for a dialog; the scripts judge the rest. A dry run foresees all."""

_SWEEPING = {
    Verb.REAP: Location.ACTIVE,
    Verb.PROMOTE: Location.SCHEDULE,
    Verb.REQUEUE: Location.DEAD,
    Verb.DRAIN: Location.PENDING,
}
"""Verbs that mean a whole location where nothing else is said."""
_NAMED = frozenset({Verb.DRAIN, Verb.OBLITERATE})
"""Verbs that take all there is, however little that is."""


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
    was_so: bool | None = None
    """Is the queue or lane as the act would leave it already? None: an act on jobs, or nothing tells."""
    held: int = 0
    """Obliterate: jobs that the queue held, each place counted; one that holds more by then is left alone."""

    @property
    def matched(self) -> int:
        """All jobs that it covers."""
        return len(self.jobs) + len(self.skipped)

    @property
    def is_whole(self) -> bool:
        """Is it an act on the queue or a lane, not on jobs one by one?"""
        return self.order.verb is not Verb.UNDO and not ACTS[self.order.verb].fits

    @property
    def would_move(self) -> int:
        """Jobs that would move, as far as it is foreseen; 1 or 0 for an act on a queue or lane that counts none."""
        if self.order.verb is Verb.OBLITERATE or not self.is_whole:
            return len(self.jobs)
        return int(not (self.was_so or self.skipped))

    @property
    def wants_name(self) -> bool:
        """Must the operator type the queue's name?"""
        destroys = ACTS[self.order.verb].danger is Danger.DESTROYS
        return destroys and (self.order.verb in _NAMED or len(self.jobs) > 1)


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
    if order.verb not in hands.verbs:
        return Plan(order, skipped=_all_refused(order, chosen, Reason.NOT_SUPPORTED), selection=str(chosen))
    hands.check(order)
    bar, was_so = await link.run(ready(together(bar_of(hands, order.queue), hands.is_so(order))))
    if bar is not None:
        return refuse(order, chosen, Reason.NOT_SUPPORTED, bar)
    survey = Survey(link, hands, chosen, Draft(order), sys.maxsize if dry_run else FORESEEN, stop)
    if order.verb is Verb.OBLITERATE:
        return await _plan_whole(survey, on_progress)
    if not ACTS[order.verb].fits:
        return Plan(order, selection=f"lane {order.lane}" if order.lane else "the queue", was_so=was_so)
    location = chosen.location or _SWEEPING.get(order.verb)
    if not chosen.is_bulk:
        await survey.named()
        return _plan(survey.draft, chosen)
    if location is None:
        raise ValueError(f"{order.verb} wants ids or a location")
    await survey.everything(location, on_progress)
    return _plan(survey.draft, replace(chosen, location=location))


async def _plan_whole(survey: Survey, on_progress: Callable[[int], None] | None) -> Plan:
    """Every job of a queue, or what holds its obliteration back."""
    hands, order = survey.hands, survey.draft.order
    lanes = await survey.link.run(ready(hands.lanes(order.queue)))
    held, hindrance = await survey.link.run(ready(hands.stock(order, lanes)))
    if hindrance is not None:
        return Plan(order, skipped=(skip(hindrance),), selection="the queue")
    for location in (Location.ACTIVE, Location.PENDING, Location.SCHEDULE, Location.DEAD):
        await survey.everything(location, on_progress)
    found = _plan(survey.draft, survey.chosen)
    return replace(found, jobs=() if found.skipped else found.jobs, selection="the queue", held=held)


def refuse(order: Order, selection: Selection | None, reason: Reason, detail: str = "") -> Plan:
    """A plan that nothing is sent for: each id named is skipped, or else the queue as a whole."""
    chosen = selection or Selection()
    return Plan(order, skipped=_all_refused(order, chosen, reason, detail), selection=str(chosen))


def bar_of(hands: Hands, queue: QueueId) -> Conversation[str | None]:
    """Why the queue is only looked at, in words; None: it may be acted on."""
    both, bar = yield from together(is_shared(queue.prefix, tag_of(queue)), hands.bar())
    return "queues of both families lie on these keys, which are only looked at" if both else bar


def tag_of(queue: QueueId) -> str:
    """The part of its keys that follows the prefix."""
    return queue.name if queue.family is Family.BULLMQ else f"{{{queue.name}}}"


def _all_refused(order: Order, chosen: Selection, reason: Reason, detail: str = "") -> tuple[Skip, ...]:
    named = [*(seen.id for seen in chosen.seen), *chosen.ids] or [order.queue.name]
    return tuple(refused(name, reason, detail) for name in dict.fromkeys(named))


def _plan(draft: Draft, chosen: Selection) -> Plan:
    errors = sorted(draft.errors.items(), key=lambda pair: -pair[1])[:MOST_ERRORS]
    return Plan(
        order=draft.order,
        jobs=tuple(draft.jobs.values()),
        skipped=tuple(draft.skipped.values()),
        selection=str(chosen),
        oldest=draft.oldest,
        newest=draft.newest,
        sample=tuple(draft.sample),
        errors=tuple(errors),
        at_ms=draft.at_ms,
        stopped=draft.stopped,
    )
