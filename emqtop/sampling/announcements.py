"""What queues announce: EchoMQ on channels, BullMQ in streams; a hint for the screen and the tail of events.

A message may be missed: it costs nothing but time, since nothing is counted by messages.
"""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import NamedTuple

from emqtop.model.queue import Family, QueueId
from emqtop.sampling.source import Event
from emqtop.settings import ANY_PREFIX
from emqtop.units import now_ms
from emqtop.wire.address import Address
from emqtop.wire.bullmq.events import StreamEvent, newest, read_after
from emqtop.wire.bullmq.keyspace import QueueKeys as BullMQKeys
from emqtop.wire.client import Client
from emqtop.wire.echomq.events import every_channel, parse_event, queue_of_channel
from emqtop.wire.echomq.keyspace import QueueKeys as EchoMQKeys
from emqtop.wire.errors import SourceError, is_withheld
from emqtop.wire.link import Link
from emqtop.wire.resp import Reply, ReplyError, pack, raw, text

MOST_WAITING = 2000
"""Events kept for a slow reader; the oldest make room."""

_STREAMS_S = 0.25
_RETRY_S = 1.0


class _Ear(NamedTuple):
    """A channel or a pattern, and the command that was sent for it."""

    verb: str
    name: bytes


class Channels:
    """A connection that listens to the channels of some queues, or to all of some prefixes.

    Args:
        where: called for the process to connect to, which a failover changes.
        timeout_s: wait for each answer, in seconds.
        on_event: given each announcement; must not block.
        prefixes: hear every queue of these, known or not, where the server grants that.
    """

    def __init__(
        self,
        where: Callable[[], Address],
        timeout_s: float,
        on_event: Callable[[Event], None],
        prefixes: Iterable[str] = (),
    ) -> None:
        self._where = where
        self._timeout_s = timeout_s
        self._link: Link | None = None
        self._on_event = on_event
        self._opened = 0
        self._patterns = {_Ear("PSUBSCRIBE", raw(every_channel(prefix))): prefix for prefix in prefixes}
        self._heard: dict[_Ear, QueueId | None] = {}
        self._unanswered: deque[_Ear] = deque()
        self._refused: dict[_Ear, None] = {}
        self._settled = False

    async def listen(self, queues: Iterable[QueueId]) -> None:
        """Hear these EchoMQ queues, and no others but those of the prefixes.

        Raises:
            Unreachable, LoginRefused, Frozen: the server cannot be asked.
        """
        named = [queue for queue in queues if queue.family is Family.ECHOMQ]
        if not (named or self._patterns or self._heard):
            return
        link = await self._connected()
        wanted: dict[_Ear, QueueId | None] = dict.fromkeys(self._patterns)
        covered = {prefix for pattern, prefix in self._patterns.items() if pattern not in self._refused}
        if ANY_PREFIX not in covered:
            wanted |= {_Ear("SUBSCRIBE", _channel(queue)): queue for queue in named if queue.prefix not in covered}
        new = sorted(wanted.keys() - self._heard.keys())
        old = [_Ear("UNSUBSCRIBE", name) for _, name in sorted(self._heard.keys() - wanted.keys())]
        self._heard = wanted
        self._unanswered += (*new, *old)
        self._settled = not (new or old)
        if not self._settled:
            # A command for each: one channel that may not be heard would cost all that are named beside it.
            await link.post(b"".join(pack(*ear) for ear in (*new, *old)))

    @property
    def withheld(self) -> str | None:
        """What the server does not let hear, in words; None: nothing, or that is still being asked."""
        if not self._settled or self._unanswered or not self._refused:
            return None
        channels = [ear for ear in self._heard if ear.verb == "SUBSCRIBE"]
        refused = [ear for ear in channels if ear in self._refused]
        if not refused:
            return "PSUBSCRIBE is withheld: a new queue is heard once it is found"
        if len(refused) == len(channels):
            return "SUBSCRIBE is withheld: events of EchoMQ queues are not shown"
        return f"SUBSCRIBE is withheld for some channels, such as {text(refused[0].name)}: their events are not shown"

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
            self._unanswered.clear()
            self._refused.clear()
        return self._link

    def _take(self, push: list[Reply]) -> None:
        match push:
            case [b"message", bytes(channel), bytes(payload)]:
                self._tell(self._heard.get(_Ear("SUBSCRIBE", channel)), payload)
            case [b"pmessage", _, bytes(channel), bytes(payload)]:
                self._tell(_queue_of(channel), payload)
            case [ReplyError() as error] if self._unanswered:
                self._note_refusal(self._unanswered.popleft(), error)
            case [b"subscribe" | b"psubscribe" | b"unsubscribe", *_] if self._unanswered:
                self._unanswered.popleft()

    def _tell(self, queue: QueueId | None, payload: bytes) -> None:
        if queue is not None:
            told = parse_event(payload)
            self._on_event(Event(now_ms(), queue, told.name, told.job, told.extra))

    def _note_refusal(self, ear: _Ear, error: ReplyError) -> None:
        if is_withheld(error):
            self._refused[ear] = None
        else:
            # A state of the server that passes: asked again with the next listen.
            self._heard.pop(ear, None)


class Tail:
    """Announcements of some or all queues, in the order they came.

    Args:
        client: the server.
        queues: called for the queues to listen to, again and again, since new ones are found.
        prefixes: hear every EchoMQ queue of these at once, known or not.
        on_withheld: told once of each thing that the server does not let hear, in words.
    """

    def __init__(
        self,
        client: Client,
        queues: Callable[[], Iterable[QueueId]],
        prefixes: Iterable[str] = (),
        on_withheld: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._client = client
        self._queues = queues
        self._on_withheld = on_withheld
        self._said: set[str] = set()
        self._waiting: asyncio.Queue[Event] = asyncio.Queue(MOST_WAITING)
        self._channels = Channels(lambda: client.anywhere, client.timeout_s, self._put, prefixes)
        self._places: dict[bytes, bytes | None] = {}

    async def events(self) -> AsyncIterator[Event]:
        """Each announcement from now on, for ever; a lost connection is made anew.

        Raises:
            Unreachable, LoginRefused, Frozen: the first connection cannot be made.
        """
        loop = asyncio.get_running_loop()
        try:
            await self._catch_up()
            due_s = loop.time() + _STREAMS_S
            while True:
                try:
                    # Not wait_for, which on Python 3.11 drops a cancellation that comes along with an event. And until
                    # a fixed time, since queues that announce without a pause would keep the others from being read.
                    async with asyncio.timeout_at(due_s):
                        event = await self._waiting.get()
                except TimeoutError:
                    await self._catch_up_again()
                    due_s = loop.time() + _STREAMS_S
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
        places = {key: last for key, last in self._places.items() if key in streams and last is not None}
        for told in await self._client.read(read_after(places)):
            self._places[told.key] = told.id
            self._put(_event(streams[told.key], told))
        self._say_withheld()

    def _say_withheld(self) -> None:
        streams = "XREVRANGE is withheld: events of some BullMQ queues are not shown"
        for words in (self._channels.withheld, streams if None in self._places.values() else None):
            if words is not None and words not in self._said:
                self._said.add(words)
                self._on_withheld(words)

    def _put(self, event: Event) -> None:
        if self._waiting.full():
            self._waiting.get_nowait()
        self._waiting.put_nowait(event)


def _event(queue: QueueId, told: StreamEvent) -> Event:
    return Event(now_ms(), queue, told.name, told.job, told.extra)


def _queue_of(channel: bytes) -> QueueId | None:
    found = queue_of_channel(channel)
    return None if found is None else QueueId(Family.ECHOMQ, *found)


def _channel(queue: QueueId) -> bytes:
    return EchoMQKeys(queue.prefix, queue.name).events


def _stream(queue: QueueId) -> bytes:
    return BullMQKeys(queue.prefix, queue.name).part("events")
