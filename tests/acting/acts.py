"""What tests of acts share."""

import asyncio
from typing import TypeVar

from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.model.actions import Order, Outcome
from emqtop.model.queue import Family, QueueId
from emqtop.wire.client import Client
from emqtop.wire.resp import Conversation
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import QUEUE

T = TypeVar("T")
ORDERS = QueueId(Family.ECHOMQ, "emq", QUEUE)


async def do(runner: Runner, client: Client, order: Order, selection: Selection | None = None) -> Outcome:
    return await runner.carry_out(await make_plan(client, order, selection))


def calls(valkey: Hand) -> dict[str, int]:
    """How often each command ran since the server's counters were set to 0."""
    lines = valkey("INFO", "commandstats").decode().splitlines()  # type: ignore[union-attr]
    pairs = (line.removeprefix("cmdstat_").split(":calls=") for line in lines if ":calls=" in line)
    return {name: int(rest.split(",")[0]) for name, rest in pairs}


class Far:
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
