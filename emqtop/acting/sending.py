"""Sending an act once, and reading afterwards what became of it where no answer came (operator law 9)."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from emqtop.acting.hands import Link
from emqtop.wire.errors import SourceError
from emqtop.wire.ready import ready
from emqtop.wire.resp import Conversation, ReplyError

T = TypeVar("T")

_STOP_WITHIN_S = 0.7
_PAUSES_S = (0.1, 0.3, 0.6, 1.0)


class Abandoned(Exception):
    """The operator stopped waiting for an answer."""


class Sender:
    """Sends for one act, and stops with it.

    Args:
        link: to the server.
        stop: set when the operator wants it to end.
        patience_s: how long to ask for the truth about what was not answered.

    Attributes:
        stop: the same.
        round_trip_s: the shortest so far, seconds.
    """

    def __init__(self, link: Link, stop: asyncio.Event, patience_s: float) -> None:
        self._link = link
        self._patience_s = patience_s
        self.stop = stop
        self.round_trip_s = math.inf

    async def read(self, conversation: Conversation[T]) -> T:
        """Hold a conversation that only reads."""
        return await self._link.run(ready(conversation))

    async def send(self, conversation: Conversation[T]) -> T:
        """Send once and wait for the answer; when the operator stops, not much longer.

        Raises:
            Abandoned: it was stopped, and no answer came.
            SourceError: the server was lost.
            ReplyError: it refused.
        """
        begun = time.monotonic()
        sent = asyncio.ensure_future(self._link.run(conversation))
        stopped = asyncio.ensure_future(self.stop.wait())
        try:
            await asyncio.wait({sent, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not sent.done():
                await asyncio.wait({sent}, timeout=_STOP_WITHIN_S)
            if not sent.done():
                raise Abandoned
            answer = sent.result()
            self.round_trip_s = min(self.round_trip_s, time.monotonic() - begun)
            return answer
        finally:
            sent.cancel()
            stopped.cancel()

    async def look(self, ask: Callable[[], Conversation[T]], judge: Callable[[T], Awaitable[bool]]) -> None:
        """Ask again and again once the server answers, since the act may still be on its way; until judged settled."""
        end = time.monotonic() + self._patience_s
        looks = 0
        while looks < len(_PAUSES_S) and time.monotonic() < end and not self.stop.is_set():
            await self.rest(_PAUSES_S[looks])
            try:
                found = await self._link.run(ready(ask()))
            except (SourceError, ReplyError):
                continue
            looks += 1
            if await judge(found):
                return

    async def rest(self, seconds: float) -> None:
        """Wait, but no longer than the operator does."""
        if seconds > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.stop.wait()
