"""A BullMQ queue in a few words: its layout and what says so, who works on it, what holds it back."""

from collections.abc import Iterator

from emqtop.units import duration, time_of_day
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.layout import Layout, layout
from emqtop.wire.bullmq.pace import HOLD, PaceReading, pace
from emqtop.wire.bullmq.schedulers import SchedulerReading, schedulers
from emqtop.wire.bullmq.workers import WorkerReading, workers
from emqtop.wire.resp import Conversation, text


def about(keys: QueueKeys) -> Conversation[tuple[tuple[str, str], ...]]:
    """Label and words, the layout first; five round trips.

    Raises:
        ReplyError: the server refused.
    """
    held = yield from layout(keys)
    limits = yield from pace(keys)
    team = yield from workers(keys)
    _, series = yield from schedulers(keys)
    return (
        ("layout", _layout(held)),
        ("workers", _workers(team)),
        *_limits(limits),
        *_schedulers(series),
    )


def _layout(held: Layout) -> str:
    read_only = ", read-only" if held.refusal is not None else ""
    return f"{held.generation} ({held.evidence}){read_only}"


def _workers(team: tuple[WorkerReading, ...] | None) -> str:
    if team is None:
        return "not known"
    waiting = sum(worker.is_waiting for worker in team)
    names = ", ".join(sorted({text(worker.name) for worker in team if worker.name}))
    return f"{len(team)}, {waiting} idle" + (f" ({names})" if names else "") if team else "none"


def _limits(limits: PaceReading) -> Iterator[tuple[str, str]]:
    if limits.concurrency is not None:
        yield "at once", str(limits.concurrency)
    if limits.started == HOLD:
        yield "stopped by hand", f"for {duration(limits.window_left_ms)}"
    elif limits.most is not None:
        used = "" if limits.started is None else f", {limits.started} in this one"
        yield "rate", f"{limits.most} each {duration(limits.window_ms)}{used}"
    if limits.completed or limits.failed:
        yield "last minute", f"{sum(limits.completed[:1])} done, {sum(limits.failed[:1])} failed"
    # Without its time, which would draw the line again at each look.
    yield "stall checks", "none" if limits.check_ms is None else "run"


def _schedulers(series: tuple[SchedulerReading, ...]) -> Iterator[tuple[str, str]]:
    if not series:
        return
    ended = sum(each.next_lies is None for each in series)
    alive = [each.next_ms for each in series if each.next_lies is not None]
    words = f"next at {time_of_day(min(alive))}" if alive else "none runs any more"
    yield "schedulers", f"{len(series)}, {words}" + (f", {ended} ended unseen" if ended and alive else "")
