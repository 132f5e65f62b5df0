"""A curve as an area of block glyphs with a scale beside it; sends only the cells that changed."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from emqtop.present.trend import BLOCKS
from emqtop.text import Align, pad
from emqtop.ui.themes import palette_of
from emqtop.ui.widgets.line import Part, changed_span, fit
from emqtop.units import NOTHING

SCALE = 8
"""Cells on the left: six of a number or a unit, a blank and the axis."""
_LEVELS = len(BLOCKS)
_HALF_FROM = 4
"""Rows of a curve from which on its middle is labelled too."""


@dataclass(frozen=True, slots=True)
class Curve:
    """What a plot shows of a queue."""

    title: str
    """Its name."""
    words: Callable[[float | None], str]
    """A value in at most six cells."""
    unit: str = ""
    """What its values count, in at most six cells; empty: the words say it."""
    tops: tuple[float, ...] = ()
    """What the scale may end at, rising; empty: 1, 2 or 5 with zeros."""
    least: float = 1.0
    """The smallest end of the scale."""


def top_of(curve: Curve, values: Sequence[float | None]) -> float:
    """Where the scale ends: a round number that no value reaches over."""
    highest = max((value for value in values if value is not None), default=0.0)
    if highest <= curve.least:
        return curve.least
    for top in curve.tops:
        if top >= highest:
            return top
    unit = 10.0 ** math.floor(math.log10(highest))
    return next(step * unit for step in (1, 2, 5, 10) if step * unit >= highest)


class Plot(Widget):
    """A title with the newest value, and below it the values from the left, one cell each."""

    DEFAULT_CSS = "Plot { height: 1fr; width: 1fr; }"

    def __init__(self, curve: Curve, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.curve = curve
        self._values: tuple[float | None, ...] = ()
        self._now: float | None = None
        self._drawn: list[tuple[Part, ...]] = []

    def show(self, values: Sequence[float | None], now: float | None) -> None:
        """Replace the values; `now` is the newest one, which is told in the title."""
        self._values, self._now = tuple(values), now
        old, self._drawn = self._drawn, list(self._rows())
        if len(old) != len(self._drawn):
            self.refresh()
            return
        spans = (changed_span(before, after) for before, after in zip(old, self._drawn, strict=True))
        regions = [Region(span[0], y, span[1] - span[0], 1) for y, span in enumerate(spans) if span is not None]
        if regions:
            self.refresh(*regions)

    def _rows(self) -> Iterator[tuple[Part, ...]]:
        width, height = self.size
        if not width or not height:
            return
        top = top_of(self.curve, self._values)
        peak = max((value for value in self._values if value is not None), default=None)
        words = self.curve.words
        title = [
            Part(pad(words(self._now), SCALE - 2, Align.RIGHT) + "  ", "strong"),
            Part(self.curve.title, "accent"),
            Part("" if peak is None else f"  highest {words(peak)}", "dim"),
        ]
        yield fit(title, width)
        rows = height - 1
        heights = [self._eighths(value, top, rows) for value in self._values]
        for row in range(rows):
            base = (rows - 1 - row) * _LEVELS
            area = "".join(_glyph(eighths, base) for eighths in heights)
            yield fit((Part(self._label(row, rows, top), "dim"), Part(area, "trend")), width)

    def _eighths(self, value: float | None, top: float, rows: int) -> int | None:
        """Height of a value in eighths of a row; what is known to be nothing is seen as a thin line."""
        return None if value is None else max(1, min(rows * _LEVELS, round(value / top * rows * _LEVELS)))

    def _label(self, row: int, rows: int, top: float) -> str:
        """Top, middle and bottom of the scale, and below the top what it counts."""
        marks = {rows - 1: 0.0, 0: top} | ({rows // 2: top / 2} if rows >= _HALF_FROM else {})
        value = marks.get(row)
        words = self.curve.words(value) if value is not None else self.curve.unit if row == 1 else ""
        return pad(words, SCALE - 2, Align.RIGHT) + (" │" if value is None else " ┤")

    def render_line(self, y: int) -> Strip:
        """The title, or a row of the area."""
        palette = palette_of(self)
        row = self._drawn[y] if y < len(self._drawn) else ()
        segments = [Segment(part.text, palette[part.tone]) for part in row]
        return Strip(segments).adjust_cell_length(self.size.width, palette["plain"])

    def on_resize(self) -> None:
        """Draw it for the new size."""
        self._drawn = list(self._rows())
        self.refresh()


def _glyph(eighths: int | None, base: int) -> str:
    inside = 0 if eighths is None else min(_LEVELS, eighths - base)
    return BLOCKS[inside - 1] if inside > 0 else " "


def whole(value: float | None, words: Callable[[int | None], str]) -> str:
    """A value that counts things, without its fraction."""
    return NOTHING if value is None else words(round(value))
