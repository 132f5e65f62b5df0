"""The columns of the lanes of a queue."""

from emqtop.model.queue import Lane
from emqtop.present.columns import Cell, Column, Tone
from emqtop.present.queue_columns import number
from emqtop.text import Align, safe


def _mark(lane: Lane, _now_ms: int) -> Cell:
    if lane.paused:
        return Cell("P", Tone.WARN)
    if lane.limit is not None and lane.active >= lane.limit:
        return Cell("=", Tone.ACCENT)
    return Cell(">", Tone.GOOD) if lane.active else Cell("·", Tone.DIM)


def _standing(lane: Lane, _now_ms: int) -> Cell:
    """In the ring, or why not (echomq.md 4.6)."""
    if lane.in_ring:
        return Cell("in the ring", Tone.GOOD)
    if lane.paused:
        return Cell("paused", Tone.WARN)
    if lane.limit is not None and lane.active >= lane.limit:
        return Cell("at its limit", Tone.ACCENT)
    return Cell("waiting, but not in the ring", Tone.BAD) if lane.pending else Cell("empty", Tone.DIM)


LANES: tuple[Column[Lane], ...] = (
    Column("mark", "S", 1, Align.LEFT, 2, _mark, help="P paused, = at its limit, > running, · idle"),
    Column("lane", "LANE", 14, Align.LEFT, 1, lambda lane, _: Cell(safe(lane.group)), help="Group id"),
    Column("pending", "PEND", 5, Align.RIGHT, 3, lambda lane, _: number(lane.pending), help="Wait in the lane"),
    Column("active", "ACTIVE", 6, Align.RIGHT, 4, lambda lane, _: number(lane.active), help="In flight, as counted"),
    Column(
        "limit", "LIMIT", 5, Align.RIGHT, 5, lambda lane, _: number(lane.limit), help="Most in flight; - for no limit"
    ),
    Column("weight", "WEIGHT", 6, Align.RIGHT, 7, lambda lane, _: number(lane.weight), help="Jobs at once; - for 1"),
    Column(
        "ring", "RING", 12, Align.LEFT, 6, _standing, stretch=True, help="In the ring of claimable lanes, or why not"
    ),
)
"""What a lane can show, from the left."""
