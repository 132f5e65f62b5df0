"""Who plans and runs the acts that a dialog asks for."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from emqtop.acting.hands import Link
from emqtop.acting.plan import Plan, Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.model.actions import Order, Outcome
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import ReplyError

Progress = Callable[[int], None]
"""Told how many jobs are through."""


TROUBLE = (SourceError, ReplyError, OSError, ValueError)
"""What planning and running raise; all of them say in words what is wrong."""


class Acts(Protocol):
    """What a dialog needs. Both calls raise what `TROUBLE` names where the server or the audit file is out of reach."""

    async def plan(self, order: Order, selection: Selection, *, stop: asyncio.Event, on_progress: Progress) -> Plan:
        """Look what the act would touch, by reads alone."""

    async def run(self, plan: Plan, *, stop: asyncio.Event, on_progress: Progress) -> Outcome:
        """Do it, in batches, until it is through or told to stop."""


class Desk:
    """Acts on a real server.

    Args:
        link: holds conversations with it.
        runner: carries plans out over the same link, and writes down what was done.
    """

    def __init__(self, link: Link, runner: Runner) -> None:
        self._link = link
        self._runner = runner

    async def plan(self, order: Order, selection: Selection, *, stop: asyncio.Event, on_progress: Progress) -> Plan:
        """Look what the act would touch, by reads alone."""
        return await make_plan(self._link, order, selection, stop=stop, on_progress=on_progress)

    async def run(self, plan: Plan, *, stop: asyncio.Event, on_progress: Progress) -> Outcome:
        """Do it, in batches, until it is through or told to stop."""
        return await self._runner.carry_out(plan, stop=stop, on_progress=lambda done: on_progress(done.done))
