"""Findings over time: since when each has been seen, and for a while that it is over."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from emqtop.model.findings import Finding, worst_first
from emqtop.model.queue import QueueId

FADE_MS = 10_000
"""How long a finding that is over is still told, ms: what comes and goes within that keeps its place."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A finding and the time it has been seen."""

    finding: Finding
    """As it was last found."""
    seen_ms: int
    """Since when it has been found, Unix ms of the server's clock."""
    told_ms: int
    """When it was last found, likewise."""
    over_ms: int | None = None
    """Since when it is no longer found, likewise; None: it still is."""

    @property
    def is_over(self) -> bool:
        """Is it no longer found?"""
        return self.over_ms is not None


class Watch:
    """Remembers what was found from look to look."""

    def __init__(self) -> None:
        self._known: dict[tuple[QueueId | None, str, str | None], Standing] = {}
        self._at_ms = 0

    def see(self, found: Iterable[Finding], at_ms: int) -> list[Standing]:
        """What stands now, the worst first.

        Args:
            found: all that was found.
            at_ms: when, Unix ms of the server's clock; where it went back, nothing is remembered.
        """
        before = self._known if at_ms >= self._at_ms else {}
        self._at_ms = at_ms
        now = {finding.key: finding for finding in found}
        self._known = {key: _found(before.get(key), finding, at_ms) for key, finding in now.items()}
        fading = {key: _over(standing, at_ms) for key, standing in before.items() if key not in now}
        self._known |= {key: gone for key, gone in fading.items() if at_ms - (gone.over_ms or at_ms) < FADE_MS}
        return [self._known[finding.key] for finding in worst_first(each.finding for each in self._known.values())]


def _found(before: Standing | None, finding: Finding, at_ms: int) -> Standing:
    return Standing(finding, at_ms if before is None else before.seen_ms, at_ms)


def _over(standing: Standing, at_ms: int) -> Standing:
    return standing if standing.is_over else replace(standing, over_ms=at_ms)
