"""A master, its replica, and three Sentinels that watch them."""

from contextlib import ExitStack
from typing import Self

from tests.servers.binaries import Kind
from tests.servers.process import ServerProcess
from tests.servers.waiting import wait_for

MASTER = "main"
"""The name under which the Sentinels know the master."""

_WATCH = """
sentinel monitor {name} 127.0.0.1 {port} 2
sentinel down-after-milliseconds {name} {down_ms}
sentinel failover-timeout {name} 3000
"""


class Trio:
    """Two servers and three Sentinels.

    Args:
        kind: which program and release.
        down_after_ms: how long the master may be silent before it is held to be down.
    """

    def __init__(self, kind: Kind = "valkey", down_after_ms: int = 500) -> None:
        with ExitStack() as starting:
            self.first = starting.enter_context(ServerProcess(kind, ("--repl-diskless-sync-delay", "0")))
            """Master at the start."""
            replica = ("--replicaof", "127.0.0.1", str(self.first.port), "--repl-diskless-sync-delay", "0")
            self.second = starting.enter_context(ServerProcess(kind, replica))
            """Replica at the start."""
            watch = _WATCH.format(name=MASTER, port=self.first.port, down_ms=down_after_ms)
            wait_for(lambda: self.second.info("replication")["master_link_status"] == "up", "the replica to follow")
            self.sentinels = tuple(
                starting.enter_context(ServerProcess(kind, ("--sentinel",), config=watch)) for _ in range(3)
            )
            wait_for(self._agree, "the Sentinels to meet")
            self._stack = starting.pop_all()

    @property
    def master(self) -> ServerProcess:
        """Who is master now, as the first Sentinel knows it."""
        told = self.sentinels[0]("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER)
        assert isinstance(told, list)
        return next(each for each in (self.first, self.second) if b"%d" % each.port == told[1])

    def url(self, at: int = 0) -> str:
        """One of the Sentinels as `redis+sentinel://host:port/name`."""
        return f"redis+sentinel://127.0.0.1:{self.sentinels[at].port}/{MASTER}"

    def fail_over(self) -> ServerProcess:
        """Let the Sentinels make the replica the master; returns it once it is one."""
        old = self.master
        self.sentinels[0]("SENTINEL", "FAILOVER", MASTER)
        wait_for(lambda: self.master is not old and self.master.info("replication")["role"] == "master", "a failover")
        return self.master

    def close(self) -> None:
        """End all five."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _agree(self) -> bool:
        return all(self._knows_all(sentinel) for sentinel in self.sentinels)

    def _knows_all(self, sentinel: ServerProcess) -> bool:
        flat = sentinel("SENTINEL", "MASTER", MASTER)
        assert isinstance(flat, list)
        told = dict(zip(flat[::2], flat[1::2], strict=True))
        return (told[b"num-slaves"], told[b"num-other-sentinels"], told[b"flags"]) == (b"1", b"2", b"master")
