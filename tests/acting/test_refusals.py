"""What is refused, by whom and in which words; nothing changes then."""

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.demo.server import EmbeddedServer
from emqtop.model.actions import Order, Reason, Skip, Verb
from emqtop.model.queue import Family, QueueId
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from emqtop.wire.resp import Conversation, ReplyError
from tests.acting.acts import ORDERS, Far, T, calls, do
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull
from tests.wire.echomq.operator.stage import GROUP, HOUR_MS, QUEUE, Stage, job


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
    client: Client, runner: Runner, audit: Audit, stage: Stage, order: Order, place: str | None, wanted: Skip
) -> None:
    if place is not None:
        stage.put(job(1), place, at_ms=HOUR_MS + 400)
    outcome = await do(runner, client, order, Selection(ids=(job(1),)))
    assert (outcome.matched, outcome.moved) == (1, 0)
    assert outcome.skipped[0].reason == wanted.reason
    assert outcome.skipped[0].detail in {wanted.detail, "lease has 1h00 left"}
    assert [entry.ids for entry in audit.entries()] == [(job(1),)]


async def test_read_only_sends_no_write(client: Client, audit: Audit, valkey: Hand, stage: Stage) -> None:
    stage.put(job(1), "dead")
    runner = Runner(client, audit, read_only=True)
    valkey("CONFIG", "RESETSTAT")
    named = await do(runner, client, Order(Verb.REQUEUE, ORDERS), Selection(ids=(job(1),)))
    whole = await do(runner, client, Order(Verb.PAUSE, ORDERS))
    assert [(left.id, left.reason) for left in (*named.skipped, *whole.skipped)] == [
        (job(1), Reason.READ_ONLY),
        (QUEUE, Reason.READ_ONLY),
    ]
    assert not {"eval", "evalsha", "hset", "zadd"} & set(calls(valkey))
    assert not audit.folder.exists()


async def test_a_server_that_withholds_a_right_changes_nothing(valkey: Hand, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead")
    valkey("ACL", "SETUSER", "viewer", "on", ">secret", "~*", "+@all", "-eval", "-evalsha")
    before = stage.dump()
    viewer = await Client.open(parse_address(valkey.url.replace("unix://", "unix://viewer:secret@")))
    try:
        outcome = await do(Runner(viewer, audit), viewer, Order(Verb.REQUEUE, ORDERS))
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
        outcome = await do(Runner(client, audit), client, Order(Verb.REQUEUE, ORDERS))
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
        outcome = await do(runner, client, Order(Verb.REQUEUE, ORDERS))
        assert [(left.reason, left.detail[:3]) for left in outcome.skipped] == [(Reason.NOT_PERMITTED, "OOM")]
        assert stage.dump() == before
        removed = await do(runner, client, Order(Verb.REMOVE, ORDERS), Selection(ids=(job(1),)))
        assert (removed.moved, "dead" in stage.dump()) == (1, False)
        await client.close()
        hand.link.close()


async def test_words_that_nobody_knows_pass_through(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead")

    class Ceiling(Far):
        async def run(self, conversation: Conversation[T]) -> T:
            if getattr(conversation, "__name__", "") == "requeue":
                raise ReplyError("EMQRATE at concurrency ceiling")
            return await self._client.run(conversation)

    outcome = await do(Runner(Ceiling(client), audit), client, Order(Verb.REQUEUE, ORDERS))
    assert [(left.reason, left.detail) for left in outcome.skipped] == [
        (Reason.NOT_SUPPORTED, "EMQRATE at concurrency ceiling")
    ]


@pytest.mark.parametrize("queue", [QueueId(Family.ECHOMQ, "emq", "both"), QueueId(Family.BULLMQ, "emq", "{both}")])
@pytest.mark.parametrize("order", [Verb.PAUSE, Verb.REMOVE, Verb.REQUEUE, Verb.OBLITERATE])
async def test_where_both_families_lie_on_the_same_keys_nothing_is_done(
    client: Client, runner: Runner, valkey: Hand, queue: QueueId, order: Verb
) -> None:
    Bull(valkey, "emq", "{both}", "6.7.0").failed("1")
    valkey("ZADD", "emq:{both}:dead", 0, job(1))
    before = valkey("DBSIZE")
    chosen = None if order in {Verb.PAUSE, Verb.OBLITERATE} else Selection(ids=(job(1),))
    outcome = await do(runner, client, Order(order, queue), chosen)
    (left,) = outcome.skipped
    assert (outcome.moved, left.reason, valkey("DBSIZE")) == (0, Reason.NOT_SUPPORTED, before)
    is_known = (queue.family, order) != (Family.BULLMQ, Verb.OBLITERATE)
    assert is_known == (left.detail == "queues of both families lie on these keys, which are only looked at")


FOREIGN = "{emq}:version is 'other', which is no version of EchoMQ: its queues are only looked at"


@pytest.mark.parametrize(
    ("order", "selection", "left"),
    [
        (Order(Verb.REQUEUE, ORDERS), Selection(), QUEUE),
        (Order(Verb.REQUEUE, ORDERS), Selection(ids=(job(1),)), job(1)),
        (Order(Verb.PAUSE, ORDERS), None, QUEUE),
        (Order(Verb.OBLITERATE, ORDERS, force=True), None, QUEUE),
    ],
    ids=["all", "named", "pause", "obliterate"],
)
async def test_a_foreign_version_fence_lets_nobody_act(
    client: Client,
    runner: Runner,
    valkey: Hand,
    stage: Stage,
    order: Order,
    selection: Selection | None,
    left: str,
) -> None:
    stage.put(job(1), "dead")
    valkey("SET", "{emq}:version", "other")
    before = stage.dump()
    valkey("CONFIG", "RESETSTAT")
    outcome = await do(runner, client, order, selection)
    assert outcome.skipped == (Skip(left, Reason.NOT_SUPPORTED, FOREIGN),)
    assert (outcome.matched, outcome.moved, stage.dump()) == (1, 0, before)
    assert not {"eval", "evalsha"} & set(calls(valkey))


@pytest.mark.parametrize("version", [None, "echomq:2.4.2", "echomq:9.0.0"])
async def test_a_fence_of_echomq_or_none_lets_act(
    client: Client, runner: Runner, valkey: Hand, stage: Stage, version: str | None
) -> None:
    stage.put(job(1), "dead")
    if version is not None:
        valkey("SET", "{emq}:version", version)
    assert (await do(runner, client, Order(Verb.REQUEUE, ORDERS))).moved == 1


async def test_a_foreign_version_fence_lets_bullmq_act(client: Client, runner: Runner, valkey: Hand) -> None:
    valkey("SET", "{emq}:version", "other")
    bull = Bull(valkey, version="6.7.0")
    bull.failed("1")
    assert (await do(runner, client, Order(Verb.REQUEUE, QueueId(Family.BULLMQ, "bull", "mail")))).moved == 1
