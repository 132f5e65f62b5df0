"""What the dialog needs of whoever plans and runs an act."""

from collections.abc import Callable
from typing import Protocol

from emqtop.model.actions import Order, Outcome, Seen, Skip


class Plan(Protocol):
    """What an act would touch."""

    @property
    def order(self) -> Order:
        """The act."""

    @property
    def matched(self) -> int:
        """Jobs it covers."""

    @property
    def skips(self) -> tuple[Skip, ...]:
        """Those of them that will be left alone."""

    @property
    def sample(self) -> tuple[Seen, ...]:
        """The oldest and the newest of them."""


class Acts(Protocol):
    """Plans and runs acts. Both raise `SourceError` where the server cannot be asked."""

    async def plan(self, order: Order, seen: tuple[Seen, ...]) -> Plan:
        """Look what the act would touch; empty `seen`: all that it fits."""

    async def run(self, plan: Plan, progress: Callable[[int], None], stop: Callable[[], bool]) -> Outcome:
        """Do it, in batches; `stop` is asked between them."""
