"""How long a failed job waits for its next attempt; the client's own choice, no script knows it (echomq.md 4.3)."""

import random
from collections.abc import Callable
from typing import TypeAlias

Backoff: TypeAlias = Callable[[int], int]
"""From the attempts so far, 1 after the first failure, to a delay in ms."""


def fixed(delay_ms: int) -> Backoff:
    """The same delay each time."""
    return lambda _: delay_ms


def exponential(base_ms: int, cap_ms: int) -> Backoff:
    """Twice the last delay each time, never more than the cap."""
    return lambda attempts: min(base_ms << min(attempts - 1, 62), cap_ms)


def jittered(backoff: Backoff, dice: random.Random) -> Backoff:
    """Anything from nothing to the whole delay, so that jobs which failed together do not come back together."""
    return lambda attempts: dice.randint(0, backoff(attempts))
