"""What was done from here, for the screen that lists it and takes it back."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from emqtop.acting.audit import Audit
from emqtop.acting.entry import Entry
from emqtop.acting.hands import Link
from emqtop.acting.tally import Progress
from emqtop.acting.undo import NotUndoable, find, undo
from emqtop.model.actions import Outcome
from emqtop.present.audit_columns import AuditRow


class Ledger(Protocol):
    """Lists acts and takes them back."""

    may_undo: bool
    """Is taking back allowed at all?"""

    async def rows(self) -> tuple[AuditRow, ...] | None:
        """The acts, oldest first; None: nothing was written since the last call."""

    async def undo(self, entry: Entry, *, stop: asyncio.Event, on_progress: Callable[[Progress], None]) -> Outcome:
        """Take one back, as far as that is possible, in batches, until it is through or told to stop.

        Raises:
            NotUndoable: it cannot be taken back; nothing was sent.
            OSError: the audit file or the journal cannot be used.
            SourceError, ReplyError: the server could not be asked.
        """


class Book:
    """The audit file of this user.

    Args:
        audit: the file.
        link: to the server that this dashboard looks at.
        read_only: refuse to take anything back.
    """

    def __init__(self, audit: Audit, link: Link, *, read_only: bool = False) -> None:
        self.may_undo = not read_only
        self._audit = audit
        self._link = link
        self._stamp: tuple[float, int] | None = None

    async def rows(self) -> tuple[AuditRow, ...] | None:
        """The acts, oldest first; None: nothing was written since the last call."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> tuple[AuditRow, ...] | None:
        stamp = self._audit.stamp()
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        undone = self._audit.undone()
        return tuple(
            AuditRow(entry, entry.left_a_mark and entry.id not in undone and entry.server == self._audit.server)
            for entry in self._audit.entries()
        )

    async def undo(self, entry: Entry, *, stop: asyncio.Event, on_progress: Callable[[Progress], None]) -> Outcome:
        """Take one back, as far as that is possible."""
        found = await asyncio.to_thread(find, self._audit, entry.id)
        if found.server != self._audit.server:
            raise NotUndoable(f"it was done on {found.server}, this is {self._audit.server}")
        read_only = not self.may_undo
        return await undo(self._link, self._audit, found, read_only=read_only, stop=stop, on_progress=on_progress)
