"""The floors: the least that a client can do for the same answers, and what most clients do instead."""

import socket
from collections.abc import Sequence
from typing import Any

import hiredis
from redis.asyncio import Redis

from emqtop.wire.resp import Ask, pack


class RawSocket:
    """A blocking socket and a parser: bytes out, replies in, nothing else.

    Args:
        path: unix socket.
    """

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._reader = hiredis.Reader()

    def exchange(self, payload: bytes, replies: int) -> list[Any]:
        """Send, and read so many replies."""
        self._socket.sendall(payload)
        got: list[Any] = []
        while len(got) < replies:
            self._reader.feed(self._socket.recv(1 << 18))
            while (reply := self._reader.gets()) is not False:
                got.append(reply)
        return got

    def stream(self, asks: Sequence[Ask]) -> None:
        """One write after the other, each when the last is answered."""
        for ask in asks:
            self.exchange(ask.payload, ask.replies)

    def ask(self, *args: bytes | str | int) -> Any:
        """One command."""
        return self.exchange(pack(*args), 1)[0]

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


def unpacked(asks: Sequence[Ask]) -> list[tuple[Any, ...]]:
    """The commands in wire form, as the words that a client library is given."""
    reader = hiredis.Reader()
    for ask in asks:
        reader.feed(ask.payload)
    words = []
    while (command := reader.gets()) is not False:
        words.append(tuple(command))
    return words


async def pipeline(client: "Redis", commands: Sequence[tuple[Any, ...]]) -> None:
    """The same commands through redis-py's asyncio pipeline."""
    pipe = client.pipeline(transaction=False)
    for command in commands:
        pipe.execute_command(*command)
    await pipe.execute(raise_on_error=False)
