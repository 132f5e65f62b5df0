"""Looks at lanes in turn: a few queues at a time, so that no other number waits for them."""

from collections.abc import Iterable
from dataclasses import replace

from emqtop.model.lane_look import LaneLook, LaneLooks
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.sampling.source import Source
from emqtop.wire.errors import Refused

AT_ONCE = 4
"""Queues whose lanes are looked at between two samples; each costs two or three round trips."""
AGAIN_MS = 2_000
"""Shortest time between two looks at the same lanes, ms."""
MOST = 200
"""Queues whose lanes are looked at, at most; those with most jobs in lanes."""


class LaneRounds:
    """Remembers the last two looks at the lanes of each queue that has some."""

    def __init__(self) -> None:
        self.looks: dict[QueueId, LaneLooks] = {}
        """The last two looks by queue; the earlier one is empty after the first."""
        self.laned = 0
        """Queues with lanes, when it was last gone round."""
        self._at_ms: dict[QueueId, int] = {}

    def forget(self, queue: QueueId) -> None:
        """Something was done to its lanes: what was seen before it says nothing."""
        self.looks.pop(queue, None)
        self._at_ms.pop(queue, None)

    async def go_round(self, source: Source, queues: Iterable[Queue], at_ms: int) -> None:
        """Look at the next lanes whose turn it is.

        Args:
            source: is asked; one that refuses says so where the queue is read, too.
            queues: of which.
            at_ms: the server's time, Unix ms.
        """
        laned = [queue for queue in queues if queue.id.family is Family.ECHOMQ and queue.lanes]
        laned.sort(key=lambda queue: (-(queue.lanes or 0), queue.id))
        self.laned = len(laned)
        chosen = [queue.id for queue in laned[:MOST]]
        for queue in self.looks.keys() - set(chosen):
            self.forget(queue)
        due = [queue for queue in chosen if abs(at_ms - self._at_ms.get(queue, 0)) >= AGAIN_MS]
        for queue in sorted(due, key=lambda queue: self._at_ms.get(queue, 0))[:AT_ONCE]:
            await self._look(source, queue, at_ms)

    async def _look(self, source: Source, queue: QueueId, at_ms: int) -> None:
        try:
            look = await source.lane_look(queue)
        except Refused:
            look = LaneLook()
        looks = self.looks.get(queue, LaneLooks())
        self.looks[queue] = replace(looks, before=looks.now, now=look)
        self._at_ms[queue] = at_ms
