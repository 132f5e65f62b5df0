"""The live table: draws its own lines and sends only the cells that changed.

It scrolls by itself: a ScrollView would lay itself out again, and be painted whole, whenever the number of rows
changes, which in a list of jobs is every second.
"""

from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from emqtop.present.columns import Cell, Column, Placed, fit
from emqtop.ui.sections import HIGH, TITLED
from emqtop.ui.themes import palette_of
from emqtop.ui.widgets.grid_line import GUTTER, Drawn, Heading, changes, row_strip, thumb_of, title_strip, words_strip
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.selection import Selection

Item = TypeVar("Item")

WHEEL = 3
"""Rows a turn of the mouse wheel moves."""


class Grid(Widget, Generic[Item], can_focus=True):
    """Rows of columns under a line of titles, with a cursor that stays on its row, wherever that row moves.

    Args:
        columns: what is shown, in order.
        key: what a row is known by; must be hashable and unique.
        empty: what is said where there are no rows.
    """

    DEFAULT_CSS = "Grid { height: 1fr; width: 1fr; }"

    class Opened(Message):
        """The row under the cursor was asked for."""

    class Chosen(Message):
        """The cursor stands on another row."""

    def __init__(
        self,
        columns: Sequence[Column[Item]],
        key: Callable[[Item], Hashable],
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._columns = tuple(columns)
        self._key = key
        self._empty = empty
        self._headings: tuple[Heading, ...] = ()
        self.selection: Selection[Item] = Selection(key)
        self._placed: tuple[Placed[Item], ...] = ()
        self._now_ms = 0
        self._sorted: tuple[str, bool] | None = None
        self._lines: dict[int, Drawn] = {}
        self._items: dict[int, Item] = {}
        self._strips: dict[Drawn, Strip] = {}

    def show(self, items: Sequence[Item], now_ms: int, headings: Sequence[Heading] = ()) -> None:
        """Replace the rows; the cursor and the marks stay with theirs.

        Args:
            items: the rows, in the order they are to stand.
            now_ms: the server's time now, Unix ms.
            headings: what stands above some of them, from the top; no cursor stands there.
        """
        self._now_ms = now_ms
        self._headings = tuple(headings)
        self.selection.replace(items, self._height, self._breaks())
        self._update()

    def tick(self, now_ms: int) -> None:
        """Go on with the clock: the same rows at the server's time now, Unix ms."""
        self._now_ms = now_ms
        self._update()

    def set_columns(self, columns: Sequence[Column[Item]]) -> None:
        """Show other columns."""
        self._columns = tuple(columns)
        self._redraw()

    def set_sorted(self, key: str | None, descending: bool = False) -> None:
        """Mark the title of the column that orders the rows."""
        order = None if key is None else (key, descending)
        if order != self._sorted:
            self._sorted = order
            self.refresh(Region(0, 0, self.size.width, self._head))

    @property
    def empty(self) -> str:
        """What is said where there are no rows; safe text."""
        return self._empty

    @empty.setter
    def empty(self, words: str) -> None:
        if words != self._empty:
            self._empty = words
            self._update()

    @property
    def current(self) -> Item | None:
        """The row under the cursor; None where it has left the list or there is none."""
        return self.selection.current

    def _breaks(self) -> tuple[int, ...]:
        return tuple(heading.place for heading in self._headings) if self._height >= HIGH else ()

    @property
    def _head(self) -> int:
        """Lines of titles: in a low window rows are worth more."""
        return 1 if self.size.height >= TITLED else 0

    @property
    def _height(self) -> int:
        return max(0, self.size.height - self._head)

    def move(self, rows: int) -> None:
        """Move the cursor down, or up."""
        self._after(self.selection.move(rows, self._height))

    def page(self, pages: int) -> None:
        """Move the cursor by whole screens."""
        self.move(pages * max(1, self._height - 1))

    def to_end(self, last: bool) -> None:
        """Move the cursor to the first or the last row."""
        self._after(self.selection.to_end(last, self._height))

    def go_to(self, key: Hashable) -> None:
        """Put the cursor on a row, if it is there."""
        self._after(self.selection.go_to(key, self._height))

    def toggle_mark(self) -> None:
        """Mark the row under the cursor, or take its mark away, and go on to the next."""
        self.selection.toggle()
        self.move(1)

    def mark_range(self) -> None:
        """Mark every row between the last one marked and the cursor."""
        self.selection.mark_range()
        self._update()

    def mark_all(self) -> None:
        """Mark every row of the list."""
        self.selection.mark_all()
        self._update()

    def clear_marks(self) -> None:
        """Take all marks away."""
        self.selection.marks.clear()
        self._update()

    def keep_marks(self, keys: Container[Hashable]) -> None:
        """Take all marks away but these."""
        marks = self.selection.marks
        self.selection.marks = {key: item for key, item in marks.items() if key in keys}
        self._update()

    def _after(self, moved: bool) -> None:
        if moved:
            self.post_message(self.Chosen())
        self._update()

    def _lay_out(self) -> None:
        self._placed = fit(self._columns, max(1, self.size.width - GUTTER - 1))

    def _redraw(self) -> None:
        self._lay_out()
        self._lines.clear()
        self._strips.clear()
        self.refresh()

    def _update(self) -> None:
        """Name the cells that differ from what is on the screen."""
        regions = list(self._changes())
        if regions:
            self.refresh(*regions)

    def _changes(self) -> Iterable[Region]:
        for line, old in list(self._lines.items()):
            new = self._draw(line)
            if new != old:
                self._lines[line] = new
                for first, width in changes(old, new, self._placed, self.size.width):
                    yield Region(first, line + self._head, width, 1)

    def _draw(self, line: int) -> Drawn:
        chosen = self.selection
        index, above = chosen.row_at(chosen.top + line)
        thumb = thumb_of(line, chosen.top, self._height, chosen.lines)
        if index is None:
            return Drawn(thumb=thumb, words=self._headings[above].words)
        if index >= len(chosen.items):
            silent = bool(chosen.items) or line != min(1, self._height - 1)
            return Drawn(thumb=thumb, words=() if silent else (Part(self._empty, "dim"),))
        item = chosen.items[index]
        shown = self._cells(line, item)
        cursor = ("cursor" if self.has_focus else "cursor-idle") if index == chosen.index else ""
        return Drawn(shown, cursor, self._key(item) in chosen.marks, thumb)

    def _cells(self, line: int, item: Item) -> tuple[Cell, ...]:
        """What the row shows; on a line that showed the same row, only what goes on with the clock is made anew."""
        old = self._lines.get(line)
        if old is None or not old.cells or self._items.get(line) != item:
            self._items[line] = item
            return tuple(placed.column.cell(item, self._now_ms) for placed in self._placed)
        return tuple(
            placed.column.cell(item, self._now_ms) if placed.column.runs else cell
            for placed, cell in zip(self._placed, old.cells, strict=True)
        )

    def render_line(self, y: int) -> Strip:
        """The titles, or one row."""
        # The first picture is taken before the word of the size comes.
        if not self._placed:
            self._lay_out()
        if y < self._head:
            return title_strip(self._placed, self._sorted, self.size.width, palette_of(self))
        line = y - self._head
        drawn = self._lines.get(line)
        if drawn is None:
            drawn = self._lines[line] = self._draw(line)
        if drawn.words:
            return words_strip(drawn, self.size.width, palette_of(self))
        strip = self._strips.get(drawn)
        if strip is None:
            if len(self._strips) > 4 * self.size.height:
                self._strips.clear()
            strip = self._strips[drawn] = row_strip(drawn, self._placed, self.size.width, palette_of(self))
        return strip

    def on_resize(self) -> None:
        """Lay the columns out for the new width."""
        self.selection.part(self._breaks(), self._height)
        self.selection.keep_in_view(self._height)
        self._redraw()

    def notify_style_update(self) -> None:
        """Draw everything again in the colours of another theme."""
        super().notify_style_update()
        self._strips.clear()

    def on_focus(self) -> None:
        """Show the cursor as the one that keys move."""
        self._update()

    def on_blur(self) -> None:
        """Show the cursor as one that waits."""
        self._update()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll by the wheel; the cursor stays on its row."""
        event.stop()
        self.selection.scroll(WHEEL, self._height)
        self._update()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll by the wheel; the cursor stays on its row."""
        event.stop()
        self.selection.scroll(-WHEEL, self._height)
        self._update()

    def on_click(self, event: events.Click) -> None:
        """Choose a row; a second click opens it."""
        index, _ = self.selection.row_at(self.selection.top + event.y - self._head)
        if event.y < self._head or index is None or index >= len(self.selection.items):
            return
        self.go_to(self._key(self.selection.items[index]))
        if event.chain == 2:
            self.post_message(self.Opened())
