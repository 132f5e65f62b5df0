"""A recorded server: the port over a file of snapshots, played as fast as it was or faster."""
# ruff: noqa: ARG002 - the port asks for jobs, a recording has none to answer with

import asyncio
import bisect
import time
from collections.abc import AsyncIterator, Callable
from itertools import accumulate
from pathlib import Path

from emqtop.model.job import JobDetail, Page
from emqtop.model.lane_look import LaneLook
from emqtop.model.metrics import Metrics
from emqtop.model.queue import Lane, QueueId
from emqtop.model.recording import Recording
from emqtop.model.snapshot import Snapshot
from emqtop.model.team import Team
from emqtop.model.timetable import Timetable
from emqtop.sampling.source import Event, PageRequest
from emqtop.wire.errors import SourceError


class NotRecorded(SourceError):
    """A recording holds the numbers of the queues, not their jobs."""


class LostThen(SourceError):
    """It was lost then."""


def open_recording(path: Path) -> Recording:
    """Read a file of snapshots.

    Raises:
        BadRecording: it is something else, or holds none.
        OSError: it cannot be read.
    """
    with path.open(encoding="utf-8", errors="replace") as lines:
        return Recording(lines)


class Replay:
    """Moments of a recording; satisfies the port `Source`.

    The first sample is the first moment of the recording; from then on its time runs. At the end it stands still.

    Args:
        recording: what was recorded.
        speed: how much faster than it was; 0 stands still until `seek`.
        clock_s: seconds that run, from any start.
    """

    def __init__(self, recording: Recording, speed: float = 1.0, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._recording = recording
        # Another master's clock may stand behind; played time never goes back.
        self._times = tuple(accumulate(recording.times_ms, max))
        self._speed = speed
        self._clock_s = clock_s
        self._from_ms: float = self._times[0]
        self._since_s: float | None = None
        self._shown: int | None = None

    @property
    def begin_ms(self) -> int:
        """When the recording begins, Unix ms."""
        return self._times[0]

    @property
    def end_ms(self) -> int:
        """When it ends, Unix ms."""
        return self._times[-1]

    @property
    def at_ms(self) -> int:
        """The moment that is played now, Unix ms."""
        run_s = 0.0 if self._since_s is None else self._clock_s() - self._since_s
        return min(self.end_ms, round(self._from_ms + run_s * 1_000 * self._speed))

    @property
    def ended(self) -> bool:
        """Is the last moment reached?"""
        return self.at_ms >= self.end_ms

    @property
    def speed(self) -> float:
        """How much faster than it was it is played; 0: it stands still."""
        return self._speed

    def play(self, speed: float) -> None:
        """Go on from here at another speed."""
        self.seek(self.at_ms)
        self._speed = speed

    def seek(self, at_ms: int) -> None:
        """Go to a moment, Unix ms; before the begin or behind the end, to that."""
        self._from_ms = min(max(at_ms, self.begin_ms), self.end_ms)
        self._since_s = None if self._since_s is None else self._clock_s()

    async def sample(self) -> Snapshot:
        """The newest moment that had been recorded at the time that is played.

        Raises:
            LostThen: the server could not be asked at that time.
        """
        if self._since_s is None:
            self._since_s = self._clock_s()
        self._shown = self._number()
        if words := self._recording.lost(self._shown):
            raise LostThen(words)
        return self._recording.snapshot(self._shown)

    async def page(self, request: PageRequest) -> Page:
        """Raises NotRecorded."""
        raise NotRecorded

    async def job(self, queue: QueueId, job_id: str) -> JobDetail | None:
        """Raises NotRecorded."""
        raise NotRecorded

    async def field(self, queue: QueueId, job_id: str, name: str, start: int, length: int) -> bytes:
        """Raises NotRecorded."""
        raise NotRecorded

    async def lanes(self, queue: QueueId) -> tuple[Lane, ...]:
        """Raises NotRecorded."""
        raise NotRecorded

    async def lane_look(self, queue: QueueId) -> LaneLook:
        """Raises NotRecorded."""
        raise NotRecorded

    async def about(self, queue: QueueId) -> tuple[tuple[str, str], ...]:
        """Raises NotRecorded."""
        raise NotRecorded

    async def team(self, queue: QueueId) -> Team:
        """Raises NotRecorded."""
        raise NotRecorded

    async def timetable(self, queue: QueueId) -> Timetable:
        """Raises NotRecorded."""
        raise NotRecorded

    async def metrics(self, queue: QueueId) -> Metrics:
        """Raises NotRecorded."""
        raise NotRecorded

    async def events(self, queues: tuple[QueueId, ...]) -> AsyncIterator[Event]:
        """None was recorded: waits for ever, as a quiet server does."""
        await asyncio.Event().wait()
        yield  # type: ignore[misc]

    def show(self, queues: tuple[QueueId, ...]) -> None:
        """Nothing to read first: a moment has all queues."""

    async def moved(self, timeout_s: float) -> bool:
        """Wait for the next recorded moment; False: the time ran out."""
        wait_s = self._until_next_s()
        await asyncio.sleep(timeout_s if wait_s is None else min(wait_s, timeout_s))
        return self._shown != self._number()

    async def close(self) -> None:
        """Nothing to hang up."""

    def _number(self) -> int:
        return max(0, bisect.bisect_right(self._times, self.at_ms) - 1)

    def _until_next_s(self) -> float | None:
        following = self._number() + 1
        if self._speed <= 0 or following >= len(self._times):
            return None
        return max(0.0, (self._times[following] - self.at_ms) / 1_000 / self._speed)
