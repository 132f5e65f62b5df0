"""A server that is killed in the middle of a bulk act: what was in flight is unknown until it can be read again."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import make_plan
from emqtop.acting.run import NEAR_BATCH
from emqtop.acting.runner import Runner
from emqtop.model.actions import Order, Reason, Verb
from emqtop.model.queue import Family, QueueId
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from tests.conftest import Hand
from tests.servers.process import ServerProcess
from tests.wire.echomq.operator.stage import QUEUE, Stage, job

REQUEUE = Order(Verb.REQUEUE, QueueId(Family.ECHOMQ, "emq", QUEUE))
JOBS = 4 * NEAR_BATCH

pytestmark = pytest.mark.usefixtures("near")


class Killing:
    """A client whose server is killed as the second conversation of this name begins.

    Args:
        client: to the server.
        server: the one to kill.
        at: name of the conversation.
        comes_back: is it started again, empty, at the next look?
    """

    def __init__(self, client: Client, server: ServerProcess, at: str, *, comes_back: bool = False) -> None:
        self._client, self._server, self._at, self._comes_back = client, server, at, comes_back
        self._met, self._is_dead = 0, False
        self.sent: list[str] = []

    async def run(self, conversation):  # type: ignore[no-untyped-def]
        name = conversation.__name__
        self.sent.append(name)
        self._met += name == self._at
        if self._met == 2 and name == self._at:
            self._server.kill()
            self._is_dead = True
        elif self._is_dead and self._comes_back:
            self._is_dead = False
            self._server.start()
        return await self._client.run(conversation)


@contextmanager
def staged(server: ServerProcess) -> Iterator[None]:
    hand = Hand(server.url)
    stage = Stage(hand)
    for number in range(1, JOBS + 1):
        stage.put(job(number), "dead", last_error=f"error {number}")
    yield
    hand.link.close()


@pytest.mark.parametrize(("at", "unknown"), [("requeue", NEAR_BATCH), ("ready", 0)])
async def test_a_server_that_stays_away(lone_server: ServerProcess, audit: Audit, at: str, unknown: int) -> None:
    client = await Client.open(parse_address(lone_server.url), timeout_s=1)
    with staged(lone_server):
        plan = await make_plan(client, REQUEUE)
        link = Killing(client, lone_server, at)
        outcome = await Runner(link, audit, patience_s=0.5).carry_out(plan)
    await client.close()
    assert (outcome.matched, outcome.moved, outcome.skipped) == (JOBS, NEAR_BATCH, ())
    assert outcome.unknown == tuple(job(number) for number in range(26, 26 + unknown))
    assert (outcome.stopped, outcome.not_begun) == (True, JOBS - NEAR_BATCH - unknown)
    assert outcome.lost.startswith("The server cannot be reached")
    (entry,) = audit.entries()
    assert entry.result is not None
    assert entry.result["lost"] == outcome.lost


async def test_a_server_that_comes_back_empty_is_read_and_given_nothing_more(
    lone_server: ServerProcess, audit: Audit
) -> None:
    client = await Client.open(parse_address(lone_server.url), timeout_s=1)
    with staged(lone_server):
        plan = await make_plan(client, REQUEUE)
        link = Killing(client, lone_server, "requeue", comes_back=True)
        outcome = await Runner(link, audit, patience_s=20).carry_out(plan)
    await client.close()
    assert (outcome.moved, outcome.unknown, outcome.stopped) == (NEAR_BATCH, (), True)
    assert {(left.reason, left.detail) for left in outcome.skipped} == {
        (Reason.GONE, "not there when the server was back: finished, removed, or lost with the server")
    }
    assert len(outcome.skipped) == NEAR_BATCH
    assert outcome.lost
    assert link.sent.count("requeue") == 2
