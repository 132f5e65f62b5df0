"""What is sent for one job, and what the answers mean: the compositions of bullmq.md 6.3 and 6.4."""

import json
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass

from emqtop.wire.bullmq import calls
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.lookup import Case, Lookup
from emqtop.wire.bullmq.places import DELAYED
from emqtop.wire.bullmq.scores import PSEUDO
from emqtop.wire.replies import items, whole
from emqtop.wire.resp import Reply, ReplyError, pack
from emqtop.wire.scripts import Call
from emqtop.wire.verdicts import DEFERRED, DONE, UNKNOWN, Verdict

_NO_ROW, _NOT_THERE, _FOREIGN_LOCK, _ARMED = -1, -3, -6, -8


@dataclass(frozen=True, slots=True)
class Composition:
    """Commands of one transaction for one job."""

    commands: list[Call | bytes]
    """In order."""
    decode: Callable[[list[Reply]], Verdict]
    """The verdict out of their answers."""
    promise: str = DONE
    """Reason of the verdict if all goes well."""


def token() -> str:
    """A lock token of its own for each act; never `0`, which every script takes for permission (bullmq.md)."""
    return f"emqtop:{socket.gethostname()}:{secrets.token_hex(8)}"


def reap(keys: QueueKeys, lookup: Lookup, case: Case, *, force: bool) -> Composition:
    """Composition A: take the free lock, then give the job back as its holder. A forced one takes a live lock."""
    mine = token()
    only_free = () if force else ("NX",)
    commands: list[Call | bytes] = [
        pack("LPOS", keys.part("active"), case.id),
        pack("SET", keys.sub(case.id, "lock"), mine, *only_free, "PX", calls.LEASE_MS),
        calls.release(keys, case.id, mine),
    ]
    if case.priority and not lookup.layout.paused and not lookup.layout.held_back:
        commands.append(calls.resume(keys, silent=True))

    def decode(replies: list[Reply]) -> Verdict:
        where, _, released = replies[:3]
        if where is None:
            return Verdict(case.seen.id, "moved")
        return _verdict(case, released, lambda code: code >= 0)

    return Composition(commands, decode)


def promote(keys: QueueKeys, case: Case) -> Composition:
    """Ready now, priority kept."""
    return _single(case, calls.promote(keys, case.id), 0)


def requeue(keys: QueueKeys, case: Case, state: str, *, afresh: bool) -> Composition:
    """Ready again, behind the backlog, or in its class of priority."""
    return _single(case, calls.reprocess(keys, case.id, state, afresh=afresh), 1)


def remove(keys: QueueKeys, case: Case, *, force: bool) -> Composition:
    """Delete; by force a live lock first, so that the holder is told that it lost the job."""
    commands: list[Call | bytes] = [calls.remove(keys, case.id)]
    if force and case.is_locked:
        commands.insert(0, pack("DEL", keys.sub(case.id, "lock")))
    return Composition(commands, lambda replies: _verdict(case, replies[-1], lambda code: code == 1))


def extend(keys: QueueKeys, case: Case, by_ms: int) -> Composition:
    """Compare-and-set with the token that was read; the worker's next renewal sets its own length again."""
    length = max(case.lock_ms, 0) + by_ms

    def decode(replies: list[Reply]) -> Verdict:
        if whole(replies[-1]) == 1:
            return Verdict(case.seen.id, DONE, "lease", str(length))
        return Verdict(case.seen.id, "renewed")

    return Composition([calls.extend(keys, case.id, case.token or b"", length)], decode)


def change_delay(keys: QueueKeys, lookup: Lookup, case: Case, delay_ms: int) -> Composition:
    """Due so many ms from now."""
    return _single(case, calls.change_delay(keys, case.id, delay_ms, lookup.now_ms), 0)


def change_priority(keys: QueueKeys, lookup: Lookup, case: Case, priority: int, *, first: bool) -> Composition:
    """To the end of a class of priority, or to its front; the front of one wakes nobody by itself."""
    commands: list[Call | bytes] = [calls.change_priority(keys, case.id, priority, first=first)]
    if first and priority and not lookup.layout.paused and not lookup.layout.held_back:
        commands.append(calls.resume(keys, silent=True))
    return Composition(commands, lambda replies: _verdict(case, replies[0], lambda code: code == 0))


def free_deduplication(keys: QueueKeys, case: Case) -> Composition:
    """Let the next job with the same deduplication id in."""
    dedup = case.fields["deid"] or b""

    def decode(replies: list[Reply]) -> Verdict:
        if whole(replies[-1]) == 0:
            return Verdict(case.seen.id, "moved", "", "its deduplication id is free, or another job has it")
        return _verdict(case, replies[-1], lambda code: code == 1)

    return Composition([calls.free_deduplication(keys, dedup, case.id)], decode)


def dead_letter(keys: QueueKeys, lookup: Lookup, case: Case, reason: str) -> Composition | Verdict:
    """Failed at once where nothing can come in between, else at its next claim."""
    if case.location == "active":
        return _fail_lapsed(keys, lookup, case, reason)
    if _can_claim(lookup, case):
        return _fail_by_claim(keys, lookup, case, reason)
    if lookup.layout.honours_deferred_failure:
        return _fail_later(keys, lookup, case, reason)
    note = "it cannot be claimed now, and workers of this version do not honour a deferred failure"
    return Verdict(case.seen.id, "paused" if lookup.layout.paused else "not-supported", "", note)


def _can_claim(lookup: Lookup, case: Case) -> bool:
    """Would a claim surely take this job, once it stands at the served end? Limits are left to the workers."""
    layout = lookup.layout
    is_held = layout.paused or layout.held_back or layout.concurrency is not None
    is_limited = layout.most is not None or lookup.is_limited
    return not is_held and not is_limited and not case.id.startswith(PSEUDO)


def _fail_lapsed(keys: QueueKeys, lookup: Lookup, case: Case, reason: str) -> Composition:
    """Composition B."""
    mine = token()
    commands: list[Call | bytes] = [
        pack("LPOS", keys.part("active"), case.id),
        pack("SET", keys.sub(case.id, "lock"), mine, "NX", "PX", calls.LEASE_MS),
        calls.fail(keys, case.id, mine, lookup.now_ms, reason, _attempts_allowed(case)),
    ]

    def decode(replies: list[Reply]) -> Verdict:
        if replies[0] is None:
            return Verdict(case.seen.id, "moved")
        return _verdict(case, replies[-1], lambda code: code == 0)

    return Composition(commands, decode)


def _fail_by_claim(keys: QueueKeys, lookup: Lookup, case: Case, reason: str) -> Composition:
    """Composition C: to the served end, claimed and failed in one transaction; the rows and `meta` are watched."""
    mine = token()
    commands: list[Call | bytes] = [calls.promote(keys, case.id)] if case.place is DELAYED else []
    commands += [
        calls.change_priority(keys, case.id, 0, first=True),
        calls.claim(keys, mine, lookup.now_ms),
        calls.fail(keys, case.id, mine, lookup.now_ms, reason, _attempts_allowed(case)),
        calls.change_priority(keys, case.id, case.priority),
    ]

    def decode(replies: list[Reply]) -> Verdict:
        claimed = items(replies[-3])
        if len(claimed) > 1 and claimed[1] == case.id:
            return _verdict(case, replies[-2], lambda code: code == 0)
        return Verdict(case.seen.id, UNKNOWN, "", "another job was claimed in its place; look again")

    return Composition(commands, decode)


def _fail_later(keys: QueueKeys, lookup: Lookup, case: Case, reason: str) -> Composition:
    """Composition D: the script stores the mark, drops our lock and answers that the job is not active."""
    mine = token()
    commands: list[Call | bytes] = [
        pack("SET", keys.sub(case.id, "lock"), mine, "NX", "PX", calls.LEASE_MS),
        calls.fail_later(keys, case.id, mine, lookup.now_ms, reason),
    ]

    def decode(replies: list[Reply]) -> Verdict:
        if whole(replies[-1]) in (_NOT_THERE, 0):
            return Verdict(case.seen.id, DEFERRED)
        return _verdict(case, replies[-1], lambda _: False)

    return Composition(commands, decode, DEFERRED)


def _attempts_allowed(case: Case) -> int:
    try:
        return max(1, int(json.loads(case.fields["opts"] or b"{}").get("attempts") or 1))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return 1


def _single(case: Case, call: Call, success: int) -> Composition:
    return Composition([call], lambda replies: _verdict(case, replies[-1], lambda code: code == success))


def _verdict(case: Case, reply: Reply, is_done: Callable[[int], bool]) -> Verdict:
    """The verdict of a reply code (6.1); a code that means that nothing happened is no success."""
    if isinstance(reply, ReplyError):
        return Verdict(case.seen.id, UNKNOWN, "", str(reply))
    code = whole(reply)
    if code is None:
        return Verdict(case.seen.id, UNKNOWN, "", f"the script answered {reply!r}")
    if is_done(code):
        return Verdict(case.seen.id, DONE)
    reasons = {_NO_ROW: "no-row", _NOT_THERE: "moved", _FOREIGN_LOCK: "lease-live", _ARMED: "scheduler"}
    return Verdict(case.seen.id, reasons.get(code, "locked"))
