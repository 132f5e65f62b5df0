"""How a row of the live table looks as a line of the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from emqtop.present.columns import GAP, Cell, Placed
from emqtop.text import Align, cut, pad
from emqtop.ui.themes import Palette
from emqtop.ui.widgets.line import Part, fit

GUTTER = 2
"""Cells before the first column: the cursor and the mark of a row."""
CURSOR, MARK, UP, DOWN = "❯", "●", "▲", "▼"
"""What stands for the cursor, a mark, and the two ways to sort."""


class Heading(NamedTuple):
    """What stands above a row."""

    place: int
    """Which row, counted from 0."""
    words: tuple[Part, ...]
    """What is said."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What one line of the body shows."""

    cells: tuple[Cell, ...] = ()
    """Text and tone of each placed column; empty below the last row."""
    cursor: str = ""
    """Tone of the cursor's line, or nothing."""
    marked: bool = False
    """Is the row marked?"""
    thumb: str = " "
    """The scroll mark in the last cell."""
    words: tuple[Part, ...] = ()
    """What is said instead of a row: a heading, or that there are no rows."""


def thumb_of(line: int, top: int, height: int, total: int) -> str:
    """The scroll mark of a line of a window that shows `height` of `total` lines, from line `top` on."""
    if total <= height or height < 2:
        return " "
    size = max(1, height * height // total)
    start = top * (height - size) // (total - height)
    return "▐" if start <= line < start + size else " "


def row_strip(drawn: Drawn, columns: Sequence[Placed[Any]], width: int, palette: Palette) -> Strip:
    """One row, `width` cells wide: gutter, cells, scroll mark."""
    ground = palette.bare(drawn.cursor) if drawn.cursor else Style.null()
    plain = palette["plain"] + ground
    gutter = (CURSOR if drawn.cursor else " ") + (MARK if drawn.marked else " ")
    segments = [Segment(gutter, palette["mark"] + ground)]
    for placed, cell in zip(columns, drawn.cells, strict=False):
        text = pad(cell.text, placed.width, placed.column.align) + " " * GAP
        segments.extend(_cell(text, palette[_toned(cell.tone, drawn.marked)] + ground, plain))
    return _with_thumb(segments, drawn.thumb, width, plain, palette["dim"] + ground)


def words_strip(drawn: Drawn, width: int, palette: Palette) -> Strip:
    """A line on which something is said, `width` cells wide, with the scroll mark."""
    shown = fit((Part(" " * GUTTER), *drawn.words), width - 1)
    segments = [Segment(part.text, palette[part.tone]) for part in shown]
    return _with_thumb(segments, drawn.thumb, width, palette["plain"], palette["dim"])


def _with_thumb(segments: Sequence[Segment], thumb: str, width: int, plain: Style, dim: Style) -> Strip:
    """The scroll mark in the last cell; what does not fill the others is filled up, what has no room is cut."""
    return Strip([*Strip(segments).adjust_cell_length(width - 1, plain), Segment(thumb, dim)], width)


def title_strip(columns: Sequence[Placed[Any]], order: tuple[str, bool] | None, width: int, palette: Palette) -> Strip:
    """The line of titles, the one that the rows are ordered by marked with the way that they go."""
    heading = palette["heading"]
    titles = " " * GUTTER + "".join(pad(at.column.title, at.width, at.column.align) + " " * GAP for at in columns)
    ordering = next((at for at in columns if order is not None and at.column.key == order[0]), None)
    if order is None or ordering is None:
        return Strip([Segment(titles, heading)]).adjust_cell_length(width, heading)
    first, title = _marked(ordering, DOWN if order[1] else UP)
    before, after = Segment(titles[:first], heading), Segment(titles[first + len(title) :], heading)
    return Strip([before, Segment(title, palette["sorted"]), after]).adjust_cell_length(width, heading)


def _marked(placed: Placed[Any], arrow: str) -> tuple[int, str]:
    """First cell of the title with its arrow: on the side where the column has room, or the gap beside it."""
    title = cut(placed.column.title, placed.width)
    start = GUTTER + placed.start
    if placed.column.align is Align.RIGHT:
        return start + placed.width - len(title) - 1, arrow + title
    return start, title + arrow


def changes(old: Drawn, new: Drawn, columns: Sequence[Placed[Any]], width: int) -> Iterator[tuple[int, int]]:
    """What of a line `width` cells wide is to be drawn again: first cell and how many."""
    if new.words != old.words or _frame(new) != _frame(old):
        yield 0, width
        return
    if new.thumb != old.thumb:
        yield width - 1, 1
    # A heading has no cells, and its scroll mark comes and goes with the rows.
    if not new.cells:
        return
    for placed, before, after in zip(columns, old.cells, new.cells, strict=True):
        if before != after:
            first, stop = _difference(placed, before, after)
            yield GUTTER + placed.start + first, stop - first


def _frame(line: Drawn) -> tuple[str, bool, int]:
    return line.cursor, line.marked, len(line.cells)


def _difference(placed: Placed[Any], before: Cell, after: Cell) -> tuple[int, int]:
    """First cell of a column that differs, and the one behind the last."""
    old, new = (pad(cell.text, placed.width, placed.column.align) for cell in (before, after))
    if before.tone != after.tone or not (old + new).isascii():
        return 0, placed.width
    changed = [place for place in range(placed.width) if old[place] != new[place]]
    return (changed[0], changed[-1] + 1) if changed else (0, 1)


def _toned(tone: str, marked: bool) -> str:
    """A marked row stands out, but what is wrong in it still does too."""
    return "mark" if marked and tone not in {"bad", "warn"} else tone


def _cell(text: str, style: Style, plain: Style) -> Iterable[Segment]:
    """A cell as one segment of its own, so that it can be sent alone; lines under blanks are left out."""
    if not style.underline and not style.reverse:
        yield Segment(text, style)
        return
    words = text.strip(" ")
    start = len(text) - len(text.lstrip(" "))
    yield Segment(text[:start], plain)
    yield Segment(words, style)
    yield Segment(text[start + len(words) :], plain)
