"""The end of a whole queue: what it covers, what holds it back, and what comes in between."""

import asyncio
import os
import signal

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Plan, make_plan
from emqtop.acting.runner import Runner
from emqtop.model.actions import Order, Outcome, Reason, Skip, Verb
from emqtop.wire.client import Client
from emqtop.wire.errors import Frozen
from tests.acting.acts import ORDERS, do
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import GROUP, P, Stage, job

OBLITERATE = Order(Verb.OBLITERATE, ORDERS)
FORCED = Order(Verb.OBLITERATE, ORDERS, force=True)


def pause(valkey: Hand) -> None:
    valkey("HSET", f"{P}meta", "paused", "1")


def reasons(told: Plan | Outcome) -> list[tuple[str, Reason]]:
    return [(left.id, left.reason) for left in told.skipped]


async def test_it_wants_a_paused_and_idle_queue(client: Client, runner: Runner, stage: Stage) -> None:
    for number in range(1, 151):
        stage.put(job(number), "dead")
    stage.put(job(200), "active", group=GROUP)
    stage.put(job(201), "pending", group=GROUP)
    told = [reasons(await do(runner, client, OBLITERATE))]
    pause(stage.valkey)
    told.append(reasons(await do(runner, client, OBLITERATE)))
    assert told == [[("orders", Reason.PAUSED)], [("orders", Reason.LEASE_LIVE)]]
    outcome = await do(runner, client, FORCED)
    assert (outcome.matched, outcome.moved, outcome.took_queue, stage.dump()) == (152, 152, True, {})


async def test_a_plan_counts_every_job_and_names_some(client: Client, stage: Stage) -> None:
    for number, place in enumerate(("pending", "schedule", "dead"), start=1):
        stage.put(job(number), place)
    stage.put(job(4), "pending", group=GROUP)
    stage.member(job(5), "dead")
    pause(stage.valkey)
    before = stage.dump()
    plan = await make_plan(client, OBLITERATE)
    assert (plan.would_move, plan.matched, plan.held, plan.wants_name) == (5, 5, 5, True)
    assert {known.id for known in plan.sample} == {job(number) for number in range(1, 6)}
    assert stage.dump() == before


async def test_an_empty_queue_goes_too(client: Client, runner: Runner, stage: Stage) -> None:
    pause(stage.valkey)
    stage.valkey("HSET", f"{P}metrics:completed", "count", 7)
    outcome = await do(runner, client, OBLITERATE)
    assert (outcome.matched, outcome.moved, outcome.took_queue, stage.dump()) == (0, 0, True, {})


async def test_a_job_that_came_in_between_saves_the_queue(client: Client, runner: Runner, stage: Stage) -> None:
    stage.put(job(1), "dead")
    stage.put(job(2), "pending", group=GROUP)
    pause(stage.valkey)
    plan = await make_plan(client, OBLITERATE)
    stage.put(job(3), "pending")
    before = stage.dump()
    outcome = await runner.carry_out(plan)
    assert outcome.skipped == (Skip("orders", Reason.MOVED, "3 jobs by now, 2 were seen: stop what adds to it"),)
    assert (outcome.matched, outcome.moved, stage.dump()) == (1, 0, before)


@pytest.mark.parametrize("order", [OBLITERATE, FORCED])
async def test_a_job_that_was_claimed_in_between_holds_it_back(
    client: Client, runner: Runner, stage: Stage, order: Order
) -> None:
    stage.put(job(1), "pending")
    pause(stage.valkey)
    plan = await make_plan(client, order)
    stage.valkey("ZREM", f"{P}pending", job(1))
    stage.member(job(1), "active", at_ms=60_000)
    before = stage.dump()
    outcome = await runner.carry_out(plan)
    if order.force:
        assert (outcome.moved, stage.dump()) == (1, {})
    else:
        assert (reasons(outcome), stage.dump()) == ([("orders", Reason.LEASE_LIVE)], before)


async def test_a_queue_that_was_resumed_in_between_is_kept(client: Client, runner: Runner, stage: Stage) -> None:
    stage.put(job(1), "dead")
    pause(stage.valkey)
    plan = await make_plan(client, OBLITERATE)
    stage.valkey("HDEL", f"{P}meta", "paused")
    before = stage.dump()
    assert reasons(await runner.carry_out(plan)) == [("orders", Reason.PAUSED)]
    assert stage.dump() == before


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize("parent_queue", ["", "bills"])
async def test_a_job_that_a_parent_waits_for_holds_it_back(
    client: Client, runner: Runner, stage: Stage, between: bool, parent_queue: str
) -> None:
    stage.put(job(9), "held")
    stage.put(job(1), "dead", parent=job(8), parent_queue="bills")
    stage.put(job(2), "pending")
    pause(stage.valkey)
    plan = await make_plan(client, OBLITERATE) if between else None
    stage.valkey("HSET", f"{P}job:{job(2)}", "parent", job(9), "parent_queue", parent_queue)
    before = stage.dump()
    outcome = await do(runner, client, FORCED) if plan is None else await runner.carry_out(plan)
    assert (reasons(outcome), outcome.moved) == ([(job(2), Reason.FLOW_CHILD)], 0)
    assert stage.dump() == before


async def test_it_is_written_down_and_nothing_can_be_put_back(
    client: Client, runner: Runner, audit: Audit, stage: Stage
) -> None:
    stage.put(job(1), "dead", last_error="boom")
    pause(stage.valkey)
    await do(runner, client, OBLITERATE)
    (entry,) = audit.entries()
    assert (entry.verb, entry.ids, entry.count, entry.errors) == (Verb.OBLITERATE, (job(1),), 1, {"boom": 1})
    assert (entry.undoable, entry.left_a_mark, entry.is_through) == (False, False, True)


class Freezing:
    """A server that freezes as the numbered step is sent, and goes on once that was given up."""

    def __init__(self, client: Client, valkey: Hand, at: int) -> None:
        self._client, self._at, self.steps = client, at, 0
        info = valkey("INFO", "server").decode()  # type: ignore[union-attr]
        self._pid = int(next(line for line in info.splitlines() if line.startswith("process_id:"))[11:])

    async def run(self, conversation):  # type: ignore[no-untyped-def]
        self.steps += conversation.__name__ == "obliterate"
        if conversation.__name__ != "obliterate" or self.steps != self._at:
            return await self._client.run(conversation)
        os.kill(self._pid, signal.SIGSTOP)
        try:
            return await self._client.run(conversation)
        finally:
            os.kill(self._pid, signal.SIGCONT)


@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_step_without_an_answer_is_read_and_not_sent_again(
    stage: Stage, client: Client, audit: Audit, at: int
) -> None:
    for number in range(1, 251):
        stage.put(job(number), "dead")
    pause(stage.valkey)
    hasty = await Client.open(client.address, timeout_s=0.3)
    link = Freezing(hasty, stage.valkey, at)
    outcome = await Runner(link, audit, patience_s=20).carry_out(await make_plan(client, OBLITERATE))
    await hasty.close()
    assert (outcome.matched, outcome.moved, outcome.unknown, outcome.lost) == (250, 250, (), "")
    assert (link.steps, outcome.took_queue, stage.dump()) == (3, True, {})


async def test_a_step_that_never_ran_stays_unknown(stage: Stage, client: Client, audit: Audit) -> None:
    stage.put(job(1), "dead")
    pause(stage.valkey)

    class Deaf:
        async def run(self, conversation):  # type: ignore[no-untyped-def]
            if conversation.__name__ == "obliterate":
                raise Frozen
            return await client.run(conversation)

    outcome = await Runner(Deaf(), audit).carry_out(await make_plan(client, OBLITERATE))
    assert (outcome.moved, outcome.unknown, outcome.stopped) == (0, ("orders",), True)
    assert outcome.lost
    assert stage.dump()["dead"] == {job(1): 0.0}


async def test_a_stop_ends_it_after_the_step_that_runs(client: Client, runner: Runner, stage: Stage) -> None:
    for number in range(1, 251):
        stage.put(job(number), "dead")
    pause(stage.valkey)
    stop = asyncio.Event()
    plan = await make_plan(client, OBLITERATE)
    outcome = await runner.carry_out(plan, stop=stop, on_progress=lambda told: stop.set() if told.moved else None)
    assert (outcome.moved, outcome.stopped, outcome.took_queue) == (100, True, False)
    assert len(stage.dump()["dead"]) == 150
