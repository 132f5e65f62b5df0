"""What is done to, or asked of, a whole queue (echomq.md 4.5)."""

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.locations import SETS
from emqtop.wire.echomq.refusals import refusing
from emqtop.wire.replies import count, items
from emqtop.wire.resp import Conversation, text
from emqtop.wire.scripts import call

METRICS = ("completed", "failed")
"""Names of the counters."""
BUDGET = 1000
"""Jobs that one step of obliterate forgets at most."""


class UnknownState(ValueError):
    """No set and no counter of a queue has this name."""


def pause(keys: QueueKeys) -> Conversation[None]:
    """No claim gets anything any more; harmless when done twice."""
    yield from call("queue_pause", [keys.meta])


def resume(keys: QueueKeys) -> Conversation[None]:
    """Claims get jobs again; harmless when done twice."""
    yield from call("queue_resume", [keys.meta])


def drain(keys: QueueKeys, *, scheduled: bool = False) -> Conversation[int]:
    """Forget the flat jobs that are ready, and those that are scheduled if asked; returns how many."""
    if scheduled:
        done = yield from call("drain_scheduled", [keys.base, keys.pending, keys.schedule])
    else:
        done = yield from call("drain", [keys.base, keys.pending])
    return count(done)


def obliterate(keys: QueueKeys, *, force: bool = False, budget: int = BUDGET) -> Conversation[bool]:
    """Forget a paused queue, at most budget (1 to 1000) jobs; False: there is more, call again.

    Raises:
        ValueError: the budget is out of range; nothing was sent.
        WrongState: it is not paused, or jobs are active and force is not set; nothing changed.
    """
    if not 1 <= budget <= BUDGET:
        raise ValueError(f"budget {budget} is not 1 to {BUDGET}")
    reply = yield from refusing(call("obliterate", [keys.meta, keys.base], "force" if force else "", budget))
    return reply == 0


def counts(keys: QueueKeys, names: tuple[str, ...] = SETS + METRICS) -> Conversation[dict[str, int]]:
    """Sizes of flat sets and values of counters, by name; lanes are not counted.

    Raises:
        UnknownState: there is no such set or counter; nothing was sent.
    """
    for name in names:
        if name not in SETS + METRICS:
            raise UnknownState(name)
    reply = yield from call("counts", [keys.base, *map(keys.part, SETS)], *METRICS)
    found = dict(zip(SETS + METRICS, map(count, items(reply)), strict=True))
    return {name: found[name] for name in names}


def state(keys: QueueKeys, job: str) -> Conversation[str]:
    """Where a job is, in EchoMQ's words: `unknown` for one that waits in its lane, `absent` for one without a row.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    word = yield from call("state", [*map(keys.part, SETS), keys.row(job)], job)
    return text(word) if isinstance(word, bytes) else "absent"


def rate_ttl(keys: QueueKeys, limit: int = 0) -> Conversation[int]:
    """How long the rate limit keeps the queue closed, ms; limit 0: as the queue's own `max` says."""
    left = yield from call("rate_ttl", [keys.part("limiter"), keys.meta], limit)
    return count(left)


def check_ceiling(keys: QueueKeys) -> Conversation[None]:
    """Look whether there is room under the queue's concurrency ceiling.

    Raises:
        AtCeiling: there is none.
    """
    yield from refusing(call("is_maxed", [keys.meta, keys.active]))
