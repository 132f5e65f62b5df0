"""What queues announce: EchoMQ on channels, BullMQ in streams; a hint for the screen and the tail of events.

A message may be missed: it costs nothing but time, since nothing is counted by messages.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable

from emqtop.model.queue import Family, QueueId
from emqtop.sampling.source import Event
from emqtop.units import now_ms
from emqtop.wire.address import Address
from emqtop.wire.bullmq.events import StreamEvent, newest, read_after
from emqtop.wire.bullmq.keyspace import QueueKeys as BullMQKeys
from emqtop.wire.client import Client
from emqtop.wire.echomq.events import parse_event
from emqtop.wire.echomq.keyspace import QueueKeys as EchoMQKeys
from emqtop.wire.errors import SourceError
from emqtop.wire.link import Link
from emqtop.wire.resp import Reply, ReplyError, pack

MOST_WAITING = 2000
"""Events kept for a slow reader; the oldest make room."""

_STREAMS_S = 0.25
_RETRY_S = 1.0


class Channels:
    """A connection that listens to the channels of some queues.

    Args:
        where: called for the process to connect to, which a failover changes.
        timeout_s: wait for each answer, in seconds.
        on_event: given each announcement; must not block.
    """

    def __init__(self, where: Callable[[], Address], timeout_s: float, on_event: Callable[[Event], None]) -> None:
        self.refused: str | None = None
        """The server's words where it refuses to let listen."""
        self._where = where
        self._timeout_s = timeout_s
        self._link: Link | None = None
        self._on_event = on_event
        self._opened = 0
        self._heard: dict[bytes, QueueId] = {}

    async def listen(self, queues: Iterable[QueueId]) -> None:
        """Hear these EchoMQ queues, and no others.

        Raises:
            Unreachable, LoginRefused, Frozen: the server cannot be asked.
        """
        wanted = {_channel(queue): queue for queue in queues if queue.family is Family.ECHOMQ}
        if not wanted and not self._heard:
            return
        link = await self._connected()
        new, old = wanted.keys() - self._heard.keys(), self._heard.keys() - wanted.keys()
        self._heard = wanted
        payload = (pack("SUBSCRIBE", *sorted(new)) if new else b"") + (
            pack("UNSUBSCRIBE", *sorted(old)) if old else b""
        )
        if payload and self.refused is None:
            await link.post(payload)

    async def close(self) -> None:
        """Hang up; harmless when done twice."""
        if self._link is not None:
            await self._link.close()

    async def _connected(self) -> Link:
        """The link, with nothing heard yet where it is a new one."""
        address = self._where()
        if self._link is None or self._link.address != address:
            await self.close()
            self._link = Link(address, timeout_s=self._timeout_s, resp3=True, name="emqtop-events", on_push=self._take)
            self._opened = 0
        await self._link.connect()
        if self._opened != self._link.opened:
            self._opened, self._heard = self._link.opened, {}
        return self._link

    def _take(self, push: list[Reply]) -> None:
        if len(push) == 1 and isinstance(push[0], ReplyError):
            self.refused = str(push[0])
        if len(push) != 3 or push[0] != b"message":
            return
        channel, payload = push[1], push[2]
        if isinstance(channel, bytes) and isinstance(payload, bytes) and (queue := self._heard.get(channel)):
            told = parse_event(payload)
            self._on_event(Event(now_ms(), queue, told.name, told.job, told.extra))


class Tail:
    """Announcements of some or all queues, in the order they came.

    Args:
        client: the server.
        queues: called for the queues to listen to, again and again, since new ones are found.
    """

    def __init__(self, client: Client, queues: Callable[[], Iterable[QueueId]]) -> None:
        self._client = client
        self._queues = queues
        self._waiting: asyncio.Queue[Event] = asyncio.Queue(MOST_WAITING)
        self._channels = Channels(lambda: client.nodes[0], client.timeout_s, self._put)
        self._places: dict[bytes, bytes] = {}

    async def events(self) -> AsyncIterator[Event]:
        """Each announcement from now on, for ever; a lost connection is made anew.

        Raises:
            Unreachable, LoginRefused, Frozen: the first connection cannot be made.
        """
        try:
            await self._catch_up()
            while True:
                try:
                    # Not wait_for, which on Python 3.11 drops a cancellation that comes along with an event.
                    async with asyncio.timeout(_STREAMS_S):
                        event = await self._waiting.get()
                except TimeoutError:
                    await self._catch_up_again()
                else:
                    yield event
        finally:
            await self._channels.close()

    async def _catch_up_again(self) -> None:
        try:
            await self._catch_up()
        except SourceError:
            await asyncio.sleep(_RETRY_S * random.uniform(0.75, 1.25))

    async def _catch_up(self) -> None:
        await self._client.settle()
        queues = list(self._queues())
        await self._channels.listen(queues)
        streams = {_stream(queue): queue for queue in queues if queue.family is Family.BULLMQ}
        if new := [key for key in streams if key not in self._places]:
            self._places |= await self._client.read(newest(new))
        places = {key: last for key, last in self._places.items() if key in streams}
        for told in await self._client.read(read_after(places)):
            self._places[told.key] = told.id
            self._put(_event(streams[told.key], told))

    def _put(self, event: Event) -> None:
        if self._waiting.full():
            self._waiting.get_nowait()
        self._waiting.put_nowait(event)


def _event(queue: QueueId, told: StreamEvent) -> Event:
    return Event(now_ms(), queue, told.name, told.job, told.extra)


def _channel(queue: QueueId) -> bytes:
    return EchoMQKeys(queue.prefix, queue.name).events


def _stream(queue: QueueId) -> bytes:
    return BullMQKeys(queue.prefix, queue.name).part("events")
