"""The ways from any screen to those that stand beside the path overview, queue, job."""

from typing import TYPE_CHECKING

from textual.screen import Screen

from emqtop.model.queue import QueueId

if TYPE_CHECKING:
    from emqtop.model.job import JobDetail
    from emqtop.ui.ledger import Ledger


class Doors(Screen[None]):
    """What opens them; each is imported when it is first opened, so that the first frame does not wait for it."""

    ledger: "Ledger | None" = None
    """What was done from here; None: nothing can be."""

    prefers_utc = False
    """Does the user want times in UTC from the start?"""

    def queue_meant(self) -> QueueId | None:
        """The queue that a command about one queue is about; None: there is none here."""
        return None

    def job_meant(self) -> str | None:
        """The job that a command about one job is about; None: there is none here."""
        return None

    def detail_meant(self) -> "JobDetail | None":
        """The same with all that was last seen of it, where that is known: it may be gone by now."""
        return None

    def say(self, words: str, tone: str = "plain") -> None:
        """Put safe words onto the status line, until the next ones."""
        raise NotImplementedError

    def action_charts(self) -> None:
        """History of the queue."""
        from emqtop.ui.screens.charts import ChartsScreen

        if (queue := self._queue()) is not None:
            self.app.push_screen(ChartsScreen(queue, utc=self.prefers_utc))

    def action_events(self) -> None:
        """What the queue announces."""
        from emqtop.ui.screens.events import EventsScreen

        self.app.push_screen(EventsScreen(self.queue_meant(), utc=self.prefers_utc))

    def action_all_events(self) -> None:
        """What all queues announce."""
        from emqtop.ui.screens.events import EventsScreen

        self.app.push_screen(EventsScreen(None, utc=self.prefers_utc))

    def action_errors(self) -> None:
        """The queue's dead jobs by error."""
        from emqtop.ui.screens.errors import ErrorsScreen

        if (queue := self._queue()) is not None:
            self.app.push_screen(ErrorsScreen(queue))

    def action_findings(self) -> None:
        """What is wrong with the queue, and what helps."""
        from emqtop.ui.screens.findings import FindingsScreen

        if (queue := self._queue()) is not None:
            self.app.push_screen(FindingsScreen(queue))

    def action_all_findings(self) -> None:
        """What is wrong with any queue and with the server, and what helps."""
        from emqtop.ui.screens.findings import FindingsScreen

        self.app.push_screen(FindingsScreen(None))

    def action_audit(self) -> None:
        """What was done from here."""
        from emqtop.ui.screens.audit import AuditScreen

        self.app.push_screen(AuditScreen(self.ledger))

    def action_server(self) -> None:
        """All that is known of the server."""
        from emqtop.ui.screens.server import ServerScreen

        self.app.push_screen(ServerScreen())

    def action_payload(self) -> None:
        """The job's data, folded, as text, as hex."""
        from emqtop.ui.screens.payload import PayloadScreen

        queue, job = self._queue(), self.job_meant()
        if queue is not None and job is not None:
            self.app.push_screen(PayloadScreen(queue, job, self.detail_meant()))

    def action_flow(self) -> None:
        """The family of the job."""
        from emqtop.ui.screens.flow import FlowScreen

        queue, job = self._queue(), self.job_meant()
        if queue is not None and job is not None:
            self.app.push_screen(FlowScreen(queue, job))

    def _queue(self) -> QueueId | None:
        queue = self.queue_meant()
        if queue is None:
            self.say("no queue is chosen", "warn")
        return queue
