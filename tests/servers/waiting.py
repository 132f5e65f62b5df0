"""Waiting for a server to get somewhere."""

import time
from collections.abc import Callable

from emqtop.wire.errors import Unreachable


def wait_for(holds: Callable[[], bool], what: str, timeout_s: float = 30) -> None:
    """Wait until something holds.

    Raises:
        AssertionError: it did not in time.
    """
    end = time.monotonic() + timeout_s
    while not _holds(holds):
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.01)


def _holds(holds: Callable[[], bool]) -> bool:
    try:
        return holds()
    except Unreachable:
        # Sentinels cut the connections of a server that they turn round, in the middle of an answer too.
        return False
