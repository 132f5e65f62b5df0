"""Looking at a server again and again, its losses outlived: what `--watch` and `record` stand on."""

from emqtop.model.snapshot import Snapshot
from emqtop.sampling.oneshot import SWEEP_KEYS, OneShot
from emqtop.settings import Settings
from emqtop.wire.errors import SourceError

LATER_KEYS = 5_000
"""Keys that each look but the first sweeps."""


class Lens:
    """One connection, made anew after each loss.

    Args:
        settings: where, which prefixes, which family, which queues.

    Raises:
        SourceError: the server cannot be asked.

    Attributes:
        lost: did the last look fail?
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lost = False
        self._shot = OneShot(settings)
        self._keys = SWEEP_KEYS

    def close(self) -> None:
        """Hang up; harmless when done twice."""
        self._shot.close()

    def look(self) -> Snapshot:
        """All queues, now.

        Raises:
            SourceError: the server cannot be asked; the next look tries again.
        """
        try:
            if self.lost:
                self._shot = OneShot(self.settings)
            snapshot = self._shot.sample(self._keys)
        except SourceError:
            self._shot.close()
            self.lost, self._keys = True, SWEEP_KEYS
            raise
        self.lost, self._keys = False, LATER_KEYS
        return snapshot
