"""What the commands write: documents and lines on stdout, complaints on stderr, and the exit code."""

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import Any, NoReturn

from emqtop.text import safe

_LOGIN = re.compile(r"://([^\s:@/]*):\S*@")
_OPTION = re.compile(r"(password=)[^&\s]*")


class Exit(IntEnum):
    """The exit codes that scripts depend on."""

    DONE = 0
    """All of it."""
    FINDINGS = 1
    """Something was refused, skipped, stopped, absent, or findings exist."""
    USAGE = 2
    """Asked in a way that cannot be done: bad id, unknown or ambiguous queue, `--yes` missing."""
    UNREACHABLE = 3
    """No server, login refused, or frozen before an act was sent."""
    UNKNOWN = 4
    """An act was sent and its outcome is not known."""


class UsageError(Exception):
    """The command line cannot be done as written; the message says why."""


class Unwritable(Exception):
    """What was to be said could not be written; the message says why."""


def prepare() -> None:
    """Let no terminal encoding end a command, nor a stream that is closed.

    What the encoding cannot show is written as an escape; what goes to a closed stream is lost, as whoever closed it
    wants it, and no file or connection gets its number.
    """
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def end_on_signals() -> None:
    """End in order when told to end: the terminal, a server and processes of ours are left as they should be."""
    for which in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, _end)


def _end(which: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + which)


def line(text: str) -> None:
    """One line of safe text on stdout, at once.

    Raises:
        BrokenPipeError: nobody reads any more.
        Unwritable: it has no room.
    """
    with _room():
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def foreign(value: bytes) -> None:
    """Bytes on stdout as they are; raises as `line` does."""
    with _room():
        sys.stdout.flush()
        sys.stdout.buffer.write(value)
        sys.stdout.buffer.flush()


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Unwritable(f"stdout: {error.strerror}") from None


def lines(texts: list[str]) -> None:
    """Lines of safe text on stdout in one write."""
    line("\n".join(texts))


def document(value: dict[str, Any]) -> None:
    """One JSON document on a line of stdout, at once."""
    from emqtop.present.jsonout import dumps  # 20 ms, which tables and the dashboard do without

    line(dumps(value))


def masked(message: object) -> str:
    """A line of safe text, no password of a URL in it, whoever put it there."""
    return _OPTION.sub(r"\1***", _LOGIN.sub(r"://\1:***@", safe(str(message), newline=" ")))


def complain(message: object) -> None:
    """One line on stderr, `masked`."""
    try:
        sys.stderr.write(f"emqtop: {masked(message)}\n")
        sys.stderr.flush()
    except OSError:
        return


def drop_stdout() -> None:
    """Nobody reads any more: let nothing complain about it at exit."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, sys.stdout.fileno())
    os.close(silent)
