"""A cluster of three masters, put together without a command-line client."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Self

from tests.servers.binaries import Kind
from tests.servers.ports import free_port
from tests.servers.process import CouldNotStart, ServerProcess
from tests.servers.waiting import wait_for

SLOTS = 16_384
_STARTS = (0, 5461, 10_923, SLOTS)


class Cluster:
    """Three masters that share the slots evenly.

    Args:
        kind: which program and release; Redis 6.2 cannot choose its second port.
        node_timeout_ms: after what time a node that does not answer is held to be gone.
    """

    def __init__(self, kind: Kind = "valkey", node_timeout_ms: int = 2000) -> None:
        with ExitStack() as starting:
            self.nodes = tuple(starting.enter_context(_member(kind, node_timeout_ms)) for _ in range(3))
            self._node_timeout_ms = node_timeout_ms
            self._join()
            self._stack = starting.pop_all()

    @property
    def url(self) -> str:
        """The first node."""
        return self.nodes[0].url

    def replica(self, of: ServerProcess) -> ServerProcess:
        """A further node, which follows one of the three and takes its place at CLUSTER FAILOVER."""
        made = self._stack.enter_context(_member(of.kind, self._node_timeout_ms))
        made("CLUSTER", "MEET", "127.0.0.1", of.port, _bus_port(of))
        master = of("CLUSTER", "MYID")
        assert isinstance(master, bytes)
        wait_for(lambda: master in _known(made), "the new node to be known")
        made("CLUSTER", "REPLICATE", master)
        wait_for(lambda: made.info("replication").get("master_link_status") == "up", "the replica to follow")
        # Those who never heard of it give it no vote.
        wait_for(lambda: all(b"slave " + master in _known(node) for node in self.nodes), "all to know the replica")
        return made

    def owner(self, key: str | bytes) -> ServerProcess:
        """The node that serves a key now."""
        slot = self.slot(key)
        for first, last, port in self.slots():
            if first <= slot <= last:
                return next(node for node in self.nodes if node.port == port)
        raise LookupError(f"nobody serves slot {slot}")

    def slot(self, key: str | bytes) -> int:
        """The slot of a key."""
        reply = self.nodes[0]("CLUSTER", "KEYSLOT", key)
        assert isinstance(reply, int)
        return reply

    def slots(self) -> Iterator[tuple[int, int, int]]:
        """First slot, last slot and port of each range, as the first node knows it."""
        reply: Any = self.nodes[0]("CLUSTER", "SLOTS")
        for first, last, owner, *_ in reply:
            yield first, last, owner[1]

    def move(self, key: str | bytes, target: ServerProcess, *, finish: bool = True) -> None:
        """Move the slot of a key, with every key in it, to another node.

        Args:
            key: any key of the slot.
            target: who serves it from then on.
            finish: False leaves it half moved: the keys lie at the target, the slot is still the owner's, and who asks
                for one is answered ASK.
        """
        slot, owner = self.slot(key), self.owner(key)
        target("CLUSTER", "SETSLOT", slot, "IMPORTING", owner("CLUSTER", "MYID"))  # type: ignore[arg-type]
        owner("CLUSTER", "SETSLOT", slot, "MIGRATING", target("CLUSTER", "MYID"))  # type: ignore[arg-type]
        while keys := owner("CLUSTER", "GETKEYSINSLOT", slot, 100):
            assert isinstance(keys, list)
            owner("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)  # type: ignore[arg-type]
        if finish:
            self.finish(key, target)

    def finish(self, key: str | bytes, target: ServerProcess) -> None:
        """End a half move."""
        slot = self.slot(key)
        owner = target("CLUSTER", "MYID")
        for node in (target, *(other for other in self.nodes if other is not target)):
            node("CLUSTER", "SETSLOT", slot, "NODE", owner)  # type: ignore[arg-type]

    def empty(self) -> None:
        """Forget every key, and give each node its own slots back where a test moved them."""
        for node in self.nodes:
            node("FLUSHALL")
            node("SCRIPT", "FLUSH")
        for first, last, port in list(self.slots()):
            for home, start, end in zip(self.nodes, _STARTS, _STARTS[1:], strict=False):
                for slot in range(max(first, start), min(last + 1, end)):
                    if port != home.port:
                        self._give(slot, home)

    def close(self) -> None:
        """End the nodes."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _give(self, slot: int, home: ServerProcess) -> None:
        for node in (home, *(other for other in self.nodes if other is not home)):
            node("CLUSTER", "SETSLOT", slot, "NODE", home("CLUSTER", "MYID"))  # type: ignore[arg-type]

    def _join(self) -> None:
        for epoch, node in enumerate(self.nodes):
            node("CLUSTER", "SET-CONFIG-EPOCH", epoch + 1)
            node("CLUSTER", "ADDSLOTSRANGE", _STARTS[epoch], _STARTS[epoch + 1] - 1)
        for node in self.nodes[1:]:
            self.nodes[0]("CLUSTER", "MEET", "127.0.0.1", node.port, _bus_port(node))
        # The two that were met learn of each other by gossip.
        wait_for(lambda: all(_is_whole(node) for node in self.nodes), "the cluster to come together")


def _member(kind: Kind, node_timeout_ms: int) -> ServerProcess:
    """A node; its second port may turn out to be taken, which nobody can know before."""
    for _ in range(5):
        bus = free_port()
        try:
            node = ServerProcess(
                kind,
                (
                    *("--cluster-enabled", "yes", "--cluster-port", str(bus)),
                    *("--cluster-node-timeout", str(node_timeout_ms), "--cluster-replica-no-failover", "no"),
                    *("--repl-diskless-sync-delay", "0"),
                ),
            )
        except CouldNotStart:
            continue
        return node
    raise CouldNotStart("no two free ports")


def _is_whole(node: ServerProcess) -> bool:
    raw = node("CLUSTER", "INFO")
    assert isinstance(raw, bytes)
    return {b"cluster_state:ok", b"cluster_known_nodes:3"} <= set(raw.splitlines())


def _known(node: ServerProcess) -> bytes:
    told = node("CLUSTER", "NODES")
    assert isinstance(told, bytes)
    return told


def _bus_port(node: ServerProcess) -> int:
    told = node("CONFIG", "GET", "cluster-port")
    assert isinstance(told, list)
    assert isinstance(told[1], bytes)
    return int(told[1])
