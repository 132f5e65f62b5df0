"""The port over a real server: every tick one snapshot, pages and jobs on demand, a lost server found again."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress

from emqtop.meaning.servers import server_of
from emqtop.model.job import JobDetail, Page
from emqtop.model.lane_look import LaneLook
from emqtop.model.metrics import Metrics
from emqtop.model.queue import Family, Lane, QueueId
from emqtop.model.snapshot import Cost, Snapshot
from emqtop.model.team import Team
from emqtop.model.timetable import Timetable
from emqtop.sampling import pages
from emqtop.sampling.announcements import Channels, Tail
from emqtop.sampling.moment import moment
from emqtop.sampling.nodes import LATE_S, Nodes
from emqtop.sampling.source import Event, PageRequest
from emqtop.settings import ANY_PREFIX, Settings
from emqtop.wire.address import Address, address_of
from emqtop.wire.client import Client
from emqtop.wire.errors import SourceError
from emqtop.wire.server import wire_version

LEAST_S = 0.25
"""Shortest time between a sample and the word that something moved again, in seconds."""
VERSION_S = 60.0
"""How often the version fence is read, in seconds: the first client of EchoMQ sets it, and a new release another."""
MOST_LISTENED = 100
"""Queues on the screen whose channels are listened to."""

# The longest, a quarter longer by chance, is less than a tick: a server that is back is met at the next one.
_FIRST_RETRY_S, _LAST_RETRY_S = 0.25, 0.75


class Live:
    """Moments of a live server; implements `emqtop.sampling.source.Source`.

    Nothing is sent before the first call.

    Args:
        settings: where, which prefixes, which family, which queues.
        client: the server; None: made from the settings.
        on_limit: told at once, in words, what turns out to be withheld between two samples; the next one has it too.

    Raises:
        BadAddress: the URL cannot be read.
    """

    def __init__(
        self, settings: Settings, client: Client | None = None, on_limit: Callable[[str], None] = lambda _: None
    ) -> None:
        self.client = client or Client(address_of(settings), settings.timeout_s)
        """The server; acts go through it too."""
        self._settings = settings
        self._stir = asyncio.Event()
        self._shown: tuple[QueueId, ...] = ()
        self._nodes = Nodes(settings, self.client, self._wake)
        self._hints = Channels(self._anywhere, settings.timeout_s, lambda event: self._wake((event.queue,)))
        self._on_limit = on_limit
        self._unheard: dict[str, None] = {}
        self._turn = asyncio.Lock()
        self._sampled_at = 0.0
        self._version: str | None = None
        self._version_due = 0.0
        self._lost: SourceError | None = None
        self._retry_at = 0.0
        self._retry_s = _FIRST_RETRY_S

    async def sample(self) -> Snapshot:
        """All queues, now; one at a time.

        Raises:
            SourceError: the server cannot be asked; until the next attempt is due, at once and without asking.
        """
        async with self._turn:
            if self._lost is not None and time.monotonic() < self._retry_at:
                raise self._lost
            self._stir.clear()
            before, began = self._spent(), time.perf_counter()
            try:
                await self._sample()
            except SourceError as error:
                self.client.doubt()
                self._note_loss(error)
                raise
            self._lost, self._retry_s = None, _FIRST_RETRY_S
            self._sampled_at = time.monotonic()
            return self._moment(before, (time.perf_counter() - began) * 1000)

    async def page(self, request: PageRequest) -> Page:
        """Some jobs of a location."""
        return await self.client.read(pages.page(request, self._lanes_of(request.queue)))

    async def job(self, queue: QueueId, job_id: str) -> JobDetail | None:
        """One job; None: no row and in no location."""
        return await self.client.read(pages.detail(queue, job_id))

    async def field(self, queue: QueueId, job_id: str, name: str, start: int, length: int) -> bytes:
        """Part of one field of a row, in bytes."""
        return await self.client.read(pages.field_part(queue, job_id, name, start, length))

    async def lanes(self, queue: QueueId) -> tuple[Lane, ...]:
        """The lanes of an EchoMQ queue."""
        return await self.client.read(pages.lanes(queue, self._lanes_of(queue)))

    async def lane_look(self, queue: QueueId) -> LaneLook:
        """The same as they are judged, without a search for more."""
        return await self.client.read(pages.lane_look(queue, self._lanes_of(queue)))

    async def about(self, queue: QueueId) -> tuple[tuple[str, str], ...]:
        """What else is known of a BullMQ queue, label and words."""
        return await self.client.read(pages.about(queue, self.client.address.db))

    async def team(self, queue: QueueId) -> Team:
        """Who works on a queue."""
        return await self.client.read(pages.team(queue, self.client.address.db))

    async def timetable(self, queue: QueueId) -> Timetable:
        """Its recurring jobs."""
        return await self.client.read(pages.timetable(queue))

    async def metrics(self, queue: QueueId) -> Metrics:
        """How many of its jobs ended, by the minute where its workers keep that."""
        return await self.client.read(pages.metrics(queue))

    def events(self, queues: tuple[QueueId, ...]) -> AsyncIterator[Event]:
        """What queues announce from now on; empty: every queue, as new ones are found too."""
        if queues:
            return Tail(self.client, lambda: queues, on_withheld=self._note_unheard).events()
        return Tail(self.client, self._known, self._prefixes_heard(), self._note_unheard).events()

    def show(self, queues: tuple[QueueId, ...]) -> None:
        """Name the queues on the screen: they are read first."""
        self._shown = queues

    async def moved(self, timeout_s: float) -> bool:
        """Wait until something on the screen is said to have moved; False: the time ran out."""
        rest_s = max(0.0, self._sampled_at + LEAST_S - time.monotonic())
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.sleep(rest_s)
                await self._stir.wait()
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Hang up; harmless when done twice."""
        await self._nodes.close()
        await self._hints.close()
        await self.client.close()

    async def _sample(self) -> None:
        await self.client.settle()
        await self._nodes.sample(self._shown)
        # What is missed of them costs nothing but time.
        with suppress(SourceError):
            await self._hints.listen(self._shown[:MOST_LISTENED])
        if time.monotonic() >= self._version_due:
            self._version_due = time.monotonic() + VERSION_S
            # The node of a cluster that holds it may be lost, which is no reason to lose the numbers of the others.
            with suppress(SourceError):
                self._version = await self.client.read(wire_version(), LATE_S)

    def _moment(self, before: Sequence[int], wall_ms: float) -> Snapshot:
        commands, sent, received = (now - then for now, then in zip(self._spent(), before, strict=True))
        return moment(
            [node.sampler for node in self._nodes],
            server_of(self.client.address.label, self._nodes.facts, self._version),
            Cost(commands, sent, received, wall_ms),
            limits=[*self._nodes.limits(), *self._limits_of_hearing()],
            mode="tracking" if all(node.is_tracking for node in self._nodes) else "polling",
        )

    def _limits_of_hearing(self) -> list[str]:
        return [*([] if self._hints.withheld is None else [self._hints.withheld]), *self._unheard]

    def _note_unheard(self, words: str) -> None:
        self._unheard[words] = None
        self._on_limit(words)

    def _prefixes_heard(self) -> tuple[str, ...]:
        """Those of which every queue is meant, so that a new one can be heard before it is found."""
        if self._settings.queues or self._settings.family == Family.BULLMQ:
            return ()
        return (ANY_PREFIX,) if ANY_PREFIX in self._settings.prefixes else tuple(self._settings.prefixes)

    def _spent(self) -> tuple[int, int, int]:
        spent = [node.spent() for node in self._nodes]
        return sum(each[0] for each in spent), sum(each[1] for each in spent), sum(each[2] for each in spent)

    def _note_loss(self, error: SourceError) -> None:
        self._lost = error
        self._retry_at = time.monotonic() + self._retry_s * random.uniform(0.75, 1.25)
        self._retry_s = min(self._retry_s * 2, _LAST_RETRY_S)

    def _wake(self, queues: Iterable[QueueId] | None) -> None:
        if queues is None or not set(self._shown).isdisjoint(queues):
            self._stir.set()

    def _anywhere(self) -> Address:
        """Any process: announcements reach all of them."""
        return self._nodes.anywhere or self.client.anywhere

    def _known(self) -> Iterable[QueueId]:
        return [queue for node in self._nodes for queue in node.sampler.entries]

    def _lanes_of(self, queue: QueueId) -> list[str]:
        return [group for node in self._nodes for group in node.sampler.lanes_met(queue)]
