"""A job beside the list it stands in, where the terminal is wide enough for both."""

from emqtop.model.job import JobDetail
from emqtop.ui import job_text
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper

WIDE = 150
"""Cells of the terminal from which on there is room."""


class JobBeside(Paper):
    """Everything about the job under the cursor; not there on a narrow terminal."""

    DEFAULT_CSS = "JobBeside { width: 64; border-left: vkey $panel; padding: 0 1; }"
    can_focus = False

    def __init__(self) -> None:
        super().__init__(words=True, id="beside")
        self.display = False
        self.job_id: str | None = None
        self._detail: JobDetail | None = None

    def choose(self, job_id: str | None) -> bool:
        """Turn to another job; says whether it must be read."""
        if job_id == self.job_id:
            return False
        self.job_id, self._detail = job_id, None
        self.scroll_end_of(last=False)
        self.show([] if job_id is None else [(Part("loading", "dim"),)])
        return job_id is not None and self.display

    def show_job(self, detail: JobDetail | None, now_ms: int) -> None:
        """Show what was read, unless the cursor went on meanwhile; the last that was known of a job that is gone."""
        if detail is not None and detail.job.id == self.job_id:
            self._detail = detail
            self.tick(now_ms)
        elif detail is None and self._detail is None and self.job_id is not None:
            self.show([(Part("no such job any more", "warn"),)])

    def tick(self, now_ms: int) -> None:
        """Let its times run on."""
        if self._detail is not None and self.display:
            self.show(list(job_text.overview(self._detail, now_ms)))
