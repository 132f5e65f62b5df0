"""`emqtop audit`: what was done from here, and taking it back."""

import argparse
import asyncio

from emqtop.acting.audit import Audit
from emqtop.acting.entry import Entry
from emqtop.acting.undo import NotUndoable, find, undo
from emqtop.cli.act_command import ask, may_be_many, progress_shown, stop_on_signals, tell_done
from emqtop.cli.console import Exit, UsageError, complain, document, lines
from emqtop.cli.options import number, parse, parser, settings, words
from emqtop.model.actions import Outcome, Verb
from emqtop.present.ledger import audit as ledger
from emqtop.present.ledger import audit_lines
from emqtop.settings import Settings
from emqtop.wire.address import address_of
from emqtop.wire.client import Client


def audit(argv: list[str]) -> int:
    """List the acts, oldest first, or take one back."""
    made = parser("audit", "What was done from here, by whom, with what result.")
    made.add_argument("--undo", metavar="ENTRY", help="take this one back, as far as that is possible")
    made.add_argument("--yes", action="store_true", help="take back more than one job without asking")
    made.add_argument("--limit", type=number(1, 10**9), default=100, metavar="N", help="the newest so many (100)")
    read = parse(made, argv)
    words(read)
    if read.undo is not None:
        return _undo(settings(read), read)
    book = Audit("")
    undone = book.undone()
    entries = [(entry, entry.id not in undone and entry.left_a_mark) for entry in book.entries()[-read.limit :]]
    if read.json:
        document(ledger(entries))
    else:
        lines([*audit_lines(entries, bool(read.utc))] or ["nothing was done from here"])
    return Exit.DONE


def _undo(chosen: Settings, read: argparse.Namespace) -> int:
    book = Audit(address_of(chosen).label)
    entry = _entry(book, read.undo)
    may_be_many(read, Verb.UNDO, entry.count)
    if entry.count > 1 and not read.yes and not ask([*audit_lines([(entry, True)])], "yes", {"y", "yes"}):
        complain("not done")
        return Exit.FINDINGS
    return tell_done(lambda: asyncio.run(_take_back(chosen, book, entry, as_json=read.json)), as_json=read.json)


def _entry(book: Audit, name: str) -> Entry:
    """The entry to take back.

    Raises:
        UsageError: there is none, it cannot be taken back, or it was done on another server.
    """
    try:
        entry = find(book, name)
    except NotUndoable as error:
        raise UsageError(str(error)) from None
    if entry.server != book.server:
        raise UsageError(f"{entry.id} was done on {entry.server}, this is {book.server}; --url chooses")
    return entry


async def _take_back(chosen: Settings, book: Audit, entry: Entry, *, as_json: bool) -> Outcome:
    client = await Client.open(address_of(chosen), chosen.timeout_s)
    try:
        return await undo(
            client,
            book,
            entry,
            read_only=chosen.read_only,
            stop=stop_on_signals(),
            on_progress=progress_shown(as_json=as_json),
        )
    finally:
        await client.close()
