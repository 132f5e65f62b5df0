"""A real terminal for tests: a program in a pty, its screen kept by pyte, its raw bytes kept too."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Self

import pyte

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "space": " ",
    "ctrl+c": "\x03",
}


class Terminal:
    """A program on a terminal of its own.

    Args:
        command: what to run.
        columns, rows: size in cells.
        environ: the whole environment of the program.
    """

    def __init__(self, command: Sequence[str], columns: int, rows: int, environ: Mapping[str, str]) -> None:
        self.raw = bytearray()
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._master, slave = pty.openpty()
        self.modes_before = termios.tcgetattr(slave)
        self._slave = slave
        self._ends: tuple[int, ...] = (self._master, slave)
        self.resize(columns, rows)
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=dict(environ), start_new_session=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self.hang_up()

    def hang_up(self) -> None:
        """Take the terminal away, as a lost line does; harmless when done twice."""
        ends, self._ends = self._ends, ()
        for end in ends:
            os.close(end)

    def resize(self, columns: int, rows: int) -> None:
        """Change the terminal's size, as a window manager does."""
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)
        if hasattr(self, "process"):
            os.kill(self.process.pid, signal.SIGWINCH)

    def press(self, *keys: str) -> None:
        """Type keys by name, or text as it stands."""
        for key in keys:
            os.write(self._master, KEYS.get(key, key).encode())

    def read(self, seconds: float) -> int:
        """Take in what the program writes for so long; how many bytes it was."""
        before, end = len(self.raw), time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self._master], [], [], left)[0]:
                break
            try:
                chunk = os.read(self._master, 65536)
            except OSError:
                break
            self.raw += chunk
            self._stream.feed(chunk)
        return len(self.raw) - before

    @property
    def text(self) -> str:
        """The screen, line by line, blanks at the right cut off."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, wanted: str | Callable[[str], bool], timeout_s: float = 20) -> str:
        """Read until the screen holds a text, or satisfies a test.

        Raises:
            AssertionError: it did not in time; the message is the screen.
        """
        holds = wanted if callable(wanted) else lambda text: wanted in text
        end = time.monotonic() + timeout_s
        while not holds(self.text):
            assert time.monotonic() < end, f"{wanted!r} did not come; the screen is\n{self.text}"
            self.read(0.1)
        return self.text

    def ended(self, timeout_s: float = 10) -> int:
        """Wait for the program's end, reading on; its exit status."""
        end = time.monotonic() + timeout_s
        while self.process.poll() is None:
            assert time.monotonic() < end, f"still running; the screen is\n{self.text}"
            self.read(0.05)
        self.read(0.1)
        return self.process.returncode

    @property
    def clean(self) -> bool:
        """Is the terminal as it was: main screen, cursor shown, mouse reports off, line mode and echo back?"""
        undone = all(
            self.raw.rfind(off) >= self.raw.rfind(on)
            for on, off in (
                (b"\x1b[?1049h", b"\x1b[?1049l"),
                (b"\x1b[?25l", b"\x1b[?25h"),
                (b"\x1b[?1000h", b"\x1b[?1000l"),
                (b"\x1b[?1003h", b"\x1b[?1003l"),
                (b"\x1b[?2004h", b"\x1b[?2004l"),
            )
        )
        return undone and termios.tcgetattr(self._slave) == self.modes_before
