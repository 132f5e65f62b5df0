"""One job: everything the server holds of it."""

from collections.abc import Iterator

from textual.widget import Widget

from emqtop.model.actions import Verb
from emqtop.model.job import JobDetail
from emqtop.model.queue import Location, QueueId
from emqtop.present.job_rows import JobRow
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui import job_text
from emqtop.ui.aim import Aim, NoAim, at_jobs, fits
from emqtop.ui.clipboard import Copied
from emqtop.ui.commands import Command, Place, bindings
from emqtop.ui.messages import JobArrived
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.scrolling import Scrolling
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, Text
from emqtop.ui.widgets.tabs import TabLine, TabWords

_SHORT = {"job": "job", "data": "data", "error": "err", "logs": "logs", "family": "fam", "row": "row"}

GONE = "no such job: no row, and in no location; a job that is done leaves nothing behind, unless its queue keeps it"


class JobScreen(LiveScreen, Scrolling[None]):
    """The fields, the payload and the logs of one job."""

    PLACE = Place.JOB
    BINDINGS = bindings(Place.JOB, Place.TEXT)

    def __init__(self, queue: QueueId, job_id: str, location: Location | None) -> None:
        super().__init__()
        self.queue = queue
        self.job_id = job_id
        self.location = location
        self.detail: JobDetail | None = None
        self.gone = False
        self.front = "job"

    def view(self) -> Iterator[Widget]:
        """Tabs and text."""
        yield TabLine(id="tabs")
        yield Paper(id="paper")

    def queue_meant(self) -> QueueId | None:
        """That of the job."""
        return self.queue

    def job_meant(self) -> str | None:
        """This one."""
        return self.job_id

    def detail_meant(self) -> JobDetail | None:
        """What was last seen of it."""
        return self.detail

    def copied(self) -> Copied | None:
        """What the tab in front is about: the data, the error, else the id."""
        wanted = {"data": job_text.PAYLOAD_FIELDS, "error": job_text.ERROR_FIELDS}.get(self.front, ())
        fields = () if self.detail is None else self.detail.fields
        for name, value, whole in fields:
            if name in wanted and value and len(value) == whole:
                return Copied(name, value.decode("utf-8", "surrogateescape"))
        return super().copied()

    def copied_row(self) -> Copied | None:
        """Every field that is loaded, a line each."""
        fields = () if self.detail is None else self.detail.fields
        lines = (f"{name}\t{value.decode('utf-8', 'surrogateescape')}" for name, value, _ in fields)
        return Copied("row", "\n".join(lines))

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, job."""
        return ("emqtop", safe(self.queue.name), safe(self.job_id))

    async def read(self, source: Source) -> None:
        """Read the job."""
        self.post_message(JobArrived(await source.job(self.queue, self.job_id)))

    def on_mount(self) -> None:
        """Give the keys to the text."""
        super().on_mount()
        self.query_one(Paper).focus()
        self.draw_tabs()
        self.draw_text()

    def on_job_arrived(self, message: JobArrived) -> None:
        """Show the job; the last that was known of it stays when it is gone."""
        self.gone = message.detail is None
        if message.detail is not None:
            self.detail = message.detail
            self.location = message.detail.location
        self.draw_text()
        self.draw_status()
        self.draw_keys()

    def advance(self, clock_s: float) -> None:
        """Let times run on."""
        super().advance(clock_s)
        if not self.gone:
            self.draw_text()

    def draw_tabs(self) -> None:
        """Name the tabs."""
        self.query_one(TabLine).show_tabs([TabWords(key, key, _SHORT[key]) for key in job_text.TABS], self.front)

    def draw_text(self) -> None:
        """Show the tab in front."""
        if self.detail is None:
            words = GONE if self.gone else "loading"
            lines: list[Text] = [(Part(words, "bad" if self.gone else "dim"),)]
        else:
            lines = list(job_text.TABS[self.front](self.detail, self.now_ms))
        self.query_one(Paper).show(lines)

    def summary(self) -> tuple[Part, ...]:
        """Is it still there?"""
        if self.gone and self.detail is not None:
            return (Part("gone since then: this is the last that was seen of it", "warn"),)
        return ()

    def show_tab(self, key: str) -> None:
        """Bring a tab to the front, from its top."""
        self.front = key
        self.query_one(Paper).scroll_end_of(last=False)
        self.draw_tabs()
        self.draw_text()

    def action_tab(self, step: int) -> None:
        """The next tab, or the one before."""
        keys = list(job_text.TABS)
        self.show_tab(keys[(keys.index(self.front) + step) % len(keys)])

    def action_nth_tab(self, number: int) -> None:
        """The tab of a number from 1 on."""
        if number <= len(job_text.TABS):
            self.show_tab(list(job_text.TABS)[number - 1])

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """The tab that was clicked."""
        message.stop()
        self.show_tab(message.key)

    def offered(self, command: Command) -> bool:
        """Only acts that fit where the job lies are named."""
        if not super().offered(command):
            return False
        return command.verb is None or (self.location is not None and fits(command.verb, self.location))

    def usable(self, command: Command) -> bool:
        """Is there a job to look at?"""
        if command.id in {"payload", "flow"}:
            return self.detail is not None or not self.gone
        return super().usable(command)

    def aim(self, verb: Verb) -> Aim:
        """This job, as it was last seen."""
        if self.detail is None or self.gone or self.detail.location is None:
            raise NoAim("this job is in no location: there is nothing to act on")
        return at_jobs(verb, self.queue, [JobRow(self.detail.job, self.detail.location)])
