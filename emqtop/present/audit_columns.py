"""The columns of what was done from here."""

from dataclasses import dataclass
from datetime import datetime

from emqtop.acting.entry import Entry
from emqtop.present.columns import Cell, Column, Tone, left
from emqtop.present.ledger import ending
from emqtop.text import safe
from emqtop.units import count


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One act."""

    entry: Entry
    """As the file has it."""
    undoable: bool = False
    """Can it be taken back from here?"""


def _mark(row: AuditRow, _now_ms: int) -> Cell:
    if row.entry.result is None:
        return Cell("?", Tone.BAD)
    return Cell("u", Tone.ACCENT) if row.undoable else Cell(" ")


def _when(row: AuditRow, _now_ms: int) -> Cell:
    try:
        moment = datetime.fromisoformat(row.entry.at).astimezone()
    except (ValueError, TypeError):
        return Cell(safe(str(row.entry.at)), Tone.DIM)
    return Cell(f"{moment:%Y-%m-%d %H:%M:%S}", Tone.DIM)


def _jobs(row: AuditRow, _now_ms: int) -> Cell:
    if len(row.entry.ids) == 1:
        return Cell(safe(row.entry.ids[0]))
    # An act on a queue or a lane as a whole names no job.
    return Cell(f"{count(row.entry.count)} jobs" if row.entry.count else safe(row.entry.selection))


def _result(row: AuditRow, _now_ms: int) -> Cell:
    # The column's title says moved, and its mark whether it can be undone; both counts fit 80 cells then.
    words = safe(ending(row.entry, undoable=False)).removeprefix("moved ")
    result = row.entry.result
    if result is None:
        return Cell(words, Tone.BAD)
    if not row.entry.count and result["moved"] == result["matched"] == 1:
        return Cell("done")
    return Cell(words, Tone.WARN if result.get("unknown") or result.get("skipped") else Tone.PLAIN)


def _told(key: str, title: str, width: int, priority: int, says: str) -> Column[AuditRow]:
    """A column of what the entry has under this name."""
    return left(key, title, width, priority, lambda row, _: Cell(safe(getattr(row.entry, key)), Tone.DIM), says)


AUDIT: tuple[Column[AuditRow], ...] = (
    left("mark", "S", 1, 3, _mark, "u can be undone, ? begun but never ended"),
    left("when", "WHEN", 19, 4, _when, "When it began, in your zone"),
    _told("who", "WHO", 10, 7, "User and host"),
    _told("server", "SERVER", 22, 8, "Address"),
    left("verb", "ACT", 11, 1, lambda row, _: Cell(row.entry.verb, Tone.ACCENT), "What was done"),
    left("queue", "QUEUE", 12, 2, lambda row, _: Cell(safe(row.entry.queue.name)), "To which queue"),
    left("jobs", "JOBS", 14, 5, _jobs, "To which job, or how many"),
    left("result", "MOVED", 15, 6, _result, "How it ended", stretch=True),
)
"""What a list of acts can show, from the left."""
