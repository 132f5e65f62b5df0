"""Carries plans out and writes down that they were.

The order of an act: audit line begun, for each batch the journal first and then one script, audit line ended.
"""

import asyncio
from collections.abc import Callable

from emqtop.acting.audit import Audit, Unrecorded
from emqtop.acting.course import Back, Forth
from emqtop.acting.entry import MOST_IDS
from emqtop.acting.hands import Link, hands_of
from emqtop.acting.journal import Journal
from emqtop.acting.plan import Plan
from emqtop.acting.run import Run
from emqtop.acting.tally import Progress
from emqtop.acting.words import refused
from emqtop.model.actions import Outcome, Reason, Verb
from emqtop.model.acts import REMOVING

PATIENCE_S = 30.0
"""How long the truth about an unanswered act is asked for."""

_JOURNALED = REMOVING | {Verb.DEAD_LETTER, Verb.REQUEUE}


class Runner:
    """Does what plans say.

    Args:
        link: to the server; it must never send anything twice.
        audit: where acts are written down.
        read_only: refuse every act before anything is sent.
        patience_s: how long to ask for the truth about an unanswered act.
    """

    def __init__(self, link: Link, audit: Audit, *, read_only: bool = False, patience_s: float = PATIENCE_S) -> None:
        self._link = link
        self._audit = audit
        self._read_only = read_only
        self._patience_s = patience_s

    async def carry_out(
        self,
        plan: Plan,
        *,
        rate: float | None = None,
        stop: asyncio.Event | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        back: Back | None = None,
    ) -> Outcome:
        """Do it, and write down that it was done.

        Args:
            plan: which jobs; each is sent once, whatever happens to it meanwhile.
            rate: jobs a second at most; None: as fast as the server serves its others well.
            stop: ends it within a second; what is under way is waited for, what was not sent stays as it is.
            on_progress: told after each batch.
            back: the earlier act that this takes back; None: it is an act of its own.

        Raises:
            Unrecorded: the audit file or the journal cannot be written; nothing further was sent.
            SourceError: the server was lost before the first job was sent.
        """
        hands = hands_of(plan.order.queue.family)
        if self._read_only or plan.order.verb not in hands.verbs:
            return _refusal(plan, Reason.READ_ONLY if self._read_only else Reason.NOT_SUPPORTED)
        course = back or Forth(hands, plan.order)
        run = Run(self._link, hands, plan, course, self._patience_s, stop or asyncio.Event(), on_progress)
        entry = await asyncio.to_thread(self._begin, plan, None if back is None else back.entry.id)
        if back is not None:
            run.on_moved = back.journal.back
        elif plan.order.verb in _JOURNALED:
            run.journal = Journal(self._audit.folder, entry)
            run.on_moved = run.journal.moved
        trouble: OSError | None = None
        try:
            await run.carry_out(rate)
        except OSError as error:
            trouble, run.tally.stopped = error, True
        except BaseException:
            run.tally.stopped = True
            raise
        finally:
            outcome = run.tally.outcome()
            await asyncio.to_thread(self._audit.end, entry, outcome, run.tally.moved_ids)
        if trouble is not None:
            raise Unrecorded(self._audit.folder, trouble, outcome)
        return outcome

    def _begin(self, plan: Plan, undoes: str | None) -> str:
        return self._audit.begin(
            plan.order,
            (*(job.id for job in plan.jobs), *(left.id for left in plan.skipped)),
            count=plan.matched,
            selection=plan.selection,
            errors=dict(plan.errors),
            undoable=plan.order.verb in _JOURNALED,
            undoes=undoes,
        )


def _refusal(plan: Plan, reason: Reason) -> Outcome:
    named = [job.id for job in plan.jobs] + [left.id for left in plan.skipped]
    if len(named) > MOST_IDS or not named:
        named = [plan.order.queue.name]
    skipped = tuple(refused(name, reason) for name in named)
    return Outcome(plan.order.verb, plan.order.queue, matched=len(skipped), skipped=skipped)
