"""The first numbers, drawn before the dashboard is there, and how it takes the screen over."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pyte
import pytest

from emqtop.cli.console import Exit
from emqtop.cli.first_frame import _Canvas
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.settings import Settings
from emqtop.text import cells
from emqtop.wire.resp import text
from tests.cli.conftest import Stock, command
from tests.conftest import Hand
from tests.corpus import HOSTILE
from tests.e2e.terminal import Terminal
from tests.servers.process import ServerProcess
from tests.ui.stage import stage

TEXTUAL = b"\x1b[?2026$p"
"""What Textual alone writes, as it begins."""
SHOW = b"\x1b[?1049h"
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def terminal(*argv: str, width: int = 120, height: int = 30, **environ: str) -> Terminal:
    return Terminal(command(*argv), width, height, os.environ | {"TERM": "xterm-256color"} | environ)


def instead(of: str, code: str, *argv: str) -> Terminal:
    """The command with a function of `emqtop.cli.dashboard` replaced."""
    program = f"import sys, time; from emqtop.cli import dashboard; dashboard.{of} = {code}\n"
    program += "from emqtop.cli.main import main; sys.exit(main())"
    return Terminal([sys.executable, "-c", program, *argv], 120, 30, os.environ | {"TERM": "xterm-256color"})


def states(raw: bytes, step: int = 512) -> list[list[str]]:
    """The lines of the screen after each part of what was written, however late it was read."""
    screen = pyte.Screen(120, 30)
    stream, seen = pyte.ByteStream(screen), []
    for at in range(0, len(raw), step):
        stream.feed(raw[at : at + step])
        seen.append([line.rstrip() for line in screen.display])
    return seen


def first_frame(seen: Terminal) -> list[str]:
    """The lines of the screen when Textual began; it has begun."""
    seen.until(lambda _: TEXTUAL in seen.raw)
    return states(bytes(seen.raw[: seen.raw.index(TEXTUAL)]))[-1]


def test_the_numbers_come_first_and_stay(valkey: Hand, stock: Stock) -> None:
    # A size of another time, as some shells export it.
    with terminal(valkey.url, COLUMNS="70", LINES="20") as seen:
        before = first_frame(seen)
        assert before[2].split()[:4] == ["❯", "!", "orders", "2"]
        assert "worst first" in before[-2]
        began = len(seen.raw)
        seen.until("quit")
        later = states(bytes(seen.raw))[(began - 1) // 512 :]
        assert later
        assert all("orders" in state[2] and "S QUEUE" in state[1] for state in later)
        # The lease of the running jobs and the ages run on.
        after = later[-1]
        assert (after[1], after[3:-2]) == (before[1], before[3:-2])
        assert after[2].split()[:6] == before[2].split()[:6]
        seen.press("q")
        assert seen.ended() == Exit.DONE
        assert (seen.clean, seen.raw.count(SHOW)) == (True, 1)


def test_keys_typed_meanwhile_are_kept(valkey: Hand, stock: Stock) -> None:
    Stock(valkey, "zebra")
    with terminal(valkey.url) as seen:
        seen.until("zebra")
        # Where this process is slow, Textual may have begun by now; the keys come to the same.
        seen.press("down", "enter")
        seen.until(lambda text: text.splitlines()[0].lstrip().startswith("emqtop › zebra"))
        assert "^M" not in seen.text
        seen.press("q")
        assert seen.ended() == Exit.DONE
        assert seen.clean


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, Exit.FINDINGS), (signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGHUP, 128 + signal.SIGHUP)],
)
def test_an_end_in_between_leaves_the_terminal_as_it_was(
    valkey: Hand, stock: Stock, number: signal.Signals, code: int
) -> None:
    with instead("_show_live", "lambda *_: time.sleep(60)", valkey.url) as seen:
        seen.until("worst first")
        os.kill(seen.process.pid, number)
        assert seen.ended() == code
        assert seen.clean


def test_a_crash_in_between_is_one_line(valkey: Hand, stock: Stock) -> None:
    with instead("_show_live", "lambda *_: 1 / 0", valkey.url) as seen:
        assert seen.ended() == Exit.FINDINGS
        assert seen.clean
        assert seen.raw.endswith(b"emqtop: ZeroDivisionError: division by zero\r\n")


def test_a_wrong_theme_is_told_on_the_screen_one_came_from(valkey: Hand) -> None:
    with terminal("--theme", "nope", valkey.url) as seen:
        assert seen.ended() == Exit.USAGE
        assert seen.clean
        said = seen.raw.rpartition(b"\x1b[?1049l")[2].decode()
        assert re.fullmatch(r"emqtop: no theme 'nope'; there are .*dark.*light.*sixteen.*\r\n", said)


def test_a_keymap_that_names_nothing_is_told(valkey: Hand, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[keymap]\nreep = "f5"\n')
    with terminal("--config", str(config), valkey.url) as seen:
        assert seen.ended() == Exit.USAGE
        assert b"emqtop: keymap: no command 'reep'; there are " in seen.raw


def test_without_a_server_the_dashboard_says_so_and_waits() -> None:
    with terminal("redis://127.0.0.1:1") as seen:
        assert "cannot be reached" in "".join(first_frame(seen))
        seen.until("quit")
        seen.until("cannot be reached", 60)
        seen.press("q")
        assert seen.ended() == Exit.DONE
        assert seen.clean


def test_a_frozen_server_holds_nothing_up(lone_server: ServerProcess) -> None:
    lone_server.freeze()
    with terminal(lone_server.url) as seen:
        seen.until("waiting for the server")
        seen.until("quit")
        seen.press("q")
        assert seen.ended() == Exit.DONE
        assert seen.clean


def test_it_can_be_switched_off(valkey: Hand, stock: Stock, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("first_frame = false\n")
    with terminal("--config", str(config), valkey.url) as seen:
        seen.until("orders")
        assert TEXTUAL in seen.raw
        seen.press("q")
        assert seen.ended() == Exit.DONE
        assert (seen.clean, seen.raw.count(SHOW)) == (True, 1)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 12), (60, 11), (20, 5)])
async def test_groups_stand_where_the_dashboard_draws_them(size: tuple[int, int]) -> None:
    async with stage(size) as held:
        lines = list(_Canvas(Settings()).lines(held.app.moment.snapshot, "", *size))
        drawn = [_STYLE.sub("", line).rstrip(" ▐") for line in lines[1:-2]]
        trend = "TREND" in drawn[0]
        told = [line.rstrip(" ▐") for line in held.text().splitlines()[1:-2]]
        # Only the dashboard has a past to draw, and rates.
        assert [line[:24] for line in drawn] == [line[:24] for line in told]
        assert trend or drawn[:4] == told[:4]


def test_without_lines_and_blocks_and_without_queues() -> None:
    queue, other = (Queue(QueueId(Family.ECHOMQ, prefix, "日本"), pending=1) for prefix in ("emq", "bull"))
    for snapshot in (Snapshot(at_ms=5_000, queues=(queue, other)), Snapshot(at_ms=5_000)):
        lines = [_STYLE.sub("", line) for line in _Canvas(Settings(ascii=True)).lines(snapshot, "", 80, 14)]
        assert "".join(lines).replace("日本", "").isascii()
    assert lines[3].strip() == "no queues found yet"


@pytest.mark.parametrize("size", [(200, 60), (80, 24), (60, 15), (20, 5), (6, 2)])
@pytest.mark.parametrize("environ", [{"COLORTERM": "truecolor"}, {"NO_COLOR": "1"}, {"TERM": "linux"}])
def test_every_line_is_as_wide_as_the_screen(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], environ: dict[str, str]
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    queues = tuple(
        Queue(QueueId(Family.ECHOMQ, "emq", text(value)), pending=3, error=text(value)) for value in HOSTILE.values()
    )
    width, height = size
    for snapshot in (Snapshot(), Snapshot(at_ms=5_000, queues=queues)):
        lines = list(_Canvas(Settings()).lines(snapshot, "", width, height))
        assert len(lines) == max(4, height)
        shown = [_STYLE.sub("", line) for line in lines]
        assert {cells(line) for line in shown} == {width}
        assert not any("\x1b" in line for line in shown)


def test_nothing_that_the_first_frame_can_do_without_is_imported_for_it() -> None:
    heavy = "redis argparse markdown_it watchfiles bullmq emqtop.acting.runner emqtop.sampling.live"
    code = "import sys, emqtop.cli.main, emqtop.cli.dashboard, emqtop.cli.first_frame\n"
    code += "early = {'textual', 'rich', 'asyncio', 'json'} & set(sys.modules)\n"
    code += "import emqtop.cli.lazy_server, emqtop.ui.app\n"
    code += f"print(*sorted(early), '-', *sorted(set({heavy!r}.split()) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["-"]
