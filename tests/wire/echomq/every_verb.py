"""One pass over one queue that runs every script, most of them down more than one branch.

The steps build on each other, so they are to be run in order, on an empty queue.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import hiredis

from emqtop.model.actions import Seen
from emqtop.model.queue import Location
from emqtop.wire.echomq import (
    flows,
    lanes,
    lifecycle,
    locks,
    mutation,
    obliteration,
    operator,
    queue_ops,
    records,
    recovery,
    repeat,
)
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.flows import Node
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.resp import Ask, Conversation, Reply
from emqtop.wire.scripts import call

T = TypeVar("T")

LONG_MS = 60_000
PENDING, ACTIVE, SCHEDULE, DEAD = Location.PENDING, Location.ACTIVE, Location.SCHEDULE, Location.DEAD


@dataclass(frozen=True, slots=True)
class Step:
    """One verb, to be run once."""

    talk: Conversation[object]
    """The conversation."""
    trips: int = 1
    """Round trips that it takes once its scripts are known."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What went out in one write, and what came back."""

    ask: Ask
    """Sent."""
    replies: list[Reply]
    """Received."""


def every_verb(keys: QueueKeys, minter: Minter) -> Iterator[Step]:
    """Every verb of the product that has a script."""
    for part in (_flat, _mutations, _lanes, _flows, _repeats, _operator, _queue):
        yield from part(keys, minter.mint)


def _flat(keys: QueueKeys, mint: Callable[..., str]) -> Iterator[Step]:
    a, b, far = mint(), mint(), mint()
    yield Step(lifecycle.enqueue(keys, a, b"x"))
    yield Step(lifecycle.enqueue_many(keys, [(a, b"again"), (mint(), b"y")]))
    yield Step(lifecycle.schedule_in(keys, b, b"x", 0))
    yield Step(lifecycle.schedule_at(keys, far, b"x", 9_000_000_000_000))
    yield Step(lifecycle.claim(keys, LONG_MS))
    yield Step(recovery.extend(keys, a, 1, LONG_MS))
    yield Step(recovery.extend_many(keys, [(a, 1), (b, 9)], LONG_MS))
    yield Step(locks.track(keys, a, 1))
    yield Step(locks.beat(keys, [(a, 1)], LONG_MS), trips=2)
    yield Step(locks.untrack(keys, a))
    yield Step(lifecycle.delay_in(keys, a, 1, 0))
    yield Step(recovery.promote(keys))
    yield Step(lifecycle.claim_batch(keys, 0, 100))
    yield Step(recovery.reap(keys))
    yield Step(lifecycle.claim(keys, 0))
    yield Step(recovery.sweep_stalled(keys, max_stalled=2))
    yield Step(lifecycle.claim(keys, 0))
    yield Step(recovery.sweep_stalled(keys))
    yield Step(mutation.reprocess(keys, a))
    yield Step(lifecycle.claim(keys, LONG_MS))
    yield Step(lifecycle.retry(keys, a, 5, "boom", delay_ms=0))
    yield Step(mutation.remove(keys, a, "once"))
    yield Step(lifecycle.claim(keys, LONG_MS))
    yield Step(lifecycle.complete(keys, b, 2))
    yield Step(queue_ops.drain(keys))


def _mutations(keys: QueueKeys, mint: Callable[..., str]) -> Iterator[Step]:
    job = mint()
    yield Step(lifecycle.enqueue(keys, job, b"x"))
    yield Step(mutation.update_data(keys, job, b"y"))
    yield Step(mutation.update_progress(keys, job, "50"))
    yield Step(mutation.add_log(keys, job, "line"))
    yield Step(mutation.add_log(keys, job, "line", keep=1))
    yield Step(mutation.get_logs(keys, job))
    yield Step(call("row_part", [keys.row(job)], "payload", 0, 1))
    yield Step(queue_ops.state(keys, job))


def _lanes(keys: QueueKeys, mint: Callable[..., str]) -> Iterator[Step]:
    g, h, one, two = mint("PRT"), mint("PRT"), mint(), mint()
    yield Step(lanes.enqueue_grouped(keys, g, one, b"x"))
    yield Step(lanes.limit_lane(keys, g, 1))
    yield Step(lanes.weigh_lane(keys, g, 2))
    yield Step(lanes.claim_lane(keys, 0))
    yield Step(recovery.reap_group(keys, g))
    yield Step(lanes.claim_lane_weighted(keys, LONG_MS))
    yield Step(lanes.enqueue_grouped(keys, g, two, b"x"))
    yield Step(lifecycle.complete(keys, one, 2))
    yield Step(lanes.claim_lane_batch(keys, LONG_MS))
    yield Step(lifecycle.retry(keys, two, 1, "boom", delay_ms=0))
    yield Step(recovery.promote(keys))
    yield Step(lanes.pause_lane(keys, g))
    yield Step(lanes.resume_lane(keys, g))
    yield Step(lanes.reassign(keys, two, h))
    yield Step(lanes.lane_counts(keys, [g, h]))
    yield Step(lanes.drain_lane(keys, h))


def _flows(keys: QueueKeys, mint: Callable[..., str]) -> Iterator[Step]:
    root, mid, leaf, ignored = mint(), mint(), mint(), mint()
    yield Step(queue_ops.drain(keys, scheduled=True))
    whole = Node(root, b"r", children=(Node(leaf, b"l"), Node(ignored, b"i", policy=flows.Policy.IGNORE)))
    yield Step(flows.add_flow(keys, whole))
    yield Step(lifecycle.claim_batch(keys, LONG_MS, 2))
    yield Step(lifecycle.complete(keys, leaf, 1, b"result"))
    yield Step(lifecycle.retry(keys, ignored, 1, "boom", delay_ms=0, attempts=1))
    top, left, right = mint(), mint(), mint()
    inner = Node(mid, b"m", children=(Node(left, b"l"), Node(right, b"r")))
    tree = Node(top, b"t", children=(inner,))
    yield Step(flows.add_flow(keys, tree), trips=4)
    yield Step(queue_ops.counts(keys))
    yield Step(lifecycle.claim_batch(keys, LONG_MS, 100))
    yield Step(lifecycle.retry(keys, left, 1, "boom", delay_ms=0, attempts=1))
    yield Step(flows.sweep_outbox(keys), trips=3)
    told = [keys.sub(top, "dependencies"), keys.sub(top, "processed"), keys.row(top)]
    yield Step(call("flow_deliver", told, right, "result", top, keys.base))


def _repeats(keys: QueueKeys, mint: Callable[..., str]) -> Iterator[Step]:
    yield Step(repeat.register_repeat(keys, "nightly", 1_000, b"x", first_ms=0))
    yield Step(repeat.fire_repeats(keys, Minter(5), 1_000), trips=4)
    yield Step(repeat.cancel_repeat(keys, "nightly"))


def _operator(keys: QueueKeys, mint: Callable[..., str]) -> Iterator[Step]:
    group, job, flat = mint("PRT"), mint(), mint()
    yield Step(queue_ops.drain(keys))
    yield Step(operator.pause(keys))
    yield Step(operator.resume(keys))
    yield Step(operator.pause(keys, group))
    yield Step(operator.resume(keys, group))
    yield Step(lanes.enqueue_grouped(keys, group, job, b"x"))
    yield Step(lifecycle.schedule_in(keys, flat, b"x", LONG_MS))
    yield Step(operator.promote(keys, [_seen(flat, SCHEDULE)], early=True))
    yield Step(lanes.claim_lane(keys, 0))
    yield Step(operator.reap(keys, [_seen(job, ACTIVE)]))
    yield Step(lanes.claim_lane(keys, 0))
    yield Step(operator.extend(keys, [_seen(job, ACTIVE)], LONG_MS))
    yield Step(operator.dead_letter(keys, [_seen(job, ACTIVE), _seen(flat, PENDING)], "by hand", force=True))
    yield Step(operator.requeue(keys, [_seen(job, DEAD), _seen(flat, DEAD)]))
    yield Step(operator.remove(keys, [_seen(job, PENDING), _seen(flat, PENDING)], dedup=["once"]))
    yield Step(operator.set_limit(keys, group, 2))
    kept = {
        "location": "pending",
        "score": "0",
        "in_lane": True,
        "row": {"group": group, "payload": "x"},
        "logs": ["a"],
    }
    kept |= {"dependencies": "0", "processed": {}, "failed": {}, "unsuccessful": {job: "x"}, "dedup": ["once"]}
    yield Step(records.restore(keys, {"id": job, **kept}))


def _queue(keys: QueueKeys, mint: Callable[..., str]) -> Iterator[Step]:
    yield Step(lifecycle.enqueue(keys, mint(), b"x"))
    yield Step(lanes.enqueue_grouped(keys, mint("PRT"), mint(), b"x"))
    yield Step(queue_ops.rate_ttl(keys))
    yield Step(queue_ops.check_ceiling(keys))
    yield Step(queue_ops.pause(keys))
    yield Step(queue_ops.resume(keys))
    yield Step(queue_ops.pause(keys))
    yield Step(queue_ops.obliterate(keys, force=True))
    yield Step(queue_ops.pause(keys))
    yield Step(obliteration.obliterate(keys, force=True))
    # What goes before the scripts of the other family.
    yield Step(call("permitted", [keys.base], "HSET", "ZADD"))


def _seen(job: str, location: Location) -> Seen:
    return Seen(job, location)


def recorded(talk: Conversation[T], log: list[Exchange]) -> Conversation[T]:
    """The same conversation, with each of its exchanges noted."""
    try:
        ask = next(talk)
        while True:
            replies = yield ask
            log.append(Exchange(ask, list(replies)))
            ask = talk.send(replies)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def commands(payload: bytes) -> list[tuple[bytes, ...]]:
    """The commands in what was sent."""
    parser = hiredis.Reader()
    parser.feed(payload)
    found = []
    while (command := parser.gets()) is not False:
        found.append(tuple(command))
    return found
