"""Lines with a cursor, however many: only those in view are ever made."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from emqtop.text import cut
from emqtop.ui.themes import palette_of
from emqtop.ui.widgets.line import Part, fit
from emqtop.ui.widgets.paper import WHEEL, Text


class Sheet(Widget, can_focus=True):
    """Shows a sequence of lines, each cut to the width; the sequence may make a line when it is asked for it."""

    DEFAULT_CSS = "Sheet { height: 1fr; width: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: Sequence[Text] = ()
        self.top = 0
        self.index = 0

    def show(self, lines: Sequence[Text], index: int | None = None) -> None:
        """Replace the lines; the cursor stays on its place, or goes to `index`."""
        self._lines = lines
        self.index = max(0, min(self.index if index is None else index, len(lines) - 1))
        self._keep_in_view()
        self.refresh()

    @property
    def lines(self) -> Sequence[Text]:
        """What it shows."""
        return self._lines

    def move(self, rows: int) -> None:
        """Move the cursor down, or up."""
        self.go_to(self.index + rows)

    def page(self, pages: int) -> None:
        """Move the cursor by whole screens."""
        self.move(pages * max(1, self.size.height - 1))

    def to_end(self, last: bool) -> None:
        """Move the cursor to the first line or the last."""
        self.go_to(len(self._lines) - 1 if last else 0)

    def go_to(self, index: int) -> None:
        """Put the cursor on a line."""
        before, top = self.index, self.top
        self.index = max(0, min(index, len(self._lines) - 1))
        self._keep_in_view()
        if self.top != top:
            self.refresh()
        elif self.index != before:
            self.refresh(*(Region(0, line - self.top, self.size.width, 1) for line in (before, self.index)))

    def _keep_in_view(self) -> None:
        height = max(1, self.size.height)
        self.top = max(0, min(max(self.top, self.index - height + 1), self.index, max(0, len(self._lines) - 1)))

    def render_line(self, y: int) -> Strip:
        """One line, that of the cursor on another ground."""
        palette, index = palette_of(self), self.top + y
        ground = palette["cursor"] if index == self.index and self._lines else Style.null()
        line = self._lines[index] if index < len(self._lines) else ()
        segments = [Segment(part.text, palette[part.tone] + ground) for part in fit(line, self.size.width)]
        return Strip(segments).adjust_cell_length(self.size.width, palette["plain"] + ground)

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        self._keep_in_view()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the line under the pointer."""
        self.go_to(self.top + event.y)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move by the wheel."""
        event.stop()
        self.move(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move by the wheel."""
        event.stop()
        self.move(-WHEEL)


def plain(text: str, tone: str = "plain") -> Text:
    """A line of one part, cut so far that no width needs more of it."""
    return (Part(cut(text, 4_000), tone),)
