"""What an operator does to jobs by hand, decided on the server against what was seen (echomq.md 10.2 to 10.5).

Each verb is one script for at most 100 jobs, named by id, and answers one verdict a job in the order asked. All raise
`BadId` before anything is sent, `ReplyError` where the server refused the script as a whole: then no job moved.
"""

from collections.abc import Mapping, Sequence

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.replies import blob, count, items, whole
from emqtop.wire.resp import Arg, Conversation, Reply, ask_one, text
from emqtop.wire.scripts import call
from emqtop.wire.verdicts import DONE, Sighted, Verdict

BATCH = 100
"""Jobs that one script takes at most, so that none holds the server for more than about a millisecond."""


class TooMany(ValueError):
    """A script takes 100 jobs at most."""


def reap(keys: QueueKeys, jobs: Sequence[Sighted], *, force: bool = False) -> Conversation[list[Verdict]]:
    """Bring active jobs back to pending. The token stays unless force takes a job from its holder."""
    return (yield from _act(keys, "reap", jobs, _flag(force)))


def promote(
    keys: QueueKeys, jobs: Sequence[Sighted], *, early: bool = False, force: bool = False
) -> Conversation[list[Verdict]]:
    """Bring scheduled jobs to pending; early: those too that are not due yet."""
    return (yield from _act(keys, "promote", jobs, _flag(force), _flag(early)))


def dead_letter(
    keys: QueueKeys, jobs: Sequence[Sighted], error: str | Mapping[str, str], *, force: bool = False
) -> Conversation[list[Verdict]]:
    """Give jobs up, with this text as their last error; a flow child's parent learns of it in the same step.

    Args:
        keys: their queue.
        jobs: as they were seen.
        error: one text for all, or one for each id.
        force: against a live lease or the mark of a worker.
    """
    texts = [error] if isinstance(error, str) else [error[job.id] for job in jobs]
    return (yield from _act(keys, "dead_letter", jobs, _flag(force), len(texts), *texts))


def requeue(
    keys: QueueKeys,
    jobs: Sequence[Sighted],
    *,
    afresh: bool = False,
    force: bool = False,
    due_ms: int | Mapping[str, int] | None = None,
) -> Conversation[list[Verdict]]:
    """Bring dead jobs back.

    Args:
        keys: their queue.
        jobs: as they were seen.
        afresh: start attempts and stalls at 0 again.
        force: against the mark of a worker.
        due_ms: back to the schedule with this due time, Unix ms, or with the one of each id; None, or an id without
            one: ready at once.
    """
    dues: list[Arg]
    if isinstance(due_ms, Mapping):
        dues = [due_ms.get(job.id, "") for job in jobs]
    else:
        dues = ["" if due_ms is None else due_ms]
    return (yield from _act(keys, "requeue", jobs, _flag(force), _flag(afresh), len(dues), *dues))


def remove(
    keys: QueueKeys, jobs: Sequence[Sighted], *, force: bool = False, dedup: Sequence[str] = ()
) -> Conversation[list[Verdict]]:
    """Delete jobs; dedup ids are released where they name one that goes."""
    return (yield from _act(keys, "remove", jobs, _flag(force), len(dedup), *dedup))


def extend(keys: QueueKeys, jobs: Sequence[Sighted], by_ms: int) -> Conversation[list[Verdict]]:
    """Push leases out by so many ms; one that has run out starts from now."""
    return (yield from _act(keys, "extend", jobs, by_ms))


def pause(keys: QueueKeys, lane: str | None = None) -> Conversation[bool]:
    """Hold the queue, or one lane, back; False: it was so already."""
    return (yield from _hold(keys, "pause", lane))


def resume(keys: QueueKeys, lane: str | None = None) -> Conversation[bool]:
    """Let the queue, or one lane, run again and wake who sleeps; False: it was so already."""
    return (yield from _hold(keys, "resume", lane))


def is_held(keys: QueueKeys, lane: str | None = None) -> Conversation[bool]:
    """Is the queue, or one lane, held back?"""
    if lane is None:
        return (yield from ask_one("HEXISTS", keys.meta, "paused", key=keys.base)) == 1
    keys.lane(lane)
    return (yield from ask_one("SISMEMBER", keys.part("paused"), lane, key=keys.base)) == 1


def has_limit(keys: QueueKeys, lane: str, ceiling: int | None) -> Conversation[bool]:
    """Has a lane this ceiling; None: none?"""
    keys.lane(lane)
    found = yield from ask_one("HGET", keys.part("glimit"), lane, key=keys.base)
    return found == (None if ceiling is None else b"%d" % max(1, ceiling))


def limit_of(keys: QueueKeys, lane: str) -> Conversation[int | None]:
    """How many jobs of a lane may be in flight; None: any number."""
    keys.lane(lane)
    return whole((yield from ask_one("HGET", keys.part("glimit"), lane, key=keys.base)))


def set_limit(keys: QueueKeys, lane: str, ceiling: int | None) -> Conversation[bool]:
    """Let at most so many jobs of a lane be in flight, None: any number; False: it was so already."""
    keys.lane(lane)
    return (yield from call("operator_limit", [keys.base], lane, "" if ceiling is None else max(1, ceiling))) == 1


def _hold(keys: QueueKeys, what: str, lane: str | None) -> Conversation[bool]:
    if lane is not None:
        keys.lane(lane)
    return (yield from call("operator_hold", [keys.base], what, lane or "")) == 1


def _act(keys: QueueKeys, verb: str, jobs: Sequence[Sighted], *options: Arg) -> Conversation[list[Verdict]]:
    if not jobs:
        return []
    if len(jobs) > BATCH:
        raise TooMany(len(jobs))
    args = list(options)
    for job in jobs:
        keys.row(job.id)
        args += [job.id, job.location, _seen(job.attempts), _seen(job.deadline_ms)]
    return _verdicts(jobs, (yield from call(f"operator_{verb}", [keys.base], *args)))


def _verdicts(jobs: Sequence[Sighted], reply: Reply) -> list[Verdict]:
    """Those that were left alone stand in the reply by position; the others moved."""
    verdicts = [Verdict(job.id, DONE) for job in jobs]
    parts = items(reply)
    for at, *words in zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True):
        position = count(at)
        verdicts[position] = Verdict(jobs[position].id, *(text(blob(word) or b"") for word in words))
    return verdicts


def _seen(number: int | None) -> Arg:
    return "-" if number is None else number


def _flag(on: bool) -> str:
    return "1" if on else ""
