"""The processes of one server side by side: a lost one holds no other up, and slots that move are followed."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence

from emqtop.model.queue import QueueId
from emqtop.sampling.node import Node
from emqtop.settings import Settings
from emqtop.wire.address import Address
from emqtop.wire.client import Client
from emqtop.wire.errors import SourceError
from emqtop.wire.server import Facts

LATE_S = 1.0
"""How long the others wait for a node that is slower than the first, in seconds."""
MOST_ROUTED = 50
"""Queues a tick that are read through redirections: their slots move, or their keys lie in several."""


class Nodes:
    """Every process that holds queues.

    Args:
        settings: prefixes, family, queues, timeout.
        client: tells which there are, and follows redirections.
        wake: called with queues that are said to have moved; None: all may have.
    """

    def __init__(self, settings: Settings, client: Client, wake: Callable[[Iterable[QueueId] | None], None]) -> None:
        self._settings = settings
        self._client = client
        self._wake = wake
        self._nodes: dict[Address, Node] = {}
        self._busy: dict[Address, asyncio.Task[None]] = {}

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def facts(self) -> Facts:
        """What the first node that answers tells of itself."""
        return next((node for node in self if node.sampler.lost is None), next(iter(self))).facts

    @property
    def anywhere(self) -> Address | None:
        """A process that answers; None: none is known."""
        return next((address for address, node in self._nodes.items() if node.sampler.lost is None), None)

    async def sample(self, shown: Sequence[QueueId]) -> None:
        """Read what is due on each node; one that is lost is marked, and its queues with it.

        Raises:
            Unreachable, LoginRefused, Frozen: no node can be asked.
        """
        await self._keep(self._client.nodes)
        for address, node in self._nodes.items():
            if address not in self._busy:
                self._busy[address] = asyncio.create_task(node.sample(shown), name="emqtop-node")
        failures = [error for error in await self._outcomes() if error is not None]
        if failures and all(node.sampler.lost is not None for node in self):
            raise failures[0]
        if failures or self._is_turned_round():
            self._client.doubt()
        if len(self._nodes) > 1:
            await self._follow_slots()

    async def close(self) -> None:
        """Hang up; harmless when done twice."""
        await self._keep(())

    def limits(self) -> Iterable[str]:
        """What is withheld or lost, in words."""
        for address, node in self._nodes.items():
            yield from node.limits()
            if (lost := node.sampler.lost) is not None:
                yield lost if address.label in lost else f"{address.label}: {lost}"

    async def _keep(self, addresses: Sequence[Address]) -> None:
        for address in [address for address in self._nodes if address not in addresses]:
            if (task := self._busy.pop(address, None)) is not None:
                task.cancel()
                await asyncio.wait((task,))
            await self._nodes.pop(address).close()
        for address in addresses:
            if address not in self._nodes:
                self._nodes[address] = Node(address, self._settings, self._wake)

    async def _outcomes(self) -> list[SourceError | None]:
        """What became of each node's sample; those that are still on their way keep their task for the next time."""
        try:
            await asyncio.wait(self._busy.values(), return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait(self._busy.values(), timeout=LATE_S)
        except asyncio.CancelledError:
            for task in self._busy.values():
                task.cancel()
            self._busy.clear()
            raise
        return [self._outcome(address, node) for address, node in self._nodes.items()]

    def _outcome(self, address: Address, node: Node) -> SourceError | None:
        if not self._busy[address].done():
            node.sampler.lost = "The server does not answer"
            return None
        error = self._busy.pop(address).exception()
        if error is not None and not isinstance(error, SourceError):
            raise error
        node.sampler.lost = None if error is None else str(error)
        return error

    def _is_turned_round(self) -> bool:
        """Has the master that Sentinels named become a replica?"""
        return self._client.address.sentinel_master is not None and self.facts.role == "replica"

    async def _follow_slots(self) -> None:
        moving = [
            (node, queue, str(read.error))
            for node in self
            for queue, entry in node.sampler.entries.items()
            if (read := entry.queue) is not None and read.error is not None and node.sampler.lost is None
        ]
        routed: dict[QueueId, Node] = {}
        for node, queue, error in moving:
            if error.startswith("ASK ") or node.sampler.is_scattered(queue):
                routed.setdefault(queue, node)
            elif error.startswith("MOVED "):
                self._hand_over(node, queue)
        for queue, node in list(routed.items())[:MOST_ROUTED]:
            await self._read_routed(node, queue)

    def _hand_over(self, node: Node, queue: QueueId) -> None:
        """Each node looks for the queue by its name; who has it will tell."""
        self._client.doubt()
        node.sampler.drop(queue)
        for other in self:
            if other is not node:
                other.sampler.discovery.ask_for([queue])

    async def _read_routed(self, node: Node, queue: QueueId) -> None:
        node.sampler.note(queue, await self._client.read(node.sampler.routed(queue)))
