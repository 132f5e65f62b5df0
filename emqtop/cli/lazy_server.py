"""A live server for the dashboard, made at the first question about it.

What asks and acts stands on redis-py, which takes as long to import as the dashboard itself: the first frame does not
wait for it, and the import runs in a thread so that keys are answered meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emqtop.model.queue import Lane, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.source import Event, PageRequest
from emqtop.settings import Settings

if TYPE_CHECKING:
    from emqtop.acting.entry import Entry
    from emqtop.acting.plan import Plan, Selection
    from emqtop.acting.tally import Progress
    from emqtop.model.actions import Order, Outcome, Seen
    from emqtop.model.job import JobDetail, Page
    from emqtop.model.lane_look import LaneLook
    from emqtop.model.metrics import Metrics
    from emqtop.model.team import Team
    from emqtop.model.timetable import Timetable
    from emqtop.present.audit_columns import AuditRow
    from emqtop.sampling.live import Live
    from emqtop.ui.acts import Desk, Found, Told
    from emqtop.ui.ledger import Book


@dataclass(frozen=True, slots=True)
class Parts:
    """What the dashboard needs of a server."""

    source: "Live"
    """Moments."""
    desk: "Desk"
    """Acts."""
    book: "Book"
    """What was done."""


class LazyServer:
    """A server that is looked for when it is first needed.

    Args:
        settings: where it is; its URL can be read.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.known: Parts | None = None
        """The parts, once they are made."""
        self._turn = asyncio.Lock()

    async def parts(self) -> Parts:
        """The parts, made by whoever asks first."""
        async with self._turn:
            if self.known is None:
                self.known = await asyncio.to_thread(_make, self.settings)
        return self.known


def _make(settings: Settings) -> Parts:
    from emqtop.acting.audit import Audit
    from emqtop.acting.runner import Runner
    from emqtop.sampling.live import Live
    from emqtop.ui.acts import Desk
    from emqtop.ui.ledger import Book

    source = Live(settings)
    audit = Audit(source.client.address.label)
    runner = Runner(source.client, audit, read_only=settings.read_only)
    return Parts(source, Desk(source.client, runner), Book(audit, source.client, read_only=settings.read_only))


class LazySource:
    """The port `Source` over such a server."""

    def __init__(self, server: LazyServer) -> None:
        self._server = server
        self._shown: tuple[QueueId, ...] = ()

    async def _source(self) -> "Live":
        source = (await self._server.parts()).source
        source.show(self._shown)
        return source

    async def sample(self) -> Snapshot:
        """All queues, now."""
        return await (await self._source()).sample()

    async def page(self, request: PageRequest) -> "Page":
        """Some jobs of a location."""
        return await (await self._source()).page(request)

    async def job(self, queue: QueueId, job_id: str) -> "JobDetail | None":
        """One job; None: no row and in no location."""
        return await (await self._source()).job(queue, job_id)

    async def field(self, queue: QueueId, job_id: str, name: str, start: int, length: int) -> bytes:
        """Part of one field of a row, in bytes."""
        return await (await self._source()).field(queue, job_id, name, start, length)

    async def lanes(self, queue: QueueId) -> tuple[Lane, ...]:
        """The lanes of an EchoMQ queue."""
        return await (await self._source()).lanes(queue)

    async def lane_look(self, queue: QueueId) -> "LaneLook":
        """The same as they are judged."""
        return await (await self._source()).lane_look(queue)

    async def about(self, queue: QueueId) -> tuple[tuple[str, str], ...]:
        """What else is known of a BullMQ queue."""
        return await (await self._source()).about(queue)

    async def team(self, queue: QueueId) -> "Team":
        """Who works on a queue."""
        return await (await self._source()).team(queue)

    async def timetable(self, queue: QueueId) -> "Timetable":
        """Its recurring jobs."""
        return await (await self._source()).timetable(queue)

    async def metrics(self, queue: QueueId) -> "Metrics":
        """How many of its jobs ended."""
        return await (await self._source()).metrics(queue)

    async def events(self, queues: tuple[QueueId, ...]) -> AsyncIterator[Event]:
        """What queues announce from now on."""
        async for event in (await self._source()).events(queues):
            yield event

    def show(self, queues: tuple[QueueId, ...]) -> None:
        """Name the queues on the screen."""
        self._shown = queues
        if self._server.known is not None:
            self._server.known.source.show(queues)

    async def moved(self, timeout_s: float) -> bool:
        """Wait until something on the screen is said to have moved."""
        return await (await self._source()).moved(timeout_s)

    async def close(self) -> None:
        """Hang up, where anything was asked."""
        if self._server.known is not None:
            await self._server.known.source.close()


class LazyActs:
    """Plans and runs the acts of a dialog on such a server."""

    def __init__(self, server: LazyServer) -> None:
        self._server = server

    async def standing(self, order: "Order", seen: "Sequence[Seen]") -> "Order | None":
        """How it is now."""
        return await (await self._server.parts()).desk.standing(order, seen)

    async def plan(
        self, order: "Order", selection: "Selection", *, stop: asyncio.Event, on_progress: "Found"
    ) -> "Plan":
        """Look what the act would touch."""
        return await (await self._server.parts()).desk.plan(order, selection, stop=stop, on_progress=on_progress)

    async def run(self, plan: "Plan", *, stop: asyncio.Event, on_progress: "Told") -> "Outcome":
        """Do it."""
        return await (await self._server.parts()).desk.run(plan, stop=stop, on_progress=on_progress)


class LazyLedger:
    """Lists acts on such a server and takes them back."""

    def __init__(self, server: LazyServer) -> None:
        self.may_undo = not server.settings.read_only
        self._server = server

    async def rows(self) -> "tuple[AuditRow, ...] | None":
        """The acts, oldest first; None: nothing was written since the last call."""
        return await (await self._server.parts()).book.rows()

    async def undo(
        self, entry: "Entry", *, stop: asyncio.Event, on_progress: "Callable[[Progress], None]"
    ) -> "Outcome":
        """Take one back."""
        return await (await self._server.parts()).book.undo(entry, stop=stop, on_progress=on_progress)
