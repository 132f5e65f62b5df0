"""The columns of the lanes of a queue."""

from emqtop.model.queue import Lane
from emqtop.present.cells import number
from emqtop.present.columns import Cell, Column, Tone, left, right
from emqtop.text import safe


def _mark(lane: Lane, _now_ms: int) -> Cell:
    if lane.paused:
        return Cell("P", Tone.WARN)
    if lane.is_full:
        return Cell("=", Tone.ACCENT)
    return Cell(">", Tone.GOOD) if lane.active else Cell("·", Tone.DIM)


def _standing(lane: Lane, _now_ms: int) -> Cell:
    """In the ring, or why not (echomq.md 4.6)."""
    if lane.in_ring:
        return Cell("in the ring", Tone.GOOD)
    if lane.paused:
        return Cell("paused", Tone.WARN)
    if lane.is_full:
        return Cell("at its limit", Tone.ACCENT)
    return Cell("waiting, but not in the ring", Tone.BAD) if lane.pending else Cell("empty", Tone.DIM)


LANES: tuple[Column[Lane], ...] = (
    left("mark", "S", 1, 2, _mark, "P paused, = at its limit, > running, · idle"),
    left("lane", "LANE", 14, 1, lambda lane, _: Cell(safe(lane.group)), "Group id"),
    right("pending", "PEND", 5, 3, lambda lane, _: number(lane.pending), "Wait in the lane"),
    right("active", "ACTIVE", 6, 4, lambda lane, _: number(lane.active), "In flight, as the queue counts them"),
    right("limit", "LIMIT", 5, 5, lambda lane, _: number(lane.limit), "Most that may be in flight; - for no limit"),
    right("weight", "WEIGHT", 6, 7, lambda lane, _: number(lane.weight), "Jobs a claim may take at once; - for 1"),
    left("ring", "RING", 12, 6, _standing, "In the ring that claims walk, or why not", stretch=True),
)
"""What a lane can show, from the left."""
