"""Which way a plan goes: forth, as it was ordered, or back to where a journal has its jobs."""

from collections.abc import Sequence
from typing import Any, Protocol

from emqtop.acting.entry import Entry
from emqtop.acting.hands import Hands
from emqtop.acting.journal import Journal
from emqtop.acting.truth import Truth, truth
from emqtop.acting.words import reason_of, said, skip
from emqtop.model.actions import Order, Reason, Seen, Skip, Verb
from emqtop.model.acts import REMOVING
from emqtop.model.queue import Location
from emqtop.wire.readings import JobReading
from emqtop.wire.replies import bounded_ms
from emqtop.wire.resp import Conversation, ReplyError
from emqtop.wire.together import all_together
from emqtop.wire.verdicts import Verdict

_AT_ONCE = 25


class Course(Protocol):
    """What is sent for a batch, and what tells afterwards whether it was done."""

    def send(self, jobs: Sequence[Seen], dedup: Sequence[str]) -> Conversation[list[Verdict]]:
        """Do it to at most 100 jobs, once."""

    def truth(self, job: Seen, place: str | None, now: JobReading) -> Truth | Skip:
        """What the place and row of a job say of an act that was sent once."""


class Forth:
    """As ordered.

    Args:
        hands: of the family.
        order: the same for all jobs.
    """

    def __init__(self, hands: Hands, order: Order) -> None:
        self._hands, self._order = hands, order

    def send(self, jobs: Sequence[Seen], dedup: Sequence[str]) -> Conversation[list[Verdict]]:
        """Do it to at most 100 jobs, once."""
        return self._hands.send(self._order, jobs, dedup)

    def truth(self, job: Seen, place: str | None, now: JobReading) -> Truth | Skip:
        """What the place and row of a job say of an act that was sent once."""
        return truth(self._order, job, place, now)


class Back:
    """Back to where the jobs of an earlier act were.

    Args:
        hands: of the family.
        entry: that act.
        journal: what it took.
        records: the jobs of the journal that are not back yet.

    Attributes:
        entry: that act.
        journal: where it is noted which jobs are back.
        jobs: as that act left them.
    """

    def __init__(self, hands: Hands, entry: Entry, journal: Journal, records: Sequence[dict[str, Any]]) -> None:
        self.entry, self.journal = entry, journal
        self._hands = hands
        self._records = {record["id"]: record for record in records}
        self.jobs = tuple(self._left(record) for record in self._records.values())

    @property
    def _is_removal(self) -> bool:
        return self.entry.verb in REMOVING

    def send(self, jobs: Sequence[Seen], _: Sequence[str]) -> Conversation[list[Verdict]]:
        """Bring at most 100 jobs back, once, each to its own place, with its own error."""
        if self._is_removal:
            return self._put_back(jobs)
        return self._hands.send_each([self._order(job) for job in jobs], jobs)

    def truth(self, job: Seen, place: str | None, now: JobReading) -> Truth | Skip:
        """What the place and row of a job say of the way back that was sent once."""
        if not self._is_removal:
            return truth(self._order(job), job, place, now)
        if place is None and now.state is None:
            return Truth.AS_SEEN
        if place == job.location:
            return Truth.MOVED
        return skip(Verdict(job.id, Reason.MOVED, "location", place or "nowhere"))

    def _put_back(self, jobs: Sequence[Seen]) -> Conversation[list[Verdict]]:
        verdicts: list[Verdict] = []
        for begin in range(0, len(jobs), _AT_ONCE):
            verdicts += yield from all_together([self._restored(job) for job in jobs[begin : begin + _AT_ONCE]])
        return verdicts

    def _restored(self, job: Seen) -> Conversation[Verdict]:
        """The verdict of one job; a refusal of the server is one too, so that it does not end the others."""
        try:
            return (yield from self._hands.restore(self.entry.queue, self._records[job.id]))
        except ReplyError as error:
            return Verdict(job.id, reason_of(error), "words", said(error))

    def _order(self, job: Seen) -> Order:
        """What brings one job back."""
        record = self._records[job.id]
        if self.entry.verb is Verb.REQUEUE:
            return Order(Verb.DEAD_LETTER, self.entry.queue, error=record["last_error"] or "")
        due_ms = bounded_ms(float(record["score"])) if record["location"] == Location.SCHEDULE else None
        return Order(Verb.REQUEUE, self.entry.queue, due_ms=due_ms)

    def _left(self, record: dict[str, Any]) -> Seen:
        """A job as the act left it."""
        if self._is_removal:
            return Seen(record["id"], Location(record["location"]))
        attempts = record["attempts"]
        if self.entry.verb is Verb.REQUEUE:
            return Seen(record["id"], Location.PENDING, 0 if self.entry.options.get("reset_attempts") else attempts)
        # Out of active the act itself raised the token.
        raised = attempts is not None and record["location"] == Location.ACTIVE
        return Seen(record["id"], Location.DEAD, attempts + 1 if raised else attempts)
