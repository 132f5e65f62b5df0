"""The one table of acts: what may be done to which state, how dangerous it is, what it says.

Keys, palette, help, command line and read-only mode are made from it.
"""

from dataclasses import dataclass
from enum import StrEnum

from emqtop.model.actions import Verb
from emqtop.model.queue import Family, Location


class Danger(StrEnum):
    """What an act can do to a queue."""

    CHANGES = "changes"
    """It moves jobs, and another act moves them back."""
    DESTROYS = "destroys"
    """What it takes is gone from the server; on more than one job, or a queue, it wants the queue's name typed."""


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
