"""The servers of a bench: each started and filled at its first use, all ended with it."""

from contextlib import ExitStack
from functools import cached_property
from typing import Self

from emqtop.settings import Secret, Settings
from tests.bench import seeds
from tests.servers.process import ServerProcess

QUEUES = 10_000
ROWS = 100
"""Of each of them: a million in all."""


class World:
    """A context manager."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    @cached_property
    def wide(self) -> ServerProcess:
        """10,000 EchoMQ queues with a hundred rows each."""
        server = self.fresh()
        seeds.fill(path_of(server), QUEUES, ROWS)
        return server

    @cached_property
    def deep(self) -> ServerProcess:
        """1,000 EchoMQ queues with a thousand rows each, so a million keys name a queue."""
        server = self.fresh()
        seeds.fill(path_of(server), 1_000, 1_000)
        return server

    def fresh(self) -> ServerProcess:
        """An empty server, ended with the bench or sooner."""
        return self._stack.enter_context(ServerProcess())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def path_of(server: ServerProcess) -> str:
    """Its unix socket."""
    return str(server.folder / "s")


def settings(server: ServerProcess, **fields: object) -> Settings:
    """Settings that lead to a server."""
    return Settings(url=Secret(server.socket_url), **fields)  # type: ignore[arg-type]
