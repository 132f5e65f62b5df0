"""Numbers about the server and about emqtop's own asking, steadied: they change when that means something."""

from collections import deque
from dataclasses import dataclass

from emqtop.model.snapshot import Snapshot

WINDOW_MS = 10_000
"""Time over which emqtop's own cost is taken."""
TRIPS = 15
"""Samples of which the median wall time is taken."""
STEADY = 0.5
"""Part of a shown number by which the true one must be off before it is shown anew."""
STEADY_MEMORY = 0.01
"""The same for memory, of which small steps count."""


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


class Meter:
    """Takes each snapshot and tells the vitals, each number standing still until it is off by more than a little."""

    def __init__(self) -> None:
        self._costs: deque[tuple[int, int, int]] = deque()
        self._trips: deque[float] = deque(maxlen=TRIPS)
        self._shown = Vitals()

    def take(self, snapshot: Snapshot) -> Vitals:
        """The vitals with this snapshot."""
        cost, shown = snapshot.cost, self._shown
        if self._costs and snapshot.at_ms < self._costs[-1][0]:
            self._costs.clear()
        self._costs.append((snapshot.at_ms, cost.commands, cost.sent_bytes + cost.received_bytes))
        while len(self._costs) > 2 and snapshot.at_ms - self._costs[0][0] > WINDOW_MS:
            self._costs.popleft()
        self._shown = Vitals(
            _steadied(shown.round_trip_ms, self._trip(cost.round_trip_ms)),
            _steadied(shown.commands, self._per_second(1)),
            _steadied(shown.bytes, self._per_second(2)),
            _steady_memory(shown.memory_bytes, snapshot.server.memory_bytes),
        )
        return self._shown

    def _trip(self, newest_ms: float | None) -> float | None:
        if newest_ms is None:
            return None
        self._trips.append(newest_ms)
        return sorted(self._trips)[(len(self._trips) - 1) // 2]

    def _per_second(self, place: int) -> float | None:
        """A cost without that of the first sample of the window, which was paid before the window began."""
        elapsed_s = (self._costs[-1][0] - self._costs[0][0]) / 1_000
        if elapsed_s <= 0:
            return None
        return sum(cost[place] for cost in list(self._costs)[1:]) / elapsed_s


def _steadied(shown: float | None, true: float | None) -> float | None:
    if true is None or shown is None:
        return true
    return shown if abs(true - shown) <= STEADY * shown else true


def _steady_memory(shown: int | None, true: int | None) -> int | None:
    if true is None or shown is None:
        return true
    return shown if abs(true - shown) <= STEADY_MEMORY * shown else true
