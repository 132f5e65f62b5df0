"""Rows of the overview: what the domain knows of a queue, joined into what one line shows."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emqtop.model.queue import Queue, QueueId
from emqtop.model.rates import UNKNOWN, Rates
from emqtop.model.snapshot import Snapshot

if TYPE_CHECKING:
    from emqtop.model.history import History


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the overview."""

    queue: Queue
    """The queue at this moment."""
    rates: Rates = UNKNOWN
    """How fast it moves."""
    twin: bool = False
    """Must the prefix be said: has another queue the same name, or does this one stand outside of its group?"""
    approximate: bool = False
    """Are its times by a clock that is not the server's (operator law 14)?"""
    past: "History | None" = None
    """What it was like before; None: nobody keeps that."""


def queue_rows(
    snapshot: Snapshot, speeds: Mapping[QueueId, Rates] | None = None, past: "History | None" = None
) -> tuple[QueueRow, ...]:
    """A row for each queue of the snapshot, in its order."""
    names = Counter(queue.id.name for queue in snapshot.queues)
    known, approximate = speeds or {}, snapshot.clock != "server"
    return tuple(
        QueueRow(queue, known.get(queue.id, UNKNOWN), names[queue.id.name] > 1, approximate, past)
        for queue in snapshot.queues
    )
