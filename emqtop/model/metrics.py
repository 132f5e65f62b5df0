"""Jobs that ended, by the minute."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """Jobs that ended one way."""

    count: int | None = None
    """All ever; None: nobody counts them."""
    newest_minute: int | None = None
    """The newest minute in which one ended, since the epoch; None: minutes are not kept."""
    minutes: tuple[int, ...] = ()
    """Jobs of that minute and of those before it, the newest first."""
    kept: int = 0
    """Minutes that are kept, also those that were not read."""

    def between(self, first_minute: int, count: int) -> list[float | None]:
        """Jobs of `count` minutes from a minute on; 0 behind the newest, None where nothing is kept."""
        if self.newest_minute is None:
            return [None] * count
        return [self._back(self.newest_minute - minute) for minute in range(first_minute, first_minute + count)]

    def _back(self, minutes: int) -> float | None:
        """Jobs of the minute so many before the newest."""
        if minutes < 0:
            return 0.0
        return float(self.minutes[minutes]) if minutes < len(self.minutes) else None


@dataclass(frozen=True, slots=True)
class Metrics:
    """Both counters of a queue."""

    completed: Metric = Metric()
    """Jobs done."""
    failed: Metric = Metric()
    """Jobs given up."""

    @property
    def has_minutes(self) -> bool:
        """Do workers keep minutes of at least one of them?"""
        return self.completed.newest_minute is not None or self.failed.newest_minute is not None
