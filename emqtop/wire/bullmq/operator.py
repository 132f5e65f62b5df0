"""What an operator does to jobs by hand, by BullMQ's own scripts (bullmq.md 6).

Each verb looks first, under WATCH, at what is there and sends one transaction for those jobs that are as they were
seen; where something changed in between, nothing ran, and each job is looked at again by itself. All answer one
verdict a job in the order asked, and raise `ReplyError` where the server refused before any job moved.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from emqtop.wire.bullmq import compositions
from emqtop.wire.bullmq.compositions import Composition
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.library_scripts import NotShipped, in_transaction
from emqtop.wire.bullmq.lookup import Case, Lookup, Scattered, look
from emqtop.wire.bullmq.permits import require
from emqtop.wire.bullmq.queue_ops import (
    has_meta,
    has_scheduler,
    is_held,
    is_paused,
    kick,
    pause,
    resume,
    set_concurrency,
    set_rate_limit,
    stop_scheduler,
)
from emqtop.wire.bullmq.refusals import judge
from emqtop.wire.replies import items
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, pack
from emqtop.wire.verdicts import DONE, Sighted, Verdict

__all__ = [
    "BATCH",
    "MOST_PRIORITY",
    "change_delay",
    "change_priority",
    "dead_letter",
    "extend",
    "foresee",
    "free_deduplication",
    "has_meta",
    "has_scheduler",
    "is_held",
    "is_paused",
    "kick",
    "pause",
    "promote",
    "reap",
    "remove",
    "requeue",
    "rerun",
    "resume",
    "set_concurrency",
    "set_rate_limit",
    "stop_scheduler",
]

BATCH = 100
"""Jobs that one act takes at most."""

AT_ONCE = 10
"""Jobs of one transaction: the scripts take 0.03 to 0.1 ms each, and a transaction holds the server as a whole."""

_CLAIMED_AT_ONCE = 4

MOST_PRIORITY = 2**21 - 1
"""Largest priority (bullmq.md 1.1)."""

_TRIES = 5

Plan: TypeAlias = Callable[[Lookup, Case], Composition | Verdict]
"""What is to be done with a job that may be acted on, or why not."""


def reap(keys: QueueKeys, jobs: Sequence[Sighted], *, force: bool = False) -> Conversation[list[Verdict]]:
    """Bring active jobs without a live lock back to the served end; no attempt is spent. Force takes a live lock."""
    return (yield from _act(keys, "reap", jobs, lambda s, c: compositions.reap(keys, s, c, force=force), force=force))


def promote(
    keys: QueueKeys, jobs: Sequence[Sighted], *, early: bool = False, force: bool = False
) -> Conversation[list[Verdict]]:
    """Make delayed jobs ready, priority kept; early: those too that are not due yet."""
    return (
        yield from _act(keys, "promote", jobs, lambda _, c: compositions.promote(keys, c), force=force, early=early)
    )


def dead_letter(
    keys: QueueKeys, jobs: Sequence[Sighted], error: str | Mapping[str, str], *, force: bool = False
) -> Conversation[list[Verdict]]:
    """Give jobs up with this text as their failure, or with that of each id.

    At once, or (verdict `deferred`) when a worker next claims them. A job under a live lock is refused, forced or not:
    nothing recalls it from its worker.
    """

    def plan(lookup: Lookup, case: Case) -> Composition | Verdict:
        reason = error if isinstance(error, str) else error[case.seen.id]
        return compositions.dead_letter(keys, lookup, case, reason)

    return (yield from _act(keys, "dead-letter", jobs, plan, force=force))


def requeue(
    keys: QueueKeys,
    jobs: Sequence[Sighted],
    *,
    afresh: bool = False,
    force: bool = False,
    due_ms: int | Mapping[str, int] | None = None,
) -> Conversation[list[Verdict]]:
    """Bring failed jobs back, behind the backlog.

    Args:
        keys: their queue.
        jobs: as they were seen.
        afresh: start attempts and starts at 0 again; else a job at its cap gets exactly one more run.
        force: changes nothing here.
        due_ms: no script of this family brings a failed job to a due time; then all are refused, or those of these ids.
    """

    def plan(_: Lookup, case: Case) -> Composition | Verdict:
        if due_ms is not None and (isinstance(due_ms, int) or case.seen.id in due_ms):
            return Verdict(
                case.seen.id, "not-supported", "", "BullMQ brings a failed job back at once, not to a due time"
            )
        return compositions.requeue(keys, case, "failed", afresh=afresh)

    return (yield from _act(keys, "requeue", jobs, plan, force=force))


def rerun(keys: QueueKeys, jobs: Sequence[Sighted], *, afresh: bool = False) -> Conversation[list[Verdict]]:
    """Run completed jobs again; their old results are deleted at once."""
    return (
        yield from _act(keys, "rerun", jobs, lambda _, c: compositions.requeue(keys, c, "completed", afresh=afresh))
    )


def remove(
    keys: QueueKeys,
    jobs: Sequence[Sighted],
    *,
    force: bool = False,
    dedup: Sequence[str] = (),  # noqa: ARG001 - the same call as for an EchoMQ queue; the script frees a job's own
) -> Conversation[list[Verdict]]:
    """Delete jobs, never their children. Force: although locked, or the last child that a parent waits for."""
    return (yield from _act(keys, "remove", jobs, lambda _, c: compositions.remove(keys, c, force=force), force=force))


def extend(keys: QueueKeys, jobs: Sequence[Sighted], by_ms: int) -> Conversation[list[Verdict]]:
    """Push locks out by so many ms; the worker's next renewal sets its own length again."""
    return (yield from _act(keys, "extend", jobs, lambda _, c: compositions.extend(keys, c, by_ms)))


def change_delay(keys: QueueKeys, jobs: Sequence[Sighted], delay_ms: int) -> Conversation[list[Verdict]]:
    """Let delayed jobs become due so many ms from now."""
    return (yield from _act(keys, "delay", jobs, lambda s, c: compositions.change_delay(keys, s, c, delay_ms)))


def change_priority(
    keys: QueueKeys, jobs: Sequence[Sighted], priority: int, *, first: bool = False
) -> Conversation[list[Verdict]]:
    """Move waiting jobs to a class of priority, 0: none; first: to its front, of class 0 to be served next.

    Raises:
        ValueError: the priority is not between 0 and 2097151; nothing was sent.
    """
    if not 0 <= priority <= MOST_PRIORITY:
        raise ValueError(f"a priority is a number from 0 to {MOST_PRIORITY}")
    plan: Plan = lambda s, c: compositions.change_priority(keys, s, c, priority, first=first)  # noqa: E731
    return (yield from _act(keys, "reprioritize", jobs, plan))


def free_deduplication(keys: QueueKeys, jobs: Sequence[Sighted]) -> Conversation[list[Verdict]]:
    """Let new jobs in under the deduplication ids that these own."""
    return (yield from _act(keys, "free", jobs, lambda _, c: compositions.free_deduplication(keys, c)))


def foresee(
    keys: QueueKeys, verb: str, jobs: Sequence[Sighted], *, force: bool = False, early: bool = False
) -> Conversation[list[Verdict]]:
    """The verdict that each job would get now, by plain reads; the acts judge again and have the last word.

    Args:
        keys: the queue.
        verb: a word of `refusals`: `reap`, `promote`, `dead-letter`, …
        jobs: as they were seen.
        force: as in the act.
        early: as in `promote`.
    """
    verdicts: list[Verdict] = []
    for part in _parts(jobs):
        try:
            lookup = yield from look(keys, part, watch=False)
        except Scattered as scattered:
            return _refuse(jobs, str(scattered))
        for case in lookup.cases:
            verdict = judge(verb, lookup, case, force=force, early=early)
            if verdict is None and verb == "dead-letter":
                plan = _planned(lambda s, c: compositions.dead_letter(keys, s, c, ""), lookup, case)
                verdict = plan if isinstance(plan, Verdict) else Verdict(case.seen.id, plan.promise)
            verdicts.append(verdict or Verdict(case.seen.id, DONE))
    return verdicts


def _act(
    keys: QueueKeys, verb: str, jobs: Sequence[Sighted], plan: Plan, *, force: bool = False, early: bool = False
) -> Conversation[list[Verdict]]:
    def decide(lookup: Lookup, case: Case) -> Composition | Verdict:
        return judge(verb, lookup, case, force=force, early=early) or _planned(plan, lookup, case)

    verdicts: list[Verdict] = []
    granted: set[str] = set()
    for part in _parts(jobs, _CLAIMED_AT_ONCE if verb == "dead-letter" else AT_ONCE):
        try:
            verdicts += yield from _transact(keys, part, decide, granted)
        except Scattered as scattered:
            yield Ask(pack("UNWATCH"), 1, keys.base)
            verdicts += _refuse(part, str(scattered))
        except ReplyError as refusal:
            yield Ask(pack("UNWATCH"), 1, keys.base)
            if not verdicts:
                raise
            verdicts += [Verdict(job.id, "not-permitted", "", str(refusal)) for job in part]
    return verdicts


def _parts(jobs: Sequence[Sighted], at_once: int = AT_ONCE) -> list[Sequence[Sighted]]:
    if len(jobs) > BATCH:
        raise ValueError(f"an act takes {BATCH} jobs at most")
    return [jobs[at : at + at_once] for at in range(0, len(jobs), at_once)]


def _refuse(jobs: Sequence[Sighted], note: str) -> list[Verdict]:
    return [Verdict(job.id, "not-supported", "", note) for job in jobs]


def _planned(plan: Plan, lookup: Lookup, case: Case) -> Composition | Verdict:
    try:
        return plan(lookup, case)
    except NotShipped as missing:
        return Verdict(case.seen.id, "not-supported", "", str(missing))


def _transact(keys: QueueKeys, jobs: Sequence[Sighted], decide: Plan, granted: set[str]) -> Conversation[list[Verdict]]:
    """All in one transaction; where one changed meanwhile, each in its own."""
    if (verdicts := (yield from _attempt(keys, jobs, decide, granted))) is not None:
        return verdicts
    alone: list[Verdict] = []
    for job in jobs:
        for _ in range(_TRIES):
            if (one := (yield from _attempt(keys, [job], decide, granted))) is not None:
                alone += one
                break
        else:
            alone.append(Verdict(job.id, "moved", "", "it changed each time that it was looked at"))
    return alone


def _attempt(
    keys: QueueKeys, jobs: Sequence[Sighted], decide: Plan, granted: set[str]
) -> Conversation[list[Verdict] | None]:
    """One transaction; None: something changed since the look, and nothing ran."""
    lookup = yield from look(keys, jobs)
    plans = [decide(lookup, case) for case in lookup.cases]
    commands = [command for plan in plans if isinstance(plan, Composition) for command in plan.commands]
    if not commands:
        yield Ask(pack("UNWATCH"), 1, keys.base)
        return [plan for plan in plans if isinstance(plan, Verdict)]
    yield from require(keys, commands, granted)
    payload, count = in_transaction(commands)
    replies = yield Ask(payload, count, keys.base)
    if isinstance(replies[-1], ReplyError):
        # The first refusal of a queued command says more than EXECABORT does.
        raise next(reply for reply in replies if isinstance(reply, ReplyError))
    if replies[-1] is None:
        return None
    return _decoded(plans, items(replies[-1]))


def _decoded(plans: list[Composition | Verdict], replies: list[Reply]) -> list[Verdict]:
    verdicts, at = [], 0
    for plan in plans:
        if isinstance(plan, Verdict):
            verdicts.append(plan)
            continue
        verdicts.append(plan.decode(replies[at : at + len(plan.commands)]))
        at += len(plan.commands)
    return verdicts
