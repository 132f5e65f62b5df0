"""Waiting for a server to get somewhere."""

import time
from collections.abc import Callable


def wait_for(holds: Callable[[], bool], what: str, timeout_s: float = 30) -> None:
    """Wait until something holds.

    Raises:
        AssertionError: it did not in time.
    """
    end = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.01)
