"""Which queues moved since they were read, as the server's tracking of keys tells.

`CLIENT TRACKING ON` in its default mode on the connection that reads: the server sends at most one message per key
until that key is read again, so a queue with 20,000 moves a second costs one message per tick, and an idle one nothing.
It needs no CONFIG SET. Keys are read again at the tick, never per message.
"""

from collections.abc import Callable, Iterable, Mapping

from emqtop.model.queue import QueueId
from emqtop.wire.errors import check_ready
from emqtop.wire.replies import blobs, items
from emqtop.wire.resp import Conversation, Reply, ReplyError, ask_all, pack

BUSY_TICKS = 5
"""A queue that moved in each of so many ticks is read untracked: a tracked read costs twice as much."""
CALM_S = 30.0
"""How long it stays so before it is tried again, in seconds."""
MOST_MISSED = 3
"""Changes that were never told before tracking is given up."""


class Signals:
    """What the server's messages say of one node's queues.

    Args:
        owners: the queues at each root of keys; looked into, never changed.
        wake: called with the queues of each message, None for all, from the connection's task.
    """

    def __init__(
        self, owners: Mapping[bytes, Iterable[QueueId]], wake: Callable[[Iterable[QueueId] | None], None]
    ) -> None:
        self.refused: str | None = None
        """Why keys are not tracked, in the server's words; None: they are, or it was not tried yet."""
        self.missed = 0
        """Changes that a check found and no message had told."""
        self._owners = owners
        self._wake = wake
        self._moved: set[QueueId] = set()
        self._all = True
        self._streaks: dict[QueueId, int] = {}
        self._before: dict[QueueId, int] = {}
        self._busy: dict[QueueId, float] = {}

    @property
    def on(self) -> bool:
        """Do messages tell what moved?"""
        return self.refused is None and self.missed < MOST_MISSED

    @property
    def busy_queues(self) -> int:
        """How many queues move so often that they are read untracked."""
        return len(self._busy)

    def arm(self) -> Conversation[None]:
        """Ask the server to track; the connection reads everything anew from here on.

        Raises:
            NotNow: the server as a whole cannot answer now.
        """
        self._all = True
        self._moved.clear()
        (reply,) = yield from ask_all([pack("CLIENT", "TRACKING", "ON")])
        check_ready((reply,))
        self.refused = str(reply) if isinstance(reply, ReplyError) else None

    def take(self, push: list[Reply]) -> None:
        """Note one push of the connection."""
        if len(push) != 2 or push[0] != b"invalidate":
            return
        if push[1] is None:
            self._all = True
            self._wake(None)
            return
        moved = {queue for key in blobs(items(push[1])) for queue in self._owners_of(key)}
        self._moved |= moved
        self._wake(moved)

    def collect(self, now_s: float) -> tuple[bool, set[QueueId]]:
        """What moved since the last time: everything? else these queues.

        Args:
            now_s: a clock that only goes forward, in seconds.
        """
        moved, self._moved = self._moved, set()
        everything, self._all = self._all, False
        self._before, self._streaks = {} if everything else self._streaks, {}
        if not everything:
            self._count(moved, now_s)
        return everything, moved

    def late(self, read: set[QueueId], now_s: float) -> tuple[bool, set[QueueId]]:
        """What was told to have moved while the rest was read, as `collect` has it: part of the same tick.

        Args:
            read: queues read in this tick; one that moved again behind its reading is left for the next.
            now_s: as for `collect`.
        """
        moved, self._moved = self._moved - read, self._moved & read
        everything, self._all = self._all, False
        self._count(moved, now_s)
        return everything, moved

    def busy(self, now_s: float, shown: Iterable[QueueId] = ()) -> set[QueueId]:
        """Queues to read untracked at every tick, since telling that they moved costs more than looking.

        Args:
            now_s: as for `collect`.
            shown: stay tracked, for the sake of the earlier word.
        """
        for queue in [queue for queue, until in self._busy.items() if until <= now_s]:
            del self._busy[queue]
            self._moved.add(queue)
        return set(self._busy).difference(shown)

    def is_told(self, queue: QueueId) -> bool:
        """Has a message named this queue since it was last collected, or all of them?"""
        return self._all or queue in self._moved

    def _count(self, moved: Iterable[QueueId], now_s: float) -> None:
        for queue in moved:
            self._streaks[queue] = self._before.get(queue, 0) + 1
            if self._streaks[queue] >= BUSY_TICKS:
                self._busy[queue] = now_s + CALM_S

    def _owners_of(self, key: bytes) -> Iterable[QueueId]:
        """The longest known root that the key starts with: names and ids may hold colons."""
        end = len(key)
        while (end := key.rfind(b":", 0, end)) >= 0:
            if (owners := self._owners.get(key[: end + 1])) is not None:
                return owners
        return ()
