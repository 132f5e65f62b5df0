"""Acts as the dashboard and the command line do them: planned, carried out, and what they leave."""

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.model.actions import Order, Reason, Verb
from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.where import parse_filter
from emqtop.wire.client import Client
from emqtop.wire.echomq.branded_id import encode
from tests.acting.acts import ORDERS, calls, do
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import GROUP, HOUR_MS, Stage, job


async def test_reap_takes_what_has_expired_and_nothing_else(
    client: Client, runner: Runner, audit: Audit, stage: Stage
) -> None:
    stage.put(job(1), "active")
    stage.put(job(2), "active", group=GROUP)
    stage.put(job(3), "active", at_ms=HOUR_MS)
    stage.member(job(4), "active")
    outcome = await do(runner, client, Order(Verb.REAP, ORDERS))
    assert (outcome.matched, outcome.moved) == (3, 2)
    assert [(left.id, left.reason) for left in outcome.skipped] == [(job(4), Reason.NO_ROW)]
    left = stage.dump()
    assert set(left["active"]) == {job(3), job(4)}
    assert set(left["pending"]) == {job(1)}
    assert set(left[f"g:{GROUP}:pending"]) == {job(2)}
    (entry,) = audit.entries()
    assert entry.ids == (job(1), job(2), job(4))
    assert entry.result is not None
    assert entry.result["moved_ids"] == [job(1), job(2)]


async def test_promote_takes_what_is_due_and_early_the_rest(client: Client, runner: Runner, stage: Stage) -> None:
    stage.put(job(1), "schedule", at_ms=-1)
    stage.put(job(2), "schedule", at_ms=HOUR_MS)
    due = await do(runner, client, Order(Verb.PROMOTE, ORDERS))
    assert (due.matched, due.moved, set(stage.dump()["schedule"])) == (1, 1, {job(2)})
    early = await do(runner, client, Order(Verb.PROMOTE, ORDERS, early=True), Selection(ids=(job(2),)))
    assert (early.matched, early.moved) == (1, 1)
    assert set(stage.dump()["pending"]) == {job(1), job(2)}


async def test_a_chosen_part_of_the_dead(client: Client, runner: Runner, stage: Stage) -> None:
    for number in range(1, 8):
        stage.put(job(number), "dead", last_error="timed out" if number % 2 else "no route")
    chosen = Selection(where=parse_filter('error~"timed out"'), limit=3)
    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS), chosen)
    assert [seen.id for seen in plan.jobs] == [job(1), job(3), job(5)]
    assert (plan.errors, plan.oldest and plan.oldest.id, plan.newest and plan.newest.id) == (
        (("timed out", 3),),
        job(1),
        job(5),
    )
    outcome = await runner.carry_out(plan)
    assert (outcome.matched, outcome.moved, len(stage.dump()["dead"])) == (3, 3, 4)


async def test_of_jobs_minted_in_one_ms_the_first_is_the_oldest_and_the_last_the_newest(
    client: Client, stage: Stage
) -> None:
    first, last = encode("JOB", 0), encode("JOB", 1)
    stage.put(first, "dead")
    stage.put(last, "dead")
    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS))
    assert (plan.oldest and plan.oldest.id, plan.newest and plan.newest.id) == (first, last)


async def test_a_plan_sends_nothing_but_reads(client: Client, valkey: Hand, stage: Stage) -> None:
    stage.put(job(1), "dead")
    stage.put(job(2), "dead", parent=job(9), parent_queue="bills")
    before = stage.dump()
    valkey("CONFIG", "RESETSTAT")
    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS), dry_run=True)
    assert ([seen.id for seen in plan.jobs], [left.reason for left in plan.skipped]) == ([job(1)], ["flow-child"])
    assert not {"eval", "evalsha", "script|load"} & set(calls(valkey))
    assert stage.dump() == before


@pytest.mark.parametrize(("lane", "kept"), [(None, ("meta", {"paused": "1"})), (GROUP, ("paused", {GROUP}))])
async def test_pause_and_resume_say_whether_they_changed_anything(
    client: Client, runner: Runner, stage: Stage, lane: str | None, kept: tuple[str, object]
) -> None:
    stage.put(job(1), "pending", group=GROUP)
    stage.valkey("RPUSH", "emq:{orders}:ring", GROUP)
    numbers = []
    for verb in (Verb.PAUSE, Verb.PAUSE, Verb.RESUME, Verb.RESUME):
        outcome = await do(runner, client, Order(verb, ORDERS, lane=lane))
        numbers.append((outcome.matched, outcome.moved))
        if verb is Verb.PAUSE:
            assert stage.dump()[kept[0]] == kept[1]
    assert numbers == [(1, 1), (0, 0), (1, 1), (0, 0)]
    assert stage.dump()["ring"] == [GROUP]
    assert stage.dump()["wake"] == ["1"]


async def test_the_limit_of_a_lane(client: Client, runner: Runner, stage: Stage) -> None:
    stage.put(job(1), "active", group=GROUP)
    stage.put(job(2), "pending", group=GROUP)
    stage.valkey("RPUSH", "emq:{orders}:ring", GROUP)
    rings = []
    for ceiling in (1, 1, 2, None, None):
        outcome = await do(runner, client, Order(Verb.LIMIT, ORDERS, lane=GROUP, ceiling=ceiling))
        rings.append((outcome.moved, stage.dump().get("glimit"), stage.dump().get("ring")))
    assert rings == [
        (1, {GROUP: "1"}, None),
        (0, {GROUP: "1"}, None),
        (1, {GROUP: "2"}, [GROUP]),
        (1, None, [GROUP]),
        (0, None, [GROUP]),
    ]


async def test_drain_leaves_what_runs_and_what_a_family_needs(client: Client, runner: Runner, stage: Stage) -> None:
    stage.put(job(1), "pending")
    stage.put(job(2), "pending", group=GROUP)
    stage.put(job(3), "pending", parent=job(9), parent_queue="bills")
    stage.put(job(4), "active")
    stage.valkey("SADD", "emq:{orders}:paused", GROUP)
    outcome = await do(runner, client, Order(Verb.DRAIN, ORDERS))
    assert (outcome.matched, outcome.moved, [left.reason for left in outcome.skipped]) == (3, 2, ["flow-child"])
    left = stage.dump()
    assert {key for key in left if key.startswith("job:")} == {f"job:{job(3)}", f"job:{job(4)}"}
    assert set(left["pending"]) == {job(3)}


async def test_an_act_that_a_family_does_not_have_is_refused(client: Client, runner: Runner) -> None:
    queue = QueueId(Family.BULLMQ, "bull", "mail")
    outcome = await do(runner, client, Order(Verb.OBLITERATE, queue))
    assert (outcome.moved, [left.reason for left in outcome.skipped]) == (0, [Reason.NOT_SUPPORTED])


async def test_dead_letter_by_location(client: Client, runner: Runner, stage: Stage) -> None:
    for number in range(1, 4):
        stage.put(job(number), "schedule", at_ms=HOUR_MS)
    order = Order(Verb.DEAD_LETTER, ORDERS, error="parked")
    with pytest.raises(ValueError, match="wants ids or a location"):
        await make_plan(client, order)
    outcome = await do(runner, client, order, Selection(location=Location.SCHEDULE))
    assert (outcome.moved, stage.dump()["metrics:failed"]) == (3, {"count": "3"})


async def test_a_look_up_is_bounded(client: Client, stage: Stage) -> None:
    for number in range(1, 601):
        stage.put(job(number), "dead", last_error="rare" if number == 600 else "boom")
    rare = parse_filter("error=rare")
    whole = await make_plan(client, Order(Verb.REQUEUE, ORDERS), Selection(where=rare))
    part = await make_plan(client, Order(Verb.REQUEUE, ORDERS), Selection(where=rare, scan=500))
    assert ([seen.id for seen in whole.jobs], whole.stopped) == ([job(600)], False)
    assert (part.jobs, part.stopped) == ((), True)
