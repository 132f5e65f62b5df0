"""Walking through a queue: from tab to tab, into a lane and out, from page to page."""

from collections.abc import Iterator
from typing import TypeAlias

from textual.widget import Widget

from emqtop.model.queue import Family, Lane, Queue, QueueId
from emqtop.model.team import Worker
from emqtop.model.timetable import Scheduler
from emqtop.present.job_rows import JobRow
from emqtop.ui.messages import PageArrived
from emqtop.ui.queue_tabs import queue_tabs
from emqtop.ui.queue_view import QueueView, Tab
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.widgets.line import Line
from emqtop.ui.widgets.tabs import TabLine

Row: TypeAlias = JobRow | Lane | Worker | Scheduler


class QueueWalk(ListScreen[Row]):
    """The tabs of a queue over a list of which one page is loaded.

    Attributes:
        at: tab, lane and page.
        all_meant: are all jobs of the tab that match meant, loaded or not?
        page: the page in front; None until it comes in.
        lanes: the lanes; None until they were looked at.
    """

    def __init__(self, queue: QueueId, tab: Tab) -> None:
        super().__init__()
        self.at = QueueView(queue, tab)
        self.all_meant = False
        self.page: PageArrived | None = None
        self.lanes: tuple[Lane, ...] | None = None

    @property
    def counts(self) -> Queue:
        """The queue's line in the newest snapshot."""
        found = (queue for queue in self.moment.snapshot.queues if queue.id == self.at.queue)
        return next(found, Queue(self.at.queue))

    def above(self) -> Iterator[Widget]:
        """The tabs, and what there is to know of a BullMQ queue before one acts on it."""
        yield TabLine(id="tabs")
        if self.at.queue.family is Family.BULLMQ:
            yield Line("dim", id="about")

    def watch_moment(self) -> None:
        """Draw fresh counts."""
        super().watch_moment()
        self.draw_tabs()

    def draw_tabs(self) -> None:
        """Name the tabs and how much is in each."""
        tabs = queue_tabs(self.counts, self.at.tabs, self.looked())
        self.query_one("#tabs", TabLine).show_tabs(tabs, self.at.tab.value)

    def looked(self) -> dict[Tab, int]:
        """How much is in the tabs that no snapshot counts, once they were looked at."""
        return {} if self.lanes is None else {Tab.LANES: len(self.lanes)}

    def go(self, view: QueueView) -> None:
        """Look at another tab, lane or page."""
        if view == self.at:
            return
        self.all_meant = False
        left, self.at = self.at, view
        same_columns = view.tab is left.tab
        self.page = None
        self.grid.selection.reset(keep_marks=same_columns and view.lane == left.lane)
        if not same_columns:
            self.grid.set_columns(self.columns())
            self.close_filter(clear=True)
        self.draw_tabs()
        self.draw_top()
        self.draw_rows()
        self.draw_keys()
        self.wants_reading()

    def action_tab(self, step: int) -> None:
        """The next tab, or the one before."""
        self.go(self.at.step(step))

    def action_nth_tab(self, number: int) -> None:
        """The tab of a number from 1 on."""
        self.go(self.at.nth(number))

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """The tab that was clicked."""
        message.stop()
        self.go(self.at.show(Tab(message.key)))

    def action_turn(self, pages: int) -> None:
        """The next page of jobs, or the one before."""
        self.go(self.at.page(pages, self._total))

    @property
    def _total(self) -> int:
        return 0 if self.page is None else self.page.page.total

    def action_move(self, rows: int) -> None:
        """Move the cursor; over the end of what is loaded, to the jobs behind it."""
        chosen = self.grid.selection
        at_end = chosen.index == (len(chosen.items) - 1 if rows > 0 else 0)
        if at_end and chosen.items and self.at.page(1 if rows > 0 else -1, self._total) != self.at:
            self.action_turn(1 if rows > 0 else -1)
        else:
            super().action_move(rows)

    def action_to_end(self, last: bool) -> None:
        """To the first job or the last, those too that are not loaded."""
        end = self.at.end(last, self._total)
        if end == self.at or self.page is None:
            super().action_to_end(last)
        else:
            self.go(end)
