"""In which order the queues stand."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from operator import itemgetter

from emqtop.model.queue import Queue
from emqtop.present.rows import QueueRow


class Order(StrEnum):
    """What queues are ordered by; the words are the keys of their columns where there is one."""

    WORST = "worst"
    NAME = "name"
    PENDING = "pending"
    ACTIVE = "active"
    OVERDUE = "overdue"
    SCHEDULE = "schedule"
    DEAD = "dead"
    DONE = "done_rate"
    OLDEST = "oldest"
    GROUP = "prefix"

    def following(self) -> "Order":
        """The next one, round and round."""
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


WORDS = {
    Order.WORST: "worst first",
    Order.NAME: "by name",
    Order.PENDING: "by pending",
    Order.ACTIVE: "by active",
    Order.OVERDUE: "by overdue",
    Order.SCHEDULE: "by schedule",
    Order.DEAD: "by dead",
    Order.DONE: "by done/s",
    Order.OLDEST: "by oldest",
    Order.GROUP: "by family and prefix",
}


def badness(queue: Queue) -> int:
    """How much a queue needs an eye, 7 most.

    Steps and not amounts, so that the order holds still while the numbers run.
    """
    if queue.error is not None:
        return 7
    if queue.overdue:
        return 6
    if queue.pending and queue.paused:
        return 5
    if queue.pending and not queue.active:
        return 4
    if queue.due:
        return 3
    if queue.dead:
        return 2
    return 1 if queue.pending or queue.active else 0


_MEASURES: dict[Order, Callable[[QueueRow], float | None]] = {
    Order.WORST: lambda row: badness(row.queue),
    Order.NAME: lambda _: None,
    Order.PENDING: lambda row: row.queue.pending,
    Order.ACTIVE: lambda row: row.queue.active,
    Order.OVERDUE: lambda row: row.queue.overdue,
    Order.SCHEDULE: lambda row: row.queue.schedule,
    Order.DEAD: lambda row: row.queue.dead,
    Order.DONE: lambda row: row.rates.done,
    Order.GROUP: lambda row: badness(row.queue),
    Order.OLDEST: lambda row: None if row.queue.oldest_pending_ms is None else -row.queue.oldest_pending_ms,
}


def ordered(rows: Sequence[QueueRow], order: Order, turned: bool = False) -> list[QueueRow]:
    """The rows, most first and by name among equals; turned around where asked. What is not known stands last."""
    measure = _MEASURES[order]
    by_name = sorted(rows, key=_name, reverse=turned and order is Order.NAME)
    if order is Order.NAME:
        return by_name
    measured = [(measure(row), row) for row in by_name]
    known = [(amount, row) for amount, row in measured if amount is not None]
    known.sort(key=itemgetter(0), reverse=not turned)
    return [row for _, row in known] + [row for amount, row in measured if amount is None]


def _name(row: QueueRow) -> tuple[str, str]:
    return row.queue.id.name, row.queue.id.prefix
