"""Where to ask: the master that Sentinels name, the owner of a slot in a cluster.

Written without a socket, so that the blocking and the asyncio client find their way by the same steps.
"""

import binascii
import re
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from emqtop.wire.address import Address, Place
from emqtop.wire.errors import SourceError, Unreachable, check_ready
from emqtop.wire.replies import blob, blobs, items, whole
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, drain, pack, reader, text

T = TypeVar("T")

SLOTS = 16384
_MULTI = pack("MULTI")
_SCRIPT = re.compile(rb"\*\d+\r\n\$\d+\r\nEVAL(SHA)?\r\n")
_MOST_TURNS = 4


def slot(key: bytes) -> int:
    """The slot of a key: CRC16 of what stands in its first braces, or of all of it."""
    start = key.find(b"{")
    end = key.find(b"}", start + 1) if start >= 0 else -1
    return binascii.crc_hqx(key[start + 1 : end] if end > start + 1 else key, 0) % SLOTS


@dataclass(slots=True)
class SlotMap:
    """Who owns which slot; changed in place where a node says that one moved."""

    owners: dict[int, Place] = field(default_factory=dict)
    """Owner of each slot that has one."""
    home: Place | None = None
    """The node that told this, so that it answers; None: any may be asked where no key is named."""

    @property
    def masters(self) -> tuple[Place, ...]:
        """Every owner, sorted."""
        return tuple(sorted(set(self.owners.values())))

    def owner(self, key: bytes | None) -> Place:
        """Whom to ask for a key; who told of the slots where there is no key, or no owner.

        Raises:
            Unreachable: nobody owns any slot.
        """
        if key is not None and (place := self.owners.get(slot(key))) is not None:
            return place
        if not self.owners:
            raise Unreachable("no node of the cluster serves a slot")
        return self.home or min(self.owners.values())


@dataclass(frozen=True, slots=True)
class Located:
    """Where a server turned out to be."""

    address: Address
    """The server, or the node of a cluster that told the way."""
    slots: SlotMap | None
    """Owners of slots; None: no cluster."""

    @property
    def nodes(self) -> tuple[Address, ...]:
        """Every process that holds queues."""
        if self.slots is None:
            return (self.address,)
        return tuple(self.address.at(place) for place in self.slots.masters)


Search = Generator[tuple[Address, Ask], list[Reply], Located]
"""Yields whom to ask what, is sent the replies, or is thrown the SourceError that came instead."""


def search(address: Address, known: Iterable[Place] = ()) -> Search:
    """Find the way to a server, whatever its topology.

    Args:
        address: who is asked first.
        known: nodes of a cluster that can be asked where nobody named is left.

    Raises:
        SourceError: nobody of those named could be asked; the reason of the last.
        Unreachable: Sentinels were asked and know no such master.
    """
    if address.sentinel_master is not None:
        return Located((yield from _master(address, address.sentinel_master)), None)
    lost: SourceError = Unreachable(address.label)
    for host in (None if address.path is not None else address.hosts[0], *address.seeds, *known):
        here = address if host is None or (host, address.seeds) == (address.hosts[0], ()) else address.at(host)
        try:
            (reply,) = yield here, Ask(pack("CLUSTER", "SLOTS"), 1)
            check_ready((reply,))
        except SourceError as error:
            lost = error
            continue
        return Located(here, _slot_map(reply, (here.host, here.port)))
    raise lost


def _master(address: Address, name: str) -> Generator[tuple[Address, Ask], list[Reply], Address]:
    lost: SourceError = Unreachable(address.label)
    for host in address.hosts:
        try:
            (reply,) = yield address.sentinel(host), Ask(pack("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name), 1)
        except SourceError as error:
            lost = error
            continue
        found = [blob(part) for part in items(reply)]
        if len(found) == 2 and found[0] is not None and (port := whole(found[1])) is not None:
            return address.at((text(found[0]), port))
        reason = f": {reply}" if isinstance(reply, ReplyError) else ""
        lost = Unreachable(f"the Sentinel knows no master named {name!r}{reason}")
    raise lost


def _slot_map(reply: Reply, here: Place) -> SlotMap | None:
    """None where the server is no cluster, or does not tell; a node without a name is the one that was asked."""
    if isinstance(reply, ReplyError) or not isinstance(reply, list):
        return None
    owners: dict[int, Place] = {}
    for entry in reply:
        first, last, owner = (*items(entry), None, None, None)[:3]
        host, port = (*items(owner), None, None)[:2]
        if isinstance(first, int) and isinstance(last, int) and isinstance(port, int):
            place = (text(blob(host) or b"") or here[0], port)
            owners.update(dict.fromkeys(range(first, last + 1), place))
    return SlotMap(owners, here if here[1] else None)


def routed(talk: Conversation[T], slots: SlotMap) -> Generator[tuple[Place, Ask], list[Reply], T]:
    """A conversation with a cluster: yields whom to ask as well, and follows the word that a slot has moved.

    What was answered MOVED or ASK has not run, so it is sent on; nothing else is ever sent twice. A transaction is not:
    the server has dropped it whole, and its commands alone would be no transaction. Nor is a script after ASK: it would
    meet a part of a queue that is on its way, and write what then keeps the rest from coming.
    """
    try:
        ask = next(talk)
        while True:
            place = slots.owner(ask.key)
            replies = yield place, ask
            if any(_redirection(reply) for reply in replies) and not ask.payload.startswith(_MULTI):
                replies = yield from _follow(ask, replies, place, slots)
            ask = talk.send(replies)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _follow(
    ask: Ask, replies: list[Reply], place: Place, slots: SlotMap
) -> Generator[tuple[Place, Ask], list[Reply], list[Reply]]:
    commands = _commands(ask.payload)
    told = list(replies)
    for _ in range(_MOST_TURNS):
        turned = [at for at, reply in enumerate(told) if _redirection(reply)]
        for at in turned:
            word, number, target = str(told[at]).split(" ")[:3]
            host, _, port = target.rpartition(":")
            there = (host or place[0], int(port))
            if word == "MOVED":
                slots.owners[int(number)] = there
                (told[at],) = yield there, Ask(commands[at], 1)
            elif not _SCRIPT.match(commands[at]):
                _, told[at] = yield there, Ask(pack("ASKING") + commands[at], 2)
    return told


def _redirection(reply: Reply) -> bool:
    return isinstance(reply, ReplyError) and reply.word in {"MOVED", "ASK"} and str(reply).count(" ") >= 2


def _commands(payload: bytes) -> list[bytes]:
    parser = reader()
    parser.feed(payload)
    return [pack(*blobs(command)) for command in drain(parser)]
