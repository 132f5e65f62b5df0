"""How many keys one SCAN looks at, and what that costs: by the server where it is near, by the link where it is far."""

import math
import time
from collections.abc import Callable
from typing import Protocol

from emqtop.wire.resp import Conversation

NEAR_MS = 2.0
"""Up to this round trip a server counts as near."""
NEAR_COUNT = 250
"""Keys per call near a server: a call stays under 0.3 ms."""
CARRIED_MS = 250.0
"""How long the answer to one call may keep a far link busy, ms."""
LEAST_COUNT, MOST_COUNT = 25, 1000
"""Keys per call over a far link."""

_FIRST_COUNT = 50
_LEAST_MS, _GUESSED_MS = 0.05, 0.5


class Distant(Protocol):
    """A link, as far as it tells how far away the server is."""

    rtt_ms: float
    """Shortest time from an ask to the last of its answers, ms."""


class Pace:
    """What the calls of one walk so far tell of the next.

    Args:
        near_count: keys per call near a server.
    """

    def __init__(self, near_count: int = NEAR_COUNT) -> None:
        self.count = min(near_count, _FIRST_COUNT)
        """Keys that the next call may look at."""
        self._near_count = near_count
        self._shortest_ms = math.inf

    def call_ms(self, rtt_ms: float) -> float:
        """What a call takes of a near server's time, ms; a guess until there was one."""
        return max(_LEAST_MS, self._shortest_ms - rtt_ms) if self._shortest_ms < math.inf else _GUESSED_MS

    def note(self, took_ms: float, rtt_ms: float) -> None:
        """Learn from a call.

        Args:
            took_ms: until its last answer, less the round trips of what followed it.
            rtt_ms: shortest round trip of the link.
        """
        # Whatever else the machine does only ever lengthens a call; what made calls dearer shows within a hundred.
        self._shortest_ms = min(took_ms, self._shortest_ms * 1.01)
        carried_ms = took_ms - rtt_ms
        if rtt_ms <= NEAR_MS:
            self.count = self._near_count
        elif carried_ms > CARRIED_MS:
            self.count = max(LEAST_COUNT, int(self.count * CARRIED_MS / carried_ms))
        elif carried_ms < CARRIED_MS / 2:
            self.count = min(MOST_COUNT, self.count * 2)

    def begin(self) -> None:
        """Start among keys of which nothing is known: each of them may be part of the answer."""
        self.count = min(self.count, _FIRST_COUNT)


def paced(
    walk: Callable[[int, int], Conversation[bool]], pace: Pace, link: Distant, calls: int, end_s: float
) -> Conversation[bool]:
    """Go on with a walk call by call; returns whether it came to its end.

    Args:
        walk: given how many calls and keys per call; tells whether it came to its end.
        pace: how many keys each call looks at; learns from each.
        link: what holds this conversation.
        calls: how many at most.
        end_s: when no further one begins, on the monotonic clock.
    """
    for _ in range(calls):
        ended, took_ms, trips = yield from _timed(walk(1, pace.count))
        pace.note(took_ms - (trips - 1) * link.rtt_ms, link.rtt_ms)
        if ended:
            pace.begin()
            return True
        if time.monotonic() >= end_s:
            break
    return False


def _timed(talk: Conversation[bool]) -> Conversation[tuple[bool, float, int]]:
    """Hold a conversation; returns its result, how long it waited for answers in ms, and for how many."""
    waited_s, trips = 0.0, 0
    try:
        ask = next(talk)
        while True:
            began = time.monotonic()
            replies = yield ask
            waited_s, trips = waited_s + time.monotonic() - began, trips + 1
            ask = talk.send(replies)
    except StopIteration as end:
        return end.value, waited_s * 1000, trips
