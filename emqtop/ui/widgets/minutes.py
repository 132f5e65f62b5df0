"""Jobs that ended, by the minute: two lines of numbers, and a curve of each over one time axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.containers import Vertical
from textual.widget import Widget

from emqtop.text import pad
from emqtop.ui.span import Columns, Span, axis
from emqtop.ui.widgets.line import Line, Part
from emqtop.ui.widgets.plot import SCALE, Curve, Plot, whole
from emqtop.units import NOTHING, count

HOUR = 60
"""Minutes that are added up in words."""
MOST_COLUMNS = 240
"""Minutes that are drawn at most, one cell each."""
_LEAST_ROWS = 4
_LABEL, _NUMBER = 11, 7
_TITLES = {"completed": "completed a minute", "failed": "failed a minute"}


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of jobs that ended one way."""

    count: int | None
    """All ever; None: nobody counts them."""
    minutes: Sequence[float | None]
    """Jobs of each minute drawn, the oldest first; the last one is not over yet."""


class Minutes(Vertical):
    """Numbers and curves; curves only where there is room for them."""

    DEFAULT_CSS = "Minutes { width: 1fr; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__(id="minutes")
        self.display = False
        self._told: dict[str, Told] = {}
        self._newest = 0
        self._utc = False

    def compose(self) -> Iterator[Widget]:
        """Lines, curves, time."""
        for name in _TITLES:
            yield Line(id=f"{name}-numbers")
        for name, title in _TITLES.items():
            yield Plot(Curve(title, lambda value: whole(value, count), least=10), id=f"{name}-curve")
        yield Line("dim", id="minutes-axis")

    @property
    def columns(self) -> int:
        """How many minutes there is room for, and never fewer than are added up."""
        return max(HOUR + 1, min(MOST_COLUMNS, self.size.width - SCALE))

    def show(self, completed: Told, failed: Told, newest: int, utc: bool) -> None:
        """Replace numbers and curves.

        Args:
            completed, failed: what is known.
            newest: the minute of the last point, since the epoch.
            utc: are times told in UTC?
        """
        self._told, self._newest, self._utc = {"completed": completed, "failed": failed}, newest, utc
        self._draw()

    def _draw(self) -> None:
        drawn = max(0, min(MOST_COLUMNS, self.size.width - SCALE))
        for name, told in self._told.items():
            self.query_one(f"#{name}-numbers", Line).show(list(_numbers(name, told)))
            values = told.minutes[len(told.minutes) - drawn :] if drawn else ()
            self.query_one(f"#{name}-curve", Plot).show(values, values[-1] if values else None)
        marks = ""
        if self._newest and drawn > 1:
            # A line keeps its last cell free.
            shown = Columns((self._newest - drawn + 1) * 60, 60, drawn - 1)
            marks = " " * SCALE + axis(Span("", drawn * 60, 60, 600, 60), shown, self._utc).rstrip()
        self.query_one("#minutes-axis", Line).show([Part(marks, "dim")])

    def on_resize(self) -> None:
        """Choose how much there is room for."""
        rows = self.size.height - len(_TITLES)
        both = rows >= 2 * _LEAST_ROWS
        self.query_one("#completed-curve").display = rows >= _LEAST_ROWS
        self.query_one("#failed-curve").display = both
        self.query_one("#minutes-axis").display = rows > (2 if both else 1) * _LEAST_ROWS
        self.call_after_refresh(self._draw)


def _numbers(name: str, told: Told) -> Iterator[Part]:
    yield Part(" " + pad(name, _LABEL), "accent")
    yield Part(pad(count(told.count), _NUMBER), "strong")
    over = [minute for minute in told.minutes[:-1][-HOUR:] if minute is not None]
    last = told.minutes[-2] if len(told.minutes) > 1 else None
    yield Part("  last minute ", "dim")
    yield Part(pad(NOTHING if last is None else count(round(last)), _NUMBER))
    if len(over) > 1:
        yield Part("  last hour " if len(over) == HOUR else f"  last {len(over)} min ", "dim")
        yield Part(count(round(sum(over))))
