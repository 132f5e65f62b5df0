"""The dashboard without a terminal, on a real server."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from textual._context import visible_screen_stack
from textual.pilot import Pilot

from emqtop.acting.audit import Audit
from emqtop.acting.runner import Runner
from emqtop.sampling.live import Live
from emqtop.settings import Secret, Settings
from emqtop.ui.acts import Desk
from emqtop.ui.dashboard import Dashboard
from emqtop.ui.ledger import Book

PATIENCE_S = 20.0
"""How long something may take to be seen."""


@dataclass
class Seat:
    """Whoever sits before it."""

    app: Dashboard
    pilot: Pilot[int]
    audit: Audit

    def text(self) -> str:
        """The whole screen as plain text, the frames of dialogs taken away and every run of blanks as one."""
        visible_screen_stack.set(self.app._background_screens)
        strips = self.app.screen._compositor.render_strips(self.app.size)
        return " ".join(" ".join(strip.text for strip in strips).replace("│", " ").split())

    async def until(self, *words: str) -> None:
        """Wait until all of these are on the screen."""
        end = time.monotonic() + PATIENCE_S
        while missing := [each for each in words if each not in self.text()]:
            assert time.monotonic() < end, f"{missing} not in {self.text()}"
            await asyncio.sleep(0.01)

    async def press(self, *keys: str) -> None:
        """Press keys, and let what each caused begin."""
        for key in keys:
            self.app.simulate_key(key)
            await self.pilot.pause()


@asynccontextmanager
async def seat(url: str, folder: Path, *, can_act: bool = True, timeout_s: float = 5.0) -> AsyncIterator[Seat]:
    """Sit before a server, 100 cells by 30, with an audit file of one's own."""
    settings = Settings(url=Secret(url), timeout_s=timeout_s)
    source = Live(settings)
    audit = Audit("redis://test", folder)
    acts = Desk(source.client, Runner(source.client, audit)) if can_act else None
    ledger = Book(audit, source.client, read_only=not can_act)
    app = Dashboard(source, acts=acts, ledger=ledger, settings=settings, interval_s=0.1)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(source.close)
        pilot = await stack.enter_async_context(app.run_test(size=(100, 30)))
        yield Seat(app, pilot, audit)
