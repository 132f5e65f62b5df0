"""Programs on a terminal of 120 by 55 cells: what they write, what they cost, how soon they answer a key."""

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pyte

from tests.bench.gauges import memory_mb, tree_cpu_ms

COLUMNS, ROWS = 120, 55
REPOSITORY = Path(__file__).parents[2]
_MARKS = ("❯", "▌")
"""What stands at the row of the cursor."""


class Screen:
    """A program in a pty; a context manager.

    Args:
        command: what to run.
        config: text of emqtop's config file.
    """

    def __init__(self, command: Sequence[str], config: str = "") -> None:
        self.raw = bytearray()
        """Everything that it wrote."""
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._fed = 0
        self._home = tempfile.mkdtemp(prefix="emqtop-bench-")
        folder = Path(self._home, ".config", "emqtop")
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(config, "utf-8")
        self._master, self._slave = pty.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=environment(self._home),
            cwd=REPOSITORY,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self._slave)
        shutil.rmtree(self._home, ignore_errors=True)

    def read(self, seconds: float) -> bool:
        """Take in what comes next, waiting so long for it; False: nothing came."""
        if not select.select([self._master], [], [], max(0.0, seconds))[0]:
            return False
        with suppress(OSError):
            self.raw += os.read(self._master, 1 << 18)
            return True
        return False

    def first(self, mark: bytes, timeout_s: float = 30) -> float:
        """Time from its start until the mark has been written, ms.

        Raises:
            TimeoutError: it did not come; the message is the screen.
        """
        while mark not in self.raw:
            if time.perf_counter() - self.began > timeout_s or self.process.poll() is not None:
                raise TimeoutError(f"{mark!r} did not come:\n{self.text.strip()}")
            self.read(0.1)
        return (time.perf_counter() - self.began) * 1000

    def first_after(self, mark: bytes, then: bytes, timeout_s: float = 30) -> float:
        """Time from its start until a second mark has been written behind the first one, ms."""
        self.first(mark, timeout_s)
        behind = self.raw.index(mark)
        while then not in self.raw[behind:]:
            if time.perf_counter() - self.began > timeout_s or self.process.poll() is not None:
                raise TimeoutError(f"{then!r} did not come:\n{self.text.strip()}")
            self.read(0.1)
        return (time.perf_counter() - self.began) * 1000

    def press(self, key: str) -> None:
        """Type something."""
        os.write(self._master, key.encode())

    def answer_ms(self, key: str, timeout_s: float) -> float:
        """Press a key that moves the cursor; time until it has moved, ms, `timeout_s` where it did not."""
        before, began = self.cursor, time.perf_counter()
        self.press(key)
        while (passed := time.perf_counter() - began) < timeout_s:
            if self.read(timeout_s - passed) and self.cursor not in {before, None}:
                break
        return (time.perf_counter() - began) * 1000

    def leave_ms(self, key: str, timeout_s: float = 5) -> tuple[float, float]:
        """Press the key that ends it; time until the terminal is given back, and until the program is gone, ms."""
        began, from_here = time.perf_counter(), len(self.raw)
        given_back = 0.0
        self.press(key)
        while self.process.poll() is None and time.perf_counter() - began < timeout_s:
            self.read(0.005)
            if not given_back and b"\x1b[?1049l" in self.raw[from_here:]:
                given_back = (time.perf_counter() - began) * 1000
        gone = (time.perf_counter() - began) * 1000
        return given_back or gone, gone

    @property
    def text(self) -> str:
        """The screen, line by line."""
        self._stream.feed(bytes(self.raw[self._fed :]))
        self._fed = len(self.raw)
        return "\n".join(self._screen.display)

    @property
    def cursor(self) -> int | None:
        """The row at which the cursor's mark stands; None: nowhere."""
        lines = self.text.split("\n")
        return next((at for at, line in enumerate(lines) if any(mark in line[:3] for mark in _MARKS)), None)


@dataclass(frozen=True, slots=True)
class Window:
    """What a program wrote and used over some time."""

    bytes_s: float
    """Bytes a second to the terminal."""
    cpu: float
    """Percent of a core."""
    memory: float
    """Resident memory at the end, MB."""


def watch(screens: Sequence[Screen], seconds: float) -> list[Window]:
    """Let several programs run side by side, so that all see the same load."""
    before = [(len(screen.raw), tree_cpu_ms(screen.process.pid)) for screen in screens]
    began = time.perf_counter()
    run(screens, seconds)
    passed = time.perf_counter() - began
    return [
        Window(
            (len(screen.raw) - written) / passed,
            (tree_cpu_ms(screen.process.pid) - used) / passed / 10,
            memory_mb(screen.process.pid),
        )
        for screen, (written, used) in zip(screens, before, strict=True)
    ]


def run(screens: Sequence[Screen], seconds: float) -> None:
    """Take in what they write for so long."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for screen in screens:
            screen.read(0.01)


def environment(home: str) -> dict[str, str]:
    """What a program is started with: a modern terminal, and nothing of the user's."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
    }


def emqtop(url: str) -> list[str]:
    """The dashboard of this tree."""
    return [sys.executable, "-m", "emqtop", url]


def app(name: str) -> list[str]:
    """One of the programs of `tests.bench.apps`."""
    return [sys.executable, "-m", "tests.bench.apps", name]


def htop() -> list[str] | None:
    """htop at one refresh a second; None: not installed."""
    found = shutil.which("htop")
    return None if found is None else [found, "-d", "10"]


def rival(url: str) -> list[str] | None:
    """bulltui, from PATH or from where BULLTUI points (npm package `bulltui-linux-x64`); None: not there."""
    found = os.environ.get("BULLTUI") or shutil.which("bulltui")
    return None if found is None else [found, "--no-splash", "--url", url]
