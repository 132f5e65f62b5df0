"""The command as a user starts it: in a process and an environment of its own."""

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.terminal import Terminal

ROOT = Path(__file__).parents[2]
EMQTOP = (sys.executable, "-m", "emqtop")


def environment(**more: str) -> dict[str, str]:
    """A user's environment with little in it: HOME and the state folders are the test's own."""
    kept = ("PATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    fixed = {"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC"}
    return {**{name: os.environ[name] for name in kept if name in os.environ}, **fixed, **more}


def emqtop(*words: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a one-shot to its end."""
    return subprocess.run(
        [*EMQTOP, *words], env=environment(), capture_output=True, text=True, timeout=timeout_s, check=False
    )


def dashboard(*words: str, columns: int = 120, rows: int = 36, **more: str) -> Terminal:
    """Start the command on a terminal; the caller holds it by `with`."""
    return Terminal([*EMQTOP, *words], columns, rows, environment(**more))
