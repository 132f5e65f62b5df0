"""How fast a queue moves: the difference of two moments."""

from dataclasses import dataclass

from emqtop.model.queue import Queue, QueueId
from emqtop.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Rates:
    """Speeds of one queue between two moments. None = not known."""

    entered: float | None = None
    """Jobs that came in, a second: what left, and what there is more of. A job that is removed counts against it."""
    done: float | None = None
    """Jobs completed, a second."""
    failed: float | None = None
    """Jobs that gave up, a second."""
    growth: float | None = None
    """By how much `pending` grows, jobs a second; negative when it shrinks."""
    empty_in_ms: int | None = None
    """When `pending` is empty if it goes on like this, ms; None where it does not shrink."""


UNKNOWN = Rates()
STILL = Rates(0.0, 0.0, 0.0, 0.0)
"""Nothing moved, though something waits."""
EMPTY_AND_STILL = Rates(0.0, 0.0, 0.0, 0.0, 0)
"""Nothing moved, nothing waits: of ten thousand queues most are so, and one object does for all of them."""


def rates(before: Snapshot, after: Snapshot) -> dict[QueueId, Rates]:
    """The speeds of every queue of the later snapshot; all unknown for one that the earlier did not know.

    The snapshots must be of one clock and in order, else nothing is known.
    """
    elapsed_s = (after.at_ms - before.at_ms) / 1_000
    comparable = before.at_ms > 0 and elapsed_s > 0 and before.clock == after.clock
    known = {queue.id: queue for queue in before.queues} if comparable else {}
    return {
        queue.id: between(known[queue.id], queue, elapsed_s) if queue.id in known else UNKNOWN for queue in after.queues
    }


def between(before: Queue, after: Queue, elapsed_s: float) -> Rates:
    """The speeds of one queue over `elapsed_s` seconds.

    A counter that went back (the queue was obliterated, the server began anew, a set of results was trimmed) says
    nothing about the time between, so what is made from it is unknown for this step.
    """
    if (before is after or before == after) and not _has_gaps(after):
        return STILL if after.pending else EMPTY_AND_STILL
    done, failed = _risen(before.completed, after.completed), _risen(before.failed, after.failed)
    growth = _difference(before.pending, after.pending)
    present = _difference(_unfinished(before), _unfinished(after))
    # Without a sweep nobody knows the held ones; they come in and leave within a family, so the sum hardly lacks them.
    held = _difference(before.held, after.held) or 0
    entered = None if present is None or done is None or failed is None else max(0, present + held + done + failed)
    return Rates(
        entered=_per_second(entered, elapsed_s),
        done=_per_second(done, elapsed_s),
        failed=_per_second(failed, elapsed_s),
        growth=_per_second(growth, elapsed_s),
        empty_in_ms=_empty_in_ms(after.pending, growth, elapsed_s),
    )


def _has_gaps(queue: Queue) -> bool:
    return None in (queue.pending, queue.active, queue.schedule, queue.completed, queue.failed)


def _difference(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def _risen(before: int | None, after: int | None) -> int | None:
    rise = _difference(before, after)
    return None if rise is None or rise < 0 else rise


def _unfinished(queue: Queue) -> int | None:
    if queue.pending is None or queue.active is None or queue.schedule is None:
        return None
    return queue.pending + queue.active + queue.schedule


def _per_second(amount: int | None, elapsed_s: float) -> float | None:
    return None if amount is None else amount / elapsed_s


def _empty_in_ms(pending: int | None, growth: int | None, elapsed_s: float) -> int | None:
    if pending == 0:
        return 0
    if pending is None or growth is None or growth >= 0:
        return None
    return round(pending / (-growth / elapsed_s) * 1_000)
