"""The columns of what was done from here."""

from dataclasses import dataclass
from datetime import datetime

from emqtop.acting.entry import Entry
from emqtop.present.columns import Cell, Column, Tone
from emqtop.present.ledger import standing
from emqtop.text import Align, safe
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
    return Cell(safe(row.entry.ids[0]) if len(row.entry.ids) == 1 else f"{count(row.entry.count)} jobs")


def _result(row: AuditRow, _now_ms: int) -> Cell:
    # The column's title says moved, and its mark whether it can be undone; both counts fit 80 cells then.
    words = safe(standing(row.entry, undoable=False)).removeprefix("moved ")
    result = row.entry.result
    if result is None:
        return Cell(words, Tone.BAD)
    return Cell(words, Tone.WARN if result.get("unknown") or result.get("skipped") else Tone.PLAIN)


def _left(key: str, title: str, width: int, priority: int, of: str, says: str) -> Column[AuditRow]:
    return Column(
        key, title, width, Align.LEFT, priority, lambda row, _: Cell(safe(getattr(row.entry, of)), Tone.DIM), help=says
    )


AUDIT: tuple[Column[AuditRow], ...] = (
    Column("mark", "S", 1, Align.LEFT, 3, _mark, help="u can be undone, ? begun but never ended"),
    Column("when", "WHEN", 19, Align.LEFT, 4, _when, help="When it began, in your zone"),
    _left("who", "WHO", 10, 7, "who", "User and host"),
    _left("server", "SERVER", 14, 8, "server", "Address"),
    Column("verb", "ACT", 11, Align.LEFT, 1, lambda row, _: Cell(row.entry.verb, Tone.ACCENT), help="What was done"),
    Column("queue", "QUEUE", 12, Align.LEFT, 2, lambda row, _: Cell(safe(row.entry.queue.name)), help="To which queue"),
    Column("jobs", "JOBS", 14, Align.LEFT, 5, _jobs, help="To which job, or how many"),
    Column("result", "MOVED", 15, Align.LEFT, 6, _result, stretch=True, help="How it ended"),
)
"""What a list of acts can show, from the left."""
