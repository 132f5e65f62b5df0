"""Events: a live tail of what one queue announces, or all of them."""

from collections.abc import Hashable, Sequence

from emqtop.model.fuzzy import matches
from emqtop.model.queue import Family, QueueId
from emqtop.present.columns import Column
from emqtop.present.event_columns import EventRow, event_columns, searched
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.commands import Place, bindings
from emqtop.ui.messages import TailOpened
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.tail import Tail, next_failure
from emqtop.ui.widgets.line import Part
from emqtop.wire.errors import SourceError

DRAW_S = 0.5
"""Shortest time between two pictures, seconds: more lines a second nobody reads, and each is bytes on the line."""
QUIET = "nothing announced yet; EchoMQ announces little"


class EventsScreen(ListScreen[EventRow]):
    """The tail; follows the newest event until the cursor is moved away from it."""

    PLACE = Place.EVENTS
    BINDINGS = bindings(Place.EVENTS, Place.LIST)

    def __init__(self, queue: QueueId | None, *, utc: bool = False) -> None:
        super().__init__()
        self.queue = queue
        self.tail = Tail()
        self.follows = True
        self.utc = utc
        self._seen = -1
        self._source: Source | None = None

    def columns(self) -> Sequence[Column[EventRow]]:
        """Those of the tail; its own queue needs no naming."""
        return [column for column in event_columns(self.utc) if self.queue is None or column.key != "queue"]

    def key_of(self, item: EventRow) -> Hashable:
        """Its number."""
        return item.number

    def items(self) -> Sequence[EventRow]:
        """The events that match, the newest last."""
        if not self.wanted:
            return list(self.tail.rows)
        return [row for row in self.tail.rows if matches(self.wanted, searched(row), loose=False)]

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, events."""
        return ("emqtop", *(() if self.queue is None else (safe(self.queue.name),)), "events")

    def queue_meant(self) -> QueueId | None:
        """The one whose tail this is, else that of the event under the cursor."""
        current = self.grid.current
        return self.queue or (None if current is None else current.event.queue)

    def job_meant(self) -> str | None:
        """That of the event under the cursor."""
        return None if self.grid.current is None else self.grid.current.event.job

    async def read(self, source: Source) -> None:
        """Open the tail, once; it goes on by itself."""
        if self._source is None:
            self.post_message(TailOpened(source))

    def on_tail_opened(self, message: TailOpened) -> None:
        """Listen, and look at what came every now and then."""
        if self._source is None:
            self._source = message.source
            self.run_worker(self._listen(message.source), exit_on_error=True)

    async def _listen(self, source: Source) -> None:
        try:
            async for event in source.events(() if self.queue is None else (self.queue,)):
                self.tail.take(event)
        except SourceError as error:
            self.say(f"the tail ended: {safe(str(error))}", "bad")

    def on_mount(self) -> None:
        """Begin to look."""
        super().on_mount()
        self.draw_rows()
        self.set_interval(DRAW_S, self.look)

    def look(self) -> None:
        """Draw what came since the last look, if anything did."""
        if self.tail.taken != self._seen and not self.frozen:
            self._seen = self.tail.taken
            self.draw_rows()

    def watch_moment(self) -> None:
        """Events come by themselves, not with the numbers."""
        super(ListScreen, self).watch_moment()

    def draw_rows(self) -> None:
        """Show what matches; the cursor stays on the newest while it follows."""
        self.grid.empty = "no event matches" if self.wanted and self.tail.rows else self._why_empty()
        super().draw_rows()
        if self.follows:
            self.grid.to_end(last=True)

    def _why_empty(self) -> str:
        return "nothing announced yet" if self.queue and self.queue.family is Family.BULLMQ else QUIET

    def summary(self) -> Sequence[Part]:
        """How many, how fast, and how little that may be of all that happens."""
        parts = list(super().summary())
        if self.queue is None or self.queue.family is Family.ECHOMQ:
            parts.append(Part("not every move is announced  ", "dim"))
        per_second = self.tail.per_second(max(self._clock_s, self.moment.arrived_s))
        parts += [Part(f"{per_second}/s  ", "plain")] if per_second else []
        kept = f"{len(self.tail.rows)} of {self.tail.taken}" if self.tail.taken > len(self.tail.rows) else ""
        parts += [Part(f"{kept or len(self.tail.rows)} events  ", "dim")]
        if self.frozen:
            return parts
        return [*parts, Part("follows" if self.follows else "stands, End follows", "good" if self.follows else "warn")]

    def _moved(self) -> None:
        """The cursor was moved: to the newest event means to follow."""
        selection = self.grid.selection
        self.follows = selection.index >= len(selection.items) - 1
        self.draw_status()

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        super().action_move(rows)
        self._moved()

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        super().action_page(pages)
        self._moved()

    def action_to_end(self, last: bool) -> None:
        """Move the cursor to an end."""
        super().action_to_end(last)
        self._moved()

    def on_grid_chosen(self) -> None:
        """A row was chosen by the mouse."""
        self._moved()

    def action_failure(self, step: int) -> None:
        """The next failure, or the one before."""
        selection = self.grid.selection
        found = next_failure(list(selection.items), selection.index, step)
        if found is None:
            self.say("no failure after this one" if step > 0 else "no failure before this one", "warn")
            return
        self.follows = False
        self.hush()
        self.grid.go_to(found.number)
        self._moved()

    def action_utc(self) -> None:
        """Times in UTC, or in the zone of the user."""
        self.utc = not self.utc
        self.grid.set_columns(self.columns())
        self.hint("times in UTC" if self.utc else "times in your zone", "plain")

    def opened(self, item: EventRow) -> None:
        """Look at the job of an event."""
        if item.event.job is None:
            self.say("this event names no job", "warn")
            return
        self.app.push_screen(JobScreen(item.event.queue, item.event.job, None))
