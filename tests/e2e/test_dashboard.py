"""The main job on a real terminal: open a queue, free what is stuck, and leave the shell as it was."""

import os
import signal
from pathlib import Path

import pytest

from emqtop.wire.echomq import lifecycle
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from tests.conftest import Hand
from tests.e2e.command import dashboard

ORDERS = QueueKeys("emq", "orders")


@pytest.fixture
def jobs(valkey: Hand) -> list[str]:
    """Four jobs of `orders`: the first one's lease ran out, two wait, the last is due in ten minutes."""
    minter = Minter(1)
    ids = [minter.mint() for _ in range(4)]
    for job in ids[:3]:
        valkey.link.run(lifecycle.enqueue(ORDERS, job, b'{"order":1}'))
    valkey.link.run(lifecycle.claim(ORDERS, 1))
    valkey.link.run(lifecycle.schedule_in(ORDERS, ids[3], b"later", 600_000))
    return ids


@pytest.mark.parametrize(("columns", "rows"), [(120, 36), (80, 24)])
def test_reap_dead_letter_promote(valkey: Hand, jobs: list[str], columns: int, rows: int) -> None:
    stuck, waiting, _, later = jobs
    with dashboard(valkey.url, columns=columns, rows=rows) as screen:
        screen.until(lambda text: "orders" in text and "1 overdue" in text)

        screen.press("enter")
        screen.until(lambda text: "orders › active" in text and stuck in text)
        screen.press("r")
        screen.until(lambda text: "Bring 1 job of orders back to pending?" in text and stuck in text)
        screen.press("y")
        screen.until("reap: 1 job back in pending")
        assert valkey("ZRANGE", ORDERS.pending, 0, -1) == [job.encode() for job in jobs[:3]]
        assert valkey("HGET", ORDERS.row(stuck), "attempts") == b"1"

        screen.press("1")
        screen.until(lambda text: "orders › pending" in text and "1-3 of 3" in text)
        screen.press("down", "d")
        screen.until(lambda text: "Give up 1 job of orders?" in text and waiting in text)
        screen.press("y")
        screen.until("dead-letter: 1 job dead")
        assert valkey("ZRANGE", ORDERS.dead, 0, -1) == [waiting.encode()]
        assert valkey("HGET", ORDERS.row(waiting), "state") == b"dead"

        screen.press("3")
        screen.until(lambda text: "orders › schedule" in text and later in text)
        screen.press("p")
        screen.until(lambda text: "Make 1 job of orders ready now?" in text and later in text)
        screen.press("y")
        screen.until("promote: 1 job ready")
        assert valkey("ZCARD", ORDERS.schedule) == 0
        assert valkey("ZSCORE", ORDERS.pending, later) == b"0"

        screen.press("q")
        assert screen.ended() == 0
        assert screen.clean


def test_the_safe_answer_has_the_focus(valkey: Hand, jobs: list[str]) -> None:
    with dashboard(valkey.url) as screen:
        screen.until("1 overdue")
        screen.press("enter")
        screen.until(lambda text: "orders › active" in text and jobs[0] in text)
        screen.press("r")
        screen.until("back to pending?")
        screen.press("enter")
        screen.until(lambda text: "back to pending?" not in text)
        assert valkey("ZCARD", ORDERS.active) == 1


@pytest.mark.parametrize("words", [("redis://127.0.0.1:1",), ("unix:///nowhere/at/all",)])
def test_an_absent_server_is_said_and_q_leaves(words: tuple[str, ...]) -> None:
    with dashboard(*words) as screen:
        screen.until("cannot be reached")
        screen.press("q")
        assert screen.ended() == 0
        assert screen.clean


@pytest.mark.parametrize(
    ("key", "seen"), [("z", "frozen"), ("?", "On the overview"), ("r", "Cancel"), (":", "COMMAND")]
)
def test_into_the_background_and_back(valkey: Hand, jobs: list[str], key: str, seen: str) -> None:
    with dashboard(valkey.url) as screen:
        shown = screen.until(lambda text: "1 overdue" in text and "? help" in text)
        screen.press(key)
        screen.until(seen)
        screen.press("\x1a")
        status = Path(f"/proc/{screen.process.pid}/stat")
        screen.until(lambda _: status.read_text().rpartition(")")[2].split()[0] == "T")
        screen.until(lambda _: screen.clean)
        screen.screen.reset()
        os.kill(screen.process.pid, signal.SIGCONT)
        keys_line = shown.splitlines()[-1]
        screen.until(lambda text: "QUEUE" in text and text.splitlines()[-1] == keys_line)
        screen.press("z" if key == "z" else "escape")
        screen.until(lambda text: seen not in text)
        screen.press("q")
        assert screen.ended() == 0
        assert screen.clean


@pytest.mark.parametrize("shown", ["1 overdue", "q quit"], ids=["first numbers", "dashboard"])
def test_a_lost_line_ends_the_dashboard(valkey: Hand, jobs: list[str], shown: str) -> None:
    with dashboard(valkey.url) as screen:
        screen.until(shown)
        screen.hang_up()
        assert screen.process.wait(20) != 0
