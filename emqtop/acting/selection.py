"""Which jobs an act is meant for."""

from dataclasses import dataclass

from emqtop.model.actions import Seen
from emqtop.model.filters import EVERY, Filter
from emqtop.model.queue import Location


@dataclass(frozen=True, slots=True)
class Selection:
    """Which jobs an act is meant for: those that were marked as seen, those named by id, or all of a location."""

    seen: tuple[Seen, ...] = ()
    """Marked in a view, as they were seen there."""
    ids: tuple[str, ...] = ()
    """Named by id; looked up now."""
    location: Location | None = None
    """All that lie here; None: where the verb takes them from."""
    where: Filter = EVERY
    """Of those only the ones that fit."""
    lane: str | None = None
    """Of those only the ones in this lane (pending)."""
    limit: int | None = None
    """At most so many."""
    scan: int = 1_000_000
    """Look at most at so many, about; a plan that ends there says that it was stopped."""

    @property
    def is_bulk(self) -> bool:
        """Is it a whole location, not named jobs?"""
        return not self.seen and not self.ids

    def __str__(self) -> str:
        if not self.is_bulk:
            return f"{len(self.seen) + len(self.ids)} by id"
        parts = [f"all {self.location or ''}".rstrip()]
        parts += [f"of lane {self.lane}"] * (self.lane is not None)
        parts += [f"where {self.where}"] * (self.where != EVERY)
        parts += [f"at most {self.limit}"] * (self.limit is not None)
        return " ".join(parts)
