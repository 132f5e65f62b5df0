"""What happened, as the parts of the screen tell each other."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual.message import Message

from emqtop.model.queue import Lane, QueueId
from emqtop.sampling.source import PageRequest, Source
from emqtop.ui.aim import Aim
from emqtop.ui.moment import Moment
from emqtop.ui.widgets.line import Part

if TYPE_CHECKING:
    # Nothing of these is needed for the first frame.
    from emqtop.model.error_groups import ErrorGroup
    from emqtop.model.job import JobDetail, Page
    from emqtop.model.metrics import Metrics
    from emqtop.model.team import Team
    from emqtop.model.timetable import Timetable
    from emqtop.present.audit_columns import AuditRow
    from emqtop.present.flow_tree import Member
    from emqtop.ui.queue_view import Tab


class SnapshotArrived(Message):
    """There are fresh numbers; they replace older ones that still wait to be handled."""

    def __init__(self, moment: Moment) -> None:
        super().__init__()
        self.moment = moment

    def can_replace(self, message: Message) -> bool:
        """A newer one is all that is needed."""
        return isinstance(message, SnapshotArrived)


class SourceLost(Message):
    """The server could not be asked; the words say why."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words

    def can_replace(self, message: Message) -> bool:
        """The newest reason is all that is needed."""
        return isinstance(message, SourceLost)


class PageArrived(Message):
    """Some jobs came in; the request says for which view."""

    def __init__(self, request: PageRequest, page: "Page") -> None:
        super().__init__()
        self.request = request
        self.page = page

    def can_replace(self, message: Message) -> bool:
        """A newer page of the same view is all that is needed."""
        return isinstance(message, PageArrived) and message.request == self.request


class LanesArrived(Message):
    """The lanes of a queue came in."""

    def __init__(self, queue: QueueId, lanes: tuple[Lane, ...]) -> None:
        super().__init__()
        self.queue = queue
        self.lanes = lanes

    def can_replace(self, message: Message) -> bool:
        """The newest lanes of a queue are all that is needed."""
        return isinstance(message, LanesArrived) and message.queue == self.queue


class AboutArrived(Message):
    """What else is known of a queue came in."""

    def __init__(self, queue: QueueId, words: tuple[tuple[str, str], ...]) -> None:
        super().__init__()
        self.queue = queue
        self.words = words


class AroundArrived(Message):
    """What stands around the jobs of a queue came in; None: the server refused, in these words."""

    def __init__(
        self, queue: QueueId, tab: "Tab", around: "Team | Timetable | Metrics | None", refusal: str = ""
    ) -> None:
        super().__init__()
        self.queue = queue
        self.tab = tab
        self.around = around
        self.refusal = refusal

    def can_replace(self, message: Message) -> bool:
        """The newest of a tab is all that is needed."""
        return isinstance(message, AroundArrived) and (message.queue, message.tab) == (self.queue, self.tab)


class JobArrived(Message):
    """A job came in; None: it lies nowhere any more."""

    def __init__(self, detail: "JobDetail | None") -> None:
        super().__init__()
        self.detail = detail

    def can_replace(self, message: Message) -> bool:
        """The newest reading is all that is needed."""
        return isinstance(message, JobArrived)


class TailOpened(Message):
    """The tail of events may begin."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source


class ActsRead(Message):
    """The audit file was read."""

    def __init__(self, rows: "tuple[AuditRow, ...]") -> None:
        super().__init__()
        self.rows = rows


class TakenBack(Message):
    """An act was taken back, or could not be; the words say which."""

    def __init__(self, told: Part) -> None:
        super().__init__()
        self.told = told


class TakingBack(Message):
    """So many jobs of an act are taken back or left alone."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__()
        self.done = done
        self.total = total

    def can_replace(self, message: Message) -> bool:
        """The newest count is all that is needed."""
        return isinstance(message, TakingBack)


class ErrorsCounted(Message):
    """Dead jobs were counted by error; is that all of them?"""

    def __init__(self, groups: "tuple[ErrorGroup, ...]", looked_at: int, rest: int, is_over: bool) -> None:
        super().__init__()
        self.groups = groups
        self.looked_at = looked_at
        self.rest = rest
        self.is_over = is_over


class PartArrived(Message):
    """A part of a large value came in."""

    def __init__(self, field: str, start: int, part: bytes) -> None:
        super().__init__()
        self.field = field
        self.start = start
        self.part = part


class KinArrived(Message):
    """Some jobs of a family came in; None: it lies nowhere."""

    def __init__(self, details: "Mapping[Member, JobDetail | None]") -> None:
        super().__init__()
        self.details = details


class ActWanted(Message):
    """The user asked for an act; nothing is done before a dialog was answered."""

    def __init__(self, aim: Aim) -> None:
        super().__init__()
        self.aim = aim


class ActBegun(Message):
    """An act is under way, which leaving must not cut off; `halt` ends it after the batch that runs."""

    def __init__(self, halt: Callable[[], None]) -> None:
        super().__init__()
        self.halt = halt


class ActEnded(Message):
    """It is through, one way or another; the words tell how."""

    def __init__(self, halt: Callable[[], None], words: str) -> None:
        super().__init__()
        self.halt = halt
        self.words = words


class ViewChanged(Message):
    """Another view is in front, or it wants other jobs."""
