"""An act as its dialog knows it, from the first look to the verdict; pure."""

from dataclasses import dataclass
from enum import StrEnum

from emqtop.acting.plan import Plan
from emqtop.acting.tally import Progress
from emqtop.model.actions import Order, Outcome
from emqtop.ui.aim import Aim
from emqtop.ui.wants import Want, want_of
from emqtop.ui.widgets.line import Part

PATIENCE_MS = 2_000
"""How long an answer may take before that is told."""


class Stage(StrEnum):
    """How far the act is."""

    LOOKING = "looking"
    """It is read how it is now."""
    TYPING = "typing"
    """A value is typed."""
    PLANNING = "planning"
    ASKING = "asking"
    RUNNING = "running"
    OVER = "over"


@dataclass(slots=True)
class ActState:
    """One act."""

    order: Order
    """What is to be done, with the value that was typed."""
    aim: Aim
    """What it is pointed at."""
    server: tuple[Part, ...]
    """On which server."""
    now_ms: int
    """The server's time now, Unix ms."""
    stage: Stage = Stage.PLANNING
    """How far it is."""
    standing: Order | None = None
    """The order with the value that stood before; None: not known, or there is none."""
    complaint: str = ""
    """Why what was typed is no value, or not the name."""
    found: int = 0
    """Jobs that the look-up has found."""
    plan: Plan | None = None
    """What it would touch."""
    progress: Progress | None = None
    """How far the act is."""
    heard_ms: int = 0
    """When the act last went on, or its batch was sent, Unix ms of the server's clock."""
    outcome: Outcome | None = None
    """What became of it."""
    failure: tuple[str, ...] = ()
    """Why it could not be looked up or begun; safe text."""

    @property
    def want(self) -> Want | None:
        """What has to be typed before it can be looked up."""
        return want_of(self.aim.order)

    @property
    def is_named(self) -> bool:
        """Must the queue's name be typed before it may run?"""
        asked = self.plan is not None and self.plan.wants_name and self.stage is Stage.ASKING
        return asked and self.is_movable

    @property
    def field(self) -> str:
        """Which field is typed into now: `value`, `name`, or none."""
        if self.stage is Stage.TYPING:
            return "value"
        return "name" if self.is_named else ""

    @property
    def is_movable(self) -> bool:
        """Is there anything to do? A whole queue may be so already, or have been refused before anything was sent."""
        plan = self.plan
        if plan is None:
            return False
        return bool(plan.jobs) or (plan.is_whole and not plan.skipped and not plan.was_so)

    @property
    def under_way(self) -> int:
        """Jobs that were sent and of which nothing is known."""
        return 0 if self.progress is None else self.progress.under_way or self.progress.unknown

    @property
    def waited_ms(self) -> int | None:
        """How long an answer has been waited for, ms; None: not so long that it need be told."""
        waited_ms = self.now_ms - self.heard_ms
        is_long = waited_ms >= PATIENCE_MS or (self.progress is not None and self.progress.unknown > 0)
        return waited_ms if is_long else None

    def note(self, progress: Progress) -> None:
        """The act is so far."""
        # What is unknown was sent before: that time runs on.
        if not progress.unknown:
            self.heard_ms = self.now_ms
        self.progress = progress
