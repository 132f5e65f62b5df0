"""What queues were like: rings of fixed size, an hour by the second and a day by the minute.

One queue takes `QUEUE_BYTES` at most, and only `most_queues` are remembered: those on the screen, then those that
moved last. A queue in which nothing ever moves takes nothing.
"""

import math
from array import array
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from emqtop.model.queue import Queue, QueueId
from emqtop.model.rates import UNKNOWN, Rates
from emqtop.model.snapshot import Snapshot

HOUR_S = 3_600
"""Points by the second."""
DAY_MIN = 1_440
"""Points by the minute."""


class Series(StrEnum):
    """What is remembered of a queue."""

    ENTERED = "entered"
    DONE = "done"
    FAILED = "failed"
    PENDING = "pending"
    OLDEST_MS = "oldest_ms"


_POINT_BYTES = 4
QUEUE_BYTES = len(Series) * (HOUR_S + DAY_MIN) * _POINT_BYTES
"""Bytes of points of one queue once its rings are full: 100,800."""
MOST_QUEUES = 256
"""Queues remembered unless told otherwise: 26 MB of points."""

_NAN = math.nan
_SET_BACK = 60
"""Slots by which time may go back, as clocks are set, before another server is thought to answer."""


class Ring:
    """The newest points of one series, in slots of equal length of time; a slot without a point is unknown.

    Memory is taken as points come, up to `size` of them.
    """

    __slots__ = ("_newest", "_oldest_at", "_points", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._points = array("f")
        self._oldest_at = 0
        self._newest: int | None = None

    def put(self, slot: int, value: float | None) -> None:
        """Set the point of a slot (its number since the epoch).

        A slot a little older than the newest is not touched; where time went back further (another server answers),
        the ring begins anew.
        """
        if self._newest is None or slot < self._newest - _SET_BACK:
            self._points, self._oldest_at, self._newest = array("f"), 0, slot - 1
        if slot < self._newest:
            return
        point = _NAN if value is None else value
        if slot == self._newest:
            self._points[self._oldest_at - 1] = point
            return
        for _ in range(min(slot - self._newest - 1, self._size)):
            self._push(_NAN)
        self._push(point)
        self._newest = slot

    def newest(self, count: int) -> list[float | None]:
        """The last `count` points, oldest first, None for unknown ones; fewer where no more is remembered."""
        held = len(self._points)
        return self._part(max(0, held - count), held)

    def between(self, first: int, count: int) -> list[float | None]:
        """The points of `count` slots from the slot `first` on; None for unknown ones and those not remembered."""
        if self._newest is None:
            return [None] * count
        held = len(self._points)
        start = first - (self._newest - held + 1)
        before = min(count, max(0, -start))
        inside = self._part(max(0, start), min(held, max(0, start + count)))
        return [None] * before + inside + [None] * (count - before - len(inside))

    def is_over(self, slot: int) -> bool:
        """Has a slot begun, so that no point before it changes any more?"""
        return self._newest is not None and slot <= self._newest

    @property
    def bytes(self) -> int:
        """Bytes that the points take now."""
        return len(self._points) * self._points.itemsize

    def _part(self, start: int, stop: int) -> list[float | None]:
        """The points from one place to before another, counted from the oldest; the whole ring is never copied."""
        held, first, last = len(self._points), self._oldest_at + start, self._oldest_at + stop
        points = self._points[first:last] + self._points[max(0, first - held) : max(0, last - held)]
        return [None if math.isnan(point) else point for point in points]

    def _push(self, point: float) -> None:
        if len(self._points) < self._size:
            self._points.append(point)
        else:
            self._points[self._oldest_at] = point
            self._oldest_at = (self._oldest_at + 1) % self._size


class _Track:
    """The two rings of one series; the minute's point is the mean of what is known of it."""

    __slots__ = ("_count", "_minute", "_sum", "minutes", "seconds")

    def __init__(self) -> None:
        self.seconds, self.minutes = Ring(HOUR_S), Ring(DAY_MIN)
        self._minute, self._sum, self._count = -1, 0.0, 0

    def put(self, at_ms: int, value: float | None) -> None:
        self.seconds.put(at_ms // 1_000, value)
        minute = at_ms // 60_000
        if minute != self._minute:
            self._minute, self._sum, self._count = minute, 0.0, 0
        if value is not None:
            self._sum, self._count = self._sum + value, self._count + 1
        self.minutes.put(minute, self._sum / self._count if self._count else None)

    def means(self, first_s: int, step_s: int, count: int) -> list[float | None]:
        if step_s * count <= HOUR_S:
            points, each = self.seconds.between(first_s, step_s * count), step_s
        else:
            each = step_s // 60
            points = self.minutes.between(first_s // 60, each * count)
        return [_mean(points[place : place + each]) for place in range(0, each * count, each)]


@dataclass(slots=True)
class _Memory:
    """What is remembered of one queue, and when it last moved."""

    moved_ms: int
    tracks: dict[Series, _Track] = field(default_factory=lambda: {series: _Track() for series in Series})
    asked: tuple[Series, int, int, int] | None = None
    """The last means that were asked for and will not change any more: a trend is drawn ten times as it is."""
    told: list[float | None] = field(default_factory=list)
    """These means."""


class History:
    """The rings of the queues that are worth it.

    Args:
        most_queues: how many queues are remembered at once; bounds the memory to `most_queues * QUEUE_BYTES`.
    """

    def __init__(self, most_queues: int = MOST_QUEUES) -> None:
        self._most = most_queues
        self.at_ms = 0
        """The server's time of the newest moment remembered, Unix ms."""
        self._memories: dict[QueueId, _Memory] = {}

    def add(
        self, snapshot: Snapshot, speeds: Mapping[QueueId, Rates], shown: Collection[QueueId] = frozenset()
    ) -> None:
        """Remember a moment.

        Args:
            snapshot: the moment; one older than the last is of no use.
            speeds: what `rates` made of it and the one before.
            shown: queues on the screen, remembered first.
        """
        self.at_ms = snapshot.at_ms
        newcomers = []
        for queue in snapshot.queues:
            speed = speeds.get(queue.id, UNKNOWN)
            moves = _moves(speed)
            memory = self._memories.get(queue.id)
            if memory is not None:
                memory.moved_ms = snapshot.at_ms if moves else memory.moved_ms
                _note(memory, queue, speed, snapshot.at_ms)
            elif moves or queue.id in shown:
                newcomers.append((queue, speed))
        newcomers.sort(key=lambda newcomer: newcomer[0].id not in shown)
        for queue, speed in newcomers:
            if not self._make_room(queue.id in shown, snapshot.at_ms, shown):
                break
            memory = self._memories[queue.id] = _Memory(snapshot.at_ms)
            _note(memory, queue, speed, snapshot.at_ms)

    def seconds(self, queue: QueueId, series: Series, count: int = HOUR_S) -> list[float | None]:
        """The last `count` seconds of a series, oldest first; empty for a queue that is not remembered."""
        memory = self._memories.get(queue)
        return [] if memory is None else memory.tracks[series].seconds.newest(count)

    def minutes(self, queue: QueueId, series: Series, count: int = DAY_MIN) -> list[float | None]:
        """The last `count` minutes of a series, oldest first; empty for a queue that is not remembered."""
        memory = self._memories.get(queue)
        return [] if memory is None else memory.tracks[series].minutes.newest(count)

    def means(self, queue: QueueId, series: Series, first_s: int, step_s: int, count: int) -> list[float | None]:
        """The means of `count` steps of equal length, oldest first; None where nothing is known of a step.

        Args:
            queue: which queue.
            series: what of it.
            first_s: where the first step begins, seconds since the epoch.
            step_s: length of a step, seconds; whole minutes where the steps reach over more than an hour.
            count: how many steps.
        """
        memory = self._memories.get(queue)
        if memory is None:
            return [None] * count
        asked = (series, first_s, step_s, count)
        if memory.asked == asked:
            return memory.told
        track = memory.tracks[series]
        means = track.means(first_s, step_s, count)
        if track.seconds.is_over(first_s + step_s * count):
            memory.asked, memory.told = asked, means
        return means

    @property
    def bytes(self) -> int:
        """Bytes that all points take now."""
        tracks = (track for memory in self._memories.values() for track in memory.tracks.values())
        return sum(track.seconds.bytes + track.minutes.bytes for track in tracks)

    def _make_room(self, is_shown: bool, now_ms: int, shown: Collection[QueueId]) -> bool:
        """Is there a place for one more, if need be that of a queue that is less worth it?"""
        if len(self._memories) < self._most:
            return True
        worth = {queue: (queue in shown, memory.moved_ms) for queue, memory in self._memories.items()}
        least = min(worth, key=worth.__getitem__, default=None)
        if least is None or worth[least] >= (is_shown, now_ms):
            return False
        del self._memories[least]
        return True


def _mean(points: list[float | None]) -> float | None:
    known = [point for point in points if point is not None]
    return sum(known) / len(known) if known else None


def _moves(speed: Rates) -> bool:
    return any((speed.entered, speed.done, speed.failed, speed.growth))


def _note(memory: _Memory, queue: Queue, speed: Rates, at_ms: int) -> None:
    oldest = None if queue.oldest_pending_ms is None else max(0, at_ms - queue.oldest_pending_ms)
    values = {
        Series.ENTERED: speed.entered,
        Series.DONE: speed.done,
        Series.FAILED: speed.failed,
        Series.PENDING: queue.pending,
        Series.OLDEST_MS: oldest,
    }
    for series, value in values.items():
        memory.tracks[series].put(at_ms, value)
