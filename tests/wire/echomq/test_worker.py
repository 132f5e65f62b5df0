"""A worker on a real server: what it takes, keeps, settles and sends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from emqtop.units import now_ms
from emqtop.wire.address import parse_address
from emqtop.wire.echomq.backoff import fixed
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.flows import Node, add_flow
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lanes import claim_lane, enqueue_grouped
from emqtop.wire.echomq.lifecycle import Claim, claim, enqueue, schedule_in
from emqtop.wire.echomq.queue_ops import pause, resume
from emqtop.wire.echomq.recovery import promote, reap
from emqtop.wire.echomq.repeat import register_repeat
from emqtop.wire.echomq.worker import Duties, Handler, Pace, Tally, Worker
from emqtop.wire.echomq.workers import team
from emqtop.wire.errors import Unreachable
from emqtop.wire.link import Link
from emqtop.wire.resp import Reply, pack
from tests.conftest import Hand

KEYS = QueueKeys("emq", "orders.worker")
LONG = 60_000
minter = Minter(3)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds; the test's own timeout bounds it."""
    while not condition():
        await asyncio.sleep(0.002)


async def echo(job: Claim) -> bytes:
    return job.payload or b""


@asynccontextmanager
async def working(
    valkey: Hand, handler: Handler = echo, pace: Pace | None = None, duties: Duties | None = None
) -> AsyncIterator[Worker]:
    worker = Worker(
        parse_address(valkey.url), KEYS, handler, pace=pace or Pace(beat_ms=20), duties=duties, minter=minter
    )
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await running


def add(valkey: Hand, payload: bytes = b"an order") -> str:
    job = minter.mint()
    assert valkey.link.run(enqueue(KEYS, job, payload))
    return job


def add_to_lane(valkey: Hand, group: str) -> str:
    job = minter.mint()
    assert valkey.link.run(enqueue_grouped(KEYS, group, job, b"an order"))
    return job


async def test_a_flat_job_is_done(valkey: Hand) -> None:
    job = add(valkey)
    seen: list[Claim] = []

    async def handler(claim: Claim) -> bytes:
        seen.append(claim)
        return b""

    async with working(valkey, handler) as worker:
        await until(lambda: worker.tally.completed == 1)
    assert seen == [Claim(job, b"an order", 1)]
    assert worker.tally == Tally(completed=1)
    assert valkey("EXISTS", KEYS.row(job), KEYS.active, KEYS.pending) == 0


async def test_a_blocked_worker_is_woken_by_a_lane(valkey: Hand) -> None:
    group = minter.mint("GRP")
    async with working(valkey, pace=Pace(beat_ms=LONG)) as worker:
        await until(lambda: worker.waiter.commands == 2)
        add_to_lane(valkey, group)
        await until(lambda: worker.tally.completed == 1 and worker.waiter.commands == 3)


async def test_lanes_and_flat_jobs_take_turns(valkey: Hand) -> None:
    group = minter.mint("GRP")
    flat = [add(valkey) for _ in range(2)]
    laned = [add_to_lane(valkey, group) for _ in range(2)]
    order: list[str] = []

    async def handler(claim: Claim) -> bytes:
        order.append(claim.id)
        return b""

    async with working(valkey, handler) as worker:
        await until(lambda: worker.tally.completed == 4)
    assert [job in flat for job in order] in ([True, False] * 2, [False, True] * 2)
    assert sorted(order) == sorted(flat + laned)


async def test_an_idle_worker_sends_its_duties_and_one_blocking_wait_a_beat(valkey: Hand) -> None:
    for warm_up in (reap(KEYS), promote(KEYS), claim(KEYS), claim_lane(KEYS)):
        valkey.link.run(warm_up)
    async with working(valkey, pace=Pace(beat_ms=200)) as worker:
        await until(lambda: worker.waiter.commands == 1 + 3)
    assert (worker.waiter.commands, worker.link.commands) == (1 + 3, 1 + 3 * 4)


async def test_an_idle_worker_of_lanes_without_duties_asks_once_a_beat(valkey: Hand) -> None:
    valkey.link.run(claim_lane(KEYS))
    lanes_only = Duties(flat=False, reap=False, promote=False)
    async with working(valkey, pace=Pace(beat_ms=200), duties=lanes_only) as worker:
        await until(lambda: worker.waiter.commands == 1 + 3)
    assert (worker.waiter.commands, worker.link.commands) == (1 + 3, 1 + 3)


async def test_a_failing_job_comes_back_and_dies_at_the_cap(valkey: Hand) -> None:
    job = add(valkey)
    waits: list[int] = []

    def backoff(attempts: int) -> int:
        waits.append(attempts)
        return 0

    async def handler(claim: Claim) -> bytes:
        raise ValueError(f"no stock at attempt {claim.token}")

    async with working(valkey, handler, Pace(beat_ms=10, attempts=3, backoff=backoff)) as worker:
        await until(lambda: worker.tally.died == 1)
    assert worker.tally == Tally(retried=2, died=1)
    assert waits == [1, 2, 3]
    assert valkey("ZRANGE", KEYS.dead, 0, -1) == [job.encode()]
    assert valkey("HMGET", KEYS.row(job), "state", "attempts", "last_error") == [
        b"dead",
        b"3",
        b"no stock at attempt 3",
    ]


async def test_an_error_without_words_is_known_by_its_name(valkey: Hand) -> None:
    job = add(valkey)

    async def handler(_: Claim) -> bytes:
        raise KeyError

    async with working(valkey, handler, Pace(attempts=1)) as worker:
        await until(lambda: worker.tally.died == 1)
    assert valkey("HGET", KEYS.row(job), "last_error") == b"KeyError"


async def test_a_lease_is_extended_while_its_handler_runs(valkey: Hand) -> None:
    job = add(valkey)
    deadlines: set[object] = set()

    def seen_three() -> bool:
        deadlines.add(valkey("ZSCORE", KEYS.active, job))
        return len(deadlines - {None}) == 3

    async def handler(_: Claim) -> bytes:
        await until(seen_three)
        return b""

    async with working(valkey, handler, Pace(beat_ms=10, lease_ms=400, slots=2)) as worker:
        await until(lambda: worker.tally.completed == 1)
    assert worker.tally == Tally(completed=1)


async def test_a_handler_ends_when_its_job_is_taken_away(valkey: Hand) -> None:
    job = add(valkey)
    ended = asyncio.Event()

    async def handler(_: Claim) -> bytes:
        valkey("HINCRBY", KEYS.row(job), "attempts", 1)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return b""

    async with working(valkey, handler, Pace(lease_ms=100), Duties(reap=False)) as worker:
        await ended.wait()
        await until(lambda: worker.tally.lost == 1)
    assert worker.tally == Tally(lost=1)
    assert valkey("HGET", KEYS.row(job), "attempts") == b"2"


async def test_a_result_that_comes_too_late_changes_nothing(valkey: Hand) -> None:
    job = add(valkey)

    async def handler(_: Claim) -> bytes:
        valkey("HINCRBY", KEYS.row(job), "attempts", 1)
        return b"late"

    async with working(valkey, handler) as worker:
        await until(lambda: worker.tally.lost == 1)
    assert valkey("ZSCORE", KEYS.active, job) is not None


async def test_a_job_that_is_gone_is_no_completion(valkey: Hand) -> None:
    job = add(valkey)

    async def handler(_: Claim) -> bytes:
        valkey("DEL", KEYS.row(job))
        return b""

    async with working(valkey, handler) as worker:
        await until(lambda: worker.tally.lost == 1)
    assert worker.tally == Tally(lost=1)


async def test_a_failed_job_is_not_leased_again_by_the_beat(valkey: Hand) -> None:
    job = add(valkey)

    async def handler(_: Claim) -> bytes:
        raise ValueError("no stock")

    async with working(valkey, handler, Pace(lease_ms=10, backoff=fixed(LONG))) as worker:
        await until(lambda: worker.tally.retried == 1)
        await until(lambda: worker.waiter.commands >= 4)
    assert valkey("ZSCORE", KEYS.active, job) is None
    assert valkey("ZSCORE", KEYS.schedule, job) is not None


@pytest.mark.parametrize("reaping", [True, False])
async def test_reaping_is_a_duty(valkey: Hand, reaping: bool) -> None:
    job = add(valkey)
    assert valkey.link.run(claim(KEYS, 0)) is not None
    async with working(valkey, duties=Duties(reap=reaping)) as worker:
        await until(lambda: worker.waiter.commands >= 4)
    assert worker.tally.completed == int(reaping)
    assert valkey("ZCARD", KEYS.active) == int(not reaping)
    assert valkey("EXISTS", KEYS.row(job)) == int(not reaping)


@pytest.mark.parametrize("promoting", [True, False])
async def test_promoting_is_a_duty(valkey: Hand, promoting: bool) -> None:
    valkey.link.run(schedule_in(KEYS, minter.mint(), b"later", 0))
    async with working(valkey, duties=Duties(promote=promoting)) as worker:
        await until(lambda: worker.waiter.commands >= 4)
    assert worker.tally.completed == int(promoting)
    assert valkey("ZCARD", KEYS.schedule) == int(not promoting)


async def test_more_lapsed_leases_than_one_sweep_takes(valkey: Hand) -> None:
    for _ in range(150):
        add(valkey)
        valkey.link.run(claim(KEYS, 0))
    async with working(valkey, pace=Pace(beat_ms=LONG)) as worker:
        await until(lambda: worker.tally.completed == 150)


async def test_the_pump_fires_repeats_and_tells_parents_elsewhere(valkey: Hand) -> None:
    parents = QueueKeys("emq", "parents.worker")
    root = Node(minter.mint(), b"", children=(Node(minter.mint(), b"child", queue=KEYS.name),))
    valkey.link.run(add_flow(parents, root))
    valkey.link.run(register_repeat(KEYS, "daily", LONG, b"report", first_ms=now_ms()))
    done: list[bytes | None] = []

    async def handler(claim: Claim) -> bytes:
        done.append(claim.payload)
        return b"7"

    async with working(valkey, handler, duties=Duties(pump=True)):
        await until(lambda: valkey("ZCARD", parents.pending) == 1)
        await until(lambda: len(done) == 2)
    assert sorted(done, key=str) == [b"child", b"report"]
    assert valkey("HVALS", parents.sub(root.id, "processed")) == [b"7"]
    assert valkey("LLEN", KEYS.outbox) == 0


async def test_one_process_never_sweeps_an_outbox_twice_at_once(valkey: Hand) -> None:
    valkey("RPUSH", KEYS.outbox, "not an entry")
    valkey("CONFIG", "RESETSTAT")
    workers = [Worker(parse_address(valkey.url), KEYS, echo) for _ in range(2)]
    await asyncio.gather(*(worker._sweep() for worker in workers))
    assert [worker.link.commands for worker in workers] == [2, 0]
    await asyncio.gather(*(worker.link.close() for worker in workers))


async def test_a_paused_queue_keeps_its_jobs(valkey: Hand) -> None:
    add(valkey)
    valkey.link.run(pause(KEYS))
    async with working(valkey) as worker:
        await until(lambda: worker.waiter.commands >= 4)
        assert worker.tally.completed == 0
        valkey.link.run(resume(KEYS))
        await until(lambda: worker.tally.completed == 1)


async def test_slots_are_jobs_at_a_time(valkey: Hand) -> None:
    for _ in range(4):
        add(valkey)
    started, go = 0, asyncio.Event()

    async def handler(_: Claim) -> bytes:
        nonlocal started
        started += 1
        await go.wait()
        return b""

    async with working(valkey, handler, Pace(beat_ms=10, slots=3)) as worker:
        await until(lambda: started == 3)
        assert valkey("ZCARD", KEYS.pending) == 1
        go.set()
        await until(lambda: worker.tally.completed == 4)


async def test_stopping_waits_for_the_job_in_hand_and_takes_no_other(valkey: Hand) -> None:
    first, second = add(valkey), add(valkey)
    started, go = asyncio.Event(), asyncio.Event()

    async def handler(_: Claim) -> bytes:
        started.set()
        await go.wait()
        return b""

    async with working(valkey, handler) as worker:
        await started.wait()
        worker.stop()
        go.set()
    assert worker.tally == Tally(completed=1)
    assert valkey("EXISTS", KEYS.row(first), KEYS.row(second)) == 1
    assert not worker.link.connected
    assert not worker.waiter.connected


async def test_a_lost_connection_is_made_again(valkey: Hand) -> None:
    async with working(valkey) as worker:
        await until(lambda: worker.waiter.commands >= 2)
        valkey("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        add(valkey)
        await until(lambda: worker.tally.completed == 1)


async def test_a_key_of_the_wrong_type_does_not_end_the_worker(valkey: Hand) -> None:
    valkey("SET", KEYS.pending, "not a set")
    async with working(valkey) as worker:
        await until(lambda: worker.link.commands >= 8)
        valkey("DEL", KEYS.pending)
        add(valkey)
        await until(lambda: worker.tally.completed == 1)


async def test_a_member_that_names_no_job_is_not_handled(valkey: Hand) -> None:
    valkey("ZADD", KEYS.pending, 0, "AAA stranger")
    add(valkey)
    async with working(valkey) as worker:
        await until(lambda: worker.tally.completed == 1)
    assert worker.tally == Tally(completed=1)


async def test_no_server_is_said_at_the_start() -> None:
    with pytest.raises(Unreachable):
        await Worker(parse_address("unix:///nowhere/at/all"), KEYS, echo).run()


async def test_events_are_published_after_settling(valkey: Hand) -> None:
    heard: list[list[Reply]] = []
    good, bad = add(valkey), add(valkey, b"bad")

    async def handler(claim: Claim) -> bytes:
        if claim.payload == b"bad":
            raise ValueError('no "stock"\n')
        return b""

    listener = Link(parse_address(valkey.url), resp3=True, on_push=heard.append)
    await listener.post(pack("SUBSCRIBE", KEYS.events))
    await until(lambda: len(heard) == 1)
    async with working(valkey, handler, Pace(attempts=1), Duties(events=True)):
        await until(lambda: len(heard) == 3)
    await listener.close()
    assert heard[1:] == [
        [b"message", KEYS.events, f'{{"event": "completed", "job": "{good}"}}'.encode()],
        [b"message", KEYS.events, f'{{"event": "failed", "job": "{bad}", "error": "no \\"stock\\"\\n"}}'.encode()],
    ]


async def test_it_can_be_seen_among_the_workers_of_its_queue(valkey: Hand) -> None:
    def seen() -> list[tuple[bytes | None, bool]]:
        return [(one.name, one.is_told) for one in valkey.link.run(team(KEYS)).workers or () if one.is_told]

    async with working(valkey):
        await until(lambda: seen() == [(b"worker", True)])
    await until(lambda: seen() == [])
