"""Leases and tokens that no script of EchoMQ writes, but others do: each is compared as it was shown."""

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection
from emqtop.acting.runner import Runner
from emqtop.acting.undo import undo
from emqtop.model.actions import Order, Reason, Verb
from emqtop.wire.client import Client
from tests.acting.acts import ORDERS, do
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import P, Stage, job

ROW = f"{P}job:{job(1)}"
TAKING = [Order(Verb.REAP, ORDERS), Order(Verb.DEAD_LETTER, ORDERS, error="why"), Order(Verb.REMOVE, ORDERS)]
FORCED = [
    Order(Verb.REAP, ORDERS, force=True),
    Order(Verb.DEAD_LETTER, ORDERS, error="why", force=True),
    Order(Verb.REMOVE, ORDERS, force=True),
    Order(Verb.EXTEND, ORDERS, by_ms=60_000),
]
ONE = Selection(ids=(job(1),))


@pytest.mark.parametrize("score", ["-inf", "-1.5", "0.5", "1790000000000.25"])
@pytest.mark.parametrize("order", [*TAKING, Order(Verb.EXTEND, ORDERS, by_ms=60_000)], ids=lambda order: order.verb)
async def test_a_lease_with_a_fraction_is_no_renewed_one(
    client: Client, runner: Runner, stage: Stage, order: Order, score: str
) -> None:
    stage.put(job(1), "active")
    stage.valkey("ZADD", f"{P}active", score, job(1))
    outcome = await do(runner, client, order, ONE)
    assert (outcome.moved, outcome.skipped) == (1, ())
    if order.verb is not Verb.EXTEND:
        assert stage.valkey("ZSCORE", f"{P}active", job(1)) is None


@pytest.mark.parametrize("score", ["inf", "1e15", "1e18", "9007199254740993"])
async def test_a_lease_without_an_end_is_live(client: Client, runner: Runner, stage: Stage, score: str) -> None:
    stage.put(job(1), "active")
    stage.valkey("ZADD", f"{P}active", score, job(1))
    before = stage.dump()
    for order in TAKING:
        outcome = await do(runner, client, order, ONE)
        assert [left.reason for left in outcome.skipped] == [Reason.LEASE_LIVE]
    assert stage.dump() == before


@pytest.mark.parametrize("score", ["inf", "1e15", "1e18", "9007199254740993"])
@pytest.mark.parametrize("order", FORCED, ids=lambda order: order.verb)
async def test_force_reaches_a_lease_without_an_end(
    client: Client, runner: Runner, stage: Stage, order: Order, score: str
) -> None:
    stage.put(job(1), "active")
    stage.valkey("ZADD", f"{P}active", score, job(1))
    outcome = await do(runner, client, order, ONE)
    assert (outcome.moved, outcome.skipped) == (1, ())


@pytest.mark.parametrize(
    ("token", "raised"),
    [
        (b"3", b"4"),
        (b"007", b"8"),
        (b" 3", b"4"),
        (b"3.5", b"4"),
        (b"1e3", b"1001"),
        (b"", b"1"),
        (b"abc", b"1"),
        (b"-1", b"0"),
        (b"9007199254740993", b"9007199254740992"),
    ],
)
async def test_a_foreign_token_is_kept_where_nobody_is_fenced_off_and_raised_where_somebody_is(
    client: Client, runner: Runner, stage: Stage, valkey: Hand, token: bytes, raised: bytes
) -> None:
    stage.put(job(1), "dead")
    valkey("HSET", ROW, "attempts", token)
    assert (await do(runner, client, Order(Verb.REQUEUE, ORDERS), ONE)).moved == 1
    assert valkey("HGET", ROW, "attempts") == token
    valkey("ZREM", f"{P}pending", job(1))
    stage.member(job(1), "active")
    valkey("HSET", ROW, "state", "active")
    assert (await do(runner, client, Order(Verb.DEAD_LETTER, ORDERS, error="why"), ONE)).moved == 1
    assert valkey("HGET", ROW, "attempts") == raised


async def test_a_removed_job_comes_back_with_a_foreign_token(
    client: Client, runner: Runner, audit: Audit, stage: Stage, valkey: Hand
) -> None:
    stage.put(job(1), "active")
    valkey("HSET", ROW, "attempts", "3.5")
    await do(runner, client, Order(Verb.REMOVE, ORDERS), ONE)
    (entry,) = audit.entries()
    outcome = await undo(client, audit, entry)
    assert (outcome.moved, valkey("HGET", ROW, "attempts")) == (1, b"4")
    assert valkey("ZSCORE", f"{P}active", job(1)) is not None


async def test_a_job_that_is_never_due_goes_back_to_the_schedule(
    client: Client, runner: Runner, audit: Audit, stage: Stage, valkey: Hand
) -> None:
    stage.put(job(1), "schedule")
    valkey("ZADD", f"{P}schedule", "inf", job(1))
    await do(runner, client, Order(Verb.DEAD_LETTER, ORDERS, error="why"), ONE)
    (entry,) = audit.entries()
    outcome = await undo(client, audit, entry)
    assert (outcome.moved, valkey("ZSCORE", f"{P}schedule", job(1))) == (1, b"9007199254740992")
