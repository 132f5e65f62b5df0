"""The dashboard on real servers in bad weather: words, the age of the numbers, keys that answer, and numbers again."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from emqtop.sampling.live import Live
from emqtop.settings import Secret, Settings
from emqtop.ui.dashboard import Dashboard
from emqtop.ui.widgets.line import Line
from tests.servers import states
from tests.servers.process import ServerProcess

JOB = "JOB0NgWEfAEJfs"


def status(app: Dashboard) -> str:
    """What the status line says."""
    return app.screen_stack[0].query_one("#status", Line).text


async def until(holds: Callable[[], bool], seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def watching(server: ServerProcess, timeout_s: float) -> AsyncIterator[Dashboard]:
    """The dashboard as it runs, with its own clock and a tick of a second."""
    source = Live(Settings(url=Secret(server.url), timeout_s=timeout_s))
    app = Dashboard(source)
    async with app.run_test(size=(160, 12)):
        yield app
    await source.close()


async def key_ms(app: Dashboard) -> float:
    """How long a key takes to be carried out: the best of a few, as the machine does other things too."""
    taken = []
    for _ in range(3):
        for opens, depth in (("question_mark", 2), ("escape", 1)):
            begun = time.monotonic()
            app.simulate_key(opens)
            await until(lambda depth=depth: len(app.screen_stack) == depth, 5)
            taken.append(time.monotonic() - begun)
    return 1000 * min(taken)


@pytest.mark.parametrize("state", states.WORDS, ids=lambda state: state.__name__)
async def test_it_is_said_how_old_the_numbers_are_and_why(lone_server: ServerProcess, state: states.State) -> None:
    for name in ("orders", "mails"):
        lone_server("ZADD", f"emq:{{{name}}}:pending", 0, JOB)
    words = states.WORDS[state].format(kind="Valkey", url=lone_server.url)
    async with watching(lone_server, timeout_s=1) as app:
        await until(lambda: len(app.moment.snapshot.queues) == 2, 5)
        entered = state(lone_server)
        await asyncio.to_thread(entered.__enter__)
        try:
            # Two ticks, and one for the numbers that came just before; a frozen server is waited for meanwhile.
            await until(lambda: status(app).startswith(" numbers are ") and words in status(app), 5)
            assert await key_ms(app) <= 100
            assert len(app.moment.snapshot.queues) == 2
        finally:
            await asyncio.to_thread(entered.__exit__, None, None, None)
        await until(lambda: "numbers are" not in status(app) and words not in status(app), 2.5)
