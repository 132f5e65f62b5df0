"""The whole server as the dashboard and the acts reach it: its nodes, and a link for what people do."""

from dataclasses import dataclass
from typing import Self, TypeVar

from emqtop.wire.address import Address
from emqtop.wire.link import Link
from emqtop.wire.resp import Conversation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Node:
    """One server process that holds queues."""

    address: Address
    """Where it is."""


class Client:
    """A server, whatever its topology; use `Client.open`.

    Args:
        address: where it is.
        timeout_s: how long to wait for each connection and each answer, in seconds.
    """

    def __init__(self, address: Address, timeout_s: float = 5.0) -> None:
        self.address = address
        self.timeout_s = timeout_s
        self.nodes: tuple[Node, ...] = (Node(address),)
        """The processes to sample: one, or every master of a cluster."""
        self._acts = Link(address, timeout_s=timeout_s, name="emqtop-act")
        self._looks = Link(address, timeout_s=timeout_s, name="emqtop-page")

    @classmethod
    async def open(cls, address: Address, timeout_s: float = 5.0) -> Self:
        """Connect and log in.

        Raises:
            Unreachable, LoginRefused, Frozen: it did not work.
        """
        client = cls(address, timeout_s)
        await client._acts.connect()
        return client

    async def run(self, conversation: Conversation[T], timeout_s: float | None = None) -> T:
        """Hold a conversation on the link for acts, which no sample ever blocks.

        Raises:
            Frozen, Unreachable, LoginRefused: as `Link.run`; what was sent is never sent again.
        """
        return await self._acts.run(conversation, timeout_s)

    async def read(self, conversation: Conversation[T], timeout_s: float | None = None) -> T:
        """Hold a conversation that only reads, on a link of its own, so that no act waits for a page.

        Raises:
            Frozen, Unreachable, LoginRefused: as `Link.run`.
        """
        return await self._looks.run(conversation, timeout_s)

    async def close(self) -> None:
        """Hang up; harmless when done twice."""
        await self._acts.close()
        await self._looks.close()
