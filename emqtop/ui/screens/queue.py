"""One queue: its jobs by location."""

from collections.abc import Hashable, Iterator, Sequence

from textual.widget import Widget

from emqtop.model.actions import Verb
from emqtop.model.fuzzy import matches
from emqtop.model.queue import Family, Location, Queue, QueueId
from emqtop.present.columns import Column
from emqtop.present.job_columns import job_columns
from emqtop.present.rows import JobRow, job_rows
from emqtop.sampling.source import PageRequest, Source
from emqtop.text import safe
from emqtop.ui.aim import Aim, at_jobs, at_queue
from emqtop.ui.commands import Place, bindings
from emqtop.ui.messages import PageArrived
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.tabs import Tab, TabLine
from emqtop.units import count

PAGE = 200
"""Jobs of a location that are loaded at once."""

_SHORT = {
    Location.PENDING: "pend",
    Location.ACTIVE: "act",
    Location.SCHEDULE: "sched",
    Location.DEAD: "dead",
    Location.HELD: "held",
    Location.DONE: "done",
}


class QueueScreen(ListScreen[JobRow]):
    """The jobs of one queue, one tab per location."""

    PLACE = Place.QUEUE
    BINDINGS = bindings(Place.QUEUE, Place.LIST)

    def __init__(self, queue: QueueId, location: Location | None = None) -> None:
        super().__init__()
        self.queue = queue
        self.request = PageRequest(queue, location or Location.ACTIVE, PAGE, payload=True)
        self._page: PageArrived | None = None

    @property
    def location(self) -> Location:
        """The tab in front."""
        return self.request.location

    @property
    def counts(self) -> Queue:
        """The queue's line in the newest snapshot."""
        found = (queue for queue in self.moment.snapshot.queues if queue.id == self.queue)
        return next(found, Queue(self.queue))

    def above(self) -> Iterator[Widget]:
        """The tabs."""
        yield TabLine(id="tabs")

    def columns(self) -> Sequence[Column[JobRow]]:
        """Those of the location."""
        return job_columns(self.location, self.queue.family)

    def key_of(self, item: JobRow) -> Hashable:
        """The full id."""
        return item.job.id

    def items(self) -> Sequence[JobRow]:
        """The jobs of the page that match."""
        if self._page is None:
            return ()
        rows = job_rows(self._page.page, self.moment.snapshot.clock != "server")
        if not self.wanted:
            return rows
        return [row for row in rows if matches(self.wanted, _searched(row), loose=False)]

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, location."""
        return ("emqtop", safe(self.queue.name), self.location.value)

    async def read(self, source: Source) -> None:
        """Read the page in front."""
        request = self.request
        source.show((self.queue,))
        self.post_message(PageArrived(request, await source.page(request)))

    def on_page_arrived(self, message: PageArrived) -> None:
        """Show a page, unless it is of a view already left."""
        if message.request == self.request:
            self._page = message
            if not self.frozen:
                self.draw_rows()

    def watch_moment(self) -> None:
        """Draw fresh counts."""
        super().watch_moment()
        self.draw_tabs()

    def draw_tabs(self) -> None:
        """Name the locations and how many jobs each holds."""
        queue = self.counts
        numbers = {
            Location.PENDING: (queue.pending, "plain"),
            Location.ACTIVE: (queue.active, "bad" if queue.overdue else "good"),
            Location.SCHEDULE: (queue.schedule, "plain"),
            Location.DEAD: (queue.dead, "warn"),
            Location.HELD: (queue.held, "plain"),
            Location.DONE: (queue.completed, "plain"),
        }
        tabs = [
            Tab(place.value, place.value, _SHORT[place], count(number), tone if number else "dim")
            for place, (number, tone) in numbers.items()
        ]
        self.query_one("#tabs", TabLine).show_tabs(tabs, self.location.value)

    def draw_rows(self) -> None:
        """Say what an empty list means."""
        self.grid.empty = self._why_empty()
        super().draw_rows()

    def _why_empty(self) -> str:
        if self.counts.error is not None:
            return safe(self.counts.error)
        if self._page is None:
            return "loading"
        if self.wanted and self._page.page.jobs:
            return "no job on this page matches"
        if self.location is Location.DONE and self.queue.family is Family.ECHOMQ:
            return "EchoMQ deletes a job that is done; only their number is kept"
        return f"no {self.location.value} jobs"

    def summary(self) -> Sequence[Part]:
        """Which part of the location this is."""
        queue, parts = self.counts, list(super().summary())
        if queue.paused:
            parts.append(Part("paused  ", "warn"))
        if queue.overdue:
            parts.append(Part(f"{count(queue.overdue)} overdue  ", "bad"))
        if self._page is not None and self._page.page.jobs:
            page = self._page.page
            parts.append(Part(f"{page.start + 1}-{page.start + len(page.jobs)} of {count(page.total)}", "dim"))
        return parts

    # Tabs

    def show_location(self, location: Location) -> None:
        """Bring a tab to the front."""
        if location is self.location:
            return
        self.request = PageRequest(self.queue, location, PAGE, payload=True)
        self._page = None
        self.grid.selection.reset()
        self.grid.set_columns(self.columns())
        self.close_filter(clear=True)
        self.draw_tabs()
        self.draw_top()
        self.draw_keys()
        self.draw_rows()
        self.wants_reading()

    def action_tab(self, step: int) -> None:
        """The next tab, or the one before."""
        places = list(Location)
        self.show_location(places[(places.index(self.location) + step) % len(places)])

    def action_nth_tab(self, number: int) -> None:
        """The tab of a number from 1 on."""
        places = list(Location)
        if number <= len(places):
            self.show_location(places[number - 1])

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """The tab that was clicked."""
        message.stop()
        self.show_location(Location(message.key))

    # Marks

    def action_mark(self) -> None:
        """Mark the row under the cursor."""
        self.grid.toggle_mark()
        self.draw_status()

    def action_mark_range(self) -> None:
        """Mark from the last mark to the cursor."""
        self.grid.mark_range()
        self.draw_status()

    def action_mark_all(self) -> None:
        """Mark every row in the list."""
        self.grid.mark_all()
        self.draw_status()

    def action_unmark(self) -> None:
        """Take all marks away."""
        self.grid.clear_marks()
        self.draw_status()

    def aim(self, verb: Verb) -> Aim:
        """The marked jobs as they were last seen, else the one under the cursor; pause means the queue."""
        if verb is Verb.PAUSE:
            return at_queue(verb, self.queue, self.counts.paused)
        selection = self.grid.selection
        current = [] if self.grid.current is None else [self.grid.current]
        return at_jobs(verb, self.queue, list(selection.marks.values()) or current)

    def opened(self, item: JobRow) -> None:
        """Look at a job."""
        self.app.push_screen(JobScreen(self.queue, item.job.id, item.location))

    def action_back(self) -> None:
        """Out of the filter, else back to the overview."""
        if not self.close_filter(clear=True):
            self.dismiss()


def _searched(row: JobRow) -> str:
    job = row.job
    payload = (job.payload or b"").decode("utf-8", "replace")
    words = (job.id, job.group, job.last_error, job.state, *job.odd, payload)
    return " ".join(word for word in words if word)
