"""What both layouts answer an operator: one verdict a job, before acting puts it in words."""

from dataclasses import dataclass
from typing import Protocol

DONE = "done"
"""Reason of a verdict that the job moved."""
DEFERRED = "deferred"
"""Reason of a verdict that the job moves when a worker next claims it."""
UNKNOWN = "unknown"
"""Reason of a verdict that the server broke off in the middle of the job's act; the note has its words."""


class Sighted(Protocol):
    """A job as the operator saw it; what is None was not seen and is not compared."""

    @property
    def id(self) -> str:
        """Full id."""

    @property
    def location(self) -> str:
        """Where it lay: `pending` (a lane too), `active`, `schedule`, `dead`, `held`."""

    @property
    def attempts(self) -> int | None:
        """Its fencing token."""

    @property
    def deadline_ms(self) -> int | None:
        """Its lease deadline, Unix ms of the server's clock."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one job."""

    id: str
    """Which job."""
    reason: str
    """`done`, or why it was left alone."""
    kind: str = ""
    """What the note is.

    `lease`, `marker`, `due`: ms left. `location`: where it went. `place`, `places`: where it lies. `token`, `state`.
    `children`: how many it waits for. `parent`: id of the one that counts on it.
    """
    note: str = ""
    """What is there now."""

    @property
    def done(self) -> bool:
        """Did it move?"""
        return self.reason == DONE


class QueueActRefused(Exception):
    """An act on a whole queue is refused."""

    def __init__(self, reason: str, note: str) -> None:
        super().__init__(note)
        self.reason = reason
        self.note = note
