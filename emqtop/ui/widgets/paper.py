"""A text of styled lines that wraps, scrolls, and sends only the lines that changed."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from emqtop.text import cells, cut
from emqtop.ui.themes import palette_of
from emqtop.ui.widgets.line import Part, changed_span

Text = tuple[Part, ...]
"""One line."""
WHEEL = 3
_WORD = re.compile(r"\s*\S+|\s+")


def wrap(line: Text, width: int) -> Iterator[Text]:
    """A line in pieces of at most `width` cells; broken where the width ends, so that nothing is hidden."""
    if width <= 0:
        return
    row: list[Part] = []
    room = width
    for part in line:
        rest = part.text
        while rest:
            piece = _head(rest, room)
            if not piece:
                if room == width:
                    piece = rest[0]
                else:
                    yield tuple(row)
                    row, room = [], width
                    continue
            row.append(Part(piece, part.tone))
            room -= cells(piece)
            rest = rest[len(piece) :]
    yield tuple(row)


def _head(text: str, width: int) -> str:
    """The first letters that fit into `width` cells."""
    if width <= 0:
        return ""
    head = text[:width]
    while head and cells(head) > width:
        head = head[:-1]
    return head


def wrap_words(line: Text, width: int) -> Iterator[Text]:
    """A line in pieces of at most `width` cells; broken between words, and inside one that is longer than a piece."""
    row: list[Part] = []
    for part in line:
        for word in _WORD.findall(part.text):
            if row and sum(cells(before.text) for before in row) + cells(word) > width:
                yield tuple(row)
                row, word = [], word.lstrip() or " "
            *whole, rest = wrap((Part(word, part.tone),), width) if width > 0 else ((),)
            yield from whole
            row += rest
    yield tuple(row)


def rows_of(lines: Iterable[Text], width: int) -> int:
    """Lines of the screen that a text takes, broken between words."""
    return sum(1 for line in lines for _ in wrap_words(line, width))


class Paper(Widget, can_focus=True):
    """Lines of text, long ones wrapped: where the width ends, or between `words`."""

    DEFAULT_CSS = "Paper { height: 1fr; width: 1fr; }"

    def __init__(self, *, words: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._wrap = wrap_words if words else wrap
        self._lines: tuple[Text, ...] = ()
        self._rows: list[Text] = []
        self.top = 0

    @property
    def text(self) -> str:
        """All of it, unwrapped."""
        return "\n".join("".join(part.text for part in line) for line in self._lines)

    def show(self, lines: Sequence[Text]) -> None:
        """Replace the text; the place in it is kept."""
        if tuple(lines) == self._lines:
            return
        old, top = self._rows, self.top
        self._lines = tuple(lines)
        self._lay_out()
        if top != self.top or not self.size:
            self.refresh()
            return
        regions = list(self._differences(old))
        if regions:
            self.refresh(*regions)

    def _differences(self, old: list[Text]) -> Iterator[Region]:
        for y in range(self.size.height):
            index = self.top + y
            before = old[index] if index < len(old) else ()
            after = self._rows[index] if index < len(self._rows) else ()
            if (span := changed_span(before, after)) is not None:
                yield Region(span[0], y, min(span[1], self.size.width) - span[0], 1)

    def _lay_out(self) -> None:
        width = self.size.width
        self._rows = [row for line in self._lines for row in self._wrap(line, width)]
        self.top = max(0, min(self.top, len(self._rows) - self.size.height))

    @property
    def rows(self) -> int:
        """Lines of the screen that the whole text takes."""
        return len(self._rows)

    def scroll_rows(self, rows: int) -> None:
        """Scroll down, or up."""
        top = max(0, min(self.top + rows, len(self._rows) - self.size.height))
        if top != self.top:
            self.top = top
            self.refresh()

    def scroll_pages(self, pages: int) -> None:
        """Scroll by whole screens."""
        self.scroll_rows(pages * max(1, self.size.height - 1))

    def scroll_end_of(self, last: bool) -> None:
        """Scroll to the first line or the last."""
        self.scroll_rows(len(self._rows) if last else -len(self._rows))

    def render_line(self, y: int) -> Strip:
        """One row."""
        palette = palette_of(self)
        plain = palette["plain"]
        index = self.top + y
        row = self._rows[index] if index < len(self._rows) else ()
        segments = [Segment(cut(part.text, self.size.width), palette[part.tone]) for part in row]
        return Strip(segments).adjust_cell_length(self.size.width, plain)

    def on_resize(self) -> None:
        """Wrap for the new width."""
        self._lay_out()
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll by the wheel."""
        event.stop()
        self.scroll_rows(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll by the wheel."""
        event.stop()
        self.scroll_rows(-WHEEL)
