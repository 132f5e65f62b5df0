"""Looking at a server again and again, its losses outlived: what `--watch` and `record` stand on."""

import asyncio

from emqtop.cli.console import complain
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.live import Live
from emqtop.settings import Settings
from emqtop.wire.errors import LoginRefused, SourceError


class Watcher:
    """The dashboard's way of reading without a dashboard: what did not move costs nothing, failovers are followed.

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
        self._live = Live(settings)
        self._loop = asyncio.Runner()
        try:
            self._loop.run(self._live.client.settle())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Hang up; nothing can be asked afterwards."""
        self._loop.run(self._live.close())
        self._loop.close()

    def look(self) -> Snapshot:
        """All queues, now.

        Raises:
            SourceError: the server cannot be asked; the next look tries again.
        """
        try:
            snapshot = self._loop.run(self._live.sample())
        except SourceError:
            self.lost = True
            raise
        self.lost = False
        return snapshot

    def look_on(self) -> Snapshot | SourceError:
        """All queues, now, or why they cannot be read; only the first failure in a row is said on stderr.

        Raises:
            LoginRefused: a later look would be refused as well.
        """
        was_lost = self.lost
        try:
            return self.look()
        except LoginRefused:
            raise
        except SourceError as error:
            if not was_lost:
                complain(error)
            return error

    def rest(self, seconds: float) -> None:
        """Wait for the next look; what the server tells meanwhile is heard."""
        self._loop.run(asyncio.sleep(seconds))
