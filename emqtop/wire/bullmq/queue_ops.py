"""Acts on a whole BullMQ queue: pause, resume, limits, the kick (bullmq.md 3.3, 4.4, 6.3).

All raise `QueueActRefused` where the layout is only looked at, and `ReplyError` where the server refuses.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from emqtop.wire.bullmq import calls
from emqtop.wire.bullmq.keyed_reads import ask_each, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.layout import Layout, decode_layout, layout_reads
from emqtop.wire.bullmq.library_scripts import NotShipped, in_transaction
from emqtop.wire.bullmq.lookup import Scattered, in_one_slot
from emqtop.wire.bullmq.permits import require
from emqtop.wire.errors import check_told
from emqtop.wire.replies import checked, count, number, whole
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, pack, raw
from emqtop.wire.scripts import Call
from emqtop.wire.verdicts import QueueActRefused

_MERGED_AT_ONCE = 7000
"""How many ids of `paused` one resume takes over (6.3)."""

_TRIES = 5

Plan: TypeAlias = Callable[[Layout], "Sequence[Call | bytes] | None"]
"""What is sent to a queue of this layout; None: nothing, it is so already."""


def pause(keys: QueueKeys, lane: str | None = None) -> Conversation[bool]:
    """Stop claims; running jobs go on. False: it was so already.

    On layout 5 and where the layout is unknown, `wait` becomes `paused` in the same transaction, as its own script
    does it: the flag alone would let a later resume of that version drop what lies in `wait`.
    """
    _no_lanes(lane)

    def plan(layout: Layout) -> list[Call | bytes] | None:
        if layout.paused:
            return None
        if not layout.renames:
            return [calls.pause(keys)]
        # Left-overs first go where the rest lies, so that the name is free.
        merges = -(-layout.held_back // _MERGED_AT_ONCE)
        rename = pack("RENAMENX", keys.part("wait"), keys.part("paused"))
        return [*(calls.resume(keys, silent=True) for _ in range(merges)), rename, calls.pause(keys)]

    return (yield from _change(keys, plan)) is not None


def resume(keys: QueueKeys, lane: str | None = None) -> Conversation[bool]:
    """Let claims go on and merge what layout 5 held back, 7,000 ids a step. False: it was so already.

    Always the script of layout 6: it merges where that of layout 5 drops (3.3 a).
    """
    _no_lanes(lane)
    changed = False
    while True:
        replies = yield from _change(keys, lambda layout: [calls.resume(keys)] if _is_held(layout) else None)
        if replies is None:
            return changed
        changed = True


def is_paused(keys: QueueKeys) -> Conversation[bool]:
    """Does its flag hold it back?"""
    return (yield from _hold(keys))[0]


def is_held(keys: QueueKeys) -> Conversation[bool]:
    """Is there anything that a resume would change?"""
    flag, held_back = yield from _hold(keys)
    return flag or held_back > 0


def has_meta(keys: QueueKeys, fields: dict[str, int | None]) -> Conversation[bool]:
    """Do these fields of `meta` stand at these values; None: are they absent?"""
    meta = keys.part("meta")
    (before,) = yield from ask_each(keys, [(meta, pack("HMGET", meta, *fields))])
    return checked(before) == [None if value is None else b"%d" % value for value in fields.values()]


def kick(keys: QueueKeys) -> Conversation[bool]:
    """Wake an idle worker, as nothing else does after some acts. False: the queue is paused."""
    replies = yield from _change(keys, lambda layout: None if layout.paused else [calls.resume(keys, silent=True)])
    return replies is not None


def set_concurrency(keys: QueueKeys, ceiling: int | None) -> Conversation[bool]:
    """Let at most so many jobs run at once in all workers together; None: no limit. False: it was so already.

    Raises:
        ValueError: less than 1, which would stop the queue for good; nothing was sent.
    """
    if ceiling is not None and ceiling < 1:
        raise ValueError("a queue whose workers may run less than one job stands still; pause it instead")
    return (yield from _set_meta(keys, {"concurrency": ceiling}))


def set_rate_limit(keys: QueueKeys, most: int | None, window_ms: int | None) -> Conversation[bool]:
    """Let at most so many jobs start in a window of so many ms; None and None: no limit. False: it was so already.

    Raises:
        ValueError: one without the other, which breaks every claim (1.3), or less than 1; nothing was sent.
    """
    if (most is None) != (window_ms is None) or (most is not None and min(most, window_ms or 0) < 1):
        raise ValueError("a rate limit is a number of jobs and a window, both 1 or more")
    return (yield from _set_meta(keys, {"max": most, "duration": window_ms}))


def has_scheduler(keys: QueueKeys, scheduler: str) -> Conversation[bool]:
    """Is there such a series?"""
    (score,) = yield from ask_each(keys, [read("ZSCORE", keys.part("repeat"), raw(scheduler))])
    return number(checked(score)) is not None


def stop_scheduler(keys: QueueKeys, scheduler: str) -> Conversation[bool]:
    """End a series; a run that already waits stays. False: there is no such scheduler, and nothing was sent.

    Raises:
        QueueActRefused: it is a repeatable of old, for which no script of layout 6 is left (9).
    """
    if not (yield from has_scheduler(keys, scheduler)):
        return False
    series = raw(scheduler)
    (runs,) = yield from ask_each(keys, [read("HEXISTS", keys.part("repeat:") + series, "ic")])
    if runs == 0:
        raise QueueActRefused("not-supported", "a repeatable of BullMQ 5 and older; only its application can end it")
    replies = yield from _change(keys, lambda _: [calls.stop_scheduler(keys, series)])
    return replies is not None and whole(replies[0]) == 0


def _hold(keys: QueueKeys) -> Conversation[tuple[bool, int]]:
    """Is the flag set, and how many jobs does the list of layout 5 hold back?"""
    meta, listed = keys.parts("meta", "paused")
    flag, held_back = yield from ask_each(keys, [read("HEXISTS", meta, "paused"), read("LLEN", listed)])
    return checked(flag) == 1, count(held_back)


def _is_held(layout: Layout) -> bool:
    return layout.paused or layout.held_back > 0


def _no_lanes(lane: str | None) -> None:
    if lane is not None:
        raise QueueActRefused("not-supported", "BullMQ queues have no lanes")


def _set_meta(keys: QueueKeys, fields: dict[str, int | None]) -> Conversation[bool]:
    if (yield from has_meta(keys, fields)):
        return False
    meta = keys.part("meta")
    wanted = [part for name, value in fields.items() if value is not None for part in (name, value)]
    write = pack("HSET", meta, *wanted) if wanted else pack("HDEL", meta, *fields)

    def plan(layout: Layout) -> list[Call | bytes]:
        # No script writes these, and nothing else tells sleeping workers that the way is free.
        return [write] if layout.paused else [write, calls.resume(keys, silent=True)]

    return (yield from _change(keys, plan)) is not None


def _change(keys: QueueKeys, plan: Plan) -> Conversation[list[Reply] | None]:
    """One transaction on what the layout wants; None: nothing is to be done.

    Raises:
        QueueActRefused: the layout is only looked at, the package is missing, or others keep changing the queue.
        ReplyError: the server refused.
    """
    for _ in range(_TRIES):
        watch = (keys.base, pack("WATCH", *keys.parts("meta", "paused")))
        together, *told = yield from ask_each(keys, [watch, *layout_reads(keys)])
        try:
            in_one_slot(together)
            check_told(told)
            commands = _planned(decode_layout(told), plan)
            yield from require(keys, commands or (), set())
        except Scattered as scattered:
            raise QueueActRefused("not-supported", str(scattered)) from None
        except (QueueActRefused, ReplyError):
            yield Ask(pack("UNWATCH"), 1, keys.base)
            raise
        if commands is None:
            yield Ask(pack("UNWATCH"), 1, keys.base)
            return None
        payload, count = in_transaction(commands)
        replies = yield Ask(payload, count, keys.base)
        if isinstance(replies[-1], ReplyError):
            raise next(reply for reply in replies if isinstance(reply, ReplyError))
        if isinstance(replies[-1], list):
            checked(replies[-1][-1])
            return replies[-1]
    raise QueueActRefused("moved", "the queue changed each time that it was looked at")


def _planned(layout: Layout, plan: Plan) -> Sequence[Call | bytes] | None:
    if layout.refusal is not None:
        raise QueueActRefused("not-supported", layout.refusal)
    try:
        return plan(layout)
    except NotShipped as missing:
        raise QueueActRefused("not-supported", str(missing)) from None
