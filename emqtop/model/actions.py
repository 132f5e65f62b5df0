"""The one table of acts: what may be done to which state, how dangerous it is, what it says.

Keys, palette, help, command line and read-only mode are made from it.
"""

from dataclasses import dataclass
from enum import StrEnum

from emqtop.model.queue import Location, QueueId


class Verb(StrEnum):
    """What an operator can do; the words of the command line."""

    REAP = "reap"
    PROMOTE = "promote"
    DEAD_LETTER = "dead-letter"
    REQUEUE = "requeue"
    REMOVE = "remove"
    EXTEND = "extend"
    PAUSE = "pause"
    RESUME = "resume"


class Reason(StrEnum):
    """Why a job was not moved; stable words of `act --json`."""

    RENEWED = "renewed"
    GONE = "gone"
    MOVED = "moved"
    LOCKED = "locked"
    LEASE_LIVE = "lease-live"
    PAUSED = "paused"
    FLOW_PARENT = "flow-parent"
    FLOW_CHILD = "flow-child"
    SCHEDULER = "scheduler"
    NO_ROW = "no-row"
    NO_PAYLOAD = "no-payload"
    SECOND_LOCATION = "second-location"
    STATE_DIFFERS = "state-differs"
    NOT_DEAD = "not-dead"
    READ_ONLY = "read-only"
    NOT_PERMITTED = "not-permitted"
    NOT_SUPPORTED = "not-supported"


@dataclass(frozen=True, slots=True)
class Seen:
    """A job as the operator saw it: what the script compares before it moves anything (operator law 1)."""

    id: str
    """Full id."""
    location: Location
    """Where it lay."""
    attempts: int | None = None
    """Its fencing token then; None: not seen, not compared."""
    deadline_ms: int | None = None
    """Its lease deadline then, for an active job; None: not seen, not compared."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A job that was left alone."""

    id: str
    """Which job, or the queue's name where the whole act was refused."""
    reason: Reason
    """Why."""
    detail: str
    """The same in words, with what is there now: `lease has 58 s left`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an act did. matched = moved + deferred + skipped + unknown, unless stopped."""

    verb: Verb
    """What was done."""
    queue: QueueId
    """To which queue."""
    matched: int = 0
    """Jobs the act covered when it started."""
    moved: int = 0
    """Jobs that moved."""
    deferred: tuple[str, ...] = ()
    """Ids that move when a worker next claims them (BullMQ only)."""
    skipped: tuple[Skip, ...] = ()
    """Jobs left alone."""
    unknown: tuple[str, ...] = ()
    """Ids whose outcome is not known: the act was sent, no answer came (operator law 9)."""
    stopped: bool = False
    """Was it ended by the operator before it was through?"""
    dry_run: bool = False
    """Was it only looked at?"""
