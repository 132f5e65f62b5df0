"""The flow of a job: its parents, its children and theirs, with their states."""

from collections.abc import Hashable, Iterable, Sequence

from emqtop.model.fuzzy import matches
from emqtop.model.job import JobDetail
from emqtop.model.queue import QueueId
from emqtop.present.columns import Column
from emqtop.present.flow_tree import FLOW, HIGHEST, FlowRow, Member, children_of, flow_rows, parent_of, unnamed
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.commands import Command, Place, bindings
from emqtop.ui.messages import KinArrived
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.widgets.line import Part
from emqtop.wire.errors import Refused

AT_ONCE = 8
"""Jobs that are read at a time."""
MOST = 500
"""Jobs of a family that are read at all."""


class FlowScreen(ListScreen[FlowRow]):
    """The tree; children of a job are read when it is unfolded."""

    PLACE = Place.FLOW
    BINDINGS = bindings(Place.FLOW, Place.LIST)

    def __init__(self, queue: QueueId, job_id: str) -> None:
        super().__init__()
        self.meant: Member = (queue, job_id)
        self.root: Member = self.meant
        self.details: dict[Member, JobDetail | None] = {}
        self.opened_members: set[Member] = {self.meant}
        self._wanted_members: list[Member] = [self.meant]
        self._climbed: dict[Member, Member] = {}
        self._turn = 0

    @property
    def known(self) -> Iterable[QueueId]:
        """The queues of the newest snapshot."""
        return tuple(queue.id for queue in self.moment.snapshot.queues)

    def columns(self) -> Sequence[Column[FlowRow]]:
        """Those of a family."""
        return FLOW

    def key_of(self, item: FlowRow) -> Hashable:
        """The job; its depth too, should it be named twice."""
        return item.member, item.depth

    def items(self) -> Sequence[FlowRow]:
        """The unfolded part of the tree, as far as it matches."""
        rows = flow_rows(self.root, self.meant, self.details, self.opened_members, self.known, self._climbed)
        return [row for row in rows if matches(self.wanted, _searched(row), loose=False)] if self.wanted else rows

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, job, flow."""
        return ("emqtop", safe(self.meant[0].name), safe(self.meant[1]), "flow")

    def queue_meant(self) -> QueueId | None:
        """That of the job under the cursor."""
        return self.meant[0] if self.grid.current is None else self.grid.current.member[0]

    def job_meant(self) -> str | None:
        """The one under the cursor."""
        return None if self.grid.current is None else self.grid.current.member[1]

    async def read(self, source: Source) -> None:
        """Read what is wanted and not known yet, else some of what is shown anew."""
        batch = self._wanted_members[:AT_ONCE] or self._stale()
        read: dict[Member, JobDetail | None] = {}
        for queue, job in batch:
            try:
                read[queue, job] = await source.job(queue, job)
            except Refused:
                read[queue, job] = None
        del self._wanted_members[:AT_ONCE]
        self.post_message(KinArrived(read))

    def _stale(self) -> list[Member]:
        """The open jobs in turn: their states are what changes the tree."""
        shown = [member for member in self.opened_members if self.details.get(member) is not None]
        self._turn = self._turn % len(shown) if shown else 0
        batch = shown[self._turn : self._turn + AT_ONCE]
        self._turn += AT_ONCE
        return batch

    def on_kin_arrived(self, message: KinArrived) -> None:
        """Take what was read, and go on upwards and downwards."""
        for member, detail in message.details.items():
            self.details[member] = detail
            if detail is not None:
                self._climb(member, detail)
                if member in self.opened_members:
                    self._want(child for child, _ in children_of(detail, self.known))
        if not self.frozen:
            self.draw_rows()
        if self._wanted_members:
            self.wants_reading()

    def _climb(self, member: Member, detail: JobDetail) -> None:
        """Above the outermost job known so far, there may be its parent."""
        parent = parent_of(detail, self.known)
        above = len(self.opened_members)
        if member != self.root or parent is None or parent in self.details or above > HIGHEST:
            return
        self.root = parent
        self._climbed[parent] = member
        self.opened_members.add(parent)
        self._want([parent])

    def _want(self, members: Iterable[Member]) -> None:
        for member in members:
            room = len(self.details) + len(self._wanted_members) < MOST
            if room and member not in self.details and member not in self._wanted_members:
                self._wanted_members.append(member)

    def watch_moment(self) -> None:
        """The tree does not come with the numbers."""
        super(ListScreen, self).watch_moment()

    def draw_rows(self) -> None:
        """The parent is shown once it was read; until then the family begins with the job."""
        self.grid.empty = "loading"
        super().draw_rows()

    def summary(self) -> Sequence[Part]:
        """How much of the family was read."""
        failed = sum(row.word == "failed" for row in self.grid.selection.items)
        parts = [Part(f"{failed} failed  ", "bad")] if failed else []
        if silent := sum(unnamed(self.details.get(member)) for member in self.opened_members):
            parts.append(Part(f"{silent} waited for, their ids are kept nowhere  ", "warn"))
        more = ", more are not read" if len(self.details) >= MOST else ""
        return [*super().summary(), *parts, Part(f"{len(self.details)} jobs read{more}", "dim")]

    def usable(self, command: Command) -> bool:
        """Are there children to show or hide?"""
        if command.id == "unfold":
            return self.grid.current is not None and self.grid.current.is_open is not None
        return super().usable(command)

    def action_unfold(self) -> None:
        """Show the children of the job under the cursor, or hide them."""
        row = self.grid.current
        if row is None or row.is_open is None:
            self.hint("there are no children here to unfold")
            return
        self.opened_members ^= {row.member}
        if row.member in self.opened_members and row.detail is not None:
            self._want(child for child, _ in children_of(row.detail, self.known))
            self.wants_reading()
        self.draw_rows()

    def opened(self, item: FlowRow) -> None:
        """Look at a job of the family."""
        queue, job = item.member
        self.app.push_screen(JobScreen(queue, job, None))


def _searched(row: FlowRow) -> str:
    where = "" if row.detail is None or row.detail.location is None else row.detail.location.value
    return " ".join((row.member[0].name, row.member[1], row.word, where))
