"""Errors: the dead jobs of a queue grouped by error, and acts on a group."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from emqtop.model.actions import Verb
from emqtop.model.error_groups import ErrorGroup, ErrorTally
from emqtop.model.filters import Field, Op, Text
from emqtop.model.fuzzy import matches
from emqtop.model.queue import Location, Queue, QueueId
from emqtop.present.columns import Column
from emqtop.present.errors import ERRORS
from emqtop.sampling.source import PageRequest, Source
from emqtop.text import safe
from emqtop.ui.aim import Aim, NoAim, at_location, check_fit
from emqtop.ui.clipboard import Copied
from emqtop.ui.commands import Place, bindings
from emqtop.ui.messages import ErrorsCounted
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.widgets.line import Part
from emqtop.units import count, counted

MOST_JOBS = 100_000
"""Dead jobs that are looked at."""
PAGE, PAGES = 500, 4
"""Jobs a page; pages that are read at a time, so that no key and no other number waits for all of them."""
AGAIN_S = 10.0
"""Shortest time between two counts of the same queue, seconds."""


class ErrorsScreen(ListScreen[ErrorGroup]):
    """Counts page by page, and again when the number of dead jobs has changed."""

    PLACE = Place.ERRORS
    BINDINGS = bindings(Place.ERRORS, Place.LIST)

    def __init__(self, queue: QueueId) -> None:
        super().__init__()
        self.queue = queue
        self.groups: tuple[ErrorGroup, ...] = ()
        self.looked_at = 0
        self.rest = 0
        self.counted: int | None = None
        self._tally = ErrorTally()
        self._next: PageRequest | None = self._start
        self._read = 0
        self._ended_s = 0.0

    @property
    def _start(self) -> PageRequest:
        return PageRequest(self.queue, Location.DEAD, PAGE)

    @property
    def counts(self) -> Queue:
        """The queue's line in the newest snapshot."""
        found = (queue for queue in self.moment.snapshot.queues if queue.id == self.queue)
        return next(found, Queue(self.queue))

    def columns(self) -> Sequence[Column[ErrorGroup]]:
        """Those of a group."""
        return ERRORS

    def key_of(self, item: ErrorGroup) -> Hashable:
        """What its errors have in common."""
        return item.pattern

    def items(self) -> Sequence[ErrorGroup]:
        """The groups that match, largest first."""
        if not self.wanted:
            return self.groups
        return [group for group in self.groups if matches(self.wanted, f"{group.pattern} {group.sample}", loose=False)]

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, errors."""
        return ("emqtop", safe(self.queue.name), "errors")

    def queue_meant(self) -> QueueId | None:
        """The one whose errors they are."""
        return self.queue

    def copied(self) -> Copied | None:
        """The error of the youngest job of the group."""
        group = self.grid.current
        return None if group is None else Copied("error", group.sample)

    def shown_queues(self) -> tuple[QueueId, ...]:
        """This one alone."""
        return (self.queue,)

    async def read(self, source: Source) -> None:
        """Read some pages more, where a count is under way or due."""
        source.show((self.queue,))
        if self._next is None and self._is_due():
            self._tally, self._read, self._next = ErrorTally(), 0, self._start
        if self._next is None:
            return
        for _ in range(PAGES):
            if self._next is not None:
                await self._count(source, self._next)
        self.post_message(ErrorsCounted(self._tally.groups(), self._read, self._tally.rest, self._next is None))

    async def _count(self, source: Source, request: PageRequest) -> None:
        page = await source.page(request)
        self._tally.add(page.jobs)
        self._read += len(page.jobs)
        if page.next is None or self._read >= MOST_JOBS:
            self._next, self._ended_s, self.counted = None, self._clock_s, page.total
        else:
            self._next = replace(request, after=page.next)

    def _is_due(self) -> bool:
        dead = self.counts.dead
        return dead is not None and dead != self.counted and self._clock_s - self._ended_s >= AGAIN_S

    def on_errors_counted(self, message: ErrorsCounted) -> None:
        """Show the groups; of a count that goes on only where there is nothing better yet."""
        if message.is_over or self.counted is None:
            self.groups, self.looked_at, self.rest = message.groups, message.looked_at, message.rest
            if not self.frozen:
                self.draw_rows()
        self.draw_status()
        self.draw_keys()
        if not message.is_over:
            self.wants_reading()

    def watch_moment(self) -> None:
        """The groups do not come with the numbers."""
        super(ListScreen, self).watch_moment()

    def draw_rows(self) -> None:
        """Say what an empty list means."""
        nothing = "no error matches" if self.wanted and self.groups else "no dead jobs"
        self.grid.empty = nothing if self.counted is not None else "counting"
        super().draw_rows()

    def summary(self) -> Sequence[Part]:
        """How much of all dead jobs the groups tell of."""
        parts = list(super().summary())
        dead = self.counts.dead
        if self._next is not None:
            parts.append(Part(f"counting, {count(self._read)} so far  ", "dim"))
        elif dead is not None and self.looked_at < dead and self.looked_at >= MOST_JOBS:
            parts.append(Part(f"the first {count(self.looked_at)} of {count(dead)}  ", "warn"))
        if self.rest:
            parts.append(Part(f"{count(self.rest)} in smaller groups  ", "dim"))
        return [*parts, Part(f"{counted(len(self.groups), 'error')} of {count(self.looked_at)} dead", "dim")]

    def aim(self, verb: Verb) -> Aim:
        """All dead jobs whose error is like that under the cursor."""
        check_fit(verb, {Location.DEAD})
        group = self.grid.current
        if group is None:
            raise NoAim("no error is chosen")
        return at_location(verb, self.queue, Location.DEAD, Text(Field.LIKE, Op.EQUAL, group.pattern))

    def opened(self, item: ErrorGroup) -> None:
        """Look at the youngest job of a group."""
        self.app.push_screen(JobScreen(self.queue, item.sample_id, Location.DEAD))
