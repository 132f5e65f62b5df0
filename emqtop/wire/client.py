"""The whole server as the dashboard and the acts reach it: its nodes, and links for what people do."""

import asyncio
import time
from typing import Self, TypeVar

from emqtop.wire.address import Address, Place
from emqtop.wire.errors import SourceError
from emqtop.wire.link import Link
from emqtop.wire.resp import Ask, Conversation, Reply, drive_async
from emqtop.wire.topology import Located, SlotMap, routed, search

T = TypeVar("T")

SLOTS_S = 10.0
"""How often a cluster is asked who owns what, in seconds."""
MASTER_S = 1.0
"""How often Sentinels are asked who is master, in seconds: the old one may live on for long after a failover."""


class Client:
    """A server, whatever its topology: alone, behind Sentinels, or a cluster.

    Args:
        address: where to ask for it.
        timeout_s: how long to wait for each connection and each answer, in seconds.
    """

    def __init__(self, address: Address, timeout_s: float = 5.0) -> None:
        self.address = address
        self.timeout_s = timeout_s
        self._located: Located | None = None
        self._located_at = 0.0
        self._acts = _Lane("emqtop-act", address, timeout_s)
        self._looks = _Lane("emqtop-page", address, timeout_s)
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, address: Address, timeout_s: float = 5.0) -> Self:
        """Connect and log in.

        Raises:
            Unreachable, LoginRefused, Frozen: it did not work.
        """
        client = cls(address, timeout_s)
        try:
            await client.settle()
            await client._acts.link(client.anywhere).connect()
        except BaseException:
            await client.close()
            raise
        return client

    @property
    def nodes(self) -> tuple[Address, ...]:
        """The processes to sample: one, or every master of a cluster; as of the last `settle`."""
        return self._located.nodes if self._located is not None else (self.address,)

    @property
    def anywhere(self) -> Address:
        """A process that answers, as of the last `settle`."""
        return self._located.address if self._located is not None else self.address

    def doubt(self) -> None:
        """Ask for the way again before the next word: something there is not as it was."""
        self._located_at = 0.0

    async def settle(self) -> None:
        """Find the way to the server where it is not known, or may be another one by now.

        Raises:
            Unreachable, LoginRefused, Frozen: it was never found, and nobody could be asked.
        """
        async with self._turn:
            if not self._may_be_elsewhere():
                return
            try:
                self._located = await self._search()
            except SourceError:
                # The server itself may answer where those who know the way do not.
                if self._located is None:
                    raise
            self._located_at = time.monotonic()

    async def run(self, conversation: Conversation[T], timeout_s: float | None = None) -> T:
        """Hold a conversation on the link for acts, which no sample ever blocks.

        Raises:
            Frozen, Unreachable, LoginRefused: as `Link.run`; what was sent is never sent again.
        """
        return await self._hold(self._acts, conversation, timeout_s)

    async def read(self, conversation: Conversation[T], timeout_s: float | None = None) -> T:
        """Hold a conversation that only reads, on a link of its own, so that no act waits for a page.

        Raises:
            Frozen, Unreachable, LoginRefused: as `Link.run`.
        """
        return await self._hold(self._looks, conversation, timeout_s)

    async def close(self) -> None:
        """Hang up; harmless when done twice."""
        await self._acts.close()
        await self._looks.close()

    async def _hold(self, lane: "_Lane", conversation: Conversation[T], timeout_s: float | None) -> T:
        await self.settle()
        assert self._located is not None
        try:
            if self._located.slots is None:
                return await lane.link(self._located.address).run(conversation, timeout_s)
            return await lane.route(conversation, self._located.slots, timeout_s)
        except SourceError:
            self.doubt()
            raise

    def _may_be_elsewhere(self) -> bool:
        if self._located is None:
            return True
        age_s = time.monotonic() - self._located_at
        if self.address.sentinel_master is not None:
            return age_s > MASTER_S
        return self._located.slots is not None and age_s > SLOTS_S

    async def _search(self) -> Located:
        slots = self._located.slots if self._located is not None else None
        steps = search(self.address, slots.masters if slots is not None else ())
        try:
            address, ask = next(steps)
            while True:
                try:
                    (replies,) = await self._acts.link(address).stream([ask])
                except SourceError as error:
                    address, ask = steps.throw(error)
                else:
                    address, ask = steps.send(replies)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


class _Lane:
    """The links of one purpose, one per node that was ever asked."""

    def __init__(self, name: str, address: Address, timeout_s: float) -> None:
        self._name = name
        self._address = address
        self._timeout_s = timeout_s
        self._links: dict[Address, Link] = {}
        self._turn = asyncio.Lock()

    def link(self, address: Address) -> Link:
        """The link to a node."""
        if address not in self._links:
            self._links[address] = Link(address, timeout_s=self._timeout_s, name=self._name)
        return self._links[address]

    async def route(self, conversation: Conversation[T], slots: SlotMap, timeout_s: float | None) -> T:
        """Hold a conversation with the owners of the keys it names; one at a time."""
        async with self._turn:
            return await drive_async(routed(conversation, slots), lambda step: self._ask(*step, timeout_s))

    async def _ask(self, place: Place, ask: Ask, timeout_s: float | None) -> list[Reply]:
        (replies,) = await self.link(self._address.at(place)).stream([ask], timeout_s)
        return replies

    async def close(self) -> None:
        """Hang up."""
        for link in self._links.values():
            await link.close()
