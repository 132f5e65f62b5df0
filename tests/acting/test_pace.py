"""Bulk acts: a fixed cover, batches, a pace, and a stop that loses nothing."""

import asyncio
from collections import Counter

from emqtop.acting.audit import Audit
from emqtop.acting.plan import make_plan
from emqtop.acting.run import NEAR_BATCH
from emqtop.acting.runner import Runner
from emqtop.acting.tally import Progress
from emqtop.model.actions import Order, Verb
from emqtop.wire.client import Client
from emqtop.wire.echomq import lifecycle
from tests.acting.acts import ORDERS, Far
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import KEYS, Stage, job


async def test_requeue_all_while_a_worker_kills_at_once(
    client: Client, runner: Runner, valkey: Hand, stage: Stage
) -> None:
    """The cover is fixed when it starts: each job lives once more and dies once more, and the act ends by itself."""
    for number in range(1, 251):
        stage.put(job(number), "dead", attempts=3)
    ran: Counter[str] = Counter()

    def kill(_: Progress) -> None:
        while (claim := valkey.link.run(lifecycle.claim(KEYS))) is not None:
            ran[claim.id] += 1
            valkey.link.run(lifecycle.retry(KEYS, claim.id, claim.token, "again", delay_ms=0, attempts=3))

    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS))
    outcome = await runner.carry_out(plan, on_progress=kill)
    assert (outcome.matched, outcome.moved) == (250, 250)
    assert set(ran.values()) == {1}
    assert len(ran) == len(stage.dump()["dead"]) == 250


async def test_stopped_half_way(client: Client, runner: Runner, audit: Audit, stage: Stage) -> None:
    for number in range(1, 251):
        stage.put(job(number), "dead")
    stop = asyncio.Event()
    seen: list[Progress] = []

    def halt(progress: Progress) -> None:
        seen.append(progress)
        if progress.done:
            stop.set()

    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS))
    outcome = await runner.carry_out(plan, stop=stop, on_progress=halt)
    left = stage.dump()
    assert (outcome.moved, outcome.stopped, outcome.unknown) == (NEAR_BATCH, True, ())
    assert (len(left["pending"]), len(left["dead"])) == (NEAR_BATCH, 250 - NEAR_BATCH)
    told = [(progress.done, progress.under_way, progress.total) for progress in seen]
    assert told == [(0, NEAR_BATCH, 250), (NEAR_BATCH, 0, 250)]
    (entry,) = audit.entries()
    assert entry.result is not None
    assert (entry.selection, len(entry.ids)) == ("all dead", 250)
    assert (entry.count, entry.result["moved"], entry.result["stopped"]) == (250, NEAR_BATCH, True)


async def test_a_far_server_gets_larger_calls_but_none_over_a_hundred(
    client: Client, audit: Audit, stage: Stage
) -> None:
    for number in range(1, 251):
        stage.put(job(number), "dead")
    far = Far(client)
    outcome = await Runner(far, audit).carry_out(await make_plan(client, Order(Verb.REQUEUE, ORDERS)))
    assert (outcome.moved, far.moved) == (250, [NEAR_BATCH, 100, 100, 25])


async def test_a_pace_spreads_the_calls(client: Client, audit: Audit, stage: Stage) -> None:
    for number in range(1, 11):
        stage.put(job(number), "dead")
    far = Far(client)
    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS))
    await Runner(far, audit).carry_out(plan, rate=16)
    assert far.moved == [4, 4, 2]


async def test_a_stop_ends_the_wait_for_the_pace(client: Client, runner: Runner, stage: Stage) -> None:
    for number in range(1, 4):
        stage.put(job(number), "dead")
    stop = asyncio.Event()
    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS))
    outcome = await asyncio.wait_for(
        runner.carry_out(plan, rate=0.01, stop=stop, on_progress=lambda _: stop.set()), timeout=30
    )
    assert (outcome.moved, outcome.stopped) == (1, True)
