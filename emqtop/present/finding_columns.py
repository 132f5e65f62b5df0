"""The columns of what is wrong."""

from emqtop.present.columns import Cell, Column, Tone, left, right
from emqtop.present.finding_rows import FindingRow


def _mark(row: FindingRow, _now_ms: int) -> Cell:
    return Cell(row.mark, row.tone)


def _severity(row: FindingRow, _now_ms: int) -> Cell:
    return Cell(row.severity, row.tone)


def _for(row: FindingRow, now_ms: int) -> Cell:
    return Cell(row.lasts(now_ms), _faded(row))


def _queue(row: FindingRow, _now_ms: int) -> Cell:
    return Cell(row.name, _faded(row))


def _says(row: FindingRow, _now_ms: int) -> Cell:
    return Cell(row.says, _faded(row))


def _helps(row: FindingRow, _now_ms: int) -> Cell:
    return Cell(row.helps, _faded(row, Tone.ACCENT))


def _faded(row: FindingRow, tone: Tone = Tone.PLAIN) -> Tone:
    return Tone.DIM if row.standing.is_over else tone


FINDINGS: tuple[Column[FindingRow], ...] = (
    left("mark", "S", 1, 2, _mark, "! critical, * warning, · note, - over"),
    left("severity", "SEVERITY", 8, 4, _severity, "Critical: jobs stand still or get lost; over: no longer found"),
    left("queue", "QUEUE", 12, 1, _queue, "Which queue, or the server"),
    right("for", "FOR", 7, 6, _for, "How long it has been so; > as far as it was watched from here"),
    left("says", "WHAT IS WRONG", 24, 3, _says, "What is wrong, with the numbers", stretch=True),
    left("helps", "WHAT HELPS", 16, 5, _helps, "The key of the act that helps, or what else does"),
)
"""What a list of findings can show, from the left."""
