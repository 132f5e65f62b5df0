"""The newest events in a ring of fixed size, and how fast they come."""

from collections import deque
from collections.abc import Sequence

from emqtop.present.event_columns import EventRow, event_row
from emqtop.sampling.source import Event

MOST = 2_000
"""Events that are kept."""
RATE_S = 5.0
"""Time over which their rate is taken, seconds."""


class Tail:
    """Takes events as they come; a reader looks at it as often as it likes.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int = MOST) -> None:
        self.rows: deque[EventRow] = deque(maxlen=most)
        self.taken = 0
        self._marks: deque[tuple[float, int]] = deque(maxlen=64)

    def take(self, event: Event) -> None:
        """Keep an event; the oldest makes room."""
        self.rows.append(event_row(self.taken, event))
        self.taken += 1

    def per_second(self, clock_s: float) -> int:
        """Events a second over the last few, counted at each call; `clock_s` is monotonic."""
        if not self._marks or clock_s > self._marks[-1][0]:
            self._marks.append((clock_s, self.taken))
        while len(self._marks) > 1 and clock_s - self._marks[0][0] > RATE_S:
            self._marks.popleft()
        elapsed_s = clock_s - self._marks[0][0]
        return round((self.taken - self._marks[0][1]) / elapsed_s) if elapsed_s else 0


def next_failure(rows: Sequence[EventRow], place: int, step: int) -> EventRow | None:
    """The first failure behind a place, or before it where `step` is -1; None: there is no other."""
    behind = rows[place + 1 :] if step > 0 else rows[:place][::-1]
    return next((row for row in behind if row.is_failure), None)
