"""Leaving when the terminal is gone.

A kernel tells the session's leader, not everybody behind it: a dashboard in a session of its own, or one whose shell
shrugged the signal off, would be left reading a dead terminal as fast as it can, its next write blocked for ever.
"""

import os
import select
import signal
import sys
import threading
import time

GRACE_S = 8.0
"""Longest wait for an end in order, seconds: a running batch has 5 of them, hanging up the source 1."""


def watch_terminal() -> None:
    """End this process soon after the terminal on stdin hangs up, at once where it has done so already."""
    # One that is gone is no terminal any more, says isatty; whoever calls this has asked before.
    if sys.__stdin__ is not None:
        threading.Thread(target=_wait_for_end, args=(sys.__stdin__.fileno(),), daemon=True, name="hangup").start()


def _wait_for_end(terminal: int) -> None:
    end = select.poll()
    # Nothing is asked for: the end of the line is told all the same.
    end.register(terminal, 0)
    end.poll()
    os.kill(os.getpid(), signal.SIGHUP)
    time.sleep(GRACE_S)
    # The event loop hangs in a write that nobody will read.
    os._exit(128 + signal.SIGHUP)
