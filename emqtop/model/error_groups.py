"""Dead jobs by their error: what differs from job to job is folded away, what is left is counted."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from emqtop.model.job import Job

MOST_GROUPS = 1_000
"""Groups kept unless told otherwise; errors that are all different must not fill the memory."""

_LONGEST = 200
_FOLDS = (
    (re.compile(r'"(?:[^"\\]|\\.)*"'), '"…"'),
    # An apostrophe inside a word opens no quotation.
    (re.compile(r"(?<!\w)'[^']*'(?!\w)"), "'…'"),
    (re.compile(r"`[^`]*`"), "`…`"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<uuid>"),
    (re.compile(r"\b[A-Z]{3}[0-9][0-9A-Za-z]{10}\b"), "<id>"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "<hex>"),
    # An underscore is no letter of a word here: `ch_9f86d081`.
    (re.compile(r"(?<![^\W_])(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}(?![^\W_])", re.IGNORECASE), "<hex>"),
    (re.compile(r"[0-9]+(?:[.,:][0-9]+)*"), "<n>"),
    (re.compile(r"\s+"), " "),
)


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Jobs whose errors differ in nothing but names and numbers."""

    pattern: str
    """The first line of the error, folded; empty for jobs without one."""
    count: int
    """How many jobs."""
    first_ms: int | None
    """When the oldest of them was minted, Unix ms; None where no id tells. Nobody stores when a job died."""
    last_ms: int | None
    """When the youngest was minted, Unix ms."""
    sample_id: str
    """The youngest job, or the first met where no id tells."""
    sample: str
    """Its error, whole as it was read."""


@dataclass(frozen=True, slots=True)
class Errors:
    """The errors of a queue's dead jobs, as far as they were looked at."""

    total: int
    """Dead jobs of the queue."""
    looked_at: int
    """How many of them were looked at."""
    groups: tuple[ErrorGroup, ...]
    """The groups, the largest first."""
    rest: int
    """Jobs of further groups."""


def fold(error: str) -> str:
    """The first line with text in it, ids, numbers, quoted parts and blanks folded; at most 200 characters."""
    line = next((line.strip() for line in error.splitlines() if line.strip()), "")
    for pattern, stand_in in _FOLDS:
        line = pattern.sub(stand_in, line)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


class ErrorTally:
    """Counts errors as pages of jobs come in.

    Args:
        most_groups: how many groups are told apart.

    Attributes:
        rest: jobs of further groups, which are only counted.
    """

    def __init__(self, most_groups: int = MOST_GROUPS) -> None:
        self._most = most_groups
        self._groups: dict[str, ErrorGroup] = {}
        self.rest = 0

    def add(self, jobs: Iterable[Job]) -> None:
        """Count some more jobs."""
        for job in jobs:
            pattern = fold(job.last_error or "")
            group = self._groups.get(pattern)
            if group is not None:
                self._groups[pattern] = _joined(group, job)
            elif len(self._groups) < self._most:
                self._groups[pattern] = _alone(pattern, job)
            else:
                self.rest += 1

    def groups(self) -> tuple[ErrorGroup, ...]:
        """The groups, largest first, by pattern among equals."""
        return tuple(sorted(self._groups.values(), key=lambda group: (-group.count, group.pattern)))


def _alone(pattern: str, job: Job) -> ErrorGroup:
    return ErrorGroup(pattern, 1, job.minted_ms, job.minted_ms, job.id, job.last_error or "")


def _joined(group: ErrorGroup, job: Job) -> ErrorGroup:
    times = [ms for ms in (group.first_ms, group.last_ms, job.minted_ms) if ms is not None]
    younger = job.minted_ms is not None and (group.last_ms is None or job.minted_ms > group.last_ms)
    return ErrorGroup(
        pattern=group.pattern,
        count=group.count + 1,
        first_ms=min(times, default=None),
        last_ms=max(times, default=None),
        sample_id=job.id if younger else group.sample_id,
        sample=(job.last_error or "") if younger else group.sample,
    )
