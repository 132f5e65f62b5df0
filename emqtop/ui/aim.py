"""What an act is pointed at, before anything is asked of the server."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emqtop.model.actions import Order, Seen, Verb
from emqtop.model.acts import ACTS
from emqtop.model.queue import Family, Location, QueueId

if TYPE_CHECKING:
    # Compiling its patterns takes 8 ms, which the first frame need not wait for.
    from emqtop.model.filters import Filter
    from emqtop.present.job_rows import JobRow

EXTEND_MS = 60_000
"""By how much a lease is pushed out unless told, ms."""
LANED = frozenset({Verb.PAUSE, Verb.LIMIT, Verb.DRAIN})
"""Acts that can mean one lane."""


@dataclass(frozen=True, slots=True)
class Aim:
    """An act and the jobs it is meant for."""

    order: Order
    """What is to be done."""
    seen: tuple[Seen, ...] = ()
    """To which jobs, as they were seen; empty: all of the queue that the act is for."""
    location: Location | None = None
    """Only those that lie here; None: wherever the act takes them from."""
    where: "Filter | None" = None
    """Of those only the ones that fit; None: all."""


class NoAim(Exception):
    """There is nothing here that this act fits; the words say why."""


def at_queue(verb: Verb, queue: QueueId, paused: bool | None, lane: str | None = None) -> Aim:
    """An act on a queue or a lane as a whole; pause turns into resume where it is paused already.

    Raises:
        NoAim: the queue is not as the act wants it.
    """
    if verb is Verb.PAUSE and paused:
        verb = Verb.RESUME
    if verb is Verb.OBLITERATE and paused is False:
        raise NoAim("obliterate wants a paused queue: pause it first")
    if verb is Verb.WAKE and paused:
        raise NoAim("a paused queue wakes nobody: resume it")
    if verb is Verb.LIMIT and lane is None and queue.family is Family.ECHOMQ:
        raise NoAim("an EchoMQ queue is limited lane by lane: choose one among its lanes")
    return Aim(Order(verb, queue, lane=lane))


def check_family(verb: Verb, family: Family) -> None:
    """Do queues of this family have the act?

    Raises:
        NoAim: they do not.
    """
    if family not in ACTS[verb].families:
        raise NoAim(f"{verb} is for {'BullMQ' if family is Family.ECHOMQ else 'EchoMQ'} queues")


def at_scheduler(queue: QueueId, scheduler: str | None) -> Aim:
    """The end of a series.

    Raises:
        NoAim: none is chosen.
    """
    if scheduler is None:
        raise NoAim(f"{Verb.UNSCHEDULE} fits a scheduler: choose one in their tab")
    return Aim(Order(Verb.UNSCHEDULE, queue, scheduler=scheduler))


def at_jobs(verb: Verb, queue: QueueId, rows: "Iterable[JobRow]") -> Aim:
    """An act on jobs that were chosen.

    Raises:
        NoAim: there are none, or they lie where the act does not fit.
    """
    seen = tuple(map(_seen, rows))
    if not seen:
        raise NoAim("no job is chosen: it has left this list, or the list is empty")
    check_fit(verb, {job.location for job in seen})
    return Aim(_order(verb, queue), seen)


def at_location(verb: Verb, queue: QueueId, location: Location, where: "Filter") -> Aim:
    """An act on all jobs of a location that fit a condition.

    Raises:
        NoAim: the act is not one for jobs of this location.
    """
    check_fit(verb, {location})
    return Aim(_order(verb, queue), location=location, where=where)


def _order(verb: Verb, queue: QueueId) -> Order:
    by_ms = EXTEND_MS if verb is Verb.EXTEND else 0
    error = "given up by hand" if verb is Verb.DEAD_LETTER else ""
    return Order(verb, queue, early=verb is Verb.PROMOTE, by_ms=by_ms, error=error)


def _seen(row: "JobRow") -> Seen:
    deadline_ms = row.job.deadline_ms if row.location is Location.ACTIVE else None
    return Seen(row.job.id, row.location, row.job.attempts, deadline_ms)


def fits(verb: Verb, location: Location) -> bool:
    """Is this act one for jobs of this location, or for the queue as a whole?"""
    return not ACTS[verb].fits or location in ACTS[verb].fits


def check_fit(verb: Verb, places: Iterable[Location]) -> None:
    """Can jobs of these locations be acted on so?

    Raises:
        NoAim: they cannot.
    """
    right = ACTS[verb].fits
    wrong = sorted({place.value for place in places if place not in right})
    if wrong:
        raise NoAim(f"{verb} fits {' and '.join(sorted(right))} jobs, not {' or '.join(wrong)} ones")
