"""The one table of acts: what may be done to which state, how dangerous it is, what it says.

Keys, palette, help, command line and read-only mode are made from it.
"""

from dataclasses import dataclass
from enum import StrEnum

from emqtop.model.queue import Family, Location, QueueId


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


class Danger(StrEnum):
    """What an act can do to a queue."""

    CHANGES = "changes"
    """It moves jobs, and another act moves them back."""
    DESTROYS = "destroys"
    """What it takes is gone from the server; on more than one job, or a queue, it wants the queue's name typed."""


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
class Act:
    """One row of the table of acts."""

    verb: Verb
    """Which act."""
    label: str
    """One or two words for menus and the footer."""
    asks: str
    """What it is about to do to `{jobs}` of `{queue}`, as a question."""
    done: str
    """What it did to `{jobs}`, after it was through."""
    help: str
    """What it means, in one line."""
    fits: frozenset[Location] = frozenset()
    """Where a job may lie for it; empty: it acts on a queue or a lane as a whole."""
    danger: Danger = Danger.CHANGES
    """What it can do."""
    forcible: bool = False
    """Does force override a live lease or the mark of a worker?"""
    families: frozenset[Family] = frozenset(Family)
    """Whose queues have it."""
    was_so: str = ""
    """What is said of `{queue}` where it is as the act would leave it already; empty: nothing tells that."""
    for_good: str = ""
    """What nothing brings back afterwards; empty: the journal or another act does."""


_ALIVE = frozenset({Location.PENDING, Location.ACTIVE, Location.SCHEDULE})
_ECHOMQ, _BULLMQ = frozenset({Family.ECHOMQ}), frozenset({Family.BULLMQ})

ACTS: dict[Verb, Act] = {
    act.verb: act
    for act in (
        Act(
            Verb.REAP,
            "Reap",
            "Bring {jobs} of {queue} back to pending?",
            "{jobs} back in pending",
            "Bring active jobs whose lease ran out back to pending; no attempt is spent",
            frozenset({Location.ACTIVE}),
            forcible=True,
        ),
        Act(
            Verb.PROMOTE,
            "Promote",
            "Make {jobs} of {queue} ready now?",
            "{jobs} ready",
            "Bring scheduled jobs to pending, before their time too",
            frozenset({Location.SCHEDULE}),
            forcible=True,
        ),
        Act(
            Verb.DEAD_LETTER,
            "Dead-letter",
            "Give up {jobs} of {queue}?",
            "{jobs} dead",
            "Give jobs up by hand; they keep payload and attempts and can be requeued",
            _ALIVE,
            forcible=True,
        ),
        Act(
            Verb.REQUEUE,
            "Requeue",
            "Bring {jobs} of {queue} back from dead to pending?",
            "{jobs} back in pending",
            "Bring dead jobs back to pending; attempts are kept unless they are reset, the error is cleared",
            frozenset({Location.DEAD}),
            forcible=True,
        ),
        Act(
            Verb.REMOVE,
            "Remove",
            "Delete {jobs} of {queue}?",
            "{jobs} deleted",
            "Delete jobs with all that is kept beside them; the journal can put them back",
            _ALIVE | {Location.DEAD, Location.HELD, Location.DONE},
            Danger.DESTROYS,
            forcible=True,
        ),
        Act(
            Verb.EXTEND,
            "Extend",
            "Push out the lease of {jobs} of {queue}?",
            "lease of {jobs} pushed out",
            "Push the lease of an active job out; its holder keeps it",
            frozenset({Location.ACTIVE}),
        ),
        Act(
            Verb.PAUSE,
            "Pause",
            "Pause {queue}?",
            "{queue} paused",
            "Hold a queue or a lane back: running jobs go on, no new one starts",
            was_so="{queue} is paused already",
        ),
        Act(
            Verb.RESUME,
            "Resume",
            "Resume {queue}?",
            "{queue} resumed",
            "Let a queue or a lane run again and wake its workers",
            was_so="{queue} is not paused",
        ),
        Act(
            Verb.LIMIT,
            "Limit",
            "Change how many jobs of {queue} may run at once?",
            "limit changed",
            "Set or lift how many jobs of a lane, or of a BullMQ queue, may run at once",
            was_so="that is the limit of {queue} already",
        ),
        Act(
            Verb.RERUN,
            "Run again",
            "Bring {jobs} of {queue} back from done to pending?",
            "{jobs} run again",
            "Bring done jobs back to pending (BullMQ); their results are deleted at once",
            frozenset({Location.DONE}),
            families=_BULLMQ,
            for_good="their results go at once, and nothing brings those back",
        ),
        Act(
            Verb.DELAY,
            "Delay",
            "Change when {jobs} of {queue} are due?",
            "due time of {jobs} changed",
            "Let scheduled jobs become due so long from now (BullMQ)",
            frozenset({Location.SCHEDULE}),
            families=_BULLMQ,
        ),
        Act(
            Verb.PRIORITIZE,
            "Prioritize",
            "Change the priority of {jobs} of {queue}?",
            "priority of {jobs} changed",
            "Put pending jobs elsewhere in the order (BullMQ)",
            frozenset({Location.PENDING}),
            families=_BULLMQ,
        ),
        Act(
            Verb.FREE,
            "Free",
            "Free the deduplication ids of {jobs} of {queue}?",
            "deduplication ids of {jobs} freed",
            "Let new jobs in under the dedup ids of these (BullMQ)",
            _ALIVE | {Location.DEAD, Location.HELD, Location.DONE},
            families=_BULLMQ,
            for_good="an id that is free stays so until a job takes it",
        ),
        Act(
            Verb.RATE,
            "Rate",
            "Change how many jobs of {queue} may start in a while?",
            "rate limit changed",
            "Set or lift the rate limit of a queue (BullMQ)",
            families=_BULLMQ,
            was_so="that is the rate of {queue} already",
        ),
        Act(
            Verb.WAKE,
            "Wake",
            "Wake an idle worker of {queue}?",
            "a worker woken",
            "Wake an idle worker of a queue that has work (BullMQ)",
            families=_BULLMQ,
        ),
        Act(
            Verb.UNSCHEDULE,
            "Unschedule",
            "End a series of {queue}, its next run with it?",
            "series ended",
            "End the series of a scheduler; a run that waits already stays (BullMQ)",
            danger=Danger.DESTROYS,
            families=_BULLMQ,
            was_so="{queue} has no such series",
            for_good="only its application can begin it again",
        ),
        Act(
            Verb.DRAIN,
            "Drain",
            "Delete what waits in {queue}: {jobs}?",
            "{jobs} deleted",
            "Delete every job that waits, lanes too; running, scheduled and dead jobs stay",
            frozenset({Location.PENDING}),
            Danger.DESTROYS,
        ),
        Act(
            Verb.OBLITERATE,
            "Obliterate",
            "Delete {queue} whole: {jobs} and everything it keeps?",
            "{queue} deleted with {jobs}",
            "Delete a paused queue whole; nothing of it can be put back",
            danger=Danger.DESTROYS,
            forcible=True,
            families=_ECHOMQ,
            for_good="no journal is kept: nothing brings it back",
        ),
        Act(
            Verb.UNDO,
            "Undo",
            "Put {jobs} of {queue} back?",
            "{jobs} put back",
            "Put removed jobs back as the journal has them, unless their ids live again",
        ),
    )
}
"""What an operator can do: every act writes, and there is no other that does."""

REMOVING = frozenset({Verb.REMOVE, Verb.DRAIN})
"""Acts after which a job is nowhere but in the journal."""


def verbs_of(family: Family) -> frozenset[Verb]:
    """What the queues of a family can have done to them."""
    return frozenset(act.verb for act in ACTS.values() if family in act.families)


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
