"""Random verbs on a real server beside a model of it: after each step every key must be as the model says.

`MACHINE_SEED=n` repeats a run; `-m long` runs for minutes.
"""

import os
import random
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import hypothesis
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from emqtop.wire.echomq import flows, lanes, lifecycle, locks, mutation, queue_ops, recovery, repeat
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.flows import Node, Policy
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.locations import SETS
from emqtop.wire.echomq.refusals import Refusal
from emqtop.wire.resp import Conversation
from tests.conftest import Hand
from tests.wire.echomq.machine.keyspace import Keyspace, Near, dump, server_ms
from tests.wire.echomq.machine.model import QueueModel
from tests.wire.echomq.machine.rows import Span

T = TypeVar("T")

HOUR_MS = 3_600_000
_minter = Minter(5, clock_ms=lambda: 1_790_000_000_000)
IDS = [_minter.mint() for _ in range(5)]
"""Few, so that ids come again: duplicates, completed ids that return, parents that are re-added."""
GROUPS = [_minter.mint("GRP") for _ in range(2)]

OTHER = {"here": "there", "there": "here"}

queues = st.sampled_from(["here", "here", "there"])
jobs = st.sampled_from(IDS)
picks = st.integers(0, 6)
"""Which of the jobs in a place is meant; the last two mean any job at all."""
groups = st.sampled_from(GROUPS)
payloads = st.sampled_from([b"", b"cargo", b'{"n": 1}', b"\x00\xff\n"])
spans = st.sampled_from([0, HOUR_MS])
"""Leases and delays: over at once, or not in this test."""
offsets = st.sampled_from([0, 0, 0, 1])
"""What is added to the token that holds the job: none, or one to be refused."""
caps = st.integers(1, 3)
names = st.sampled_from(["daily", "sums:of the day"])


NOTHING: list[tuple[Callable[[QueueKeys], Conversation[Any]], Callable[[QueueModel], Any]]] = [
    (lifecycle.claim, lambda q: q.claim(0)),
    (lanes.claim_lane, lambda q: q.claim_lane(0)),
    (lanes.claim_lane_weighted, lambda q: q.claim_lane_weighted(0)),
    (lanes.claim_lane_batch, lambda q: q.claim_lane_batch(0)),
    (recovery.promote, lambda q: q.promote(1)),
    (recovery.reap, lambda q: q.reap()),
    (recovery.sweep_stalled, lambda q: q.sweep_stalled(1, 1)),
    (queue_ops.drain, lambda q: q.drain(False)),
    (flows.sweep_outbox, lambda q: q.sweep_outbox()),
]
"""What is asked of a queue that holds nothing."""


class FixedIds:
    """A minter for the repeats that gives ids of the pool."""

    def __init__(self, ids: list[str]) -> None:
        self._ids = iter(ids)

    def mint(self, namespace: str = "JOB") -> str:
        return next(self._ids)


class LifecycleMachine(RuleBasedStateMachine):
    """Two queues, so that flows have somewhere else to go."""

    valkey: ClassVar[Hand]

    def __init__(self) -> None:
        super().__init__()
        self.valkey("FLUSHALL")
        self.space = Keyspace()
        self._verb_ms = 0

    def next_ms(self) -> int:
        """The server's clock, ms, later than the verb before.

        Two verbs in one ms would tie, and ties are served by id: the same steps would end otherwise on a slower run.
        """
        while (now := server_ms(self.valkey)) <= self._verb_ms:
            pass
        return now

    def both(
        self, queue: str, real: Callable[[QueueKeys], Conversation[T]], modelled: Callable[[QueueModel], T]
    ) -> T | None:
        """Run a verb on both sides and compare what they answer and what they leave."""
        before = self.next_ms()
        answer = _answer(lambda: self.valkey.link.run(real(QueueKeys("emq", queue))))
        self._verb_ms = server_ms(self.valkey)
        model = QueueModel(self.space, queue, Span(before, self._verb_ms))
        expected = _answer(lambda: modelled(model))
        assert answer == expected
        found = dump(self.valkey)
        self.space.settle(found)
        assert found == self.space.everything()
        return answer if not isinstance(answer, type) else None

    def token(self, queue: str, job: str, offset: int) -> int:
        """The token that holds a job, or one beside it."""
        row = self.space.hashes.get(f"emq:{{{queue}}}:job:{job}", {})
        return int(row.get("attempts", 1)) + offset

    def holds(self, queue: str, *parts: str) -> bool:
        """Does the queue hold anything in one of these places?"""
        return any(self.space.exists(f"emq:{{{queue}}}:{part}") for part in parts)

    def anywhere(self, *parts: str) -> bool:
        """Does either queue hold anything in one of these places?"""
        return any(self.holds(queue, *parts) for queue in OTHER)

    def where(self, queue: str, *parts: str) -> str:
        """This queue, or the other if only that holds anything there."""
        return queue if self.holds(queue, *parts) or not self.holds(OTHER[queue], *parts) else OTHER[queue]

    def pick(self, queue: str, pick: int, *parts: str) -> str:
        """A job out of some of the queue's sets, where they hold any."""
        found = [job for part in parts for job in self.space.ordered(f"emq:{{{queue}}}:{part}")]
        return found[pick % len(found)] if found and pick < len(IDS) else IDS[pick % len(IDS)]

    def held(self, queue: str, pick: int, offset: int) -> tuple[str, str, int]:
        """A queue, a job of it that is held, where one is, and its token."""
        queue = self.where(queue, "active")
        job = self.pick(queue, pick, "active")
        return queue, job, self.token(queue, job, offset)

    @rule(queue=queues, job=jobs, payload=payloads)
    def enqueue(self, queue: str, job: str, payload: bytes) -> None:
        self.both(queue, lambda keys: lifecycle.enqueue(keys, job, payload), lambda q: q.enqueue(job, payload))

    @rule(queue=queues, group=groups, job=jobs, payload=payloads)
    def enqueue_grouped(self, queue: str, group: str, job: str, payload: bytes) -> None:
        self.both(
            queue,
            lambda keys: lanes.enqueue_grouped(keys, group, job, payload),
            lambda q: q.enqueue_grouped(group, job, payload),
        )

    @rule(queue=queues, job=jobs, payload=payloads, delay=spans, due=st.sampled_from([None, 7, 4 * 10**12]))
    def schedule(self, queue: str, job: str, payload: bytes, delay: int, due: int | None) -> None:
        if due is None:
            self.both(
                queue,
                lambda keys: lifecycle.schedule_in(keys, job, payload, delay),
                lambda q: q.schedule(job, payload, q.now.plus(delay)),
            )
        else:
            self.both(
                queue,
                lambda keys: lifecycle.schedule_at(keys, job, payload, due),
                lambda q: q.schedule(job, payload, Near(due, due)),
            )

    @precondition(lambda self: self.anywhere("pending"))
    @rule(queue=queues, lease=spans, size=st.integers(0, 3))
    def claim(self, queue: str, lease: int, size: int) -> None:
        queue = self.where(queue, "pending")
        if size:
            self.both(
                queue, lambda keys: lifecycle.claim_batch(keys, lease, size), lambda q: q.claim_batch(lease, size)
            )
        else:
            self.both(queue, lambda keys: lifecycle.claim(keys, lease), lambda q: q.claim(lease))

    @precondition(lambda self: self.anywhere("ring"))
    @rule(queue=queues, lease=spans)
    def claim_lane(self, queue: str, lease: int) -> None:
        queue = self.where(queue, "ring")
        self.both(queue, lambda keys: lanes.claim_lane(keys, lease), lambda q: q.claim_lane(lease))

    @precondition(lambda self: self.anywhere("ring"))
    @rule(queue=queues, lease=spans, weighted=st.booleans())
    def claim_lanes(self, queue: str, lease: int, weighted: bool) -> None:
        queue = self.where(queue, "ring")
        if weighted:
            self.both(
                queue, lambda keys: lanes.claim_lane_weighted(keys, lease), lambda q: q.claim_lane_weighted(lease)
            )
        else:
            self.both(queue, lambda keys: lanes.claim_lane_batch(keys, lease), lambda q: q.claim_lane_batch(lease))

    @precondition(lambda self: self.anywhere("pending", "ring"))
    @rule(queue=queues, result=payloads, died=st.booleans())
    def work(self, queue: str, result: bytes, died: bool) -> None:
        """Take the next job and see it through."""
        queue = self.where(queue, "pending", "ring")
        if self.holds(queue, "pending"):
            job = self.both(queue, lambda keys: lifecycle.claim(keys, HOUR_MS), lambda q: q.claim(HOUR_MS))
        else:
            job = self.both(queue, lambda keys: lanes.claim_lane(keys, HOUR_MS), lambda q: q.claim_lane(HOUR_MS))
        if job is None:
            return
        if died:
            self.both(
                queue,
                lambda keys: lifecycle.retry(keys, job.id, job.token, "no stock", delay_ms=0, attempts=1),
                lambda q: q.retry(job.id, job.token, "no stock", 0, 1),
            )
        else:
            self.both(
                queue,
                lambda keys: lifecycle.complete(keys, job.id, job.token, result),
                lambda q: q.complete(job.id, job.token, result),
            )

    @precondition(lambda self: self.anywhere("active"))
    @rule(queue=queues, pick=picks, offset=offsets, result=payloads)
    def complete(self, queue: str, pick: int, offset: int, result: bytes) -> None:
        queue, job, token = self.held(queue, pick, offset)
        self.both(
            queue,
            lambda keys: lifecycle.complete(keys, job, token, result),
            lambda q: q.complete(job, token, result),
        )

    @precondition(lambda self: self.anywhere("active"))
    @rule(queue=queues, pick=picks, offset=offsets, delay=spans, cap=caps)
    def retry(self, queue: str, pick: int, offset: int, delay: int, cap: int) -> None:
        queue, job, token = self.held(queue, pick, offset)
        self.both(
            queue,
            lambda keys: lifecycle.retry(keys, job, token, "no\0stock", delay_ms=delay, attempts=cap),
            lambda q: q.retry(job, token, "no\0stock", delay, cap),
        )

    @precondition(lambda self: self.anywhere("active"))
    @rule(queue=queues, pick=picks, offset=offsets, span=spans, again=st.booleans())
    def delay_or_extend(self, queue: str, pick: int, offset: int, span: int, again: bool) -> None:
        queue, job, token = self.held(queue, pick, offset)
        if again:
            self.both(queue, lambda keys: recovery.extend(keys, job, token, span), lambda q: q.extend(job, token, span))
        else:
            self.both(
                queue,
                lambda keys: lifecycle.delay_in(keys, job, token, span),
                lambda q: q.delay(job, token, q.now.plus(span)),
            )

    @precondition(lambda self: self.anywhere("active"))
    @rule(queue=queues, some=st.lists(jobs, unique=True, max_size=4), offset=offsets, lease=spans)
    def extend_many(self, queue: str, some: list[str], offset: int, lease: int) -> None:
        queue = self.where(queue, "active")
        held = [(job, self.token(queue, job, offset * (at % 2))) for at, job in enumerate(some)]
        self.both(queue, lambda keys: recovery.extend_many(keys, held, lease), lambda q: q.extend_many(held, lease))

    @precondition(lambda self: self.anywhere("schedule"))
    @rule(queue=queues, batch=caps)
    def promote(self, queue: str, batch: int) -> None:
        queue = self.where(queue, "schedule")
        self.both(queue, lambda keys: recovery.promote(keys, batch), lambda q: q.promote(batch))

    @precondition(lambda self: self.anywhere("active"))
    @rule(queue=queues, group=groups, limit=st.integers(0, 3))
    def reap(self, queue: str, group: str, limit: int) -> None:
        queue = self.where(queue, "active")
        if limit:
            self.both(queue, lambda keys: recovery.reap_group(keys, group, limit), lambda q: q.reap_group(group, limit))
        else:
            self.both(queue, recovery.reap, lambda q: q.reap())

    @precondition(lambda self: self.anywhere("active"))
    @rule(queue=queues, most=caps, limit=caps)
    def sweep_stalled(self, queue: str, most: int, limit: int) -> None:
        queue = self.where(queue, "active")
        self.both(queue, lambda keys: recovery.sweep_stalled(keys, most, limit), lambda q: q.sweep_stalled(most, limit))

    @rule(queue=queues, verb=st.sampled_from(["pause", "resume", "limit", "weigh", "drain"]), group=groups, n=caps)
    def change_lane(self, queue: str, verb: str, group: str, n: int) -> None:
        match verb:
            case "pause":
                self.both(queue, lambda keys: lanes.pause_lane(keys, group), lambda q: q.pause_lane(group))
            case "resume":
                self.both(queue, lambda keys: lanes.resume_lane(keys, group), lambda q: q.resume_lane(group))
            case "limit":
                self.both(queue, lambda keys: lanes.limit_lane(keys, group, n), lambda q: q.limit_lane(group, n))
            case "weigh":
                self.both(queue, lambda keys: lanes.weigh_lane(keys, group, n), lambda q: q.weigh_lane(group, n))
            case "drain":
                self.both(queue, lambda keys: lanes.drain_lane(keys, group), lambda q: q.drain_lane(group))

    @rule(
        queue=queues,
        verb=st.sampled_from(["pause", "resume", "resume", "resume", "drain", "obliterate"]),
        yes=st.booleans(),
    )
    def change_queue(self, queue: str, verb: str, yes: bool) -> None:
        match verb:
            case "pause":
                self.both(queue, queue_ops.pause, lambda q: q.pause())
            case "resume":
                self.both(queue, queue_ops.resume, lambda q: q.resume())
            case "drain":
                self.both(queue, lambda keys: queue_ops.drain(keys, scheduled=yes), lambda q: q.drain(yes))
            case "obliterate":
                self.both(queue, lambda keys: queue_ops.obliterate(keys, force=yes), lambda q: q.obliterate(yes))

    @precondition(lambda self: self.anywhere("ring"))
    @rule(queue=queues, from_group=groups, pick=picks, group=groups)
    def reassign(self, queue: str, from_group: str, pick: int, group: str) -> None:
        queue = self.where(queue, "ring")
        job = self.pick(queue, pick, f"g:{from_group}:pending")
        self.both(queue, lambda keys: lanes.reassign(keys, job, group), lambda q: q.reassign(job, group))

    @rule(queue=queues, job=jobs, verb=st.sampled_from(["data", "progress", "log"]), payload=payloads, n=caps)
    def tell(self, queue: str, job: str, verb: str, payload: bytes, n: int) -> None:
        match verb:
            case "data":
                self.both(
                    queue, lambda keys: mutation.update_data(keys, job, payload), lambda q: q.update_data(job, payload)
                )
            case "progress":
                self.both(
                    queue,
                    lambda keys: mutation.update_progress(keys, job, "50"),
                    lambda q: q.update_progress(job, "50"),
                )
            case "log":
                keep = None if n == 3 else n
                self.both(
                    queue,
                    lambda keys: mutation.add_log(keys, job, "line", keep),
                    lambda q: q.add_log(job, "line", keep),
                )

    @precondition(lambda self: self.anywhere("active"))
    @rule(queue=queues, pick=picks, raised=st.booleans())
    def flag(self, queue: str, pick: int, raised: bool) -> None:
        queue, job, token = self.held(queue, pick, 0)
        if raised:
            self.both(queue, lambda keys: locks.track(keys, job, token, HOUR_MS), lambda q: q.track(job, token))
        else:
            self.both(queue, lambda keys: locks.untrack(keys, job), lambda q: q.untrack(job))

    @precondition(lambda self: self.anywhere(*SETS))
    @rule(queue=queues, pick=picks, dedup=st.sampled_from(["", "once"]), marked=st.booleans())
    def remove(self, queue: str, pick: int, dedup: str, marked: bool) -> None:
        queue = self.where(queue, *SETS)
        job = self.pick(queue, pick, *SETS)
        if marked:
            self.valkey("SET", f"emq:{{{queue}}}:de:once", job)
            self.space.strings[f"emq:{{{queue}}}:de:once"] = job
        self.both(queue, lambda keys: mutation.remove(keys, job, dedup), lambda q: q.remove(job, dedup))

    @precondition(lambda self: self.anywhere("dead"))
    @rule(queue=queues, pick=picks)
    def reprocess(self, queue: str, pick: int) -> None:
        queue = self.where(queue, "dead")
        job = self.pick(queue, pick, "dead")
        self.both(queue, lambda keys: mutation.reprocess(keys, job), lambda q: q.reprocess(job))

    @rule(queue=queues, name=names, first=st.sampled_from([5, 50]), template=payloads, kept=st.sampled_from([1, 1, 0]))
    def change_repeat(self, queue: str, name: str, first: int, template: bytes, kept: int) -> None:
        if kept:
            self.both(
                queue,
                lambda keys: repeat.register_repeat(keys, name, 10, template, first),
                lambda q: q.register_repeat(name, 10, template, first),
            )
        else:
            self.both(queue, lambda keys: repeat.cancel_repeat(keys, name), lambda q: q.cancel_repeat(name))

    @precondition(lambda self: self.anywhere("repeat"))
    @rule(queue=queues, ids=st.lists(jobs, unique=True, min_size=2, max_size=2), now=st.sampled_from([5, 20, 60]))
    def fire_repeats(self, queue: str, ids: list[str], now: int) -> None:
        queue = self.where(queue, "repeat")
        minter: Any = FixedIds(ids)
        self.both(queue, lambda keys: repeat.fire_repeats(keys, minter, now), lambda q: q.fire_repeats(ids, now))

    @rule(
        queue=queues,
        ids=st.lists(jobs, unique=True, min_size=2, max_size=4),
        elsewhere=st.lists(st.booleans(), min_size=4, max_size=4),
        policy=st.sampled_from(Policy),
        deep=st.booleans(),
    )
    def add_flow(self, queue: str, ids: list[str], elsewhere: list[bool], policy: Policy, deep: bool) -> None:
        root = _family(queue, ids, elsewhere, policy, deep)
        self.both(queue, lambda keys: flows.add_flow(keys, root), lambda q: _added(q, root, len(ids)))

    @precondition(lambda self: self.anywhere("flow:outbox"))
    @rule(queue=queues)
    def sweep_outbox(self, queue: str) -> None:
        queue = self.where(queue, "flow:outbox")
        self.both(queue, flows.sweep_outbox, lambda q: q.sweep_outbox())

    @precondition(lambda self: not self.anywhere("pending", "active"))
    @rule(verb=st.sampled_from(NOTHING))
    def find_nothing(self, verb: tuple[Callable[[QueueKeys], Conversation[Any]], Callable[[QueueModel], Any]]) -> None:
        self.both("void", *verb)


def _family(queue: str, ids: list[str], elsewhere: list[bool], policy: Policy, deep: bool) -> Node:
    """A root over the other ids: side by side, or each below the one before."""
    where = [OTHER[queue] if away else queue for away in elsewhere]
    if not deep:
        children = tuple(Node(job, b"child", where[at], policy) for at, job in enumerate(ids[1:]))
        return Node(ids[0], b"root", children=children)
    node: tuple[Node, ...] = ()
    for at in range(len(ids) - 1, 0, -1):
        node = (Node(ids[at], b"child", where[at], policy, node),)
    return Node(ids[0], b"root", children=node)


def _added(queue: QueueModel, root: Node, count: int) -> int:
    queue.add_flow(root)
    return count


def _answer(ask: Callable[[], object]) -> object:
    """What a verb answers, or the kind of its refusal."""
    try:
        return ask()
    except Refusal as refused:
        return type(refused)


@pytest.fixture
def machine(valkey: Hand, capsys: pytest.CaptureFixture[str]) -> type[LifecycleMachine]:
    """The machine on the test's server, with a seed that is shown."""
    seed = int(os.environ.get("MACHINE_SEED", random.SystemRandom().randrange(2**32)))
    with capsys.disabled():
        print(f" MACHINE_SEED={seed}", end=" ", flush=True)
    LifecycleMachine.valkey = valkey
    return hypothesis.seed(seed)(LifecycleMachine)


def _run(machine: type[LifecycleMachine], runs: int, steps: int) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.timeout(300)
def test_random_verbs(machine: type[LifecycleMachine]) -> None:
    _run(machine, runs=50, steps=150)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_random_verbs_for_long(machine: type[LifecycleMachine]) -> None:
    _run(machine, runs=1_000, steps=150)
