"""An act that was sent and not answered: unknown at first, then what really came of it, and never sent again."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import make_plan
from emqtop.acting.run import NEAR_BATCH
from emqtop.acting.runner import Runner
from emqtop.demo.server import EmbeddedServer
from emqtop.model.actions import Order, Verb
from emqtop.model.queue import Family, QueueId
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from emqtop.wire.scripts import script
from tests.acting.acts import calls
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import QUEUE, Stage, job

ORDERS = QueueId(Family.ECHOMQ, "emq", QUEUE)
REQUEUE = Order(Verb.REQUEUE, ORDERS)


class Frozen:
    """A server of one's own that can be stopped in its tracks."""

    def __init__(self, server: EmbeddedServer) -> None:
        self.hand = Hand(server.url)
        self.stage = Stage(self.hand)
        info = self.hand("INFO", "server").decode()  # type: ignore[union-attr]
        self._pid = int(next(line for line in info.splitlines() if line.startswith("process_id:"))[11:])

    def freeze(self) -> None:
        os.kill(self._pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self._pid, signal.SIGCONT)


@pytest.fixture
async def frozen() -> AsyncIterator[tuple[Frozen, Client]]:
    with EmbeddedServer() as server:
        ice = Frozen(server)
        client = await Client.open(parse_address(server.url), timeout_s=0.3)
        yield ice, client
        ice.thaw()
        await client.close()
        ice.hand.link.close()


async def test_unknown_then_the_truth(frozen: tuple[Frozen, Client], audit: Audit) -> None:
    ice, client = frozen
    for number in range(1, 21):
        ice.stage.put(job(number), "dead")
    plan = await make_plan(client, REQUEUE)
    ice.hand("CONFIG", "RESETSTAT")
    runner = Runner(_FreezeAtTheAct(client, ice), audit, patience_s=20)
    outcome = await runner.carry_out(plan)
    left = ice.stage.dump()
    assert (outcome.matched, outcome.moved, outcome.unknown) == (20, 20, ())
    assert (len(left["pending"]), "dead" in left) == (20, False)
    sent = calls(ice.hand)
    assert (sent["evalsha"], sent.get("eval", 0)) == (1, 0)
    (entry,) = audit.entries()
    assert entry.result is not None
    assert (entry.result["moved"], entry.result["unknown"]) == (20, [])


class _FreezeAtTheAct:
    """A client whose server freezes when an act is sent, and thaws once that was given up."""

    def __init__(self, client: Client, ice: Frozen) -> None:
        self._client = client
        self._ice = ice

    async def run(self, conversation):  # type: ignore[no-untyped-def]
        if conversation.__name__ != "requeue":
            return await self._client.run(conversation)
        # The script is known, so that the act is one command.
        self._ice.hand("SCRIPT", "LOAD", script("operator_requeue").body)
        self._ice.freeze()
        try:
            return await self._client.run(conversation)
        finally:
            self._ice.thaw()


async def test_a_server_that_never_comes_back(frozen: tuple[Frozen, Client], audit: Audit) -> None:
    ice, client = frozen
    for number in range(1, 151):
        ice.stage.put(job(number), "dead")
    plan = await make_plan(client, REQUEUE)

    class Dead(_FreezeAtTheAct):
        async def run(self, conversation):  # type: ignore[no-untyped-def]
            if conversation.__name__ == "requeue":
                self._ice.freeze()
            return await self._client.run(conversation)

    outcome = await Runner(Dead(client, ice), audit, patience_s=1).carry_out(plan)
    assert (outcome.matched, outcome.moved, len(outcome.unknown), outcome.stopped) == (150, 0, NEAR_BATCH, True)
    (entry,) = audit.entries()
    assert entry.result is not None
    assert len(entry.result["unknown"]) == NEAR_BATCH


async def test_a_stop_does_not_wait_for_a_frozen_server(frozen: tuple[Frozen, Client], audit: Audit) -> None:
    ice, client = frozen
    for number in range(1, 11):
        ice.stage.put(job(number), "dead")
    patient = await Client.open(client.address, timeout_s=60)
    plan = await make_plan(patient, REQUEUE)
    stop = asyncio.Event()

    class Freezing(_FreezeAtTheAct):
        async def run(self, conversation):  # type: ignore[no-untyped-def]
            if conversation.__name__ == "requeue":
                self._ice.freeze()
                stop.set()
            return await self._client.run(conversation)

    outcome = await asyncio.wait_for(Runner(Freezing(patient, ice), audit).carry_out(plan, stop=stop), 20)
    await patient.close()
    assert (outcome.moved, len(outcome.unknown), outcome.stopped) == (0, 10, True)
