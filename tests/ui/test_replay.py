"""A recording in the dashboard: wound by keys, its time in the top line."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.keys import _character_to_key

from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.recording import Recorder, Recording
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.replay import Replay
from emqtop.settings import Settings
from emqtop.ui.dashboard import Dashboard
from emqtop.ui.playback import SPEEDS, Playback
from tests.ui.stage import Stage, stage

BEGIN_MS = 1_790_000_000_000
ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")


class Still:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def recording(seconds: int = 301) -> Recording:
    """A moment a second, in which as many jobs wait."""
    recorder = Recorder(header=True)
    lines = []
    for second in range(seconds):
        queue = Queue(ORDERS, pending=second)
        lines += recorder.lines(Snapshot(at_ms=BEGIN_MS + 1_000 * second, queues=(queue,)))
    return Recording(lines)


@asynccontextmanager
async def played(clock: Still) -> AsyncIterator[Dashboard]:
    """The dashboard over the recording; its time stands still unless the clock is moved."""
    app = Dashboard(Replay(recording(), clock_s=clock), settings=Settings(utc=True), interval_s=0.01)
    async with app.run_test(size=(100, 20)):
        yield app


async def showing(app: Dashboard, words: str) -> None:
    """Wait until the screen says that."""
    async with asyncio.timeout(8):
        while words not in "\n".join(strip.text for strip in app.screen._compositor.render_strips(app.size)):
            await asyncio.sleep(0.005)


@pytest.mark.parametrize(
    ("keys", "second"),
    [
        ("}", 60),
        ("}}.", 130),
        ("}.,", 60),
        ("}{", 0),
        ("{", 0),
        ("$", 300),
        ("$,", 290),
    ],
)
async def test_winding(keys: str, second: int) -> None:
    async with played(Still()) as app:
        await showing(app, "0 pending")
        for key in keys:
            app.simulate_key(_character_to_key(key))
        await showing(app, f" {second} pending")
        await showing(app, f"recorded 2026-09-21 14:{13 + (20 + second) // 60:02d}:{(20 + second) % 60:02d}")


async def test_standing_still_going_on_and_how_fast() -> None:
    clock = Still()
    async with played(clock) as app:
        await showing(app, "×1 0 %")
        for key, words in ((" ", "paused"), (" ", "×1"), ("+", "×2"), ("+", "×5"), ("-", "×2")):
            app.simulate_key(_character_to_key(key))
            await showing(app, f"14:13:20 {words}")
        clock.now_s += 5
        app.advance()
        await showing(app, "14:13:30 ×2 3 %")
        app.simulate_key("dollar_sign")
        await showing(app, "end 100 %")
        await showing(app, "Space pause")


class Tape:
    """A player without a recording."""

    at_ms, begin_ms, end_ms, speed = 0, 0, 10_000, 1.0

    def play(self, speed: float) -> None:
        """Go on at another speed."""
        self.speed = speed

    def seek(self, at_ms: int) -> None:
        """Go there."""
        self.at_ms = at_ms


def test_the_speeds_end_somewhere() -> None:
    tape = Tape()
    playback = Playback(tape)
    for _ in range(20):
        playback.faster()
    assert tape.speed == SPEEDS[-1]
    for _ in range(20):
        playback.slower()
    assert tape.speed == SPEEDS[0]
    playback.pause()
    assert tape.speed == 0
    playback.pause()
    assert tape.speed == SPEEDS[0]


async def test_a_server_is_not_wound() -> None:
    held: Stage
    async with stage() as held:
        await held.press("dollar_sign")
        assert "does nothing here" in held.status
        assert "recorded" not in held.text()
