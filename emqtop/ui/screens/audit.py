"""Audit: what was done from here, newest first, and taking it back."""

import asyncio
from collections.abc import Hashable, Iterator, Sequence

from emqtop.acting.tally import Progress
from emqtop.acting.undo import NotUndoable
from emqtop.model.fuzzy import matches
from emqtop.model.queue import QueueId
from emqtop.present.audit_columns import AUDIT, AuditRow
from emqtop.present.columns import Column
from emqtop.present.ledger import ending
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.acts import TROUBLE
from emqtop.ui.clipboard import Copied
from emqtop.ui.commands import Command, Place, bindings
from emqtop.ui.keymap import keymap_of
from emqtop.ui.ledger import Ledger
from emqtop.ui.messages import ActBegun, ActEnded, ActsRead, TakenBack, TakingBack
from emqtop.ui.screens.ask import AskScreen
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.screens.live import mark_parts
from emqtop.ui.verdict import EXAMPLES, headline, jobs, number
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Text
from emqtop.units import counted


class AuditScreen(ListScreen[AuditRow]):
    """The acts of this user, on any server."""

    PLACE = Place.AUDIT
    BINDINGS = bindings(Place.AUDIT, Place.LIST)

    def __init__(self, ledger: Ledger | None) -> None:
        super().__init__()
        self.ledger = ledger
        self.rows: tuple[AuditRow, ...] | None = None
        self.busy = False
        self.stop = asyncio.Event()

    def columns(self) -> Sequence[Column[AuditRow]]:
        """Those of an act."""
        return AUDIT

    def key_of(self, item: AuditRow) -> Hashable:
        """Name of the entry."""
        return item.entry.id

    def items(self) -> Sequence[AuditRow]:
        """The acts that match, newest first."""
        rows = (self.rows or ())[::-1]
        return [row for row in rows if matches(self.wanted, _searched(row), loose=False)] if self.wanted else rows

    def crumbs(self) -> tuple[str, ...]:
        """Outside of any queue."""
        return ("emqtop", "audit")

    def queue_meant(self) -> QueueId | None:
        """That of the act under the cursor."""
        return None if self.grid.current is None else self.grid.current.entry.queue

    def copied(self) -> Copied | None:
        """The ids of the act, a line each, or its name where it names none."""
        row = self.grid.current
        return None if row is None else Copied("ids", "\n".join(row.entry.ids) or row.entry.id)

    async def read(self, source: Source) -> None:  # noqa: ARG002 - it is a file that is read
        """Read the file, where it changed."""
        if self.ledger is not None and (rows := await self.ledger.rows()) is not None:
            self.post_message(ActsRead(rows))

    def on_acts_read(self, message: ActsRead) -> None:
        """Show the acts."""
        self.rows = message.rows
        self.draw_rows()
        self.draw_keys()

    def watch_moment(self) -> None:
        """The acts do not come with the numbers."""
        super(ListScreen, self).watch_moment()

    def on_mount(self) -> None:
        """Say what is not there yet."""
        super().on_mount()
        self.draw_rows()

    def draw_rows(self) -> None:
        """Say what an empty list means."""
        if self.ledger is None:
            self.grid.empty = "nothing can be done from here, so nothing is written down"
        else:
            self.grid.empty = "loading" if self.rows is None else "nothing was done from here"
        super().draw_rows()

    def on_grid_chosen(self) -> None:
        """Another act: it may be undoable."""
        self.draw_keys()

    def usable(self, command: Command) -> bool:
        """Is there something to take back under the cursor?"""
        if command.id == "undo":
            current = self.grid.current
            return self.ledger is not None and self.ledger.may_undo and current is not None and current.undoable
        return super().usable(command)

    def summary(self) -> Sequence[Part]:
        """How the act under the cursor ended."""
        unended = sum(row.entry.result is None for row in self.rows or ())
        marked = [Part(f"{unended} without an end  ", "bad")] if unended else []
        return [*super().summary(), *marked, Part(counted(len(self.rows or ()), "act"), "dim")]

    def action_undo(self) -> None:
        """Ask whether to take the act back."""
        row = self.grid.current
        if row is None or self.ledger is None:
            return
        if self.busy:
            self.halt()
        elif not self.ledger.may_undo:
            self.say("read-only: nothing is taken back", "warn")
        elif not row.undoable:
            self.say("nothing of this act can be taken back from here", "warn")
        else:
            asked = list(question(row, mark_parts(self.mark)))
            self.app.push_screen(AskScreen(asked, "Undo"), lambda yes: self._answered(row, bool(yes)))

    def _answered(self, row: AuditRow, yes: bool) -> None:
        if yes and self.ledger is not None:
            self.busy, self.stop = True, asyncio.Event()
            self.say("taking it back")
            self.post_message(ActBegun(self.halt))
            self.run_worker(self._undo(self.ledger, row), exit_on_error=True)

    async def _undo(self, ledger: Ledger, row: AuditRow) -> None:
        try:
            told = headline(await ledger.undo(row.entry, stop=self.stop, on_progress=self._tell))
        except (NotUndoable, *TROUBLE) as error:
            told = Part(safe(str(error)), "bad")
        self.post_message(TakenBack(told))
        self.post_message(ActEnded(self.halt, told.text))

    def halt(self) -> None:
        """End it after the batch that runs; the rest can be taken back later."""
        self.stop.set()
        self.say("stopping after the batch that runs")

    def _tell(self, progress: Progress) -> None:
        self.post_message(TakingBack(progress.done, progress.total))

    def on_taking_back(self, message: TakingBack) -> None:
        """Tell how far it is."""
        if self.busy and not self.stop.is_set():
            stops = keymap_of(self).fill("{undo} or {back} stops")
            self.say(f"taking it back: {number(message.done)} of {jobs(message.total)}; {stops}")

    def on_taken_back(self, message: TakenBack) -> None:
        """Tell what became of it."""
        self.busy = False
        self.say(message.told.text, message.told.tone)
        self.wants_reading()

    def opened(self, item: AuditRow) -> None:
        """Look at the job of an act, where it was one."""
        if len(item.entry.ids) == 1:
            self.app.push_screen(JobScreen(item.entry.queue, item.entry.ids[0], None))
        else:
            self.say(safe(item.entry.selection) or ending(item.entry, item.undoable))

    def action_back(self) -> None:
        """Out of the filter, else back to where this was opened from; what takes back is stopped first."""
        if self.busy:
            self.halt()
        elif not self.close_filter(clear=True):
            self.dismiss()


def question(row: AuditRow, mark: Text) -> Iterator[Text]:
    """What would be taken back, on the server of this mark."""
    entry = row.entry
    yield (
        Part("Undo", "strong"),
        Part(f"  {safe(entry.queue.name)}", "accent"),
        Part(f"  {safe(entry.server)}", "dim"),
        *mark,
    )
    yield ()
    moved = entry.count if entry.result is None else entry.result["moved"]
    yield (Part(f"Take back: {entry.verb} of {jobs(moved)}?"),)
    ids = entry.ids if entry.result is None else entry.result.get("moved_ids", ())
    for job in ids[:EXAMPLES]:
        yield (Part(f"  {safe(job)}", "strong"),)
    if ids and moved > EXAMPLES:
        yield (Part(f"  and {number(moved - EXAMPLES)} more", "dim"),)
    yield (Part(f"done {safe(entry.at)} by {safe(entry.who)}: {safe(ending(entry, undoable=False))}", "dim"),)
    yield (Part("each job goes back only if nothing happened to it since", "dim"),)


def _searched(row: AuditRow) -> str:
    entry = row.entry
    return " ".join((entry.id, entry.at, entry.who, entry.server, entry.verb, entry.queue.name, *entry.ids))
