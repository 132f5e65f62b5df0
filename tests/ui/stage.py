"""The dashboard on a stage: a clock that stands still, a source in memory, and the screen as text."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from textual._context import visible_screen_stack
from textual.pilot import Pilot
from textual.strip import Strip

from emqtop.sampling.memory import MemorySource
from emqtop.settings import Settings
from emqtop.ui.dashboard import NO_WISHES, Dashboard
from emqtop.ui.ledger import Ledger
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.widgets.line import Line
from tests.ui.hand import MemoryActs
from tests.ui.scenes import small_server

CALM, TURNS = 5, 20
"""Looks in a row, one ms apart, that find nothing to do, and turns of the event loop before each of them.

On a loaded machine a ms is over before the loop has turned once: what needs several turns would be called calm.
"""


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@dataclass
class Stage:
    """Everything a test holds in hand."""

    app: Dashboard
    pilot: Pilot[int]
    source: MemorySource
    acts: MemoryActs | None
    clock: Clock

    async def press(self, *keys: str) -> None:
        """Press keys and let everything they caused happen."""
        for key in keys:
            self.app.simulate_key(key)
            await self.settle()

    async def settle(self) -> None:
        """Wait until no message is on its way and no view waits to be read."""
        calm = 0
        while calm < CALM and self.app.is_running:
            for _ in range(TURNS):
                await asyncio.sleep(0)
            await asyncio.sleep(0.001)
            calm = 0 if self._busy() else calm + 1

    def _busy(self) -> bool:
        pumps = [self.app, *self.app.screen_stack, *self.app.screen.walk_children()]
        waiting = self.app._feed._poked.is_set() and not self.source.frozen
        front = self.app.screen
        undrawn = front._layout_required or front._repaint_required or bool(front._dirty_widgets or front._callbacks)
        return waiting or undrawn or any(pump._next_callbacks or not pump._message_queue.empty() for pump in pumps)

    async def sample(self) -> None:
        """Wait until numbers that were read from now on are on the screen."""
        asked = self.source.reads.count("sample")
        while self.source.reads.count("sample") < asked + 2:
            await asyncio.sleep(0.01)
        await self.settle()

    async def pass_time(self, seconds: float) -> None:
        """Let the viewer's clock go on and the screen notice."""
        self.clock.now_s += seconds
        self.app.advance()
        await self.settle()

    @property
    def screen(self) -> LiveScreen:
        """The live screen in front."""
        return next(screen for screen in reversed(self.app.screen_stack) if isinstance(screen, LiveScreen))

    @property
    def status(self) -> str:
        """What the status line says."""
        return self.screen.query_one("#status", Line).text

    def text(self) -> str:
        """The whole screen as plain text, without blanks at the ends of lines."""
        return "\n".join(strip.text.rstrip() for strip in self.strips())

    def strips(self) -> list[Strip]:
        """The lines of the screen, dialogs on top."""
        visible_screen_stack.set(self.app._background_screens)
        return list(self.app.screen._compositor.render_strips(self.app.size))


@asynccontextmanager
async def stage(
    size: tuple[int, int] = (120, 36),
    source: MemorySource | None = None,
    *,
    can_act: bool = True,
    ledger: Ledger | None = None,
    theme: str = "dark",
    settings: Settings = NO_WISHES,
    again: Callable[[], Settings] | None = None,
    interval_s: float = 0.05,
) -> AsyncIterator[Stage]:
    """Run the dashboard without a terminal; it samples all the time, and its clock stands still."""
    shown = source or small_server()
    acts = MemoryActs(shown) if can_act else None
    clock = Clock()
    app = Dashboard(
        shown, acts=acts, ledger=ledger, theme=theme, settings=settings, again=again, clock=clock, interval_s=interval_s
    )
    async with app.run_test(size=size) as pilot:
        held = Stage(app, pilot, shown, acts, clock)
        await held.settle()
        yield held
