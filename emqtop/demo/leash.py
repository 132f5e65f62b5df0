"""Processes on a leash: each ends when its owner does, whatever ends it.

The owner holds one end of a pipe that is the process's standard input; orders go through it, and its end of file means
that the owner let go or is dead. On Linux the kernel kills the process with its owner as well. Nothing secret stands on
a command line.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import emqtop

_PR_SET_PDEATHSIG = 1
_GRACE_S = 3.0
_ROOT = Path(emqtop.__file__).parents[1]


class Leashed:
    """A Python process that runs a module of ours, as its owner sees it.

    Args:
        module: what it runs, `emqtop.demo.fleet`.
        orders: what it is told, as JSON can carry it.
    """

    def __init__(self, module: str, orders: Mapping[str, Any]) -> None:
        self.module = module
        # Nameless, so that it is gone with us; a pipe would fill up unread. Open as long as the process lives.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115
        path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._words,
            env={**os.environ, "PYTHONPATH": path},
            # Out of the terminal's process group: Ctrl-C is the owner's to answer.
            start_new_session=True,
            close_fds=True,
        )
        # The kernel's death signal goes by the thread that started the process, so only the main one may rely on it.
        lasting = threading.current_thread() is threading.main_thread()
        self._tell({**orders, "owner": os.getpid() if lasting else None})

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def ended(self) -> int | None:
        """Its exit code, negative the signal that killed it; None while it runs."""
        return self._process.poll()

    def last_words(self) -> str:
        """The last line that it wrote to standard error; empty where it said nothing."""
        if self._words.closed:
            return ""
        self._words.seek(0)
        lines = self._words.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def let_go(self) -> None:
        """Ask it to end; harmless when done twice."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def gone(self) -> None:
        """Wait until it has ended, and kill it where that takes longer than it may."""
        self.let_go()
        try:
            self._process.wait(_GRACE_S + 1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._words.close()

    def kill(self) -> None:
        """End it as a crash would: at once, whatever it is doing."""
        self._process.kill()
        self.gone()

    def _tell(self, orders: Mapping[str, Any]) -> None:
        pipe = self._process.stdin
        if pipe is None:
            raise RuntimeError("started without a pipe")
        with contextlib.suppress(BrokenPipeError):
            pipe.write(json.dumps(orders).encode() + b"\n")
            pipe.flush()


class Leash:
    """The same leash from its other end. Make it first thing in the process: it reads the orders."""

    def __init__(self) -> None:
        self.released = threading.Event()
        """Set once the owner let go; the process has three seconds then."""
        self.orders: dict[str, Any] = _read_orders()
        """What the owner said."""
        self._on_release: list[Callable[[], object]] = []
        _die_with(self.orders.pop("owner", None))
        threading.Thread(target=self._wait, name="leash", daemon=True).start()

    def on_release(self, callback: Callable[[], object]) -> None:
        """Have something done when the owner lets go, on another thread; it may be done twice."""
        self._on_release.append(callback)
        if self.released.is_set():
            callback()

    def _wait(self) -> None:
        while os.read(0, 4096):
            pass
        self.released.set()
        for callback in self._on_release:
            callback()
        time.sleep(_GRACE_S)
        os._exit(0)


def _read_orders() -> dict[str, Any]:
    # Unbuffered: a thread that waits inside a buffered reader breaks the interpreter's end.
    line = b""
    while not line.endswith(b"\n"):
        chunk = os.read(0, 65536)
        if not chunk:
            os._exit(0)
        line += chunk
    orders = json.loads(line)
    return orders if isinstance(orders, dict) else {}


def _die_with(owner: int | None) -> None:
    if owner is None or not sys.platform.startswith("linux"):
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != owner:
        os._exit(0)
