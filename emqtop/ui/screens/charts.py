"""Charts: what one queue was like, as far as emqtop has seen it."""

from collections.abc import Iterator

from textual.widget import Widget

from emqtop.model.history import Series
from emqtop.model.queue import QueueId
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.commands import Place, bindings
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.span import SPANS, axis, columns, zone
from emqtop.ui.widgets.line import Line, Part
from emqtop.ui.widgets.plot import SCALE, Curve, Plot, whole
from emqtop.units import count, duration, rate

LEAST_ROWS = 4
"""Rows of a plot, title included; plots that would be lower are left out, and scrolled to."""
OTHER_LINES = 5
"""Lines of the screen that no plot can have."""
SPANS_FROM, AXIS_FROM = 6, 8
"""Lines of a screen above which there is room for the spans, and for the time."""

_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000
_STEPS = (
    (1_000, (2, 5, 10, 30)),
    (_MINUTE, (1, 2, 5, 10, 30)),
    (_HOUR, (1, 2, 6, 12)),
    (_DAY, (1, 2, 7, 14, 30, 90, 180, 360)),
)
_AGES = tuple(float(unit * number) for unit, numbers in _STEPS for number in numbers)

CURVES: dict[Series, Curve] = {
    Series.PENDING: Curve("pending", lambda value: whole(value, count), "jobs", least=5),
    Series.ENTERED: Curve("in a second", rate, "jobs/s"),
    Series.DONE: Curve("done a second", rate, "jobs/s"),
    Series.FAILED: Curve("died a second", rate, "jobs/s"),
    Series.OLDEST_MS: Curve("age of the oldest pending", lambda value: whole(value, duration), "", _AGES, 1_000),
}
"""What is drawn, from the top."""


class ChartsScreen(LiveScreen):
    """The history of one queue in plots over one time axis."""

    PLACE = Place.CHARTS
    BINDINGS = bindings(Place.CHARTS, Place.TEXT)

    def __init__(self, queue: QueueId, *, utc: bool = False) -> None:
        super().__init__()
        self.queue = queue
        self.span = SPANS[0]
        self.utc = utc
        self.first = 0

    def view(self) -> Iterator[Widget]:
        """Spans, plots, time."""
        yield Line(id="spans")
        for series, curve in CURVES.items():
            yield Plot(curve, id=series.value)
        yield Line(id="axis")

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, charts."""
        return ("emqtop", safe(self.queue.name), "charts")

    def queue_meant(self) -> QueueId | None:
        """The one that is drawn."""
        return self.queue

    def shown_queues(self) -> tuple[QueueId, ...]:
        """This one alone."""
        return (self.queue,)

    async def read(self, source: Source) -> None:
        """Nothing beside the snapshot."""
        source.show((self.queue,))

    def on_mount(self) -> None:
        """Choose how many plots there is room for."""
        super().on_mount()
        self.set_focus(None)
        self._make_room()

    def on_resize(self) -> None:
        """Another width has other columns, another height other plots."""
        super().on_resize()
        self._make_room()

    def watch_moment(self) -> None:
        """Draw what has come."""
        super().watch_moment()
        self.draw()

    def draw(self) -> None:
        """Spans, plots and time as they are now."""
        at_ms = self.moment.snapshot.at_ms
        names = [(f" {span.name} ", span is self.span) for span in SPANS]
        parts = [Part(f"[{name.strip()}]" if front else name, "strong" if front else "dim") for name, front in names]
        self.query_one("#spans", Line).show([Part(" "), *parts], [Part(f"{zone(at_ms, self.utc)} ", "dim")])
        shown = columns(self.span, at_ms, self.size.width - SCALE)
        past = self.moment.past
        for series in CURVES:
            values = past.means(self.queue, series, shown.first_s, shown.step_s, shown.count)
            newest = past.seconds(self.queue, series, 1)
            self.query_one(f"#{series.value}", Plot).show(values, newest[0] if newest else None)
        marks = " " * SCALE + (axis(self.span, shown, self.utc) if at_ms else "")
        self.query_one("#axis", Line).show([Part(marks, "dim")])

    def _make_room(self) -> None:
        room = max(1, min(len(CURVES), (self.size.height - OTHER_LINES) // LEAST_ROWS))
        self.first = max(0, min(self.first, len(CURVES) - room))
        self.query_one("#spans").display = self.size.height > SPANS_FROM
        self.query_one("#axis").display = self.size.height > AXIS_FROM
        for place, series in enumerate(CURVES):
            self.query_one(f"#{series.value}", Plot).display = self.first <= place < self.first + room
        self.call_after_refresh(self.draw)

    def summary(self) -> tuple[Part, ...]:
        """Where the history comes from."""
        if self.moment.snapshot.at_ms and not self.moment.past.seconds(self.queue, Series.PENDING, 1):
            return (Part("nothing is remembered of this queue yet", "dim"),)
        return (Part("as far as emqtop saw it", "dim"),)

    def action_span(self) -> None:
        """The next length of time."""
        self.span = SPANS[(SPANS.index(self.span) + 1) % len(SPANS)]
        self.draw()

    def action_utc(self) -> None:
        """Times in UTC, or in the zone of the user."""
        self.utc = not self.utc
        self.draw()
        self.hint("times in UTC" if self.utc else "times in your zone", "plain")

    def action_scroll(self, rows: int) -> None:
        """Other plots, where not all of them have room."""
        self.first = max(0, self.first + rows)
        self._make_room()

    def action_scroll_page(self, pages: int) -> None:
        """As by lines."""
        self.action_scroll(pages)

    def action_scroll_to_end(self, last: bool) -> None:
        """The last plots, or the first."""
        self.action_scroll(len(CURVES) if last else -len(CURVES))
