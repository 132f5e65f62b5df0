"""A whole server over blocking links: what one-shot commands use, free of redis-py in every topology."""

from collections.abc import Iterable
from typing import TypeVar

from emqtop.wire.address import Address
from emqtop.wire.bare import BareLink
from emqtop.wire.errors import SourceError, Unreachable
from emqtop.wire.resp import Ask, Conversation, Reply, drive
from emqtop.wire.topology import Located, routed, search

T = TypeVar("T")


class BareClient:
    """A server, whatever its topology: alone, behind Sentinels, or a cluster.

    Args:
        address: where to ask for it.
        timeout_s: how long to wait for each connection and each answer, in seconds.

    Raises:
        Unreachable, LoginRefused, Frozen: it cannot be asked.

    Attributes:
        nodes: one link for each process that holds queues and can be asked.
        lost: why the others cannot.
    """

    def __init__(self, address: Address, timeout_s: float = 5.0) -> None:
        self._timeout_s = timeout_s
        self._links: dict[Address, BareLink] = {}
        try:
            self._located = self._search(address)
            self.nodes, self.lost = self._reach(self._located.nodes)
        except BaseException:
            self.close()
            raise

    def run(self, conversation: Conversation[T]) -> T:
        """Hold a conversation, in a cluster with the owners of the keys it names.

        Raises:
            Frozen, Unreachable: as `BareLink.run`.
        """
        if self._located.slots is None:
            return self.nodes[0].run(conversation)
        here = self._located.address
        return drive(routed(conversation, self._located.slots), lambda step: self._ask(here.at(step[0]), step[1]))

    def spent(self) -> tuple[int, int, int]:
        """Commands, bytes sent and bytes received so far."""
        links = self._links.values()
        return (
            sum(link.commands for link in links),
            sum(link.sent_bytes for link in links),
            sum(link.received_bytes for link in links),
        )

    def close(self) -> None:
        """Hang up; harmless when done twice."""
        for link in self._links.values():
            link.close()

    def _reach(self, nodes: Iterable[Address]) -> tuple[tuple[BareLink, ...], tuple[SourceError, ...]]:
        links: list[BareLink] = []
        lost: list[SourceError] = []
        for node in nodes:
            try:
                links.append(self._link(node))
            except SourceError as error:
                lost.append(error)
        if not links:
            raise lost[0] if lost else Unreachable("no node of the cluster serves a slot")
        return tuple(links), tuple(lost)

    def _link(self, address: Address) -> BareLink:
        if address not in self._links:
            self._links[address] = BareLink(address, self._timeout_s)
        return self._links[address]

    def _ask(self, address: Address, ask: Ask) -> list[Reply]:
        (replies,) = self._link(address).stream([ask])
        return replies

    def _search(self, address: Address) -> Located:
        steps = search(address)
        try:
            place, ask = next(steps)
            while True:
                try:
                    replies = self._ask(place, ask)
                except SourceError as error:
                    place, ask = steps.throw(error)
                else:
                    place, ask = steps.send(replies)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
