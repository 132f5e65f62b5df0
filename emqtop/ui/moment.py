"""A snapshot and when it came in, so that the server's clock can be carried on until the next one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from emqtop.model.history import History
from emqtop.model.queue import QueueId
from emqtop.model.rates import Rates
from emqtop.model.snapshot import EMPTY, Snapshot
from emqtop.ui.vitals import Vitals


@dataclass(frozen=True, slots=True)
class Moment:
    """What is known, and since when."""

    snapshot: Snapshot = EMPTY
    """All queues."""
    arrived_s: float = 0.0
    """When it came in, seconds of the viewer's monotonic clock."""
    speeds: Mapping[QueueId, Rates] = field(default_factory=dict)
    """How fast each queue moves, over the last few seconds."""
    past: History = field(default_factory=lambda: History(0))
    """What queues were like until then; the same one in every moment, it grows with them."""
    before: Snapshot = EMPTY
    """The same a few seconds ago; empty at first."""
    vitals: Vitals = field(default_factory=Vitals)
    """How the server and emqtop's own asking are, in steadied numbers."""

    def age_s(self, clock_s: float) -> float:
        """How old it is by now, seconds."""
        return max(0.0, clock_s - self.arrived_s)

    def now_ms(self, clock_s: float) -> int:
        """The server's time by now, Unix ms."""
        return self.snapshot.at_ms + int(1_000 * self.age_s(clock_s))


NOTHING_YET = Moment()
