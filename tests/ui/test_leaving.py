"""Leaving does not cut an act off: it ends after the batch that runs, and what it did is told."""

import asyncio
import os
import signal

import pytest

from emqtop.model.actions import Verb
from emqtop.model.queue import Location
from emqtop.ui import acting
from tests.ui.scenes import ORDERS
from tests.ui.stage import Stage, stage
from tests.ui.test_audit import ledger


async def running(held: Stage) -> asyncio.Event:
    """An act on three dead jobs that waits before the first of them until the event is set."""
    assert held.acts is not None
    held.acts.gate = asyncio.Event()
    await held.press("down", "R", "y")
    assert "0 of 3" in held.text()
    return held.acts.gate


@pytest.mark.parametrize(("key", "status"), [("q", 0), ("ctrl+c", 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
async def test_an_act_ends_with_its_batch_before_emqtop_does(key: str | signal.Signals, status: int) -> None:
    async with stage() as held:
        gate = await running(held)
        if isinstance(key, str):
            await held.press(key)
        else:
            os.kill(os.getpid(), key)
            while not held.app.screen.stop.is_set():  # type: ignore[attr-defined]
                await asyncio.sleep(0.001)
        await held.settle()
        assert held.app.is_running
        assert "Stopping" in held.text()
        gate.set()
        while held.app.is_running:
            await asyncio.sleep(0.001)
    assert held.app.return_code == status
    assert held.app.last_words == ["requeue: stopped"]
    assert len(held.source.shelves[ORDERS].at(Location.DEAD)) == 3


async def test_who_asks_twice_leaves_at_once() -> None:
    async with stage() as held:
        await running(held)
        await held.press("q", "q")
        while held.app.is_running:
            await asyncio.sleep(0.001)
    assert held.app.return_code == 0


async def test_a_server_that_hangs_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "LEAVING_S", 0.05)
    async with stage() as held:
        await running(held)
        await held.press("q")
        while held.app.is_running:
            await asyncio.sleep(0.001)
    assert held.app.last_words == ["an act was still waiting for the server; emqtop audit tells what became of it"]


async def test_an_act_that_is_through_holds_nothing_up() -> None:
    async with stage() as held:
        await held.press("down", "R", "y")
        assert held.acts is not None
        assert [plan.order.verb for plan in held.acts.ran] == [Verb.REQUEUE]
        await held.press("q")
        assert not held.app.is_running
    assert held.app.last_words == []


async def test_taking_back_is_not_cut_off_either() -> None:
    book = ledger()
    book.is_long = True
    async with stage((100, 24), ledger=book) as held:
        await held.press("A", "G", "u", "y")
        assert "taking it back: 25 of 9 425 jobs" in held.status
        held.app.simulate_key("q")
        while held.app.is_running:
            await asyncio.sleep(0.001)
    (words,) = held.app.last_words
    assert words.startswith("undo: 50 jobs")
    assert words.endswith("stopped")
