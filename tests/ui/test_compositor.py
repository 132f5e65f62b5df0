"""Only the dirty cells are sent: the private parts of Textual that this stands on still behave so."""

import re

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from emqtop.ui.compositor import SpansCompositor, SpansUpdate


class Letters(Widget):
    """Ten letters in each line."""

    def render_line(self, y: int) -> Strip:
        return Strip([Segment("abcdefghij")])


class Sheet(Screen[None]):
    """Two widgets side by side."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = SpansCompositor()

    def compose(self) -> ComposeResult:
        yield Letters(id="left")
        yield Letters(id="right")


class Bench(App[None]):
    """Holds the sheet."""

    CSS = "Sheet { layout: horizontal; } Letters { width: 10; height: 4; }"

    def get_default_screen(self) -> Sheet:
        return Sheet()


def words(update: SpansUpdate, app: App[None]) -> list[tuple[int, int, str]]:
    """Line, column and text of each piece that is sent."""
    sent = re.sub(r"\x1b\[[0-9;]*m", "", update.render_segments(app.console))
    return [(int(y) - 1, int(x) - 1, text) for y, x, text in re.findall(r"\x1b\[(\d+);(\d+)H([^\x1b]*)", sent)]


async def test_spans() -> None:
    app = Bench()
    async with app.run_test(size=(20, 4)) as pilot:
        await pilot.pause()
        compositor = app.screen._compositor
        compositor._dirty_regions = {Region(13, 1, 2, 1), Region(8, 2, 4, 1), Region(16, 2, 1, 1)}
        update = compositor.render_partial_update()
        assert isinstance(update, SpansUpdate)
        assert words(update, app) == [(1, 13, "de"), (2, 8, "ij"), (2, 10, "ab"), (2, 16, "g")]
        assert compositor.render_partial_update() is None
