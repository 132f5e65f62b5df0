"""The acts on queues of the BullMQ family."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from emqtop.model.actions import Order, Seen, Verb
from emqtop.model.acts import verbs_of
from emqtop.model.queue import Family, QueueId
from emqtop.wire.bullmq import operator, reads, records
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.limits import limits
from emqtop.wire.bullmq.locate import locate
from emqtop.wire.bullmq.turn import priority_of, time_left
from emqtop.wire.readings import JobReading, PageReading
from emqtop.wire.resp import Conversation
from emqtop.wire.together import negated, nothing
from emqtop.wire.verdicts import Verdict

_JUDGED = {Verb.DRAIN: "remove", Verb.PRIORITIZE: "reprioritize"}
"""Names of verbs where the judgement knows them by another."""


class BullMQHands:
    """The library's own scripts, in transactions that a change in between stops."""

    verbs = verbs_of(Family.BULLMQ)

    def check(self, order: Order) -> None:
        """Raises ValueError for a lane, a limit that would stop the queue, an extension by nothing."""
        if order.lane is not None:
            raise ValueError("BullMQ queues have no lanes")
        if order.verb in {Verb.LIMIT, Verb.RATE} and order.ceiling is not None and order.ceiling < 1:
            raise ValueError(f"{order.verb} wants at least 1 job")
        if order.verb is Verb.RATE and (order.ceiling is None) != (order.by_ms == 0):
            raise ValueError("rate wants a number of jobs and a length of time")
        if order.verb is Verb.EXTEND and order.by_ms < 1:
            raise ValueError("extend wants a length of time")
        if order.verb is Verb.PRIORITIZE and not 0 <= order.priority <= operator.MOST_PRIORITY:
            raise ValueError(f"a priority is a number from 0 to {operator.MOST_PRIORITY}")

    def page(
        self, queue: QueueId, location: str, after: str | None, limit: int, payload_bytes: int, lane: str | None
    ) -> Conversation[PageReading]:
        """Some jobs of a location."""
        return reads.page(_keys(queue), location, 0, limit, after, lane, payload_bytes)

    def locate(self, queue: QueueId, ids: Sequence[str]) -> Conversation[list[tuple[str | None, JobReading]]]:
        """Location and line of each job; any text can be an id."""
        return locate(_keys(queue), ids)

    def foresee(self, order: Order, jobs: Sequence[Seen]) -> Conversation[list[Verdict]]:
        """What each job would meet now, by plain reads."""
        verb = _JUDGED.get(order.verb, order.verb)
        return operator.foresee(_keys(order.queue), verb, jobs, force=order.force, early=order.early)

    def send(self, order: Order, jobs: Sequence[Seen], dedup: Sequence[str]) -> Conversation[list[Verdict]]:
        """Do it to at most 100 jobs, once."""
        keys = _keys(order.queue)
        match order.verb:
            case Verb.REAP:
                return operator.reap(keys, jobs, force=order.force)
            case Verb.PROMOTE:
                return operator.promote(keys, jobs, early=order.early, force=order.force)
            case Verb.DEAD_LETTER:
                return operator.dead_letter(keys, jobs, order.error, force=order.force)
            case Verb.REQUEUE:
                return operator.requeue(keys, jobs, afresh=order.afresh, force=order.force, due_ms=order.due_ms)
            case Verb.REMOVE | Verb.DRAIN:
                return operator.remove(keys, jobs, force=order.force, dedup=dedup)
            case Verb.EXTEND:
                return operator.extend(keys, jobs, order.by_ms)
            case _:
                return self._send_own(order, keys, jobs)

    def _send_own(self, order: Order, keys: QueueKeys, jobs: Sequence[Seen]) -> Conversation[list[Verdict]]:
        """Acts that this family alone has."""
        match order.verb:
            case Verb.RERUN:
                return operator.rerun(keys, jobs, afresh=order.afresh)
            case Verb.DELAY:
                return operator.change_delay(keys, jobs, order.by_ms)
            case Verb.PRIORITIZE:
                return operator.change_priority(keys, jobs, order.priority, first=order.first)
            case Verb.FREE:
                return operator.free_deduplication(keys, jobs)
            case _:
                raise ValueError(f"{order.verb} is no act on jobs")

    def send_each(self, orders: Sequence[Order], jobs: Sequence[Seen]) -> Conversation[list[Verdict]]:
        """Dead-letter or requeue at most 100 jobs, once, each by an order of its own; all orders are of one verb."""
        keys, by_id = _keys(orders[0].queue), {job.id: order for job, order in zip(jobs, orders, strict=True)}
        if orders[0].verb is Verb.DEAD_LETTER:
            return operator.dead_letter(keys, jobs, {name: order.error for name, order in by_id.items()})
        dues = {name: order.due_ms for name, order in by_id.items() if order.due_ms is not None}
        return operator.requeue(keys, jobs, due_ms=dues)

    def send_whole(self, order: Order) -> Conversation[bool]:
        """Do it to the queue, once; False: it was so already. A limit is that of all its workers together."""
        keys = _keys(order.queue)
        match order.verb:
            case Verb.PAUSE:
                return operator.pause(keys, order.lane)
            case Verb.RESUME:
                return operator.resume(keys, order.lane)
            case Verb.LIMIT:
                return operator.set_concurrency(keys, order.ceiling)
            case Verb.RATE:
                return operator.set_rate_limit(keys, order.ceiling, order.by_ms or None)
            case Verb.WAKE:
                return operator.kick(keys)
            case Verb.UNSCHEDULE:
                return operator.stop_scheduler(keys, order.scheduler)
            case _:
                raise ValueError(f"{order.verb} is no act on a queue")

    def is_so(self, order: Order) -> Conversation[bool | None]:
        """Is the queue as the order wants it, by plain reads? None: nothing tells."""
        keys = _keys(order.queue)
        match order.verb:
            case Verb.PAUSE:
                return operator.is_paused(keys)
            case Verb.RESUME:
                return negated(operator.is_held(keys))
            case Verb.LIMIT:
                return operator.has_meta(keys, {"concurrency": order.ceiling})
            case Verb.RATE:
                return operator.has_meta(keys, {"max": order.ceiling, "duration": order.by_ms or None})
            case Verb.UNSCHEDULE:
                return negated(operator.has_scheduler(keys, order.scheduler))
            case _:
                return nothing(None)

    def standing(self, order: Order, jobs: Sequence[Seen]) -> Conversation[Order | None]:
        """Limit, rate, due time or priority of one job as they are; what is added to a lock as it was ordered."""
        keys = _keys(order.queue)
        match order.verb:
            case Verb.LIMIT:
                return replace(order, ceiling=(yield from limits(keys, 1)).concurrency)
            case Verb.RATE:
                found = yield from limits(keys, 1)
                return replace(order, ceiling=found.most, by_ms=found.window_ms or 0)
            case Verb.DELAY if len(jobs) == 1:
                left = yield from time_left(keys, jobs[0].id)
                return None if left is None else replace(order, by_ms=left)
            case Verb.PRIORITIZE if len(jobs) == 1:
                return replace(order, priority=(yield from priority_of(keys, jobs[0].id)))
            case _:
                return order if order.verb is Verb.EXTEND else None

    def bar(self) -> Conversation[str | None]:
        """None that is the server's: each queue tells its own version."""
        return nothing(None)

    def lanes(self, queue: QueueId) -> Conversation[list[bytes]]:  # noqa: ARG002 - there are none
        """No queue of this family has lanes."""
        return nothing([])

    def stock(self, order: Order, lanes: Sequence[bytes]) -> Conversation[tuple[int, Verdict | None]]:  # noqa: ARG002
        """Not counted, as it is not obliterated."""
        return nothing((0, Verdict(order.queue.name, "not-supported")))

    def obliterate(
        self,
        order: Order,
        lanes: Sequence[bytes],  # noqa: ARG002
        seen: int | None,  # noqa: ARG002
    ) -> Conversation[tuple[int, bool] | Verdict]:
        """Not offered: the library's own leaves rows and children behind (bullmq.md 6.3)."""
        return nothing(Verdict(order.queue.name, "not-supported"))

    def dedup(self, queue: QueueId, ids: frozenset[str]) -> Conversation[dict[str, list[str]]]:  # noqa: ARG002
        """None to look for: the library's removal frees the id that a job names in its row."""
        return nothing({})

    def record(self, queue: QueueId, jobs: Sequence[Seen], *, whole: bool) -> Conversation[list[dict[str, Any]]]:
        """Place of each job for the journal, and if whole all else that is kept of it; as JSON has it."""
        keys = _keys(queue)
        return records.record(keys, jobs) if whole else records.sketch(keys, jobs)

    def restore(self, queue: QueueId, record: dict[str, Any]) -> Conversation[Verdict]:
        """Put a removed job back as the journal has it, unless its id lives again."""
        return records.restore(_keys(queue), record)


def _keys(queue: QueueId) -> QueueKeys:
    return QueueKeys(queue.prefix, queue.name)
