"""A source without a server: queues held in memory, for tests and for looking at screens."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from emqtop.model.job import Job, JobDetail, Page
from emqtop.model.lane_look import LaneLook
from emqtop.model.metrics import Metrics
from emqtop.model.queue import Lane, Location, Queue, QueueId
from emqtop.model.snapshot import Server, Snapshot
from emqtop.model.team import Team
from emqtop.model.timetable import Timetable
from emqtop.sampling.source import Event, PageRequest
from emqtop.wire.errors import Refused, SourceError

START_MS = 1_790_000_000_000
"""Where the clock of a new source stands, Unix ms."""


@dataclass(slots=True)
class Shelf:
    """One queue: which jobs lie where."""

    id: QueueId
    """Which queue."""
    jobs: dict[Location, list[Job]] = field(default_factory=dict)
    """The jobs of each location, in the order they are served."""
    lanes: list[Lane] = field(default_factory=list)
    """Its lanes; their jobs are counted, and listed where they stand in `jobs` too."""
    rows: dict[str, tuple[tuple[str, bytes], ...]] = field(default_factory=dict)
    """Fields of a job's row beside its payload."""
    logs: dict[str, tuple[bytes, ...]] = field(default_factory=dict)
    """Log lines of a job."""
    families: dict[str, JobDetail] = field(default_factory=dict)
    """Parent and children of a job, where it belongs to a flow; of the detail only these are used."""
    completed: int = 0
    """How many have ever completed."""
    failed: int = 0
    """How many have ever died."""
    paused: bool = False
    """Is claiming switched off?"""
    error: str | None = None
    """Why this queue cannot be read."""
    about: tuple[tuple[str, str], ...] = ()
    """What else is known of it: label and words."""
    team: Team = field(default_factory=Team)
    """Who works on it."""
    timetable: Timetable = field(default_factory=Timetable)
    """Its recurring jobs."""
    metrics: Metrics = field(default_factory=Metrics)
    """How many of its jobs ended, by the minute."""

    def at(self, location: Location) -> list[Job]:
        """The jobs of a location; a list to change."""
        return self.jobs.setdefault(location, [])

    def find(self, job_id: str) -> tuple[Location, Job] | None:
        """Where a job lies."""
        for location, jobs in self.jobs.items():
            for job in jobs:
                if job.id == job_id:
                    return location, job
        return None

    def move(self, job_id: str, to: Location, **changes: object) -> None:
        """Put a job into another location, with fields of its line changed.

        Raises:
            KeyError: there is no such job.
        """
        found = self.find(job_id)
        if found is None:
            raise KeyError(job_id)
        location, job = found
        self.jobs[location].remove(job)
        self.at(to).append(replace(job, **changes))  # type: ignore[arg-type]

    def count(self, now_ms: int) -> Queue:
        """The queue's line at a moment, Unix ms."""
        if self.error is not None:
            return Queue(self.id, error=self.error)
        pending, active, schedule = (self.at(place) for place in (Location.PENDING, Location.ACTIVE, Location.SCHEDULE))
        deadlines = [job.deadline_ms for job in active if job.deadline_ms is not None]
        minted = [job.minted_ms for job in pending if job.minted_ms is not None]
        in_lanes = sum(lane.pending for lane in self.lanes)
        return Queue(
            self.id,
            pending=sum(job.group is None for job in pending) + in_lanes,
            lanes=in_lanes,
            active=len(active),
            schedule=len(schedule),
            dead=len(self.at(Location.DEAD)),
            held=len(self.at(Location.HELD)),
            completed=self.completed,
            failed=self.failed,
            overdue=sum(deadline <= now_ms for deadline in deadlines),
            due=sum(job.due_ms is not None and job.due_ms <= now_ms for job in schedule),
            paused=self.paused,
            next_deadline_ms=min(deadlines, default=None),
            next_due_ms=min((job.due_ms for job in schedule if job.due_ms is not None), default=None),
            oldest_pending_ms=min(minted, default=None),
        )


class MemorySource:
    """Moments of queues in memory; satisfies the port `Source`.

    Attributes:
        now_ms: the server's clock, Unix ms; moves only when it is set.
        shelves: the queues.
        fault: raised by every read while it is set.
        frozen: while set, no read answers: the server hangs.
        withheld: while set, what stands around jobs is refused in these words.
        reads: what was asked, in order, for tests.
    """

    def __init__(self, *shelves: Shelf, server: Server | None = None) -> None:
        self.now_ms = START_MS
        self.shelves = {shelf.id: shelf for shelf in shelves}
        self.server = server or Server(
            url="memory://", kind="valkey", version="9.1.2", mode="standalone", role="master"
        )
        self.fault: SourceError | None = None
        self.frozen = False
        self.withheld: str | None = None
        self.reads: list[str] = []
        self.closed = False
        self._moved = asyncio.Event()
        self._thaw = asyncio.Event()
        self._events: list[asyncio.Queue[Event]] = []

    def touch(self) -> None:
        """Say that something moved, and wake what hangs."""
        self._moved.set()
        if not self.frozen:
            self._thaw.set()

    def announce(self, event: Event) -> None:
        """Give an event to whoever listens."""
        for listener in self._events:
            listener.put_nowait(event)

    async def sample(self) -> Snapshot:
        """All queues, now."""
        await self._answer("sample")
        queues = tuple(self.shelves[queue].count(self.now_ms) for queue in sorted(self.shelves))
        return Snapshot(at_ms=self.now_ms, server=self.server, queues=queues, swept=True)

    async def page(self, request: PageRequest) -> Page:
        """Some jobs of a location; cursors are ranks."""
        await self._answer(f"page {request.location}")
        shelf = self.shelves.get(request.queue)
        jobs = [] if shelf is None else shelf.at(request.location)
        if request.lane is not None:
            jobs = [job for job in jobs if job.group == request.lane]
        start = request.start if request.after is None else int(request.after)
        end = start + request.limit
        cursor = str(end) if end < len(jobs) else None
        return Page(request.queue, request.location, self.now_ms, len(jobs), start, tuple(jobs[start:end]), cursor)

    async def job(self, queue: QueueId, job_id: str) -> JobDetail | None:
        """One job; None: it lies nowhere."""
        await self._answer(f"job {job_id}")
        shelf = self.shelves.get(queue)
        found = None if shelf is None else shelf.find(job_id)
        if shelf is None or found is None:
            return None
        location, job = found
        row = list(shelf.rows.get(job_id, ()))
        if job.last_error is not None and not any(name == "last_error" for name, _ in row):
            row.append(("last_error", job.last_error.encode("utf-8", "surrogateescape")))
        if job.payload is not None:
            row.append(("payload", job.payload))
        logs = shelf.logs.get(job_id, ())
        fields = tuple((name, value[:65_536], len(value)) for name, value in row)
        detail = JobDetail(queue, job, self.now_ms, location, fields, logs, len(logs))
        if (kin := shelf.families.get(job_id)) is None:
            return detail
        return replace(
            detail,
            parent=kin.parent,
            parent_queue=kin.parent_queue,
            waiting_for=kin.waiting_for,
            children=kin.children,
        )

    async def field(self, queue: QueueId, job_id: str, name: str, start: int, length: int) -> bytes:
        """Part of one field of a row, in bytes."""
        await self._answer(f"field {name}")
        shelf = self.shelves[queue]
        found = shelf.find(job_id)
        row = dict(shelf.rows.get(job_id, ()))
        if found is not None and found[1].payload is not None:
            row["payload"] = found[1].payload
        return row.get(name, b"")[start : start + length]

    async def lanes(self, queue: QueueId) -> tuple[Lane, ...]:
        """The lanes of a queue."""
        await self._answer("lanes")
        shelf = self.shelves.get(queue)
        return () if shelf is None else tuple(shelf.lanes)

    async def lane_look(self, queue: QueueId) -> LaneLook:
        """The same, with the active jobs counted."""
        await self._answer(f"lanes {queue.name}")
        shelf = self.shelves.get(queue)
        if shelf is None:
            return LaneLook()
        groups = (job.group for job in shelf.at(Location.ACTIVE))
        return LaneLook(tuple(shelf.lanes), Counter(group for group in groups if group is not None))

    async def about(self, queue: QueueId) -> tuple[tuple[str, str], ...]:
        """What the shelf says of itself."""
        await self._answer("about")
        shelf = self.shelves.get(queue)
        return () if shelf is None else shelf.about

    async def team(self, queue: QueueId) -> Team:
        """What the shelf says of its workers."""
        await self._around("team")
        shelf = self.shelves.get(queue)
        return Team() if shelf is None else shelf.team

    async def timetable(self, queue: QueueId) -> Timetable:
        """What the shelf says of its recurring jobs."""
        await self._around("timetable")
        shelf = self.shelves.get(queue)
        return Timetable() if shelf is None else shelf.timetable

    async def metrics(self, queue: QueueId) -> Metrics:
        """What the shelf says of its minutes."""
        await self._around("metrics")
        shelf = self.shelves.get(queue)
        return Metrics() if shelf is None else shelf.metrics

    async def events(self, queues: tuple[QueueId, ...]) -> AsyncIterator[Event]:
        """What is announced from now on."""
        listener: asyncio.Queue[Event] = asyncio.Queue()
        self._events.append(listener)
        try:
            while True:
                event = await listener.get()
                if not queues or event.queue in queues:
                    yield event
        finally:
            self._events.remove(listener)

    def show(self, queues: tuple[QueueId, ...]) -> None:
        """Nothing to put first: everything is at hand."""

    async def moved(self, timeout_s: float) -> bool:
        """Wait for `touch`; False: the time ran out."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._moved.wait()
        except TimeoutError:
            return False
        self._moved.clear()
        return True

    async def close(self) -> None:
        """Note that nobody looks any more."""
        self.closed = True

    async def _around(self, asked: str) -> None:
        await self._answer(asked)
        if self.withheld is not None:
            raise Refused(self.withheld)

    async def _answer(self, asked: str) -> None:
        self.reads.append(asked)
        while self.frozen:
            self._thaw.clear()
            await self._thaw.wait()
        if self.fault is not None:
            raise self.fault
