"""The loop that asks the source: one question at a time, for as long as the dashboard lives."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection

from textual.message import Message

from emqtop.model.history import History
from emqtop.model.queue import QueueId
from emqtop.model.rates import rates
from emqtop.model.snapshot import EMPTY, Snapshot
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.garbage import spare
from emqtop.ui.messages import SnapshotArrived, SourceLost
from emqtop.ui.moment import Moment
from emqtop.ui.vitals import Meter
from emqtop.wire.errors import SourceError

HURRY_S = 0.15
"""Shortest time between two samples, when something is said to have moved after a quiet second."""
MANY = 1_000
"""Queues from which on a snapshot is digested beside the event loop, so that keys are not held up by it."""
WINDOW_MS = 5_000
"""Time over which speeds are taken: shorter, and they jump with every sample."""

Reading = Callable[[Source], Awaitable[None]]
"""What a view reads for itself; it posts what it got."""


class Feed:
    """Samples, lets the view in front read, waits, and begins again.

    Nothing here is ever cancelled by a newer wish: a redis command that is cut off costs its connection.

    Args:
        source: where the numbers come from.
        post: takes the messages.
        view: what the view in front reads, asked each time.
        shown: the queues that the view in front shows, asked each time; their past is remembered first.
        interval_s: seconds between two samples.
        clock: seconds of a monotonic clock.
    """

    def __init__(
        self,
        source: Source,
        post: Callable[[Message], object],
        view: Callable[[], Reading | None],
        shown: Callable[[], Collection[QueueId]] = frozenset,
        *,
        interval_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._post = post
        self._view = view
        self._shown = shown
        self._interval_s = interval_s
        self._clock = clock
        self._poked = asyncio.Event()
        self._quiet = True
        self._spared = False
        self._sample_again = False
        self._past: deque[Snapshot] = deque([EMPTY])
        self._history = History()
        self._meter = Meter()

    def poke(self) -> None:
        """The view changed: let it read now."""
        self._poked.set()

    def resample(self) -> None:
        """The source tells something else from now on: ask it at once."""
        self._sample_again = True
        self._poked.set()

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            await self._ask(self._sample)
            await self._ask_view()
            await self._wait()

    async def _sample(self, source: Source) -> None:
        snapshot = await source.sample()
        arrived_s, shown = self._clock(), self._shown()
        if len(snapshot.queues) < MANY:
            moment = self._digest(snapshot, arrived_s, shown)
        else:
            moment = await asyncio.to_thread(self._digest, snapshot, arrived_s, shown)
            self._spare_once()
        self._post(SnapshotArrived(moment))

    def _spare_once(self) -> None:
        if not self._spared:
            self._spared = True
            spare()

    def _digest(self, snapshot: Snapshot, arrived_s: float, shown: Collection[QueueId]) -> Moment:
        if snapshot.at_ms < self._past[0].at_ms:
            # What is later now says nothing of what follows, and would be kept until its time has come again.
            self._past = deque([EMPTY])
        while len(self._past) > 1 and snapshot.at_ms - self._past[0].at_ms > WINDOW_MS:
            self._past.popleft()
        before = self._past[0]
        speeds = rates(before, snapshot)
        self._past.append(snapshot)
        self._history.add(snapshot, speeds, shown)
        vitals = self._meter.take(snapshot)
        return Moment(snapshot, arrived_s, speeds, self._history, before, vitals)

    async def _ask_view(self) -> None:
        self._poked.clear()
        if (reading := self._view()) is not None:
            await self._ask(reading)

    async def _ask(self, reading: Reading) -> None:
        try:
            await reading(self._source)
        except SourceError as error:
            self._post(SourceLost(safe(str(error))))

    async def _wait(self) -> None:
        """Until the next sample is due; sooner when something moved after a time in which nothing did.

        Where things move all the time nobody reads faster than once an interval.
        """
        started = time.monotonic()
        moved = asyncio.create_task(self._moved())
        was_quiet, self._quiet = self._quiet, True
        try:
            while (left := started + self._interval_s - time.monotonic()) > 0:
                if await self._woken(moved, left):
                    if self._sample_again:
                        self._sample_again = False
                        return
                    await self._ask_view()
                elif self._quiet and moved.done() and moved.result():
                    self._quiet = False
                    if was_quiet:
                        await asyncio.sleep(max(0.0, started + HURRY_S - time.monotonic()))
                        return
        finally:
            moved.cancel()

    async def _woken(self, moved: "asyncio.Task[bool]", timeout_s: float) -> bool:
        """Wait for a poke, a move or the end of the time; says whether it was a poke."""
        poked = asyncio.create_task(self._poked.wait())
        waited = {poked} if moved.done() else {poked, moved}
        try:
            done, _ = await asyncio.wait(waited, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
            return poked in done
        finally:
            poked.cancel()

    async def _moved(self) -> bool:
        try:
            return await self._source.moved(self._interval_s)
        except SourceError:
            return False
