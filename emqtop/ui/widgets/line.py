"""One line of styled text that sends only what changed of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from emqtop.text import cells, cut
from emqtop.ui.themes import palette_of


@dataclass(frozen=True, slots=True)
class Part:
    """A run of text in one tone."""

    text: str
    """Safe text."""
    tone: str = "plain"
    """Key of the theme's tones."""


def width_of(parts: Iterable[Part]) -> int:
    """Cells that parts take side by side."""
    return sum(cells(part.text) for part in parts)


def fit(parts: Sequence[Part], width: int) -> tuple[Part, ...]:
    """As many parts as `width` cells hold, the last one cut."""
    kept: list[Part] = []
    for part in parts:
        if width <= 0:
            break
        text = cut(part.text, width)
        kept.append(Part(text, part.tone))
        width -= cells(text)
    return tuple(kept)


def whole(parts: Sequence[Part], width: int) -> tuple[Part, ...]:
    """As many parts as `width` cells hold whole, without blanks behind them; the first cut where not even it fits."""
    kept: list[Part] = []
    for part in parts:
        width -= cells(part.text)
        if width < 0:
            break
        kept.append(part)
    while kept and kept[-1].text.isspace():
        kept.pop()
    return tuple(kept) or fit(parts[:1], width + cells(parts[0].text) if parts else 0)


def between(left: Sequence[Part], right: Sequence[Part], width: int, tone: str) -> tuple[Part, ...]:
    """Left and right ends of a line `width` cells wide; the right end stays whole as long as there is room for it."""
    taken = width_of(right)
    if taken > width:
        return fit(right, width)
    shown = fit(left, max(0, width - taken - 1))
    blanks = width - taken - width_of(shown)
    return (*shown, Part(" " * blanks, tone), *right)


def changed_span(old: Sequence[Part], new: Sequence[Part]) -> tuple[int, int] | None:
    """First cell that differs between two lines and the cell after the last one; None where they are the same.

    A line with wide letters is compared as a whole: its cells and characters do not run together.
    """
    before, after = _spread(old), _spread(new)
    if before == after:
        return None
    length = max(len(before), len(after))
    if not all(sign.isascii() or cells(sign) == 1 for sign, _ in before + after):
        return 0, max(width_of(old), width_of(new))
    blank = [(" ", "")]
    before += blank * (length - len(before))
    after += blank * (length - len(after))
    changed = [x for x in range(length) if before[x] != after[x]]
    return changed[0], changed[-1] + 1


def _spread(parts: Sequence[Part]) -> list[tuple[str, str]]:
    return [(sign, part.tone) for part in parts for sign in part.text]


class Line(Widget):
    """A line of parts; `left` is cut where `right` needs the room."""

    DEFAULT_CSS = "Line { height: 1; width: 1fr; }"

    def __init__(self, tone: str = "plain", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._tone = tone
        self._left: tuple[Part, ...] = ()
        self._right: tuple[Part, ...] = ()
        self._drawn: tuple[Part, ...] | None = None

    @property
    def text(self) -> str:
        """What stands on the line, whole."""
        return "".join(part.text for part in (*self._left, *self._right))

    def show(self, left: Sequence[Part], right: Sequence[Part] = ()) -> None:
        """Replace the line; only cells from the first to the last difference are drawn again."""
        self._left, self._right = tuple(left), tuple(right)
        if self._drawn is None:
            return
        span = changed_span(self._drawn, self._fitted())
        if span is not None:
            self.refresh(Region(span[0], 0, min(span[1], self.size.width) - span[0], 1))

    def _fitted(self) -> tuple[Part, ...]:
        return between(self._left, self._right, self.size.width, self._tone)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """The line itself."""
        palette = palette_of(self)
        self._drawn = self._fitted()
        base = palette[self._tone]
        segments = [Segment(part.text, base + palette.bare(part.tone)) for part in self._drawn]
        return Strip(segments).adjust_cell_length(self.size.width, base)
