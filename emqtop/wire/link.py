"""One asyncio connection: redis-py makes it, this file writes to it, `wire.inbox` takes what arrives.

Authentication, TLS, unix sockets and the handshake stay redis-py's; its command layer is left out, since that packs
and times each reply by itself (15 times the CPU for a table of counts) and repeats commands that timed out, which an
act must never do (operator law 9).
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Self, TypeVar

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from emqtop.wire.address import Address
from emqtop.wire.dial import dial
from emqtop.wire.errors import Frozen, SourceError, Unreachable, farewell, system_words
from emqtop.wire.inbox import Inbox, Wanted
from emqtop.wire.resp import Ask, Burst, Conversation, Reply, drive_async, pack
from emqtop.wire.window import window

T = TypeVar("T")


class Link:
    """One connection that opens itself again at the next use after it was lost.

    Use `Link.open` to find out at once whether the server is there.

    Args:
        address: where to connect and how to log in.
        timeout_s: how long to wait for the connection and for each answer, in seconds.
        resp3: speak RESP3, for pushes beside the replies.
        name: shown by CLIENT LIST; refused quietly where the user may not set it.
        on_push: given each push (invalidations, messages) as the list that arrived, and what comes unasked otherwise,
            such as the refusal of a SUBSCRIBE, as a list of one; must not block.
    """

    def __init__(
        self,
        address: Address,
        *,
        timeout_s: float = 5.0,
        resp3: bool = False,
        name: str = "emqtop",
        on_push: Callable[[list[Reply]], None] | None = None,
    ) -> None:
        self.address = address
        self.commands = 0
        """Commands sent."""
        self.sent_bytes = 0
        """Bytes sent."""
        self.round_trips = 0
        """Times that this side waited for the other."""
        self.opened = 0
        """How often it connected: whoever arms something on the connection arms again when this rose."""
        self.rtt_ms = math.inf
        """Shortest time from an ask to the last of its answers, ms."""
        self.waited_ms = 0.0
        """Sum of these times, ms: what the server took, for asks that did not overlap."""
        self._timeout_s = timeout_s
        self._resp3 = resp3
        self._name = name
        self._inbox = Inbox(on_push, self._note_answer)
        self._connection: AbstractConnection | None = None
        self._pump: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    @classmethod
    async def open(
        cls,
        address: Address,
        *,
        timeout_s: float = 5.0,
        resp3: bool = False,
        name: str = "emqtop",
        on_push: Callable[[list[Reply]], None] | None = None,
    ) -> Self:
        """Connect and log in.

        Raises:
            Unreachable, LoginRefused, Frozen: it did not work.
        """
        link = cls(address, timeout_s=timeout_s, resp3=resp3, name=name, on_push=on_push)
        await link.connect()
        return link

    @property
    def received_bytes(self) -> int:
        """Bytes received; 0 stays where redis-py parses."""
        return self._inbox.received_bytes

    @property
    def connected(self) -> bool:
        """Is there a connection that has not been seen to break?"""
        return self._connection is not None and self._connection.is_connected

    async def connect(self) -> None:
        """Connect and log in, unless that is so already.

        Raises:
            Unreachable, LoginRefused, Frozen: it did not work.
        """
        async with self._turn:
            await self._ready()

    async def run(self, conversation: Conversation[T], timeout_s: float | None = None) -> T:
        """Hold a conversation to its end and return its result; one at a time, others wait their turn.

        Args:
            conversation: what to ask.
            timeout_s: how long to wait for each answer, in seconds; None: the link's own.

        Raises:
            Frozen: no answer in time; the connection is closed, since a late answer would be taken for the next one's.
            Unreachable: the connection broke or could not be made.
            LoginRefused: on reconnecting.
        """
        async with self._turn:
            return await drive_async(conversation, lambda ask: self._ask(ask, timeout_s))

    async def hold(self, burst: Burst[T], timeout_s: float | None = None) -> T:
        """Hold a burst to its end; raises as `run` does."""
        async with self._turn:
            return await drive_async(burst, lambda asks: self._stream(asks, timeout_s))

    async def stream(self, asks: Sequence[Ask], timeout_s: float | None = None) -> list[list[Reply]]:
        """Send independent asks, as many in flight as the distance to the server wants; raises as `run` does.

        Near servers get few at a time, so that their other clients are served in between.
        """
        async with self._turn:
            return await self._stream(asks, timeout_s)

    async def post(self, payload: bytes) -> None:
        """Send without waiting for an answer: commands such as SUBSCRIBE that answer by pushes.

        Raises:
            Frozen, Unreachable, LoginRefused: as in `run`.
        """
        async with self._turn:
            await self._ready()
            async with self._deadline(None):
                await self._write(payload)

    async def close(self) -> None:
        """Hang up; harmless when done twice."""
        await self._drop(Unreachable("closed"), nowait=False)

    async def _ask(self, ask: Ask, timeout_s: float | None) -> list[Reply]:
        (replies,) = await self._stream([ask], timeout_s)
        return replies

    async def _stream(self, asks: Sequence[Ask], timeout_s: float | None) -> list[list[Reply]]:
        await self._ready()
        sent: list[Wanted] = []
        async with self._deadline(timeout_s) as answered:
            for at, ask in enumerate(asks):
                behind = at - window(self.rtt_ms)
                if behind >= 0:
                    await self._await(sent[behind])
                    answered()
                sent.append(await self._send(ask))
            for wanted in sent:
                await self._await(wanted)
                answered()
        return [wanted.replies for wanted in sent]

    async def _await(self, wanted: Wanted) -> None:
        if not wanted.done.done():
            self.round_trips += 1
        await wanted.done

    def _note_answer(self, took_ms: float) -> None:
        self.rtt_ms = min(self.rtt_ms, took_ms)
        self.waited_ms += took_ms

    async def _send(self, ask: Ask) -> Wanted:
        wanted = self._inbox.expect(ask.replies)
        self.commands += ask.replies
        await self._write(ask.payload)
        return wanted

    async def _write(self, payload: bytes) -> None:
        # redis-py would connect by itself here, behind the back of the pump.
        if self._connection is None or not self.connected:
            raise self._inbox.farewell or Unreachable("the connection broke")
        self.sent_bytes += len(payload)
        try:
            await self._connection.send_packed_command([payload], check_health=False)
        except RedisError as error:
            raise self._inbox.farewell or Unreachable(str(error)) from None

    @asynccontextmanager
    async def _deadline(self, timeout_s: float | None) -> AsyncIterator[Callable[[], None]]:
        """Bound the wait for each answer; the yielded function starts the wait for the next one.

        Whatever interrupts an exchange closes the connection: an answer that comes late would be taken for another's.
        """
        wait_s = self._timeout_s if timeout_s is None else timeout_s
        loop = asyncio.get_running_loop()
        begun = loop.time()

        def answered() -> None:
            # Setting a timer anew for each of a thousand answers costs more than reading them.
            nonlocal begun
            if (now := loop.time()) > begun + wait_s / 10:
                begun = now
                bound.reschedule(now + wait_s)

        try:
            async with asyncio.timeout(wait_s) as bound:
                yield answered
        except TimeoutError:
            await self._drop(Frozen())
            raise Frozen from None
        except asyncio.CancelledError:
            await self._drop(Unreachable("given up"))
            raise

    async def _ready(self) -> None:
        if self.connected:
            return
        await self._drop(Unreachable("the connection broke"))
        connection = await dial(self.address, self._timeout_s, resp3=self._resp3)
        self._connection = connection
        self._inbox.farewell = None
        self.opened += 1
        self.rtt_ms = math.inf
        self._pump = asyncio.create_task(self._receive(connection), name="emqtop-link")
        await self._hear_first()
        async with self._deadline(None):
            wanted = await self._send(Ask(pack("CLIENT", "SETNAME", self._name), 1))
            await self._await(wanted)
        if (last := farewell(wanted.replies[0])) is not None:
            await self._drop(last)
            raise last

    async def _hear_first(self) -> None:
        """Let the pump take what comes unasked: a full server says so and hangs up, and a write would cost its word."""
        for _ in range(3):
            await asyncio.sleep(0)

    async def _receive(self, connection: AbstractConnection) -> None:
        try:
            await self._inbox.receive(connection)
        except OSError as error:
            await self._drop(self._inbox.farewell or Unreachable(system_words(error)))
        except (RedisError, EOFError) as error:
            await self._drop(self._inbox.farewell or Unreachable(str(error)))

    async def _drop(self, reason: SourceError, *, nowait: bool = True) -> None:
        connection, self._connection = self._connection, None
        pump, self._pump = self._pump, None
        self._inbox.give_up(reason)
        if pump is not None and pump is not asyncio.current_task():
            pump.cancel()
        if connection is not None:
            # A server that takes nothing any more keeps nobody from leaving: the wait for it is bounded.
            with suppress(RedisError):
                await connection.disconnect(nowait=nowait)
