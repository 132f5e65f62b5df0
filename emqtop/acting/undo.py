"""Taking an act back, as far as its journal reaches: what went is put back, what was moved moves back."""

import asyncio
from collections.abc import Sequence
from typing import Any

from emqtop.acting.audit import Audit, Entry
from emqtop.acting.hands import Hands, Link, hands_of
from emqtop.acting.journal import Journal
from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.acting.tally import Tally
from emqtop.acting.words import reason_of, refused
from emqtop.model.actions import Order, Outcome, Reason, Seen, Verb
from emqtop.model.queue import Location
from emqtop.wire.errors import SourceError
from emqtop.wire.replies import bounded_ms
from emqtop.wire.resp import Conversation, ReplyError
from emqtop.wire.together import all_together
from emqtop.wire.verdicts import Verdict

_CHUNK = 25


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
    link: Link, audit: Audit, entry: Entry, *, read_only: bool = False, stop: asyncio.Event | None = None
) -> Outcome:
    """Take an act back: each job whose id does not live again, or that still lies where the act put it.

    Args:
        link: to the server on which it was done.
        audit: where it was written down, and where this is.
        entry: the act, as `find` gave it.
        read_only: refuse before anything is sent.
        stop: ends it within a second; what was put back stays.

    Raises:
        Unrecorded: the audit file or the journal cannot be written.
        SourceError: the server was lost before anything was sent.
    """
    records = await asyncio.to_thread(Journal(audit.folder, entry.id).records)
    order = Order(Verb.UNDO, entry.queue)
    if read_only:
        skipped = tuple(refused(record["id"], Reason.READ_ONLY) for record in records)
        return Outcome(Verb.UNDO, entry.queue, matched=len(skipped), skipped=skipped)
    if entry.verb in {Verb.REMOVE, Verb.DRAIN}:
        hands = hands_of(entry.queue.family)
        if (bar := await link.run(hands.bar())) is not None:
            skipped = tuple(refused(record["id"], Reason.NOT_SUPPORTED, bar) for record in records)
            return Outcome(Verb.UNDO, entry.queue, matched=len(skipped), skipped=skipped)
        return await _put_back(link, hands, audit, order, entry, records, stop)
    tally = Tally(order)
    for again, jobs in _reverse(entry, records):
        plan = await make_plan(link, again, Selection(seen=tuple(jobs)))
        outcome = await Runner(link, audit).carry_out(plan, stop=stop, undoes=entry.id)
        tally.total += outcome.matched
        tally.moved += outcome.moved
        tally.skipped += outcome.skipped
        tally.unknown.update(dict.fromkeys(outcome.unknown))
        tally.stopped = tally.stopped or outcome.stopped
    return tally.outcome()


async def _put_back(
    link: Link,
    hands: Hands,
    audit: Audit,
    order: Order,
    entry: Entry,
    records: Sequence[dict[str, Any]],
    stop: asyncio.Event | None,
) -> Outcome:
    tally = Tally(order, len(records))
    ids = tuple(record["id"] for record in records)
    name = await asyncio.to_thread(
        lambda: audit.begin(order, ids, count=len(ids), selection=f"entry {entry.id}", undoes=entry.id)
    )
    try:
        for begin in range(0, len(records), _CHUNK):
            chunk = records[begin : begin + _CHUNK]
            try:
                talks = [_restored(hands, order, record) for record in chunk]
                tally.take(await link.run(all_together(talks)))
            except SourceError:
                tally.unknown.update(dict.fromkeys(record["id"] for record in chunk))
            if tally.unknown or (stop is not None and stop.is_set()):
                tally.stopped = begin + len(chunk) < len(records) or bool(tally.unknown)
                break
    finally:
        await asyncio.to_thread(audit.end, name, tally.outcome(), tally.moved_ids)
    return tally.outcome()


def _restored(hands: Hands, order: Order, record: dict[str, Any]) -> Conversation[Verdict]:
    """The verdict of one job; a refusal of the server is one too, so that it does not end the others."""
    try:
        return (yield from hands.restore(order.queue, record))
    except ReplyError as error:
        return Verdict(record["id"], reason_of(error), "words", str(error))


def _reverse(entry: Entry, records: Sequence[dict[str, Any]]) -> list[tuple[Order, list[Seen]]]:
    """The acts that bring the jobs back: one for each place or error that they had."""
    groups: dict[Order, list[Seen]] = {}
    for record in records:
        attempts = record["attempts"]
        if entry.verb is Verb.REQUEUE:
            order = Order(Verb.DEAD_LETTER, entry.queue, error=record["last_error"] or "")
            seen = Seen(record["id"], Location.PENDING, 0 if entry.options.get("reset_attempts") else attempts)
        else:
            due_ms = bounded_ms(float(record["score"])) if record["location"] == Location.SCHEDULE else None
            order = Order(Verb.REQUEUE, entry.queue, due_ms=due_ms)
            # Out of active the act itself raised the token.
            raised = attempts is not None and record["location"] == Location.ACTIVE
            seen = Seen(record["id"], Location.DEAD, attempts + 1 if raised else attempts)
        groups.setdefault(order, []).append(seen)
    return list(groups.items())
