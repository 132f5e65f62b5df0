"""A BullMQ queue in a few words: its layout and what says so, who works on it, what holds it back."""

from collections.abc import Iterator

from emqtop.units import duration, time_of_day
from emqtop.wire.around import TimetableReading, WorkerReading
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.layout import Layout, layout
from emqtop.wire.bullmq.limits import HOLD, LimitsReading, limits
from emqtop.wire.bullmq.schedulers import schedulers
from emqtop.wire.bullmq.workers import workers
from emqtop.wire.resp import Conversation, text


def about(keys: QueueKeys, database: int | None = None) -> Conversation[tuple[tuple[str, str], ...]]:
    """Label and words, what matters most first; six round trips.

    Raises:
        ReplyError: the server refused.
    """
    held = yield from layout(keys)
    bounds = yield from limits(keys)
    team = yield from workers(keys, database)
    recurring = yield from schedulers(keys)
    told = (("workers", _workers(team)), *_limits(bounds), *_schedulers(recurring))
    generation = ("layout", _layout(held))
    # What takes the acts away comes first; else the layout is what can best be missed at the end of a short line.
    return (*told, generation) if held.refusal is None else (generation, *told)


def _layout(held: Layout) -> str:
    read_only = ", read-only" if held.refusal is not None else ""
    return f"{held.generation} ({held.evidence}){read_only}"


def _workers(team: tuple[WorkerReading, ...] | None) -> str:
    if team is None:
        return "not known"
    waiting = sum(worker.is_waiting for worker in team)
    names = ", ".join(sorted({text(worker.name) for worker in team if worker.name}))
    return f"{len(team)}, {waiting} idle" + (f" ({names})" if names else "") if team else "none"


def _limits(bounds: LimitsReading) -> Iterator[tuple[str, str]]:
    if bounds.concurrency is not None:
        yield "at once", str(bounds.concurrency)
    if bounds.started == HOLD:
        yield "stopped by hand", f"for {duration(bounds.window_left_ms)}"
    elif bounds.most is not None:
        used = "" if bounds.started is None else f", {bounds.started} in this one"
        yield "rate", f"{bounds.most} each {duration(bounds.window_ms)}{used}"
    if bounds.completed or bounds.failed:
        yield "last minute", f"{sum(bounds.completed[:1])} done, {sum(bounds.failed[:1])} failed"
    # Without its time, which would draw the line again at each look.
    yield "stall checks", "none" if bounds.check_ms is None else "run"


def _schedulers(recurring: TimetableReading) -> Iterator[tuple[str, str]]:
    series = recurring.schedulers
    if not series:
        return
    ended = sum(each.next_lies is None for each in series)
    alive = [each.next_ms for each in series if each.next_lies is not None]
    words = f"next at {time_of_day(min(alive))}" if alive else "none runs any more"
    yield "schedulers", f"{recurring.total}, {words}" + (f", {ended} ended unseen" if ended and alive else "")
