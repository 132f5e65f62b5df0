"""Rows of what is wrong, and what there is to say of all of them together."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from emqtop.model.findings import Finding, Severity
from emqtop.model.queue import QueueId
from emqtop.model.standing import Standing
from emqtop.present.columns import Cell, Tone
from emqtop.present.findings import subject
from emqtop.text import safe
from emqtop.units import NOTHING, counted, duration

_OVER = "over"
"""What is said of a finding that is no longer found."""

_LOOKS = {
    Severity.CRITICAL: ("!", Tone.BAD),
    Severity.WARNING: ("*", Tone.WARN),
    Severity.NOTE: ("·", Tone.ACCENT),
}


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One line of the findings."""

    standing: Standing
    """The finding."""
    helps: str = NOTHING
    """What helps, in a few words."""
    twin: bool = False
    """Must the prefix be said, because another queue has the same name?"""

    @property
    def severity(self) -> str:
        """How bad it is, or that it is over, in a word."""
        return _OVER if self.standing.is_over else self.standing.finding.nature.severity.value

    @property
    def mark(self) -> str:
        """The same in a sign."""
        return "-" if self.standing.is_over else _LOOKS[self.standing.finding.nature.severity][0]

    @property
    def tone(self) -> Tone:
        """The same in a tone."""
        return Tone.DIM if self.standing.is_over else _LOOKS[self.standing.finding.nature.severity][1]

    @property
    def name(self) -> str:
        """What it is wrong with, as safe text."""
        finding = self.standing.finding
        shown = subject(finding)
        return f"{safe(finding.queue.prefix)}:{shown}" if self.twin and finding.queue is not None else shown

    @property
    def says(self) -> str:
        """What is wrong, as safe text."""
        return safe(self.standing.finding.says, newline=" ")

    def lasts(self, now_ms: int) -> str:
        """For how long, at the server's time in Unix ms; `>` before a time that was only watched from here."""
        standing = self.standing
        if standing.over_ms is not None:
            return duration(max(0, now_ms - standing.over_ms))
        if (lasts_ms := standing.finding.lasts_ms) is not None:
            return duration(lasts_ms + max(0, now_ms - standing.told_ms))
        return ">" + duration(max(0, now_ms - standing.seen_ms) // 1_000 * 1_000)


def looked_at(queues: int, lanes: int, laned: int, *, by_name: bool, swept: bool) -> str:
    """What was found nothing wrong with, in a sentence.

    Args:
        queues: how many were judged.
        lanes: of how many the lanes were looked at.
        laned: how many have some.
        by_name: was one queue meant?
        swept: can no queue be missing?
    """
    what = ["this queue" if by_name else counted(queues, "queue") + ("" if swept else " found so far")]
    if laned:
        whose = "its lanes" if by_name and lanes else f"the lanes of {lanes} of {laned}"
        what.append(whose)
    return f"nothing found wrong with {', '.join(what)} and the server"


def severities(rows: Iterable[FindingRow]) -> list[Cell]:
    """How many there are of each severity, those that are over left out: `2 critical`."""
    standing = [row for row in rows if not row.standing.is_over]
    counts = {each: sum(row.standing.finding.nature.severity is each for row in standing) for each in Severity}
    return [Cell(f"{number} {each}", _LOOKS[each][1]) for each, number in counts.items() if number]


def finding_rows(
    standing: Iterable[Standing], queues: Iterable[QueueId], helps: Callable[[Finding], str]
) -> list[FindingRow]:
    """A row for each finding, in order.

    Args:
        standing: the findings.
        queues: every queue of the server, since names repeat.
        helps: says in a few words what helps.
    """
    names = Counter(queue.name for queue in queues)
    return [
        FindingRow(each, helps(each.finding), each.finding.queue is not None and names[each.finding.queue.name] > 1)
        for each in standing
    ]
