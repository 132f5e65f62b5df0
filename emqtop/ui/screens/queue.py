"""One queue: its jobs by location, its lanes, and what stands around them."""

from collections.abc import Hashable, Iterator, Sequence
from typing import cast

from textual.widget import Widget

from emqtop.model.actions import Outcome, Verb
from emqtop.model.acts import ACTS
from emqtop.model.fuzzy import matches
from emqtop.model.leases import LeaseWatch
from emqtop.model.queue import Lane, QueueId
from emqtop.model.timetable import Scheduler, series_of
from emqtop.present.columns import Column
from emqtop.present.job_columns import job_columns
from emqtop.present.job_rows import JobRow, job_rows
from emqtop.present.lane_columns import LANES
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.aim import LANED, Aim, NoAim, at_jobs, at_location, at_queue, at_scheduler, fits
from emqtop.ui.chosen import searched, where
from emqtop.ui.clipboard import Copied
from emqtop.ui.commands import Command, Place, bindings
from emqtop.ui.messages import AboutArrived, JobArrived, LanesArrived, PageArrived
from emqtop.ui.queue_reader import QueueReader
from emqtop.ui.queue_tabs import why_empty
from emqtop.ui.queue_view import Tab
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.screens.queue_around import HIGH, QueueAround
from emqtop.ui.screens.queue_walk import Row
from emqtop.ui.widgets.beside import WIDE, JobBeside
from emqtop.ui.widgets.line import Line, Part
from emqtop.units import count


class QueueScreen(QueueAround):
    """The jobs of one queue, one tab per location, its lanes, workers, schedulers and minutes."""

    PLACE = Place.QUEUE
    BINDINGS = bindings(Place.QUEUE, Place.LIST)

    def __init__(self, queue: QueueId, tab: Tab = Tab.ACTIVE) -> None:
        super().__init__(queue, tab)
        self._watch = LeaseWatch()
        self._reader = QueueReader(self.post_message)

    def beside(self) -> Iterator[Widget]:
        """The job under the cursor."""
        yield from super().beside()
        yield JobBeside()

    def make_room(self) -> None:
        """Show the job beside the list where there is room for both, and what there is to know above it."""
        super().make_room()
        self.query("#about").set(display=self.app.size.height >= HIGH and not self.is_around)
        side, wide = self.query_one(JobBeside), self.app.size.width >= WIDE and not self.is_around
        if side.display != wide:
            side.display = wide
            self.wants_reading()

    def columns(self) -> Sequence[Column[Row]]:
        """Those of the tab."""
        if self.is_around:
            return self.around_columns()
        location = self.at.location
        columns = LANES if location is None else job_columns(location, self.at.queue.family, watched=True)
        # The rows of a tab are all of the kind that its columns are for.
        return cast("Sequence[Column[Row]]", columns)

    def queue_meant(self) -> QueueId | None:
        """This one."""
        return self.at.queue

    def job_meant(self) -> str | None:
        """The one under the cursor."""
        current = self.grid.current
        return current.job.id if isinstance(current, JobRow) else None

    def copied(self) -> Copied | None:
        """The id under the cursor, else the group of the lane."""
        current = self.grid.current
        return Copied("lane", current.group) if isinstance(current, Lane) else super().copied()

    def shown_queues(self) -> tuple[QueueId, ...]:
        """This one alone."""
        return (self.at.queue,)

    def key_of(self, item: Row) -> Hashable:
        """The full id."""
        if isinstance(item, JobRow):
            return item.job.id
        return item.group if isinstance(item, Lane) else super().key_of(item)

    def items(self) -> Sequence[Row]:
        """The rows of the tab that match."""
        rows = self._rows()
        if not self.wanted:
            return rows
        return [row for row in rows if matches(self.wanted, searched(row), loose=False)]

    def _rows(self) -> Sequence[Row]:
        if self.is_around:
            return self.around_rows()
        if self.at.location is None:
            return self.lanes or ()
        if self.page is None:
            return ()
        return job_rows(self.page.page, self.moment.snapshot.clock != "server", self._watch)

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, tab, lane."""
        lane = () if self.at.lane is None else (safe(self.at.lane),)
        return ("emqtop", safe(self.at.queue.name), self.at.tab.value, *lane)

    async def read(self, source: Source) -> None:
        """Read the tab in front; a recording has nothing of what stands around jobs."""
        if self.is_around and self.playback is not None:
            return
        side = self.query_one(JobBeside)
        await self._reader.read(source, self.at, side.job_id if side.display else None)

    def on_page_arrived(self, message: PageArrived) -> None:
        """Show a page, unless it is of a view already left."""
        if message.request == self.at.request:
            self.page = message
            self._watch.see(message.page)
            self._arrived()

    def on_lanes_arrived(self, message: LanesArrived) -> None:
        """Show the lanes."""
        self.lanes = message.lanes
        self._arrived()

    def on_job_arrived(self, message: JobArrived) -> None:
        """Show the job beside the list."""
        if not self.frozen:
            self.query_one(JobBeside).show_job(message.detail, self.now_ms)

    def on_about_arrived(self, message: AboutArrived) -> None:
        """Say what is known of the queue."""
        words = "   ".join(f"{label} {safe(said)}" for label, said in message.words)
        self.query_one("#about", Line).show([Part(words, "dim")])

    def _arrived(self) -> None:
        if not self.frozen:
            self.draw_rows()
            self.draw_keys()

    def draw_rows(self) -> None:
        """Say what an empty list means."""
        hidden = bool(self.wanted and self._rows())
        why = self.around_empty() if self.is_around else ""
        self.grid.empty = why or why_empty(self.at, self.counts, self._is_loaded, hidden)
        super().draw_rows()
        if self.query_one(JobBeside).choose(self.job_meant()):
            self.wants_reading()

    @property
    def _is_loaded(self) -> bool:
        if self.is_around:
            return self.around_loaded
        return (self.lanes if self.at.location is None else self.page) is not None

    def on_grid_chosen(self) -> None:
        """Turn to the job under the cursor."""
        super().on_grid_chosen()
        if self.query_one(JobBeside).choose(self.job_meant()):
            self.wants_reading()

    def advance(self, clock_s: float) -> None:
        """Let times run on, beside the list too."""
        super().advance(clock_s)
        if not self.frozen:
            self.query_one(JobBeside).tick(self.now_ms)

    def summary(self) -> Sequence[Part]:
        """State of the queue, and which part of the location this is."""
        queue, parts = self.counts, list(super().summary())
        if self.all_meant:
            parts.append(Part("all that match" if self.wanted else f"all {self.at.tab} jobs", "mark"))
            parts.append(Part("  "))
        if queue.paused:
            parts.append(Part("paused  ", "warn"))
        if queue.overdue:
            parts.append(Part(f"{count(queue.overdue)} overdue  ", "bad"))
        if self.at.location is not None and self.page is not None and self.page.page.jobs:
            page = self.page.page
            parts.append(Part(f"{page.start + 1}-{page.start + len(page.jobs)} of {count(page.total)}", "dim"))
        return parts

    def opened(self, item: Row) -> None:
        """Look at a job, or into a lane."""
        if isinstance(item, Lane):
            self.go(self.at.into(item.group))
        elif isinstance(item, JobRow):
            self.app.push_screen(JobScreen(self.at.queue, item.job.id, item.location))
        elif isinstance(item, Scheduler) and (run := self.run_of(item)) is not None:
            self.app.push_screen(JobScreen(self.at.queue, *run))
        else:
            self.hint("there is no job to open here")

    def action_back(self) -> None:
        """Out of the filter, else out of the lane, else back to the overview."""
        if self.close_filter(clear=True):
            return
        if (outer := self.at.out()) is not None:
            self.go(outer)
        else:
            self.dismiss()

    def aim(self, verb: Verb) -> Aim:
        """The marked jobs as they were last seen, else the one under the cursor; or the queue, or a lane of it."""
        current = self.grid.current
        if verb is Verb.UNSCHEDULE:
            return at_scheduler(self.at.queue, self._series())
        if verb is Verb.DRAIN or not ACTS[verb].fits:
            return self._aim_whole(verb)
        if self.at.location is None:
            there = "open a lane to see its jobs" if self.at.tab is Tab.LANES else "they stand in other tabs"
            raise NoAim(f"{verb} fits jobs, not {self.at.tab}: {there}")
        if self.all_meant:
            return at_location(verb, self.at.queue, self.at.location, where(self.wanted, self.at.lane))
        marked = list(self.grid.selection.marks.values())
        chosen = marked or ([] if current is None else [current])
        return at_jobs(verb, self.at.queue, [row for row in chosen if isinstance(row, JobRow)])

    def _aim_whole(self, verb: Verb) -> Aim:
        """The lane that is under the cursor or that is looked into, where there is one and the act can mean it."""
        if verb is Verb.DRAIN and (self.wanted or self.all_meant or self.grid.selection.marks):
            raise NoAim("drain takes all that waits: remove takes what is marked or matches")
        current, queue = self.grid.current, self.at.queue
        if verb in LANED and isinstance(current, Lane):
            return at_queue(verb, queue, current.paused, current.group)
        lane = self.at.lane if verb in LANED - {Verb.PAUSE} else None
        return at_queue(verb, queue, self.counts.paused, lane)

    def _series(self) -> str | None:
        """The scheduler under the cursor, or the one whose run is; None: neither is."""
        current = self.grid.current
        if isinstance(current, Scheduler):
            return current.id
        return series_of(current.job.id) if isinstance(current, JobRow) else None

    def action_choose_all(self) -> None:
        """Mean all jobs of this tab that match, those too that are not loaded; or no longer."""
        self.all_meant = not self.all_meant and self.at.location is not None
        self.grid.clear_marks()
        self.draw_status()

    def action_unmark(self) -> None:
        """Take all marks away."""
        self.all_meant = False
        super().action_unmark()

    def settled(self, outcome: Outcome) -> None:
        """Take the marks away from what was done; what was left alone stays marked, to look at it."""
        self._reader.hurry()
        if outcome.stopped or not ACTS[outcome.verb].fits:
            return
        self.all_meant = False
        self.grid.keep_marks({*(skip.id for skip in outcome.skipped), *outcome.unknown})

    def offered(self, command: Command) -> bool:
        """Only acts that fit the jobs of this tab are named."""
        if not super().offered(command):
            return False
        verb = command.verb
        if verb is None:
            return True
        if verb is Verb.UNSCHEDULE:
            return self.at.tab is Tab.SCHEDULERS or self._series() is not None
        if self.at.location is None:
            return verb is Verb.DRAIN or not ACTS[verb].fits
        return fits(verb, self.at.location)
