"""What the PTTL of a job's lock tells (bullmq.md 4.1)."""

from emqtop.wire.replies import whole
from emqtop.wire.resp import Reply

NO_LOCK, NO_EXPIRY = -2, -1
"""PTTL of a lock that is not there, and of one that never ends (a foreign write)."""
NO_TOKEN = b"0"
"""What every script takes for permission without a lock; it is never sent."""


def deadline(ttl: Reply, now_ms: int) -> int | None:
    """The lease deadline that a lock's PTTL tells: just past where there is no lock, None where it never ends.

    Args:
        ttl: answer to PTTL, in ms.
        now_ms: server's clock.
    """
    left = whole(ttl)
    if left == NO_LOCK:
        return now_ms - 1
    return None if left is None or left < 0 else now_ms + left
