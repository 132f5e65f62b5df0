"""What an operator orders, on what was seen, and what came of it."""

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
    LIMIT = "limit"
    DRAIN = "drain"
    OBLITERATE = "obliterate"
    RERUN = "rerun"
    DELAY = "delay"
    PRIORITIZE = "prioritize"
    FREE = "free"
    RATE = "rate"
    WAKE = "wake"
    UNSCHEDULE = "unschedule"
    UNDO = "undo"


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


def named(reason: str) -> str:
    """A reason in a sentence of which `moved` may be the verb."""
    return "moved on" if reason == Reason.MOVED else reason


@dataclass(frozen=True, slots=True)
class Order:
    """An act with its options, before it is known to which jobs."""

    verb: Verb
    """What to do."""
    queue: QueueId
    """To which queue."""
    force: bool = False
    """Against a live lease or the mark of a worker."""
    early: bool = False
    """Promote: those too that are not due yet."""
    afresh: bool = False
    """Requeue: attempts and stalls start at 0 again."""
    error: str = ""
    """Dead-letter: the text that becomes the last error."""
    by_ms: int = 0
    """Extend: by how much, ms. Delay: due in so many ms. Rate: length of the window, ms."""
    lane: str | None = None
    """Pause, resume, limit: only this lane."""
    ceiling: int | None = None
    """Limit: jobs in flight at most; rate: jobs in a window at most; None: no ceiling."""
    priority: int = 0
    """Prioritize: the class of priority; 0: none."""
    first: bool = False
    """Prioritize: to the front of the class."""
    scheduler: str = ""
    """Unschedule: id of the scheduler."""
    due_ms: int | None = None
    """Requeue: back to the schedule with this due time, Unix ms; None: ready at once."""


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
    """Was it ended before it was through, by the operator or because the server was lost?"""
    lost: str = ""
    """How the server was lost before all was known, in words; empty: it was not."""
    reread: bool = False
    """Were the unknown ones read again since, and lay as they did? Then the act may yet reach them."""
    dry_run: bool = False
    """Was it only looked at? Then matched counts what would have moved."""
    lane: str | None = None
    """Only to this lane of the queue; None: to all of it."""

    @property
    def took_queue(self) -> bool:
        """Is the queue gone, however few jobs it held?"""
        is_through = not (self.dry_run or self.stopped or self.skipped or self.unknown)
        return self.verb is Verb.OBLITERATE and is_through

    @property
    def not_begun(self) -> int:
        """Jobs that were not sent, as the act ended before their turn."""
        return max(0, self.matched - self.moved - len(self.deferred) - len(self.skipped) - len(self.unknown))
