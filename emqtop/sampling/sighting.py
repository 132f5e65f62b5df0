"""One root of keys that a walk through the keyspace met, and the queues at it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from emqtop.model.queue import Family, QueueId
from emqtop.wire.family import Layout, Trace
from emqtop.wire.resp import text

HELD = b"awaiting_children"
"""State of a row that waits for children."""
COUNTER = b":dependencies"
"""What follows a row's key in that of its counter of children."""

_FAMILY = {Layout.ECHOMQ: Family.ECHOMQ, Layout.BULLMQ: Family.BULLMQ}


@dataclass(slots=True)
class Sighting:
    """One root of keys that a sweep met."""

    trace: Trace
    """The first key met."""
    layouts: set[Layout] = field(default_factory=set)
    """Layouts that stand there."""
    sweep: int = 0
    """Number of the last sweep that met a key of it."""
    lanes: set[bytes] = field(default_factory=set)
    """Groups whose lane keys were met."""
    held: set[bytes] = field(default_factory=set)
    """Row keys met by the running sweep that wait for children."""
    held_before: set[bytes] | None = None
    """The same of the last whole sweep; None: there was none yet, or rows may not be read."""
    is_blind: bool = False
    """Was the running sweep refused the state of a row?"""

    def queues(self) -> Iterable[QueueId]:
        """The queues at this root."""
        prefix, tag = text(self.trace.prefix), self.trace.tag
        for layout in self.layouts:
            name = tag[1:-1] if layout is Layout.ECHOMQ else tag
            yield QueueId(_FAMILY[layout], prefix, text(name))


def ask_state(row: bytes) -> bytes:
    """HGET row state, in wire form; spelled out since a sweep sends one for each row."""
    return b"*3\r\n$4\r\nHGET\r\n$%d\r\n%b\r\n$5\r\nstate\r\n" % (len(row), row)
