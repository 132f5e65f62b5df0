"""The outcome of an act while it grows."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from emqtop.acting.words import skip
from emqtop.model.actions import Order, Outcome, Skip
from emqtop.wire.verdicts import DEFERRED, DONE, UNKNOWN, Verdict


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an act has come."""

    done: int
    """Jobs whose verdict is there."""
    total: int
    """Jobs that it covers."""
    moved: int
    """Jobs that moved."""
    skipped: int
    """Jobs left alone."""
    unknown: int
    """Jobs whose outcome is not known yet: no answer came, and they are being read."""
    under_way: int
    """Jobs that were sent and are not answered yet."""
    left_s: float | None
    """Seconds left at the pace so far; None: not known yet."""


@dataclass(slots=True)
class Tally:
    """Counts verdicts as they come in."""

    order: Order
    """What is being done."""
    total: int = 0
    """Jobs covered; 0 for a queue as a whole until it is done."""
    moved: int = 0
    """Jobs that moved."""
    moved_ids: list[str] = field(default_factory=list)
    """Their ids in the order of the act; empty for an act on a queue as a whole."""
    deferred: list[str] = field(default_factory=list)
    """Ids that move when a worker next claims them."""
    skipped: list[Skip] = field(default_factory=list)
    """Jobs left alone."""
    unknown: dict[str, None] = field(default_factory=dict)
    """Ids whose outcome is not known."""
    stopped: bool = False
    """Was it ended before it was through?"""
    lost: str = ""
    """How the server was lost meanwhile, in words; empty: it was not."""
    reread: bool = False
    """Were the unknown ones read again, and lay as they did?"""

    def take(self, verdicts: list[Verdict]) -> list[str]:
        """Count them; returns the ids that moved."""
        done = [verdict.id for verdict in verdicts if verdict.done]
        self.moved += len(done)
        self.moved_ids += done
        self.deferred += [verdict.id for verdict in verdicts if verdict.reason == DEFERRED]
        self.unknown |= dict.fromkeys(verdict.id for verdict in verdicts if verdict.reason == UNKNOWN)
        self.skipped += [skip(verdict) for verdict in verdicts if verdict.reason not in {DONE, DEFERRED, UNKNOWN}]
        return done

    def take_back(self, left: Sequence[Skip]) -> None:
        """Count as left alone what was counted as moved."""
        names = {each.id for each in left}
        self.moved -= len(names)
        self.moved_ids = [name for name in self.moved_ids if name not in names]
        self.skipped += left

    @property
    def done(self) -> int:
        """Jobs whose verdict is there."""
        return self.moved + len(self.deferred) + len(self.skipped)

    def progress(self, elapsed_s: float, under_way: int = 0) -> Progress:
        """How far it has come after so many seconds, with so many jobs sent and not answered."""
        left = self.total - self.done
        pace = self.done / elapsed_s if self.done and elapsed_s > 0 else None
        left_s = None if pace is None else left / pace
        return Progress(self.done, self.total, self.moved, len(self.skipped), len(self.unknown), under_way, left_s)

    def outcome(self) -> Outcome:
        """What came of it so far."""
        return Outcome(
            verb=self.order.verb,
            queue=self.order.queue,
            lane=self.order.lane,
            matched=self.total,
            moved=self.moved,
            deferred=tuple(self.deferred),
            skipped=tuple(self.skipped),
            unknown=tuple(self.unknown),
            stopped=self.stopped,
            lost=self.lost if self.stopped or self.unknown else "",
            reread=self.reread and bool(self.unknown),
        )
