"""What the server withholds or keeps as something else is said as such, and leaves no job half moved."""

from collections.abc import AsyncIterator

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection
from emqtop.acting.runner import Runner
from emqtop.acting.words import reason_of
from emqtop.model.actions import Order, Reason, Verb
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from emqtop.wire.resp import ReplyError
from tests.acting.acts import ORDERS, do
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import GROUP, P, Stage, job

PLACES = {
    Verb.REAP: "active",
    Verb.PROMOTE: "schedule",
    Verb.DEAD_LETTER: "active",
    Verb.REQUEUE: "dead",
    Verb.REMOVE: "active",
}
READ_BEFORE = ("exists", "hexists", "hmget", "zmscore", "time")
READ_BETWEEN = ("hget", "lpos", "sismember", "decr")
WRITTEN = ("zadd", "zrem", "hset", "hdel", "hincrby", "rpush", "ltrim", "unlink")


@pytest.fixture
async def fenced(valkey: Hand) -> AsyncIterator[Client]:
    """The client of a user whose rights the test takes away."""
    valkey("ACL", "SETUSER", "fenced", "reset", "on", ">secret", "~*", "&*", "+@all")
    client = await Client.open(parse_address(valkey.url.replace("unix://", "unix://fenced:secret@")))
    yield client
    await client.close()
    valkey("ACL", "DELUSER", "fenced")


def lay_out(stage: Stage, verb: Verb) -> None:
    """A child of a flow, in a lane at its limit with one more job in it, where the verb takes it from."""
    stage.put(job(1), PLACES[verb], group=GROUP, last_error="boom")
    stage.put(job(2), "pending", group=GROUP)
    stage.valkey("HSET", f"{P}glimit", GROUP, 1)
    if verb is Verb.DEAD_LETTER:
        stage.put(job(3), "held")
        stage.valkey("HSET", f"{P}job:{job(1)}", "parent", job(3), "parent_policy", "id")
        stage.valkey("SET", f"{P}job:{job(3)}:dependencies", 2)


@pytest.mark.parametrize("command", [*READ_BEFORE, *READ_BETWEEN, *WRITTEN])
@pytest.mark.parametrize("verb", PLACES, ids=str)
async def test_a_missing_right_is_named_or_not_needed(
    valkey: Hand, stage: Stage, fenced: Client, audit: Audit, verb: Verb, command: str
) -> None:
    lay_out(stage, verb)
    valkey("ACL", "SETUSER", "fenced", f"-{command}")
    before = stage.dump()
    try:
        outcome = await do(Runner(fenced, audit), fenced, Order(verb, ORDERS, error="why"), Selection(ids=(job(1),)))
    except ReplyError as error:
        moved, reasons = 0, [reason_of(error)]
    else:
        moved, reasons = outcome.moved, [left.reason for left in outcome.skipped]
    assert (moved, reasons) in [(1, []), (0, [Reason.NOT_PERMITTED])]
    assert moved or stage.dump() == before


@pytest.mark.parametrize("part", ["pending", "active", "schedule", "dead"])
async def test_a_set_of_the_wrong_type_is_named_as_such(
    valkey: Hand, stage: Stage, client: Client, runner: Runner, part: str
) -> None:
    verb = Verb.REQUEUE if part != "dead" else Verb.REAP
    stage.put(job(1), PLACES[verb])
    valkey("SET", f"{P}{part}", "text")
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        await do(runner, client, Order(verb, ORDERS), Selection(ids=(job(1),)))
