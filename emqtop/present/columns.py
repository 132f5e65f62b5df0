"""Columns as data: title, width, alignment and the function from a row to its cell.

The screen and the plain tables draw the same columns. Which of them a width has room for is decided here, once, from
fixed widths: nothing is measured per update.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from emqtop.text import Align

R = TypeVar("R")

GAP = 1
"""Cells between two columns."""


class Tone(StrEnum):
    """What a cell wants to say with its colour; the text says it too, for those who see none."""

    PLAIN = "plain"
    DIM = "dim"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    ACCENT = "accent"
    TREND = "trend"


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one column of one row."""

    text: str
    """Safe text of any length; whoever draws it cuts it to the column."""
    tone: Tone = Tone.PLAIN
    """How it is to be seen."""


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    """One column of a table."""

    key: str
    """Its name in settings and in sort orders."""
    title: str
    """What stands above it; never wider than the column."""
    width: int
    """Cells, at least."""
    align: Align
    """Where a short text stands."""
    priority: int
    """1 stays longest; on a narrow screen the highest number goes first."""
    cell: Callable[[R, int], Cell]
    """From a row and the server's time now (Unix ms) to the cell."""
    stretch: bool = False
    """Does it take what width is left over?"""
    help: str = ""
    """What it tells, in a sentence."""
    runs: bool = True
    """Does the cell go on with the clock? Else it changes only with its row, and is not made anew each second."""


def left(
    key: str, title: str, width: int, priority: int, cell: Callable[[R, int], Cell], says: str, *, stretch: bool = False
) -> Column[R]:
    """A column of words, which begin at its left."""
    return Column(key, title, width, Align.LEFT, priority, cell, stretch, says)


def right(key: str, title: str, width: int, priority: int, cell: Callable[[R, int], Cell], says: str) -> Column[R]:
    """A column of numbers, which end at its right."""
    return Column(key, title, width, Align.RIGHT, priority, cell, help=says)


@dataclass(frozen=True, slots=True)
class Placed(Generic[R]):
    """A column with its place on a line."""

    column: Column[R]
    """Which column."""
    start: int
    """First cell, counted from 0."""
    width: int
    """Cells it takes."""


def fit(columns: Sequence[Column[R]], width: int) -> tuple[Placed[R], ...]:
    """The columns that a line of `width` cells has room for, in their order, the left-over cells given away.

    The one of highest priority is always there, cut where even it has no room.
    """
    chosen = list(columns)
    while len(chosen) > 1 and _needed(chosen) > width:
        chosen.remove(max(chosen, key=lambda column: column.priority))
    spare = max(0, width - _needed(chosen))
    elastic = [column for column in chosen if column.stretch]
    shares = _shares(spare, len(elastic))
    placed, start = [], 0
    for column in chosen:
        cells = min(width, column.width + (shares.pop(0) if column.stretch else 0))
        placed.append(Placed(column, start, cells))
        start += cells + GAP
    return tuple(placed)


def _needed(columns: Sequence[Column[R]]) -> int:
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def _shares(spare: int, parts: int) -> list[int]:
    """`spare` cells in near-equal parts, the larger ones last, so that the note gets more than the name."""
    return [(spare * (part + 1)) // parts - (spare * part) // parts for part in range(parts)]
