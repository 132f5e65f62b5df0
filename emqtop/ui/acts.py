"""Who plans and runs the acts that a dialog asks for."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from emqtop.acting.hands import Link, hands_of
from emqtop.acting.plan import Plan, Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.acting.tally import Progress
from emqtop.model.actions import Order, Outcome, Seen
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import ReplyError

Found = Callable[[int], None]
"""Told how many jobs a look-up has found."""
Told = Callable[[Progress], None]
"""Told how far an act is."""


TROUBLE = (SourceError, ReplyError, OSError, ValueError)
"""What planning and running raise; all of them say in words what is wrong."""


class Acts(Protocol):
    """What a dialog needs. Each call raises what `TROUBLE` names where the server or the audit file is out of reach."""

    async def standing(self, order: Order, seen: Sequence[Seen]) -> Order | None:
        """The order with the value that stands now in place of its own, by reads alone; None: there is no one value."""

    async def plan(self, order: Order, selection: Selection, *, stop: asyncio.Event, on_progress: Found) -> Plan:
        """Look what the act would touch, by reads alone."""

    async def run(self, plan: Plan, *, stop: asyncio.Event, on_progress: Told) -> Outcome:
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

    async def standing(self, order: Order, seen: Sequence[Seen]) -> Order | None:
        """How it is now, by reads alone."""
        return await self._link.run(hands_of(order.queue.family).standing(order, seen))

    async def plan(self, order: Order, selection: Selection, *, stop: asyncio.Event, on_progress: Found) -> Plan:
        """Look what the act would touch, by reads alone."""
        return await make_plan(self._link, order, selection, stop=stop, on_progress=on_progress)

    async def run(self, plan: Plan, *, stop: asyncio.Event, on_progress: Told) -> Outcome:
        """Do it, in batches, until it is through or told to stop."""
        return await self._runner.carry_out(plan, stop=stop, on_progress=on_progress)
