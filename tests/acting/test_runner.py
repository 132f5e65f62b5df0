"""Acts as the dashboard and the command line do them: planned, carried out, stopped, refused and written down."""

import asyncio
from collections import Counter
from typing import TypeVar

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.run import NEAR_BATCH
from emqtop.acting.runner import Runner
from emqtop.acting.tally import Progress
from emqtop.demo.server import EmbeddedServer
from emqtop.model.actions import Order, Outcome, Reason, Skip, Verb
from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.where import parse_filter
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from emqtop.wire.echomq import lifecycle
from emqtop.wire.resp import Conversation, ReplyError
from tests.conftest import Hand
from tests.wire.operator.stage import GROUP, HOUR_MS, KEYS, QUEUE, Stage, job

T = TypeVar("T")
ORDERS = QueueId(Family.ECHOMQ, "emq", QUEUE)


async def _do(runner: Runner, client: Client, order: Order, selection: Selection | None = None) -> Outcome:
    return await runner.carry_out(await make_plan(client, order, selection))


async def test_reap_takes_what_has_expired_and_nothing_else(client: Client, runner: Runner, stage: Stage) -> None:
    stage.put(job(1), "active")
    stage.put(job(2), "active", group=GROUP)
    stage.put(job(3), "active", at_ms=HOUR_MS)
    stage.member(job(4), "active")
    outcome = await _do(runner, client, Order(Verb.REAP, ORDERS))
    assert (outcome.matched, outcome.moved) == (3, 2)
    assert [(left.id, left.reason) for left in outcome.skipped] == [(job(4), Reason.NO_ROW)]
    left = stage.dump()
    assert set(left["active"]) == {job(3), job(4)}
    assert set(left["pending"]) == {job(1)}
    assert set(left[f"g:{GROUP}:pending"]) == {job(2)}


async def test_promote_takes_what_is_due_and_early_the_rest(client: Client, runner: Runner, stage: Stage) -> None:
    stage.put(job(1), "schedule", at_ms=-1)
    stage.put(job(2), "schedule", at_ms=HOUR_MS)
    due = await _do(runner, client, Order(Verb.PROMOTE, ORDERS))
    assert (due.matched, due.moved, set(stage.dump()["schedule"])) == (1, 1, {job(2)})
    early = await _do(runner, client, Order(Verb.PROMOTE, ORDERS, early=True), Selection(ids=(job(2),)))
    assert (early.matched, early.moved) == (1, 1)
    assert set(stage.dump()["pending"]) == {job(1), job(2)}


@pytest.mark.parametrize(
    ("order", "place", "wanted"),
    [
        (Order(Verb.REAP, ORDERS), "active", Skip(job(1), Reason.LEASE_LIVE, "lease has 3600 s left")),
        (Order(Verb.REAP, ORDERS), "schedule", Skip(job(1), Reason.MOVED, "it lies in schedule")),
        (Order(Verb.REQUEUE, ORDERS), "schedule", Skip(job(1), Reason.NOT_DEAD, "it lies in schedule")),
        (Order(Verb.REMOVE, ORDERS), None, Skip(job(1), Reason.GONE, "finished or removed by now")),
    ],
    ids=["lease-live", "elsewhere", "not-dead", "gone"],
)
async def test_what_is_refused_by_id(
    client: Client, runner: Runner, stage: Stage, order: Order, place: str | None, wanted: Skip
) -> None:
    if place is not None:
        stage.put(job(1), place, at_ms=HOUR_MS + 400)
    outcome = await _do(runner, client, order, Selection(ids=(job(1),)))
    assert (outcome.matched, outcome.moved) == (1, 0)
    assert outcome.skipped[0].reason == wanted.reason
    assert outcome.skipped[0].detail in {wanted.detail, "lease has 1h00 left"}


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


async def test_a_plan_sends_nothing_but_reads(client: Client, valkey: Hand, stage: Stage) -> None:
    stage.put(job(1), "dead")
    stage.put(job(2), "dead", parent=job(9), parent_queue="bills")
    before = stage.dump()
    valkey("CONFIG", "RESETSTAT")
    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS), dry_run=True)
    assert ([seen.id for seen in plan.jobs], [left.reason for left in plan.skipped]) == ([job(1)], ["flow-child"])
    assert not {"eval", "evalsha", "script|load"} & set(calls(valkey))
    assert stage.dump() == before


async def test_read_only_sends_no_write(client: Client, audit: Audit, valkey: Hand, stage: Stage) -> None:
    stage.put(job(1), "dead")
    runner = Runner(client, audit, read_only=True)
    valkey("CONFIG", "RESETSTAT")
    named = await _do(runner, client, Order(Verb.REQUEUE, ORDERS), Selection(ids=(job(1),)))
    whole = await _do(runner, client, Order(Verb.PAUSE, ORDERS))
    assert [(left.id, left.reason) for left in (*named.skipped, *whole.skipped)] == [
        (job(1), Reason.READ_ONLY),
        (QUEUE, Reason.READ_ONLY),
    ]
    assert not {"eval", "evalsha", "hset", "zadd"} & set(calls(valkey))
    assert not audit.folder.exists()


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
        stop.set()

    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS))
    outcome = await runner.carry_out(plan, stop=stop, on_progress=halt)
    left = stage.dump()
    assert (outcome.moved, outcome.stopped, outcome.unknown) == (NEAR_BATCH, True, ())
    assert (len(left["pending"]), len(left["dead"])) == (NEAR_BATCH, 250 - NEAR_BATCH)
    assert [(progress.done, progress.total) for progress in seen] == [(NEAR_BATCH, 250)]
    (entry,) = audit.entries()
    assert entry.result is not None
    assert (entry.count, entry.result["moved"], entry.result["stopped"]) == (250, NEAR_BATCH, True)


class _Far:
    """A server as far away as its answers to acts are late; counts the jobs of each script call."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.moved: list[int] = []

    async def run(self, conversation: Conversation[T]) -> T:
        if getattr(conversation, "__name__", "") != "requeue":
            return await self._client.run(conversation)
        await asyncio.sleep(0.02)
        answer = await self._client.run(conversation)
        self.moved.append(len(answer))  # type: ignore[arg-type]
        return answer


async def test_a_far_server_gets_larger_calls_but_none_over_a_hundred(
    client: Client, audit: Audit, stage: Stage
) -> None:
    for number in range(1, 251):
        stage.put(job(number), "dead")
    far = _Far(client)
    outcome = await Runner(far, audit).carry_out(await make_plan(client, Order(Verb.REQUEUE, ORDERS)))
    assert (outcome.moved, far.moved) == (250, [NEAR_BATCH, 100, 100, 25])


async def test_a_pace_spreads_the_calls(client: Client, audit: Audit, stage: Stage) -> None:
    for number in range(1, 11):
        stage.put(job(number), "dead")
    far = _Far(client)
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


@pytest.mark.parametrize(("lane", "kept"), [(None, ("meta", {"paused": "1"})), (GROUP, ("paused", {GROUP}))])
async def test_pause_and_resume_say_whether_they_changed_anything(
    client: Client, runner: Runner, stage: Stage, lane: str | None, kept: tuple[str, object]
) -> None:
    stage.put(job(1), "pending", group=GROUP)
    stage.valkey("RPUSH", "emq:{orders}:ring", GROUP)
    numbers = []
    for verb in (Verb.PAUSE, Verb.PAUSE, Verb.RESUME, Verb.RESUME):
        outcome = await _do(runner, client, Order(verb, ORDERS, lane=lane))
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
        outcome = await _do(runner, client, Order(Verb.LIMIT, ORDERS, lane=GROUP, ceiling=ceiling))
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
    outcome = await _do(runner, client, Order(Verb.DRAIN, ORDERS))
    assert (outcome.matched, outcome.moved, [left.reason for left in outcome.skipped]) == (3, 2, ["flow-child"])
    left = stage.dump()
    assert {key for key in left if key.startswith("job:")} == {f"job:{job(3)}", f"job:{job(4)}"}
    assert set(left["pending"]) == {job(3)}


async def test_obliterate_wants_a_paused_and_idle_queue(client: Client, runner: Runner, stage: Stage) -> None:
    for number in range(1, 151):
        stage.put(job(number), "dead")
    stage.put(job(200), "active", group=GROUP)
    stage.put(job(201), "pending", group=GROUP)
    reasons = [(await _do(runner, client, Order(Verb.OBLITERATE, ORDERS))).skipped[0].reason]
    await _do(runner, client, Order(Verb.PAUSE, ORDERS))
    reasons.append((await _do(runner, client, Order(Verb.OBLITERATE, ORDERS))).skipped[0].reason)
    outcome = await _do(runner, client, Order(Verb.OBLITERATE, ORDERS, force=True))
    assert reasons == [Reason.PAUSED, Reason.LEASE_LIVE]
    assert (outcome.matched, outcome.moved, stage.dump()) == (152, 152, {})


async def test_an_act_that_a_family_does_not_have_is_refused(client: Client, runner: Runner) -> None:
    queue = QueueId(Family.BULLMQ, "bull", "mail")
    outcome = await _do(runner, client, Order(Verb.OBLITERATE, queue))
    assert (outcome.moved, [left.reason for left in outcome.skipped]) == (0, [Reason.NOT_SUPPORTED])


async def test_a_server_that_withholds_a_right_changes_nothing(valkey: Hand, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead")
    valkey("ACL", "SETUSER", "viewer", "on", ">secret", "~*", "+@all", "-eval", "-evalsha")
    before = stage.dump()
    viewer = await Client.open(parse_address(valkey.url.replace("unix://", "unix://viewer:secret@")))
    try:
        outcome = await _do(Runner(viewer, audit), viewer, Order(Verb.REQUEUE, ORDERS))
    finally:
        await viewer.close()
        valkey("ACL", "DELUSER", "viewer")
    assert [(left.id, left.reason) for left in outcome.skipped] == [(job(1), Reason.NOT_PERMITTED)]
    assert stage.dump() == before


@pytest.mark.parametrize(
    "order",
    [
        Order(Verb.PAUSE, ORDERS, lane="no group"),
        Order(Verb.LIMIT, ORDERS, ceiling=3),
        Order(Verb.LIMIT, ORDERS, lane=GROUP, ceiling=0),
        Order(Verb.EXTEND, ORDERS),
    ],
    ids=lambda order: order.verb,
)
async def test_an_order_that_cannot_be_meant_is_refused_before_anything_is_sent(
    client: Client, valkey: Hand, order: Order
) -> None:
    valkey("CONFIG", "RESETSTAT")
    with pytest.raises(ValueError, match=r"limit wants|extend wants|not a branded"):
        await make_plan(client, order, Selection(ids=(job(1),)))
    assert set(calls(valkey)) <= {"config|resetstat", "info"}


async def test_dead_letter_by_location(client: Client, runner: Runner, stage: Stage) -> None:
    for number in range(1, 4):
        stage.put(job(number), "schedule", at_ms=HOUR_MS)
    order = Order(Verb.DEAD_LETTER, ORDERS, error="parked")
    with pytest.raises(ValueError, match="wants ids or a location"):
        await make_plan(client, order)
    outcome = await _do(runner, client, order, Selection(location=Location.SCHEDULE))
    assert (outcome.moved, stage.dump()["metrics:failed"]) == (3, {"count": "3"})


def calls(valkey: Hand) -> dict[str, int]:
    """How often each command ran since the server's counters were set to 0."""
    lines = valkey("INFO", "commandstats").decode().splitlines()  # type: ignore[union-attr]
    pairs = (line.removeprefix("cmdstat_").split(":calls=") for line in lines if ":calls=" in line)
    return {name: int(rest.split(",")[0]) for name, rest in pairs}


async def test_a_look_up_is_bounded(client: Client, stage: Stage) -> None:
    for number in range(1, 601):
        stage.put(job(number), "dead", last_error="rare" if number == 600 else "boom")
    rare = parse_filter("error=rare")
    whole = await make_plan(client, Order(Verb.REQUEUE, ORDERS), Selection(where=rare))
    part = await make_plan(client, Order(Verb.REQUEUE, ORDERS), Selection(where=rare, scan=500))
    assert ([seen.id for seen in whole.jobs], whole.stopped) == ([job(600)], False)
    assert (part.jobs, part.stopped) == ((), True)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (("DEL", f"emq:{{orders}}:job:{job(1)}"), Reason.NO_ROW),
        (("HDEL", f"emq:{{orders}}:job:{job(1)}", "payload"), Reason.NO_PAYLOAD),
        (("ZADD", "emq:{orders}:pending", 0, job(1)), Reason.SECOND_LOCATION),
        (("HSET", f"emq:{{orders}}:job:{job(1)}", "state", "active"), Reason.STATE_DIFFERS),
    ],
    ids=lambda value: value if isinstance(value, Reason) else "",
)
@pytest.mark.parametrize("named", [False, True], ids=["all", "by id"])
async def test_a_damaged_job_is_known_before_the_act(
    client: Client, runner: Runner, stage: Stage, named: bool, damage: tuple[str | int, ...], reason: Reason
) -> None:
    stage.put(job(1), "dead")
    stage.put(job(2), "dead")
    stage.valkey(*damage)
    before = stage.dump()
    plan = await make_plan(client, Order(Verb.REQUEUE, ORDERS), Selection(ids=(job(1),)) if named else None)
    assert [(left.id, left.reason) for left in plan.skipped] == [(job(1), reason)]
    assert [seen.id for seen in plan.jobs] == ([] if named else [job(2)])
    await runner.carry_out(plan)
    after = stage.dump()
    assert after == before if named else after["dead"] == {job(1): 0.0}


async def test_a_replica_is_not_written_to(audit: Audit) -> None:
    with EmbeddedServer() as server:
        hand = Hand(server.url)
        stage = Stage(hand)
        stage.put(job(1), "dead")
        hand("REPLICAOF", "127.0.0.1", 1)
        before = stage.dump()
        client = await Client.open(parse_address(server.url))
        outcome = await _do(Runner(client, audit), client, Order(Verb.REQUEUE, ORDERS))
        assert [(left.reason, left.detail[:8]) for left in outcome.skipped] == [(Reason.NOT_PERMITTED, "READONLY")]
        assert stage.dump() == before
        await client.close()
        hand.link.close()


async def test_a_server_out_of_memory_is_left_whole(audit: Audit) -> None:
    """Acts that write a row first are refused whole; those that make room go through."""
    with EmbeddedServer() as server:
        hand = Hand(server.url)
        stage = Stage(hand)
        stage.put(job(1), "dead")
        stage.put(job(2), "pending")
        hand("CONFIG", "SET", "maxmemory", 1)
        before = stage.dump()
        client = await Client.open(parse_address(server.url))
        runner = Runner(client, audit)
        outcome = await _do(runner, client, Order(Verb.REQUEUE, ORDERS))
        assert [(left.reason, left.detail[:3]) for left in outcome.skipped] == [(Reason.NOT_PERMITTED, "OOM")]
        assert stage.dump() == before
        removed = await _do(runner, client, Order(Verb.REMOVE, ORDERS), Selection(ids=(job(1),)))
        assert (removed.moved, "dead" in stage.dump()) == (1, False)
        await client.close()
        hand.link.close()


async def test_words_that_nobody_knows_pass_through(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead")

    class Ceiling(_Far):
        async def run(self, conversation: Conversation[T]) -> T:
            if getattr(conversation, "__name__", "") == "requeue":
                raise ReplyError("EMQRATE at concurrency ceiling")
            return await self._client.run(conversation)

    outcome = await _do(Runner(Ceiling(client), audit), client, Order(Verb.REQUEUE, ORDERS))
    assert [(left.reason, left.detail) for left in outcome.skipped] == [
        (Reason.NOT_SUPPORTED, "EMQRATE at concurrency ceiling")
    ]
