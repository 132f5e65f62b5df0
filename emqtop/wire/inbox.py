"""What arrives on one asyncio connection: each reply is given to the ask that waits for it, the rest is passed on."""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from emqtop.wire.dial import said_by
from emqtop.wire.errors import HUNG_UP, SourceError, farewell
from emqtop.wire.resp import Push, Reply, ReplyError, drain, reader

_CHUNK = 1 << 18
_ODD = frozenset({Push, ReplyError})
"""Kinds of replies that are looked at one by one."""


@dataclass(slots=True)
class Wanted:
    """An ask on its way, and the replies that came so far."""

    count: int
    """How many are to come."""
    done: asyncio.Future[None]
    """Over once all came, or none can come any more."""
    asked_at: float
    """When it was sent, seconds of the loop's clock."""
    replies: list[Reply] = field(default_factory=list)
    """Those that came."""


class Inbox:
    """The replies of one connection after the other.

    Args:
        on_push: given each push as the list that arrived, and what comes unasked otherwise as a list of one.
        on_answer: given how long each ask took to the last of its replies, ms.
    """

    def __init__(self, on_push: Callable[[list[Reply]], None] | None, on_answer: Callable[[float], None]) -> None:
        self.received_bytes = 0
        """Bytes received; 0 stays where redis-py parses."""
        self.farewell: SourceError | None = None
        """What the server said of why it hangs up; None: nothing."""
        self._on_push = on_push
        self._on_answer = on_answer
        self._wanted: deque[Wanted] = deque()

    def expect(self, count: int) -> Wanted:
        """Wait for so many replies, behind those that are waited for already; with none it is done at once."""
        loop = asyncio.get_running_loop()
        wanted = Wanted(count, loop.create_future(), loop.time())
        if count:
            self._wanted.append(wanted)
        else:
            wanted.done.set_result(None)
        return wanted

    def give_up(self, reason: SourceError) -> None:
        """Nothing comes any more: whoever waits is told why."""
        wanted, self._wanted = self._wanted, deque()
        for each in wanted:
            if not each.done.done():
                each.done.set_exception(reason)
                each.done.exception()

    async def receive(self, connection: AbstractConnection) -> None:
        """Take what comes, until the connection ends.

        Raises:
            OSError, RedisError, EOFError: it ended.
        """
        stream = stream_of(connection)
        if stream is None:
            await self._receive_parsed(connection)
        else:
            await self._receive_stream(stream)

    async def _receive_stream(self, stream: asyncio.StreamReader) -> None:
        parser = reader()
        while chunk := await stream.read(_CHUNK):
            self.received_bytes += len(chunk)
            parser.feed(chunk)
            self._take_all(drain(parser))
        raise EOFError(HUNG_UP)

    async def _receive_parsed(self, connection: AbstractConnection) -> None:
        """The public way, for a redis-py that keeps its stream elsewhere."""
        while True:
            try:
                reply = await connection.read_response(timeout=math.inf, push_request=True)
            except ResponseError as error:
                reply = said_by(error)
            self._take(reply)

    def _take_all(self, replies: list[Reply]) -> None:
        if not _ODD.isdisjoint(map(type, replies)):
            for reply in replies:
                self._take(reply)
            return
        taken = 0
        while taken < len(replies) and self._wanted:
            wanted = self._wanted[0]
            mine = replies[taken : taken + wanted.count - len(wanted.replies)]
            taken += len(mine)
            self._give(wanted, mine)
        for reply in replies[taken:]:
            self._take(reply)

    def _take(self, reply: Reply) -> None:
        self.farewell = farewell(reply) or self.farewell
        if isinstance(reply, Push) or not self._wanted:
            if self._on_push is not None:
                self._on_push(reply if isinstance(reply, list) else [reply])
            return
        self._give(self._wanted[0], [reply])

    def _give(self, wanted: Wanted, replies: list[Reply]) -> None:
        wanted.replies += replies
        if len(wanted.replies) == wanted.count:
            self._wanted.popleft()
            self._on_answer((asyncio.get_running_loop().time() - wanted.asked_at) * 1000)
            # Whoever asked may have given up in this very turn of the loop.
            if not wanted.done.done():
                wanted.done.set_result(None)


def stream_of(connection: AbstractConnection) -> asyncio.StreamReader | None:
    """The stream under a connection; None: this redis-py keeps it elsewhere, and its own way of reading is taken."""
    stream = getattr(connection, "_reader", None)
    return stream if isinstance(stream, asyncio.StreamReader) else None
