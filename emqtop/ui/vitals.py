"""Numbers about the server and about emqtop's own asking, steadied: they change when that means something."""

from collections import deque
from dataclasses import dataclass
from typing import TypeVar

from emqtop.model.snapshot import Snapshot

WINDOW_MS = 10_000
"""Time over which emqtop's own cost is taken."""
TRIPS = 15
"""Samples of which the median wall time is taken."""
HOLD_MS = 10_000
"""How long a shown number stands at least, ms."""
FEW_TRIPS = 3
"""Samples after which their wall time is told; the first ones pay for beginning."""
STEADY = 0.5
"""Part of a shown number by which the true one must be off before it is shown anew."""
STEADY_MEMORY = 0.01
"""The same for memory, of which small steps count."""
STEADY_CLIENTS = 0.1
"""The same for clients."""


@dataclass(frozen=True, slots=True)
class Vitals:
    """What the server strip shows. None = not known."""

    round_trip_ms: float | None = None
    """Wall time of a sample, the median of the last few, ms."""
    commands: float | None = None
    """Commands that emqtop sends, a second."""
    bytes: float | None = None
    """Bytes that emqtop sends and receives, a second."""
    memory_bytes: int | None = None
    """Memory in use by the server."""
    clients: int | None = None
    """Clients of the server."""


class Meter:
    """Takes each snapshot and tells the vitals: a number stands until it is off by more than a little, and a while."""

    def __init__(self) -> None:
        self._costs: deque[tuple[int, int, int]] = deque()
        self._trips: deque[float] = deque(maxlen=TRIPS)
        self._shown = Vitals()
        self._since_ms = 0

    def take(self, snapshot: Snapshot) -> Vitals:
        """The vitals with this snapshot."""
        self._add_cost(snapshot)
        shown, at_ms = self._shown, snapshot.at_ms
        due = not 0 <= at_ms - self._since_ms < HOLD_MS
        self._shown = Vitals(
            _steadied(shown.round_trip_ms, self._trip(snapshot.cost.round_trip_ms), STEADY, due),
            _steadied(shown.commands, self._per_second(1), STEADY, due),
            _steadied(shown.bytes, self._per_second(2), STEADY, due),
            _steadied(shown.memory_bytes, snapshot.server.memory_bytes, STEADY_MEMORY, due),
            _steadied(shown.clients, snapshot.server.clients, STEADY_CLIENTS, due),
        )
        if due:
            self._since_ms = at_ms
        return self._shown

    def _add_cost(self, snapshot: Snapshot) -> None:
        cost = snapshot.cost
        if self._costs and snapshot.at_ms < self._costs[-1][0]:
            self._costs.clear()
        self._costs.append((snapshot.at_ms, cost.commands, cost.sent_bytes + cost.received_bytes))
        while len(self._costs) > 2 and snapshot.at_ms - self._costs[1][0] >= WINDOW_MS:
            self._costs.popleft()

    def _trip(self, newest_ms: float | None) -> float | None:
        if newest_ms is None:
            return None
        self._trips.append(newest_ms)
        return sorted(self._trips)[(len(self._trips) - 1) // 2] if len(self._trips) >= FEW_TRIPS else None

    def _per_second(self, place: int) -> float | None:
        """A cost over a whole window, without that of its first sample, which was paid before it began."""
        elapsed_ms = self._costs[-1][0] - self._costs[0][0]
        if elapsed_ms < WINDOW_MS:
            return None
        return sum(cost[place] for cost in list(self._costs)[1:]) / (elapsed_ms / 1_000)


N = TypeVar("N", int, float)


def _steadied(shown: N | None, true: N | None, part: float, due: bool) -> N | None:
    if true is None or shown is None:
        return true
    return true if due and abs(true - shown) > part * shown else shown
