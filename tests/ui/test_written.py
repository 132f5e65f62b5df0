"""Only cells that differ are sent: what this stands on in the private parts of Textual still behaves so."""

import random
import re

import pyte
import pytest
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from emqtop.ui.written import Bytes, Dress, Written, letters, turn
from tests.ui.stage import stage

STANDARD = ColorSystem.STANDARD
BOLD, RED, ON_BLUE = Style(bold=True), Style(color="red"), Style(bgcolor="blue")


def whole(*lines: str, style: Style | None = None) -> LayoutUpdate:
    """A full update of plain lines."""
    strips = [[Strip([Segment(line, style)])] for line in lines]
    return LayoutUpdate(list(strips), Region(0, 0, 10, len(lines)))


def undressed(data: str | None) -> str:
    """What is sent, without styles."""
    return re.sub(r"\x1b\[[0-9;]*m", "", data or "")


def test_the_same_again_is_nothing() -> None:
    written = Written()
    assert written.change(whole("abcdefghij", "klmnopqrst"), STANDARD) == "\x1b[1;1Habcdefghij\x1b[2;1Hklmnopqrst"
    assert written.change(whole("abcdefghij", "klmnopqrst"), STANDARD) is None
    assert written.change(whole("abXdefghij", "klmnopqrsT"), STANDARD) == "\x1b[1;3HX\x1b[2;10HT"
    written.forget()
    assert undressed(written.change(whole("abcdefghij"), STANDARD)) == "\x1b[1;1Habcdefghij"


def test_what_is_near_is_one_run_and_what_is_far_is_a_jump() -> None:
    written = Written()
    written.change(whole("abcdefghij"), STANDARD)
    assert written.change(whole("XbcdXfghij"), STANDARD) == "\x1b[1;1HXbcdX"
    assert written.change(whole("XbcdefghiX"), STANDARD) == "\x1b[1;5He\x1b[10GX"


def test_another_size_is_all_new() -> None:
    written = Written()
    written.change(whole("abcd", "efgh"), STANDARD)
    assert written.change(whole("abcd"), STANDARD) == "\x1b[1;1Habcd"
    assert written.change(whole("abcde"), STANDARD) == "\x1b[1;1Habcde"


def test_of_a_dirty_part_only_what_differs_is_sent() -> None:
    written = Written()
    written.change(whole("abcdefghij", "abcdefghij"), STANDARD)
    strip = Strip([Segment("abcdeFghij")])
    part = ChopsUpdate([{0: strip}, {0: strip}], [(0, 2, 5), (1, 2, 8)], [[10], [10]])
    assert written.change(part, STANDARD) == "\x1b[2;6HF"
    assert written.change(part, STANDARD) is None


def test_a_style_is_sent_where_it_changes_and_taken_off_at_the_end() -> None:
    strip = Strip([Segment("ab", BOLD), Segment("cd", BOLD), Segment("ef", RED), Segment("gh"), Segment("i ", RED)])
    update = LayoutUpdate([[strip]], Region(0, 0, 10, 1))
    data = Written().change(update, STANDARD)
    assert data == "\x1b[1;1H\x1b[0;1mabcd\x1b[0;31mef\x1b[0mgh\x1b[31mi \x1b[0m"
    assert Bytes(data).render_segments(Console()) == data


@pytest.mark.parametrize(
    ("before", "after", "sequence"),
    [
        (Dress("1", "31", "44"), Dress("1", "32", "44"), "\x1b[32m"),
        (Dress("", "31", "44"), Dress("", "31", ""), "\x1b[49m"),
        (Dress("", "31", "44"), Dress("", "", "45"), "\x1b[39;45m"),
        (Dress("", "31", "44"), Dress("4", "31", "44"), "\x1b[0;4;31;44m"),
        (Dress("1", "31", ""), Dress("", "", ""), "\x1b[0m"),
    ],
)
def test_the_shortest_way_to_another_dress(before: Dress, after: Dress, sequence: str) -> None:
    assert turn(before, after) == sequence


def test_letters_and_their_cells() -> None:
    assert list(letters("a日e\u0301b")) == ["a", "日", "", "e\u0301", "b"]


def _line(dice: random.Random) -> Strip:
    """Ten cells of letters narrow and wide, in all sorts of styles."""
    styles = (None, BOLD, RED, ON_BLUE, Style(underline=True), Style(color="red", bgcolor="blue"))
    text = ""
    while len(list(letters(text))) < 9:
        text += dice.choice("ab 日·")
    text = text if len(list(letters(text))) == 10 else text + "!"
    return Strip([Segment(sign, dice.choice(styles)) for sign in text])


def test_the_terminal_shows_what_was_drawn_whatever_stood_there() -> None:
    dice = random.Random(7)
    screen, written = pyte.Screen(10, 3), Written()
    stream = pyte.Stream(screen)
    for number in range(300):
        strips = [_line(dice) for _ in range(3)]
        if number % 3 == 0:
            update = LayoutUpdate([[strip] for strip in strips], Region(0, 0, 10, 3))
            stream.feed(written.change(update, STANDARD) or "")
            fresh = pyte.Screen(10, 3)
            pyte.Stream(fresh).feed(Written().change(update, STANDARD) or "")
            assert [_seen(screen, y) for y in range(3)] == [_seen(fresh, y) for y in range(3)]
            continue
        y, first, stop = dice.randrange(3), dice.randrange(5), dice.randrange(6, 11)
        before = [_seen(screen, line) for line in range(3)]
        part = ChopsUpdate([{0: strip} for strip in strips], [(y, first, stop)], [[10]] * 3)
        stream.feed(written.change(part, STANDARD) or "")
        after = [_seen(screen, line) for line in range(3)]
        assert "".join(_cells(screen, y)[first:stop]) == strips[y].crop(first, stop).text
        assert before[:y] + before[y + 1 :] == after[:y] + after[y + 1 :]


def _cells(screen: pyte.Screen, y: int) -> list[str]:
    return [screen.buffer[y][x].data for x in range(screen.columns)]


def _seen(screen: pyte.Screen, y: int) -> list[object]:
    """What stands in each cell; the colour of a blank's letter is not to be seen."""
    row = screen.buffer[y]
    cells = [row[x] for x in range(screen.columns)]
    return [(cell.data, cell.bg, cell.underscore, cell.fg if cell.data.strip() else "") for cell in cells]


async def test_what_a_batch_held_back_is_drawn_afterwards() -> None:
    async with stage((60, 12)) as held:
        drawn: list[object] = []
        hook = held.app.written
        assert isinstance(hook, Written)
        with held.app.batch_update():
            held.app.screen.refresh()
            held.app.screen._compositor._dirty_regions.add(Region(0, 0, 60, 12))
            held.app.screen._compositor_refresh()
        assert held.app._owed
        held.app._display = lambda screen, update: drawn.append(update)  # type: ignore[method-assign]
        await held.settle()
        assert any(isinstance(update, LayoutUpdate) for update in drawn)
