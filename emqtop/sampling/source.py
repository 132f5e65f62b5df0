"""The port: where a front end gets its moments from. Live, recorded and in-memory forms stand behind it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from emqtop.model.queue import Lane, Location, QueueId
from emqtop.model.snapshot import Snapshot

if TYPE_CHECKING:
    from emqtop.model.job import JobDetail, Page
    from emqtop.model.lane_look import LaneLook
    from emqtop.model.metrics import Metrics
    from emqtop.model.team import Team
    from emqtop.model.timetable import Timetable


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which jobs a view wants to see."""

    queue: QueueId
    """Whose jobs."""
    location: Location
    """Where they lie."""
    limit: int = 100
    """How many at most."""
    after: str | None = None
    """Cursor from an earlier page; None: from the start."""
    start: int = 0
    """Rank to start at where there is no cursor."""
    lane: str | None = None
    """Only this lane (pending of EchoMQ)."""
    payload: bool = False
    """Bring the first part of each payload too, of those up to 64 kB."""
    payload_bytes: int = 256
    """How much of each payload, where asked for."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something a queue announced (echomq.md 5, bullmq.md 5)."""

    at_ms: int
    """When it was received, Unix ms of the viewer's clock."""
    queue: QueueId
    """Who announced it."""
    name: str
    """`completed`, `failed`, `progress`, …, as announced."""
    job: str | None
    """Id of the job it speaks of."""
    extra: tuple[tuple[str, str], ...] = ()
    """Further fields, in order."""


class Source(Protocol):
    """Moments of one server.

    Every read raises `emqtop.wire.errors.SourceError` where the server cannot be asked. A read that is cancelled
    leaves the source usable.
    """

    async def sample(self) -> Snapshot:
        """All queues, now."""

    async def page(self, request: PageRequest) -> "Page":
        """Some jobs of a location."""

    async def job(self, queue: QueueId, job_id: str) -> "JobDetail | None":
        """One job; None: no row and in no location."""

    async def field(self, queue: QueueId, job_id: str, name: str, start: int, length: int) -> bytes:
        """Part of one field of a row, in bytes; read on demand, never by itself."""

    async def lanes(self, queue: QueueId) -> tuple[Lane, ...]:
        """The lanes of an EchoMQ queue."""

    async def lane_look(self, queue: QueueId) -> "LaneLook":
        """The same as they are judged: only those that are known already, and nothing that costs a search."""

    async def about(self, queue: QueueId) -> tuple[tuple[str, str], ...]:
        """What else is known of a BullMQ queue, label and words: layout, workers, limits, schedulers."""

    async def team(self, queue: QueueId) -> "Team":
        """Who works on a queue."""

    async def timetable(self, queue: QueueId) -> "Timetable":
        """Its recurring jobs."""

    async def metrics(self, queue: QueueId) -> "Metrics":
        """How many of its jobs ended, by the minute where its workers keep that."""

    def events(self, queues: tuple[QueueId, ...]) -> AsyncIterator[Event]:
        """What queues announce from now on; empty: every queue, as new ones are found too."""

    def show(self, queues: tuple[QueueId, ...]) -> None:
        """Name the queues on the screen: they are read first."""

    async def moved(self, timeout_s: float) -> bool:
        """Wait until something on the screen is said to have moved; False: the time ran out."""

    async def close(self) -> None:
        """Hang up; harmless when done twice."""
