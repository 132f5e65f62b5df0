"""What holds a queue back: its limits, and who checks for stalled jobs (bullmq.md 1.3, 4.2)."""

from dataclasses import dataclass

from emqtop.wire.bullmq.keyed_reads import ask_each, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.replies import blobs, items, whole
from emqtop.wire.resp import Conversation

HOLD = 2**53 - 1
"""What `limiter` holds where somebody stopped the queue for a time by hand."""


@dataclass(frozen=True, slots=True)
class LimitsReading:
    """Limits of one queue. None = there is none."""

    concurrency: int | None
    """Jobs that may run at once in all workers together."""
    most: int | None
    """Jobs that may start in a window."""
    window_ms: int | None
    """Length of the window, ms."""
    started: int | None
    """Jobs started in this window; `HOLD`: stopped by hand."""
    window_left_ms: int | None
    """Time left of the window, ms."""
    check_ms: int | None
    """Time until the next check for stalled jobs, ms; None: no worker runs any."""
    completed: tuple[int, ...]
    """Jobs completed in each full minute, the newest first, where workers keep it."""
    failed: tuple[int, ...]
    """The same for failed ones."""


def limits(keys: QueueKeys, minutes: int = 60) -> Conversation[LimitsReading]:
    """The limits of a queue and its last minutes, in one round trip."""
    limiter = keys.part("limiter")
    meta, started, left, check, completed, failed = yield from ask_each(
        keys,
        [
            read("HMGET", keys.part("meta"), "concurrency", "max", "duration"),
            read("GET", limiter),
            read("PTTL", limiter),
            read("PTTL", keys.part("stalled-check")),
            read("LRANGE", keys.part("metrics:completed:data"), 0, minutes - 1),
            read("LRANGE", keys.part("metrics:failed:data"), 0, minutes - 1),
        ],
    )
    concurrency, most, window = [whole(value) for value in items(meta)] or [None] * 3
    return LimitsReading(
        concurrency=concurrency,
        most=most,
        window_ms=window,
        started=whole(started),
        window_left_ms=_left(whole(left)),
        check_ms=_left(whole(check)),
        completed=tuple(whole(count) or 0 for count in blobs(completed)),
        failed=tuple(whole(count) or 0 for count in blobs(failed)),
    )


def _left(ttl: int | None) -> int | None:
    return ttl if ttl is not None and ttl >= 0 else None
