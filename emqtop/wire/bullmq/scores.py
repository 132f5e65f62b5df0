"""Scores and marks as BullMQ writes them (bullmq.md 1.1)."""

from emqtop.wire.replies import bounded_ms

DUE_UNIT = 4096
"""A delayed job's score is its due ms times this, plus an order of 0 to 4095 inside that ms."""
PSEUDO = b"0:"
"""Start of the wake-up marks that BullMQ 4 and older keep among the ids in `wait`."""


def due_ms(score: float) -> int:
    """Due time of a delayed job, Unix ms; a foreign score may be infinite, and is bounded."""
    return bounded_ms(score / DUE_UNIT)


def due_before(now_ms: int) -> bytes:
    """Upper bound, exclusive, of the scores that a worker takes as due at `now_ms` (ZCOUNT notation)."""
    return b"(%d" % ((now_ms + 1) * DUE_UNIT)
