"""Whole screens as plain text, kept in the folder `shown` beside this file, one for each size.

`python -m tests.ui.shown` writes them anew; look at the difference before it is kept.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

from emqtop.model.job import Job
from emqtop.model.queue import Location
from emqtop.model.snapshot import Cost, Snapshot
from emqtop.sampling.memory import START_MS, MemorySource
from emqtop.sampling.source import Event
from emqtop.ui.screens.events import EventsScreen
from tests.ui.scenes import MAILS, ORDERS, ail, job_id, small_server
from tests.ui.stage import Stage, stage
from tests.ui.test_audit import ledger
from tests.ui.test_flow import kin

FOLDER = Path(__file__).parent / "shown"
SIZES = ((120, 36), (80, 24), (60, 15), (20, 5))

Steps = Callable[[Stage], Awaitable[None]]


class Costly(MemorySource):
    """A source whose samples cost always the same."""

    async def sample(self) -> Snapshot:
        """All queues, and what that cost."""
        cost = Cost(commands=12, sent_bytes=300, received_bytes=900, round_trip_ms=0.6)
        return replace(await super().sample(), cost=cost, mode="tracking", limits=("INFO is withheld",))


def source() -> MemorySource:
    """The small server, with a family in it."""
    small = small_server()
    made = Costly(*small.shelves.values(), server=small.server)
    orders = made.shelves[ORDERS]
    orders.families[job_id(400)] = kin(
        ORDERS, job_id(400), waiting_for=3, children=((job_id(300), "failed"), (job_id(77), "done"))
    )
    return made


async def _charts(held: Stage) -> None:
    await held.press("down", "c")
    for second in range(6):
        held.source.now_ms += 1_000
        orders = held.source.shelves[ORDERS]
        orders.completed += 5
        orders.at(Location.PENDING).extend(Job(job_id(1_000 + 10 * second + number)) for number in range(8))
        await held.sample()


async def _events(held: Stage) -> None:
    await held.press("E")
    while not held.source._events:
        await held.pilot.pause(0.001)
    for number, (name, queue) in enumerate((("completed", ORDERS), ("failed", MAILS), ("progress", ORDERS))):
        extra = (("error", "SMTP 550: no such user"),) if name == "failed" else ()
        held.source.announce(Event(START_MS + number * 1_000, queue, name, job_id(number), extra))
    screen = held.screen
    assert isinstance(screen, EventsScreen)
    while screen.tail.taken < 3:
        await held.pilot.pause(0.001)
    screen.look()
    await held.settle()


def _keys(*keys: str) -> Steps:
    async def press(held: Stage) -> None:
        await held.press(*keys)
        await held.sample()

    return press


async def _doctor(held: Stage) -> None:
    ail(held.source)
    await held.press("D")
    for _ in range(3):
        held.source.now_ms += 3_000
        await held.sample()


SCREENS: dict[str, Steps] = {
    "overview": _keys(),
    "active": _keys("down", "enter"),
    "dead": _keys("down", "enter", "4"),
    "lanes": _keys("down", "down", "down", "enter", "7"),
    "job": _keys("down", "enter", "4", "enter"),
    "acts": _keys("down", "a"),
    "commands": _keys("colon"),
    "question": _keys("down", "enter", "4", "asterisk", "R"),
    "value": _keys("down", "down", "down", "enter", "7", "L"),
    "name": _keys("down", "enter", "1", "colon", *"drain", "enter"),
    "help": _keys("question_mark"),
    "doctor": _doctor,
    "charts": _charts,
    "events": _events,
    "errors": _keys("down", "f"),
    "audit": _keys("A"),
    "data": _keys("down", "enter", "4", "enter", "enter"),
    "hex": _keys("down", "enter", "4", "enter", "enter", "tab", "tab"),
    "flow": _keys("down", "enter", "5", "enter", "F"),
    "server": _keys("i"),
    "workers": _keys("down", "enter", "8"),
    "workers-bullmq": _keys("slash", *"emails", "enter", "enter", "7"),
    "schedulers": _keys("down", "enter", "9"),
    "schedulers-bullmq": _keys("slash", *"emails", "enter", "enter", "8"),
    "metrics": _keys("down", "enter", "0"),
    "metrics-bullmq": _keys("slash", *"emails", "enter", "enter", "9"),
    "undo": _keys("A", "G", "u"),
}
"""Each screen and the keys that lead there."""
KEPT = (*product(SCREENS, SIZES), ("overview", (200, 24)), ("active", (200, 24)))
"""Which are kept at which sizes: on a wide terminal there is more to see of some."""


async def shown(name: str, size: tuple[int, int]) -> str:
    """A screen as plain text."""
    async with stage(size, source(), ledger=ledger()) as held:
        await SCREENS[name](held)
        # The time of a sample is told from the third on.
        while held.source.reads.count("sample") < 4:
            await held.pilot.pause(0.001)
        await held.sample()
        return held.text() + "\n"


def path(name: str, size: tuple[int, int]) -> Path:
    """Where a screen is kept."""
    return FOLDER / f"{name}-{size[0]}x{size[1]}.txt"


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    FOLDER.mkdir(exist_ok=True)
    for each, extent in KEPT:
        path(each, extent).write_text(asyncio.run(shown(each, extent)), "utf-8")
