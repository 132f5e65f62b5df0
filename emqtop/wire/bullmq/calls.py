"""BullMQ's scripts with their KEYS and ARGV in order (bullmq.md 6.2, layout 6)."""

from collections.abc import Sequence

from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.library_scripts import library_call
from emqtop.wire.bullmq.msgpack import Value, packed
from emqtop.wire.resp import raw
from emqtop.wire.scripts import Call

LEASE_MS = 10_000
"""How long a lock of an operator lives at most, should it stay behind."""


def promote(keys: QueueKeys, job: bytes) -> Call:
    """Delayed to ready. Answers 0, or -3 not delayed."""
    parts = keys.parts("delayed", "wait", "paused", "meta", "prioritized", "active", "pc", "events", "marker")
    return library_call("promote-9", parts, keys.base, job)


def reprocess(keys: QueueKeys, job: bytes, state: str, *, afresh: bool) -> Call:
    """Failed or completed to ready. Answers 1, -1 no row, -3 not there.

    Args:
        keys: which queue.
        job: its id.
        state: `failed` or `completed`.
        afresh: start attempts and starts at 0 again.
    """
    parts = keys.parts("events", state, "wait", "meta", "active", "marker", "prioritized", "pc")
    field, reset = "failedReason" if state == "failed" else "returnvalue", "1" if afresh else "0"
    return library_call("reprocessJob-9", (keys.row(job), *parts), job, "LPUSH", field, state, reset, reset)


def release(keys: QueueKeys, job: bytes, token: str) -> Call:
    """Active to ready by whoever holds the lock. Answers 0 or more (also when not active), -1, -2, -6."""
    parts = keys.parts(*("active", "wait", "stalled", "paused", "meta", "limiter", "prioritized", "marker", "events"))
    return library_call("moveJobFromActiveToWait-9", parts, job, token, keys.row(job))


def claim(keys: QueueKeys, token: str, now_ms: int) -> Call:
    """The next job to active, as a worker would. Answers [row, id, 0, 0], or 0 first where there is none to take."""
    parts = keys.parts(
        *("wait", "active", "prioritized", "events", "stalled", "limiter", "delayed", "paused", "meta", "pc", "marker")
    )
    options = packed({"token": token, "lockDuration": LEASE_MS})
    return library_call("moveToActive-11", parts, keys.base, now_ms, options)


def fail(keys: QueueKeys, job: bytes, token: str, now_ms: int, reason: str, attempts: int) -> Call:
    """Active to failed by whoever holds the lock, kept whatever the job says. Answers 0, -1, -2, -3, -6.

    Args:
        keys: which queue.
        job: its id.
        token: of the lock.
        now_ms: server's clock.
        reason: text of the failure.
        attempts: how many attempts the job may make, for the event that they are used up.
    """
    parts = keys.parts(
        *("wait", "active", "prioritized", "events", "stalled", "limiter", "delayed", "paused", "meta", "pc", "failed")
    )
    options: Value = {
        "token": token,
        "keepJobs": {"count": -1},
        "lockDuration": LEASE_MS,
        "attempts": attempts,
        "maxMetricsSize": "",
    }
    all_keys = (*parts, keys.row(job), keys.part("metrics:failed"), keys.part("marker"))
    args = (job, now_ms, "failedReason", raw(reason), "failed", "", keys.base, packed(options))
    return library_call("moveToFinished-14", all_keys, *args)


def fail_later(keys: QueueKeys, job: bytes, token: str, now_ms: int, reason: str) -> Call:
    """Mark a job that is not active as failed at its next claim. Answers -3 then; 0: it was active, and is delayed."""
    parts = keys.parts(*("events", "meta", "stalled", "wait", "limiter", "pc"))
    all_keys = (*keys.parts("marker", "active", "prioritized", "delayed"), keys.row(job), *parts)
    fields = packed(["defa", raw(reason)])
    return library_call("moveToDelayed-11", all_keys, keys.base, now_ms, job, token, 0, "1", fields, "0")


def remove(keys: QueueKeys, job: bytes) -> Call:
    """Delete a job, not its children. Answers 1 (also when nothing was there), 0 locked, -8 next run of a scheduler."""
    return library_call("removeJob-2", (keys.row(job), keys.part("repeat")), job, "0", keys.base)


def pause(keys: QueueKeys) -> Call:
    """Set the flag of layout 6. Answers how many ids lie in `paused`."""
    return library_call("pause-7", keys.parts("wait", "paused", *_HOLD), "paused")


def resume(keys: QueueKeys, *, silent: bool = False) -> Call:
    """Drop the flag, merge `paused` into `wait`, wake a worker. Answers how many ids are still to merge.

    Args:
        keys: which queue.
        silent: announce nothing; on a running queue that is the kick (4.4).
    """
    return library_call("pause-7", keys.parts("paused", "wait", *_HOLD), "resumed", "0" if silent else "1")


def change_priority(keys: QueueKeys, job: bytes, priority: int, *, first: bool = False) -> Call:
    """Put a waiting job elsewhere in the order; elsewhere only its field is set. Answers 0, -1."""
    parts = keys.parts("wait", "paused", "meta", "prioritized", "active", "pc", "marker")
    return library_call("changePriority-7", parts, priority, keys.base, job, "1" if first else "0")


def change_delay(keys: QueueKeys, job: bytes, delay_ms: int, now_ms: int) -> Call:
    """Let a delayed job become due so many ms from now. Answers 0, -1, -3."""
    parts = keys.parts("delayed", "meta", "marker", "events")
    return library_call("changeDelay-4", parts, delay_ms, now_ms, job, keys.row(job))


def extend(keys: QueueKeys, job: bytes, token: bytes, lease_ms: int) -> Call:
    """Let the lock of whoever has this token end so many ms from now. Answers 1, or 0 another token."""
    return library_call("extendLock-2", (keys.sub(job, "lock"), keys.part("stalled")), token, lease_ms, job)


def free_deduplication(keys: QueueKeys, dedup: bytes, job: bytes) -> Call:
    """Release a deduplication id where this job owns it. Answers 1, 0."""
    return library_call("removeDeduplicationKey-1", (keys.part("de:") + dedup,), job)


def stop_scheduler(keys: QueueKeys, scheduler: bytes) -> Call:
    """End a series and delete its next run where that is delayed. Answers 0, or 1 no such scheduler."""
    return library_call("removeJobScheduler-3", keys.parts("repeat", "delayed", "events"), scheduler, keys.base)


_HOLD: Sequence[str] = ("meta", "prioritized", "events", "delayed", "marker")
