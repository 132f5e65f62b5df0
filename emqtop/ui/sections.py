"""Queues under headings: which stand together, and what is said above them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from emqtop.model.queue import Family, QueueId
from emqtop.present.rows import QueueRow
from emqtop.text import safe
from emqtop.ui.ordering import Order, badness, ordered
from emqtop.units import count, counted

HIGH = 8
"""Lines of rows from which on there is room for headings."""
TITLED = 3
"""Lines of a table from which on the first is for the titles."""
LATE = 6
"""Badness from which on a queue stands before every group: overdue, or in error."""
_FAMILIES = {Family.ECHOMQ: "EchoMQ", Family.BULLMQ: "BullMQ"}


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that stand together."""

    title: str
    """What they have in common, as safe text; empty: nothing is said above them."""
    rows: Sequence[QueueRow]
    """At least one, unless there is no row at all."""
    above: int = 0
    """How many more of their group stand further up."""

    @property
    def heading(self) -> tuple[tuple[str, str], ...]:
        """What is said above the rows, text and tone: `EchoMQ · emq  6 queues, 2 above`."""
        number = len(self.rows) + self.above
        queues = counted(number, "queue")
        size = f"{queues}, {count(self.above)} above" if self.above else queues
        return (self.title, "accent"), (f"  {size}", "dim")


def has_groups(queues: Iterable[QueueId]) -> bool:
    """Are there queues of more than one family or prefix?"""
    groups = map(_group, queues)
    first = next(groups, None)
    return any(group != first for group in groups)


def sections(rows: Sequence[QueueRow], order: Order, turned: bool, grouped: bool) -> list[Section]:
    """The rows in order and in sections.

    Who orders by a column asks for the first of all queues, so there are no groups then. Worst first, the few that
    are overdue or in error stand before all groups: with many queues their group may be far below the window.

    Args:
        rows: the rows to show.
        order: what they are ordered by.
        turned: the other way around.
        grouped: is there more than one group?
    """
    if not grouped or order not in {Order.WORST, Order.GROUP}:
        return [Section("", ordered(rows, order, turned))]
    placed = ordered(rows, Order.WORST, turned and order is Order.WORST)
    late = [row for row in placed if badness(row.queue) >= LATE] if order is Order.WORST else []
    parted = list(_parted(placed, late))
    if turned:
        parted.reverse()
    first = [Section("overdue or in error", [replace(row, twin=True) for row in late])] if late else []
    return [*parted, *first] if turned else [*first, *parted]


def _parted(placed: Sequence[QueueRow], late: Sequence[QueueRow]) -> Iterator[Section]:
    """A section for each group, EchoMQ first, by prefix; without those that stand elsewhere."""
    elsewhere = {row.queue.id for row in late}
    above = Counter(map(_group, elsewhere))
    groups: dict[tuple[Family, str], list[QueueRow]] = {}
    for row in placed:
        if row.queue.id not in elsewhere:
            groups.setdefault(_group(row.queue.id), []).append(replace(row, twin=False) if row.twin else row)
    families = list(Family)
    for group in sorted(groups, key=lambda group: (families.index(group[0]), group[1])):
        family, prefix = group
        yield Section(f"{_FAMILIES[family]} · {safe(prefix)}", groups[group], above[group])


def _group(queue: QueueId) -> tuple[Family, str]:
    return queue[:2]
