"""The acts on EchoMQ queues."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from emqtop.model.actions import Order, Seen, Verb
from emqtop.model.acts import verbs_of
from emqtop.model.queue import Family, QueueId
from emqtop.wire.echomq import fence, obliteration, operator, reads, records
from emqtop.wire.echomq.branded_id import group_id
from emqtop.wire.echomq.foresight import foresee
from emqtop.wire.echomq.groups import groups
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.locate import locate
from emqtop.wire.echomq.refusals import WrongState
from emqtop.wire.readings import JobReading, PageReading
from emqtop.wire.resp import Conversation
from emqtop.wire.together import negated, nothing
from emqtop.wire.verdicts import Verdict


class EchoMQHands:
    """Scripts of `lua/`, all compared with what was seen."""

    verbs = verbs_of(Family.ECHOMQ)

    def check(self, order: Order) -> None:
        """Raises ValueError for a lane that is no group, a ceiling below 1, an extension by nothing."""
        if order.lane is not None:
            group_id(order.lane)
        if order.verb is Verb.LIMIT and (order.lane is None or (order.ceiling is not None and order.ceiling < 1)):
            raise ValueError("limit wants a lane, and a ceiling of at least 1")
        if order.verb is Verb.EXTEND and order.by_ms < 1:
            raise ValueError("extend wants a length of time")

    def page(
        self, queue: QueueId, location: str, after: str | None, limit: int, payload_bytes: int, lane: str | None
    ) -> Conversation[PageReading]:
        """Some jobs of a location."""
        return reads.page(_keys(queue), location, 0, limit, after, lane, payload_bytes)

    def locate(self, queue: QueueId, ids: Sequence[str]) -> Conversation[list[tuple[str | None, JobReading]]]:
        """Location and line of each job; raises BadId for what is no id."""
        return locate(_keys(queue), ids)

    def foresee(self, order: Order, jobs: Sequence[Seen]) -> Conversation[list[Verdict]]:
        """What each job would meet now, by plain reads."""
        verb = Verb.REMOVE if order.verb is Verb.DRAIN else order.verb
        return foresee(_keys(order.queue), verb, jobs, force=order.force, early=order.early)

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
                raise ValueError(f"{order.verb} is no act on jobs")

    def send_each(self, orders: Sequence[Order], jobs: Sequence[Seen]) -> Conversation[list[Verdict]]:
        """Dead-letter or requeue at most 100 jobs, once, each by an order of its own; all orders are of one verb."""
        keys, by_id = _keys(orders[0].queue), {job.id: order for job, order in zip(jobs, orders, strict=True)}
        if orders[0].verb is Verb.DEAD_LETTER:
            return operator.dead_letter(keys, jobs, {name: order.error for name, order in by_id.items()})
        dues = {name: order.due_ms for name, order in by_id.items() if order.due_ms is not None}
        return operator.requeue(keys, jobs, due_ms=dues)

    def send_whole(self, order: Order) -> Conversation[bool]:
        """Do it to the queue or lane, once; False: it was so already."""
        keys = _keys(order.queue)
        match order.verb:
            case Verb.PAUSE:
                return operator.pause(keys, order.lane)
            case Verb.RESUME:
                return operator.resume(keys, order.lane)
            case Verb.LIMIT if order.lane is not None:
                return operator.set_limit(keys, order.lane, order.ceiling)
            case _:
                raise ValueError(f"{order.verb} is no act on a queue")

    def is_so(self, order: Order) -> Conversation[bool | None]:
        """Is the queue or lane as the order wants it, by plain reads? None: nothing tells."""
        keys = _keys(order.queue)
        match order.verb:
            case Verb.PAUSE:
                return operator.is_held(keys, order.lane)
            case Verb.RESUME:
                return negated(operator.is_held(keys, order.lane))
            case Verb.LIMIT if order.lane is not None:
                return operator.has_limit(keys, order.lane, order.ceiling)
            case _:
                return nothing(None)

    def standing(self, order: Order, jobs: Sequence[Seen]) -> Conversation[Order | None]:  # noqa: ARG002
        """The ceiling of a lane as it is; what is added to a lease as it was ordered."""
        if order.verb is Verb.LIMIT and order.lane is not None:
            return replace(order, ceiling=(yield from operator.limit_of(_keys(order.queue), order.lane)))
        return order if order.verb is Verb.EXTEND else None

    def bar(self) -> Conversation[str | None]:
        """A version fence that is none of EchoMQ's."""
        return fence.bar()

    def lanes(self, queue: QueueId) -> Conversation[list[bytes]]:
        """Groups of all lanes that can be found."""
        return (yield from groups(_keys(queue))).names()

    def stock(self, order: Order, lanes: Sequence[bytes]) -> Conversation[tuple[int, Verdict | None]]:
        """How many jobs a queue holds, each place counted, and what holds its obliteration back now."""
        found = yield from obliteration.stock(_keys(order.queue), lanes)
        held_by = None if found.paused else "not paused"
        if found.active and not order.force:
            held_by = held_by or "active"
        return found.jobs, None if held_by is None else _hindered(order, held_by)

    def obliterate(
        self, order: Order, lanes: Sequence[bytes], seen: int | None
    ) -> Conversation[tuple[int, bool] | Verdict]:
        """Forget at most 100 jobs of a queue, at last itself; how many went, and is it through? Or why not."""
        try:
            return (yield from obliteration.obliterate(_keys(order.queue), force=order.force, lanes=lanes, seen=seen))
        except WrongState as refusal:
            return _hindered(order, refusal.said.removeprefix("EMQSTATE "), seen)

    def dedup(self, queue: QueueId, ids: frozenset[str]) -> Conversation[dict[str, list[str]]]:
        """Dedup ids that hold these jobs, as far as a bounded look finds them."""
        return records.dedup_of(_keys(queue), ids)

    def record(self, queue: QueueId, jobs: Sequence[Seen], *, whole: bool) -> Conversation[list[dict[str, Any]]]:
        """Place and token of each job for the journal, and if whole all else that is kept of it; as JSON has it."""
        keys = _keys(queue)
        return records.record(keys, jobs) if whole else records.sketch(keys, jobs)

    def restore(self, queue: QueueId, record: dict[str, Any]) -> Conversation[Verdict]:
        """Put a removed job back as the journal has it, unless its id lives again."""
        return records.restore(_keys(queue), record)


def _keys(queue: QueueId) -> QueueKeys:
    return QueueKeys(queue.prefix, queue.name)


def _hindered(order: Order, said: str, seen: int | None = None) -> Verdict:
    """Why a queue is not obliterated, from what its script says."""
    name, (what, _, which) = order.queue.name, said.partition(": ")
    match what:
        case "flow child":
            return Verdict(which, "flow-child", "words", "a parent that stays would wait for it for ever")
        case "more jobs":
            return Verdict(name, "moved", "words", f"{which} jobs by now, {seen} were seen: stop what adds to it")
        case "not paused":
            return Verdict(name, "paused", "words", "it must be paused first")
        case _:
            return Verdict(name, "lease-live", "words", "jobs are active; force takes them too")
