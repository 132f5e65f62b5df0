"""Taking an act back, as far as its journal reaches: what went is put back, what was moved moves back."""

import asyncio
from collections.abc import Callable

from emqtop.acting.audit import Audit
from emqtop.acting.course import Back
from emqtop.acting.entry import Entry
from emqtop.acting.hands import Link, hands_of
from emqtop.acting.journal import Journal
from emqtop.acting.plan import Plan, bar_of
from emqtop.acting.runner import PATIENCE_S, Runner
from emqtop.acting.tally import Progress
from emqtop.acting.words import refused
from emqtop.model.actions import Order, Outcome, Reason, Seen, Verb
from emqtop.wire.ready import ready


class NotUndoable(Exception):
    """This act cannot be taken back."""


def find(audit: Audit, name: str) -> Entry:
    """The entry of this name, or the only one whose name starts so.

    Raises:
        NotUndoable: there is none, or it has no journal, or it was taken back already.
    """
    entries = [entry for entry in audit.entries() if entry.id == name or (name and entry.id.startswith(name))]
    exact = [entry for entry in entries if entry.id == name] or entries
    if len(exact) != 1:
        raise NotUndoable(f"{name}: {'no such entry' if not exact else 'several entries start so'}")
    entry = exact[0]
    if not entry.undoable or not Journal(audit.folder, entry.id).exists:
        raise NotUndoable(f"{entry.id}: nothing was kept of it")
    if entry.id in audit.undone():
        raise NotUndoable(f"{entry.id}: it was taken back already")
    return entry


async def undo(
    link: Link,
    audit: Audit,
    entry: Entry,
    *,
    read_only: bool = False,
    stop: asyncio.Event | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    patience_s: float = PATIENCE_S,
) -> Outcome:
    """Take an act back: each job whose id does not live again, or that still lies where the act put it.

    One act, whatever the errors and due times of the jobs. What an earlier undo brought back is left out, so that one
    which was stopped, or lost its server, goes on where it was.

    Args:
        link: to the server on which it was done.
        audit: where it was written down, and where this is.
        entry: the act, as `find` gave it.
        read_only: refuse before anything is sent.
        stop: ends it within a second; what was put back stays.
        on_progress: told after each batch.
        patience_s: how long to ask for the truth about an unanswered batch.

    Raises:
        Unrecorded: the audit file or the journal cannot be written.
        SourceError: the server was lost before anything was sent.
    """
    journal, hands = Journal(audit.folder, entry.id), hands_of(entry.queue.family)
    records = await asyncio.to_thread(journal.records)
    back = await asyncio.to_thread(Back, hands, entry, journal, records)
    if read_only:
        return _left(entry, back.jobs, Reason.READ_ONLY)
    if (bar := await link.run(ready(bar_of(hands, entry.queue)))) is not None:
        return _left(entry, back.jobs, Reason.NOT_SUPPORTED, bar)
    plan = Plan(Order(Verb.UNDO, entry.queue), jobs=back.jobs, selection=f"entry {entry.id}")
    runner = Runner(link, audit, patience_s=patience_s)
    return await runner.carry_out(plan, stop=stop, on_progress=on_progress, back=back)


def _left(entry: Entry, jobs: tuple[Seen, ...], reason: Reason, detail: str = "") -> Outcome:
    skipped = tuple(refused(job.id, reason, detail) for job in jobs)
    return Outcome(Verb.UNDO, entry.queue, matched=len(skipped), skipped=skipped)
