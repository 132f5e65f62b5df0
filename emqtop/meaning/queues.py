"""A queue."""

from dataclasses import fields
from operator import attrgetter

from emqtop.model.queue import Family, Queue, QueueId
from emqtop.wire.numbers import Counts

_SHARED = tuple({field.name for field in fields(Counts)} & {field.name for field in fields(Queue)})
_values = attrgetter(*_SHARED)


def queue_of(queue: QueueId, counts: Counts, held: int | None = None) -> Queue:
    """The numbers of a queue; `held` is the sweep's number, where the layout has no set for it."""
    values = dict(zip(_SHARED, _values(counts), strict=True))
    if counts.held is None and queue.family is Family.ECHOMQ:
        values["held"] = held
    return Queue(queue, **values)
