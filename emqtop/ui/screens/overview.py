"""The overview: every queue, worst first."""

from collections.abc import Hashable, Iterator, Sequence

from textual.widget import Widget
from textual.widgets import Input

from emqtop.model.actions import Verb
from emqtop.model.fuzzy import matches
from emqtop.model.queue import QueueId
from emqtop.present.columns import Column
from emqtop.present.queue_columns import WATCHED
from emqtop.present.rows import QueueRow, queue_rows
from emqtop.sampling.source import Source
from emqtop.ui.aim import Aim, NoAim, at_queue
from emqtop.ui.commands import Command, Place, bindings
from emqtop.ui.keymap import keymap_of
from emqtop.ui.moment import NOTHING_YET, Moment
from emqtop.ui.ordering import WORDS, Order
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.sections import Section, has_groups, sections
from emqtop.ui.widgets.grid_line import Heading
from emqtop.ui.widgets.line import Line, Part
from emqtop.units import count, counted

HIGH = 16
"""Lines of a window from which on some are spared for hints."""


class OverviewScreen(ListScreen[QueueRow]):
    """All queues of the server.

    Args:
        hints: lines that are told until something is opened; `{reap}` in them stands for the key of that command.
    """

    PLACE = Place.OVERVIEW
    BINDINGS = bindings(Place.OVERVIEW, Place.LIST)

    def __init__(self, hints: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.hints = hints
        self.order = Order.WORST
        self.turned = False
        self._parted: tuple[object, Sequence[Section]] = (None, ())
        self._summed: Moment | None = None
        self._sums: tuple[Part, ...] = ()

    def view(self) -> Iterator[Widget]:
        """The queues, and hints below them."""
        yield from super().view()
        for _ in self.hints:
            yield Line().add_class("hint")

    def on_resize(self) -> None:
        """A low window has no line for hints."""
        super().on_resize()
        self.query(".hint").set(display=bool(self.hints) and self.app.size.height >= HIGH)

    def columns(self) -> Sequence[Column[QueueRow]]:
        """Those of the overview."""
        return WATCHED

    def key_of(self, item: QueueRow) -> Hashable:
        """Prefix and family belong to it: names repeat."""
        return item.queue.id

    def items(self) -> Sequence[QueueRow]:
        """The queues that match, in order."""
        return [row for section in self.sections() for row in section.rows]

    def sections(self) -> Sequence[Section]:
        """The same in their groups, where there are several; made once for the same numbers."""
        snapshot, speeds, past = self.moment.snapshot, self.moment.speeds, self.moment.past
        made_of = (snapshot.queues, snapshot.clock, speeds, past, self.wanted, self.order, self.turned)
        if made_of != self._parted[0]:
            self._parted = made_of, self._part(queue_rows(snapshot, speeds, past))
        return self._parted[1]

    def _part(self, rows: Sequence[QueueRow]) -> Sequence[Section]:
        shown = [row for row in rows if matches(self.wanted, row.queue.id.name)] if self.wanted else rows
        return sections(shown, self.order, self.turned, has_groups(row.queue.id for row in rows))

    def show_rows(self) -> None:
        """Put the queues into the table, each group under its heading."""
        rows: list[QueueRow] = []
        headings: list[Heading] = []
        for section in self.sections():
            if section.title:
                headings.append(Heading(len(rows), tuple(Part(*run) for run in section.heading)))
            rows += section.rows
        self.grid.show(rows, self.now_ms, headings)

    def crumbs(self) -> tuple[str, ...]:
        """The outermost place."""
        return ("emqtop",)

    def summary(self) -> Sequence[Part]:
        """Totals and order, what matters most first."""
        turned = ", turned" if self.turned else ""
        return (*super().summary(), *self._totals(), Part(f"{WORDS[self.order]}{turned}", "dim"))

    def _totals(self) -> tuple[Part, ...]:
        """Sums over all queues, made once for each moment: the status line is drawn more often."""
        if self.moment is NOTHING_YET:
            return ()
        if self._summed is not self.moment:
            queues = self.moment.snapshot.queues
            waiting = sum(queue.pending or 0 for queue in queues)
            late = sum(queue.overdue or 0 for queue in queues)
            more = "" if self.moment.snapshot.swept else " so far"
            told = [Part(f"{count(late)} overdue", "bad")] if late else []
            told += [Part(counted(len(queues), "queue") + more), Part(f"{count(waiting)} pending")]
            self._sums = tuple(part for each in told for part in (each, Part("  ")))
            self._summed = self.moment
        return self._sums

    def draw_keys(self) -> None:
        """Hints name keys, too."""
        super().draw_keys()
        for line, words in zip(self.query(".hint").results(Line), self.hints, strict=False):
            line.show([Part(f" {keymap_of(self).fill(words)}", "accent")])

    def draw_rows(self) -> None:
        """Say what an empty list means."""
        none = "no queues on this server" if self.moment.snapshot.swept else "no queues found yet"
        self.grid.empty = "no queue matches" if self.wanted else none
        super().draw_rows()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while it is typed; a queue of exactly that name gets the cursor."""
        super().on_input_changed(event)
        exact = next((row for row in self.grid.selection.items if row.queue.id.name == self.wanted), None)
        if exact is not None:
            self.grid.go_to(self.key_of(exact))

    def opened(self, item: QueueRow) -> None:
        """Look into a queue."""
        # All that shows jobs comes with it, which the first frame need not wait for.
        from emqtop.ui.queue_tabs import first_tab
        from emqtop.ui.screens.queue import QueueScreen

        self.hints = ()
        self.query(".hint").set(display=False)
        self.app.push_screen(QueueScreen(item.queue.id, first_tab(item.queue)))

    def queue_meant(self) -> QueueId | None:
        """The one under the cursor."""
        return None if self.grid.current is None else self.grid.current.queue.id

    def aim(self, verb: Verb) -> Aim:
        """The queue under the cursor, as a whole."""
        row = self.grid.current
        if row is None:
            raise NoAim("no queue is chosen")
        return at_queue(verb, row.queue.id, row.queue.paused)

    def action_sort(self) -> None:
        """Order by the next thing."""
        self.order = self.order.following()
        self._reorder()

    def action_reverse(self) -> None:
        """Turn the order around."""
        self.turned = not self.turned
        self._reorder()

    def _reorder(self) -> None:
        down = self.turned if self.order in {Order.NAME, Order.OLDEST, Order.GROUP} else not self.turned
        self.grid.set_sorted(None if self.order is Order.WORST else self.order.value, down)
        self.draw_rows()

    def offered(self, command: Command) -> bool:
        """There is a way back only out of a filter."""
        return super().offered(command) and (command.id != "back" or bool(self.wanted))

    def action_back(self) -> None:
        """Out of the filter; there is nothing behind the overview."""
        if not self.close_filter(clear=True):
            self.hint(keymap_of(self).fill("nothing is behind the overview; {quit} leaves"))

    async def read(self, source: Source) -> None:
        """Nothing beside the snapshot, but tell which queues to read first."""
        source.show(self.shown_queues())

    def shown_queues(self) -> tuple[QueueId, ...]:
        """The queues on the screen, which are to be read first."""
        return tuple(row.queue.id for row in self.grid.selection.in_view(self.size.height))
