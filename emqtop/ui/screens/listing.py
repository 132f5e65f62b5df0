"""What the screens that show a table share: cursor, marks, filter, holding the numbers still."""

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, TypeVar

from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from emqtop.present.columns import Column
from emqtop.ui.clipboard import Copied
from emqtop.ui.commands import Command
from emqtop.ui.moment import NOTHING_YET
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.widgets.grid import Grid
from emqtop.ui.widgets.line import Part

Item = TypeVar("Item")


class FilterInput(Input):
    """Where a filter is typed; while it has the focus no letter is an act."""

    def __init__(self) -> None:
        # The blinking cursor of an Input costs 2.5 kB/s over a slow line.
        super().__init__(id="filter", select_on_focus=False, compact=True)
        self.cursor_blink = False
        self.display = False


class ListScreen(LiveScreen, Generic[Item]):
    """A table with a filter. The filter works on what is loaded.

    Attributes:
        wanted: the filter; empty: everything is shown.
        frozen: are the numbers held still?
        expected: key of the row that the cursor is to stand on when it first comes in; None: on the first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.wanted = ""
        self.frozen = False
        self.expected: Hashable | None = None

    @abstractmethod
    def columns(self) -> Sequence[Column[Item]]:
        """The columns of the table."""

    @abstractmethod
    def key_of(self, item: Item) -> Hashable:
        """What a row is known by."""

    @abstractmethod
    def items(self) -> Sequence[Item]:
        """The rows, filtered and in order."""

    def above(self) -> Iterator[Widget]:
        """Widgets between the top line and the table."""
        return iter(())

    def beside(self) -> Iterator[Widget]:
        """Widgets to the right of the table."""
        return iter(())

    def view(self) -> Iterator[Widget]:
        """The table and the line for the filter."""
        yield from self.above()
        with Horizontal(id="body"):
            yield Grid(self.columns(), self.key_of, id="grid")
            yield from self.beside()
        yield FilterInput()

    @property
    def grid(self) -> Grid[Item]:
        """The table."""
        return self.query_one("#grid", Grid)

    def on_mount(self) -> None:
        """Give the keys to the table."""
        super().on_mount()
        self.grid.focus()
        if self.expected is not None:
            self.grid.selection.expect(self.expected)
        if self.moment is not NOTHING_YET:
            self.draw_rows()

    def watch_moment(self) -> None:
        """Draw fresh numbers, unless they are held still."""
        super().watch_moment()
        if not self.frozen:
            self.draw_rows()

    def advance(self, clock_s: float) -> None:
        """Let times run on, where no fresh numbers have brought them on within the last second."""
        super().advance(clock_s)
        if not self.frozen and self.moment.age_s(clock_s) >= 1.0:
            self.grid.tick(self.now_ms)

    def draw_rows(self) -> None:
        """Show the rows as they are now."""
        self.show_rows()
        self.draw_status()
        self.draw_keys()

    def show_rows(self) -> None:
        """Put the rows into the table."""
        self.grid.show(self.items(), self.now_ms)

    def on_grid_chosen(self) -> None:
        """Other rows, other acts."""
        self.draw_keys()

    def summary(self) -> Sequence[Part]:
        """Filter, marks, and whether the numbers are held."""
        parts: list[Part] = []
        if self.frozen:
            parts += [Part("frozen", "warn"), Part("  ")]
        if marks := len(self.grid.selection.marks):
            parts += [Part(f"{marks} marked", "mark"), Part("  ")]
        if self.wanted:
            parts += [Part("filter ", "dim"), Part(self.wanted, "accent"), Part("  ")]
        return parts

    def usable(self, command: Command) -> bool:
        """Is there a row that it could be about?"""
        if command.id in {"open", "mark"}:
            return self.grid.current is not None
        return super().usable(command)

    def copied_row(self) -> Copied | None:
        """The cells under the cursor with tabs between, those too that have no room on the screen."""
        if (row := self.grid.current) is None:
            return None
        return Copied("row", "\t".join(column.cell(row, self.now_ms).text.strip() for column in self.columns()))

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        self.grid.move(rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.grid.page(pages)

    def action_to_end(self, last: bool) -> None:
        """Move the cursor to an end."""
        self.grid.to_end(last)

    def action_open(self) -> None:
        """Go into what is under the cursor."""
        if self.grid.current is not None:
            self.opened(self.grid.current)
        elif self.grid.selection.items:
            self.hint("the row has left this list: move the cursor to choose another")
        else:
            self.hint("there is nothing here to open")

    @abstractmethod
    def opened(self, item: Item) -> None:
        """Go into a row."""

    def on_grid_opened(self, message: Grid.Opened) -> None:
        """Go into a row that was double-clicked."""
        message.stop()
        self.action_open()

    def action_freeze(self) -> None:
        """Hold the numbers still, or let them go on."""
        self.frozen = not self.frozen
        if self.frozen:
            self.draw_status()
        else:
            self.draw_rows()

    def action_mark(self) -> None:
        """Mark the row under the cursor."""
        if self.grid.current is None:
            self.hint("there is nothing here to mark")
            return
        self.grid.toggle_mark()
        self.draw_status()

    def action_mark_range(self) -> None:
        """Mark from the last mark to the cursor."""
        self.grid.mark_range()
        self.draw_status()

    def action_mark_all(self) -> None:
        """Mark every row in the list."""
        self.grid.mark_all()
        self.draw_status()

    def action_unmark(self) -> None:
        """Take all marks away."""
        self.grid.clear_marks()
        self.draw_status()

    def action_filter(self) -> None:
        """Type a filter."""
        field = self.query_one(FilterInput)
        field.display = True
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while it is typed."""
        self.wanted = event.value
        self.draw_rows()
        if self.grid.selection.lost:
            self.grid.to_end(last=False)

    def on_input_submitted(self) -> None:
        """Keep the filter and go back to the table."""
        self.close_filter()

    def action_back(self) -> None:
        """Out of the filter, else back to where this was opened from."""
        if not self.close_filter(clear=True):
            self.dismiss()

    def close_filter(self, clear: bool = False) -> bool:
        """Back to the table; says whether there was anything to close or clear."""
        field = self.query_one(FilterInput)
        had = field.display or (clear and bool(self.wanted))
        if clear and self.wanted:
            field.value = self.wanted = ""
            self.draw_rows()
        field.display = False
        self.grid.focus()
        return had
