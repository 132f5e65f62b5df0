"""Only the dirty cells are sent: the private parts of Textual that this stands on still behave so."""

import re

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
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


def undressed(update: SpansUpdate, app: App[None]) -> str:
    """What is sent, without styles."""
    return re.sub(r"\x1b\[[0-9;]*m", "", update.render_segments(app.console))


async def test_spans() -> None:
    app = Bench()
    async with app.run_test(size=(20, 4)) as pilot:
        await pilot.pause()
        compositor = app.screen._compositor
        compositor._dirty_regions = {Region(13, 1, 2, 1), Region(8, 2, 4, 1), Region(16, 2, 1, 1)}
        update = compositor.render_partial_update()
        assert isinstance(update, SpansUpdate)
        assert undressed(update, app) == "\x1b[2;14Hde\x1b[3;9Hijab\x1b[17Gg"
        assert compositor.render_partial_update() is None


def test_a_style_is_sent_where_it_changes_and_taken_off_at_the_end() -> None:
    bold, red = Style(bold=True), Style(color="red")
    strip = Strip([Segment("ab", bold), Segment("cd", bold), Segment("ef", red), Segment("gh"), Segment("ij", red)])
    update = SpansUpdate([{0: strip}], [(0, 1, 9)], [[10]])
    console = Console(color_system="standard", force_terminal=True)
    assert update.render_segments(console) == "\x1b[1;2H\x1b[0;1mbcd\x1b[0;31mef\x1b[0mgh\x1b[0;31mi\x1b[0m"
