"""What became of a job whose act was sent and not answered: told from where it lies afterwards (operator law 9)."""

from enum import Enum, auto

from emqtop.acting.words import skip
from emqtop.model.actions import Order, Reason, Seen, Skip, Verb
from emqtop.model.acts import REMOVING
from emqtop.model.queue import Location
from emqtop.wire.readings import JobReading
from emqtop.wire.resp import raw
from emqtop.wire.verdicts import Verdict

_PRECISION_MS = 100
"""A deadline that is told by the time left of a lock is as exact as two reads lie close together."""


class Truth(Enum):
    """An answer that is no skip."""

    MOVED = auto()
    """The act was done."""
    AS_SEEN = auto()
    """It lies as it did: the act has not run, and may yet run."""


def truth(order: Order, seen: Seen, place: str | None, now: JobReading) -> Truth | Skip:
    """What the place and row of a job say of an act that was sent once."""
    if place is None and now.state is None and now.payload_bytes is None:
        gone = order.verb in REMOVING
        return Truth.MOVED if gone else skip(Verdict(seen.id, Reason.GONE))
    if _is_as_seen(seen, place, now):
        return Truth.AS_SEEN
    if _is_done(order, seen, place, now):
        return Truth.MOVED
    if place == seen.location:
        return skip(Verdict(seen.id, Reason.MOVED, "token", str(now.attempts)))
    return skip(Verdict(seen.id, Reason.MOVED, "location", place or "nowhere"))


def _is_as_seen(seen: Seen, place: str | None, now: JobReading) -> bool:
    same_token = seen.attempts is None or now.attempts == seen.attempts
    return place == seen.location and same_token and _is_same_lease(seen.deadline_ms, now)


def _is_same_lease(seen_ms: int | None, now: JobReading) -> bool:
    if seen_ms is None or now.deadline_ms is None:
        return seen_ms == now.deadline_ms or seen_ms is None
    # A job that nobody locks seems to end anew each time that it is read.
    return (now.is_unlocked and seen_ms <= now.deadline_ms) or abs(now.deadline_ms - seen_ms) <= _PRECISION_MS


def _is_done(order: Order, seen: Seen, place: str | None, now: JobReading) -> bool:
    later = seen.attempts is not None and now.attempts is not None and now.attempts > seen.attempts
    match order.verb:
        case Verb.REAP | Verb.PROMOTE:
            return place == Location.PENDING or later
        case Verb.REQUEUE if order.due_ms is not None:
            return place == Location.SCHEDULE or later
        case Verb.REQUEUE | Verb.RERUN:
            return place in {Location.PENDING, Location.ACTIVE} or later or order.afresh
        case Verb.DEAD_LETTER:
            error = raw(order.error)
            return place == Location.DEAD and now.last_error == error[: len(now.last_error or b"")]
        case Verb.EXTEND:
            wanted_ms = (seen.deadline_ms or 0) + order.by_ms - _PRECISION_MS
            pushed = now.deadline_ms is not None and now.deadline_ms >= wanted_ms
            return place == Location.ACTIVE and pushed and not later
        case _:
            return False
