"""The dashboard on a real terminal: what it leaves behind, what it sends, and that it never hangs."""

import os
import signal
import sys
import time

import pytest

from tests.e2e.terminal import Terminal


def play(scene: str, columns: int = 100, rows: int = 24, **environ: str) -> Terminal:
    """The dashboard over a scene."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}
    environment = {**kept, "TERM": "xterm-256color", "PYTHONDONTWRITEBYTECODE": "1", **environ}
    return Terminal([sys.executable, "-m", "tests.ui.play", scene], columns, rows, environment)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGHUP, 128 + signal.SIGHUP)]
)
def test_a_signal_leaves_the_terminal_as_it_was(number: signal.Signals, status: int) -> None:
    with play("server") as shown:
        shown.until("orders")
        os.kill(shown.process.pid, number)
        assert shown.ended() == status
        assert shown.clean


@pytest.mark.parametrize("keys", [("q",), ("ctrl+c",), ("down", "enter", "r", "q"), ("?", "q")])
def test_quitting_from_anywhere(keys: tuple[str, ...]) -> None:
    with play("server") as shown:
        shown.until("orders")
        for key in keys:
            shown.press(key)
            shown.read(0.3)
        assert shown.ended() == 0
        assert shown.clean


def test_a_crash_is_one_short_report_without_values() -> None:
    with play("burst") as shown:
        assert shown.ended() == 1
        assert shown.clean
        said = bytes(shown.raw[shown.raw.rindex(b"\x1b[?1049l") :]).decode()
        assert "emqtop ended by an error it did not expect: RuntimeError: ('\\x1b[2Jburst', 14)" in said
        assert "play.py" in said
        assert "hunter2" not in said
        assert said.count("\n") < 12


def test_a_server_that_hangs_is_no_reason_to_stay() -> None:
    with play("hang") as shown:
        shown.until("orders")
        shown.until("old")
        began = time.monotonic()
        shown.press("q")
        assert shown.ended() == 0
        assert time.monotonic() - began < 5


def test_a_quiet_screen_sends_nothing() -> None:
    with play("quiet") as shown:
        shown.until("idle")
        while shown.read(1.5):
            pass
        assert shown.read(3.2) == 0


def test_a_changed_cell_sends_little_more_than_itself() -> None:
    with play("count") as shown:
        shown.until("6 queues")
        shown.read(3)
        sent = bytearray()
        for _ in range(3):
            before = len(shown.raw)
            end = time.monotonic() + 20
            while not shown.read(1.5):
                assert time.monotonic() < end
            sent += shown.raw[before:]
        assert 0 < len(sent) < 3 * 600
        assert b"tenants" not in sent


def test_stopped_and_continued() -> None:
    with play("server") as shown:
        shown.until("orders")
        os.kill(shown.process.pid, signal.SIGTSTP)
        shown.read(0.5)
        assert shown.raw.rindex(b"\x1b[?1049l") > shown.raw.rindex(b"\x1b[?1049h")
        os.kill(shown.process.pid, signal.SIGCONT)
        shown.until(lambda _: shown.raw.rindex(b"\x1b[?1049h") > shown.raw.rindex(b"\x1b[?1049l"))
        shown.press("down", "enter")
        shown.until("JOB00000000100")
        shown.press("q")
        assert shown.ended() == 0
        assert shown.clean


@pytest.mark.parametrize("size", [(20, 5), (6, 3), (40, 8), (80, 24)])
def test_made_small_and_large_again(size: tuple[int, int]) -> None:
    with play("server") as shown:
        shown.until("orders")
        shown.resize(*size)
        shown.read(0.5)
        shown.press("down", "enter")
        shown.read(0.5)
        shown.resize(100, 24)
        shown.until("JOB00000000104")
        shown.press("q")
        assert shown.ended() == 0
