"""Whether the server that an act was sent to is the master still.

Behind Sentinels an old master goes on taking writes for a second or more, none of which its successor ever sees.
"""

import time

from emqtop.acting.sending import Sender
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import ReplyError
from emqtop.wire.server import Facts, replication

_NAMED_WITHIN_S = 5.0
_PAUSE_S = 0.2


class Succession:
    """Looks at the replication of a server before an act and behind it.

    Args:
        sender: to the server, whoever that is.
        key: any key of the queue.
    """

    def __init__(self, sender: Sender, key: bytes) -> None:
        self._sender = sender
        self._key = key
        self._before: Facts | None = None

    async def begin(self) -> None:
        """Note whose writes these will be."""
        self._before = await self._read()

    async def has_come(self) -> bool:
        """Has another one taken its place? Where its replicas have left it, that is waited for."""
        before, end = self._before, time.monotonic() + _NAMED_WITHIN_S
        if before is None or before.role != "master":
            return False
        while (now := await self._read()) is not None:
            if now.role == "master" and now.history != before.history:
                return True
            is_settled = now.role == "master" and (now.replicas or 0) >= (before.replicas or 0)
            if is_settled or self._sender.stop.is_set() or time.monotonic() > end:
                return now.role != "master"
            await self._sender.rest(_PAUSE_S)
        return False

    async def _read(self) -> Facts | None:
        """None where it does not say."""
        try:
            told = await self._sender.read(replication(self._key))
        except (SourceError, ReplyError):
            return None
        return None if told.withheld is not None else told
