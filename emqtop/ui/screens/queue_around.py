"""The tabs of a queue that show no jobs: its workers, its schedulers, its minutes."""

from collections.abc import Hashable, Iterator, Sequence
from typing import cast

from textual.widget import Widget

from emqtop.model.acts import ACTS
from emqtop.model.history import Series
from emqtop.model.metrics import Metric, Metrics
from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.team import Team, Worker
from emqtop.model.timetable import NextRun, Scheduler, Timetable
from emqtop.present.columns import Column
from emqtop.present.scheduler_columns import scheduler_columns
from emqtop.present.seen_minutes import seen_minutes
from emqtop.present.worker_columns import worker_columns
from emqtop.ui.around_words import NOT_RECORDED, metrics_words, team_words, timetable_words
from emqtop.ui.clipboard import Copied
from emqtop.ui.commands import Command
from emqtop.ui.messages import AroundArrived
from emqtop.ui.queue_view import AROUND, QueueView, Tab
from emqtop.ui.screens.queue_walk import QueueWalk, Row
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.minutes import Minutes, Told
from emqtop.ui.widgets.note import Note

HIGH = 10
"""Lines of a window from which on some are spared for what there is to know of the queue."""
_MINUTE_MS = 60_000
_MARKS = frozenset({"mark", "mark_range", "mark_all", "choose_all", "unmark"})
_ROWS = frozenset({"open", "filter", "copy_row"})


class QueueAround(QueueWalk):
    """What stands around the jobs of a queue; read only while it is in front.

    Attributes:
        team: the workers; None until they were looked at.
        timetable: the recurring jobs; None until they were looked at.
        metrics: the minutes; None until they were looked at.
        refusals: what the server said where it told nothing of a tab.
    """

    def __init__(self, queue: QueueId, tab: Tab) -> None:
        super().__init__(queue, tab)
        self.team: Team | None = None
        self.timetable: Timetable | None = None
        self.metrics: Metrics | None = None
        self.refusals: dict[Tab, str] = {}

    def above(self) -> Iterator[Widget]:
        """What is to be said of these tabs, below the tabs themselves."""
        yield from super().above()
        yield Note(id="note")

    def beside(self) -> Iterator[Widget]:
        """The minutes, in place of the list."""
        yield from super().beside()
        yield Minutes()

    @property
    def is_around(self) -> bool:
        """Is one of these tabs in front?"""
        return self.at.tab in AROUND

    def around_columns(self) -> Sequence[Column[Row]]:
        """Those of the tab; of the minutes none."""
        family = self.at.queue.family
        if self.at.tab is Tab.WORKERS:
            return cast("Sequence[Column[Row]]", worker_columns(family))
        if self.at.tab is Tab.SCHEDULERS:
            approximate = self.moment.snapshot.clock != "server"
            return cast("Sequence[Column[Row]]", scheduler_columns(family, approximate=approximate))
        return ()

    def around_rows(self) -> Sequence[Row]:
        """What came in."""
        if self.at.tab is Tab.WORKERS:
            return () if self.team is None else self.team.workers
        return () if self.at.tab is Tab.METRICS or self.timetable is None else self.timetable.schedulers

    def run_of(self, scheduler: Scheduler) -> tuple[str, Location | None] | None:
        """Id of its next run and where it lies; None where that is made only when its time has come."""
        if self.at.queue.family is Family.ECHOMQ:
            return None
        lies = None if scheduler.next_run is NextRun.ENDED else Location(scheduler.next_run.value)
        return scheduler.run_id, lies

    @property
    def around_loaded(self) -> bool:
        """Did something come in?"""
        found = {Tab.WORKERS: self.team, Tab.SCHEDULERS: self.timetable, Tab.METRICS: self.metrics}
        return found[self.at.tab] is not None

    def around_empty(self) -> str:
        """Why there are no rows, where that is not the queue's own doing; the note says it in whole sentences."""
        if self.playback is not None:
            return "not recorded"
        withheld = self.at.tab is Tab.WORKERS and self.team is not None and self.team.withheld
        return "not known" if withheld or self.at.tab in self.refusals else ""

    def key_of(self, item: Row) -> Hashable:
        """What it is known by among its kind."""
        if isinstance(item, Worker):
            return item.key
        return item.id if isinstance(item, Scheduler) else None

    def copied(self) -> Copied | None:
        """The name of the worker, else its address; the id of the scheduler."""
        current = self.grid.current if self.is_around else None
        if isinstance(current, Worker):
            return Copied("worker", current.name or current.address or "")
        return Copied("scheduler", current.id) if isinstance(current, Scheduler) else super().copied()

    def looked(self) -> dict[Tab, int]:
        """How much is in these tabs, once they were looked at."""
        found = super().looked()
        if self.team is not None and not self.team.withheld:
            found[Tab.WORKERS] = self.team.connected
        if self.timetable is not None:
            found[Tab.SCHEDULERS] = self.timetable.total
        return found

    def on_mount(self) -> None:
        """Make room for what the tab shows."""
        super().on_mount()
        self.make_room()

    def on_resize(self) -> None:
        """A low window has none for sentences."""
        super().on_resize()
        if self.ready:
            self.make_room()

    def go(self, view: QueueView) -> None:
        """Another tab may show something else than a list."""
        super().go(view)
        self.make_room()

    def make_room(self) -> None:
        """Show the list or the minutes, and sentences where there is room for them."""
        of_minutes = self.at.tab is Tab.METRICS
        self.grid.display = not of_minutes
        self.query_one(Minutes).display = of_minutes
        self.query_one("#note").display = self.is_around and self.app.size.height >= HIGH
        if of_minutes:
            self.set_focus(None)
        elif self.focused is None:
            self.grid.focus()
        self.draw_around()

    def on_around_arrived(self, message: AroundArrived) -> None:
        """Show what came in, unless it is of another queue; what was known stays where the server refuses."""
        if message.queue != self.at.queue:
            return
        self.refusals.pop(message.tab, None)
        if isinstance(message.around, Team):
            self.team = message.around
        elif isinstance(message.around, Timetable):
            self.timetable = message.around
        elif isinstance(message.around, Metrics):
            self.metrics = message.around
        else:
            self.refusals[message.tab] = message.refusal
        if not self.frozen and message.tab is self.at.tab:
            self.draw_rows()
            self.draw_tabs()

    def watch_moment(self) -> None:
        """Draw the minutes that were seen."""
        super().watch_moment()
        if not self.frozen:
            self.draw_around()

    def draw_around(self) -> None:
        """The sentences of the tab in front, and the minutes."""
        if self.is_around:
            self.query_one(Note).say(list(self._sentences()))
        if self.at.tab is Tab.METRICS:
            self._draw_minutes()

    def _sentences(self) -> Iterator[Part]:
        tab, family = self.at.tab, self.at.queue.family
        if self.playback is not None:
            yield Part(NOT_RECORDED[tab], "dim")
        elif tab in self.refusals:
            yield Part(self.refusals[tab], "warn")
        elif tab is Tab.WORKERS and self.team is not None:
            yield from team_words(self.team, self.counts, self.moment.snapshot.server.mode)
        elif tab is Tab.SCHEDULERS and self.timetable is not None:
            yield from timetable_words(self.timetable, self.counts, self.now_ms)
        elif tab is Tab.METRICS and self.metrics is not None:
            yield from metrics_words(self.metrics, family)

    def _draw_minutes(self) -> None:
        at_ms, known, counts = self.moment.snapshot.at_ms, self.metrics or Metrics(), self.counts
        if at_ms:
            completed = self._told(known.completed, counts.completed, Series.DONE)
            failed = self._told(known.failed, counts.failed, Series.FAILED)
            self.query_one(Minutes).show(completed, failed, at_ms // _MINUTE_MS, self.prefers_utc)

    def _told(self, metric: Metric, number: int | None, series: Series) -> Told:
        """By the minutes of the workers, else by what was seen of the queue."""
        # BullMQ's sets hold only what was kept, and not all that ever ended.
        total = number if self.at.queue.family is Family.ECHOMQ else metric.count
        at_ms, columns = self.moment.snapshot.at_ms, self.query_one(Minutes).columns
        if metric.newest_minute is None:
            return Told(total, seen_minutes(self.moment.past, self.at.queue, series, at_ms, columns))
        return Told(total, metric.between(at_ms // _MINUTE_MS - columns + 1, columns))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No act is for several of these rows, and the minutes have no rows at all."""
        if self.is_around and (action in _MARKS or (self.at.tab is Tab.METRICS and action in _ROWS)):
            return False
        return super().check_action(action, parameters)

    def offered(self, command: Command) -> bool:
        """What can be done here at all."""
        if not super().offered(command):
            return False
        if not self.is_around:
            return True
        if command.verb is not None:
            return not ACTS[command.verb].fits
        if command.id == "open":
            return self.at.tab is Tab.SCHEDULERS and self.at.queue.family is Family.BULLMQ
        return self.check_action(command.call, ()) is not False
