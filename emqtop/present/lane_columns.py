"""The columns of the lanes of a queue."""

from collections.abc import Callable
from typing import TypeAlias

from emqtop.model.queue import Lane
from emqtop.present.columns import Cell, Column, Tone
from emqtop.present.queue_columns import number
from emqtop.text import Align, safe

CellOf: TypeAlias = Callable[[Lane, int], Cell]


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


def _right(key: str, title: str, width: int, priority: int, cell: CellOf, says: str) -> Column[Lane]:
    return Column(key, title, width, Align.RIGHT, priority, cell, help=says)


LANES: tuple[Column[Lane], ...] = (
    Column("mark", "S", 1, Align.LEFT, 2, _mark, help="P paused, = at its limit, > running, · idle"),
    Column("lane", "LANE", 14, Align.LEFT, 1, lambda lane, _: Cell(safe(lane.group)), help="Group id"),
    _right("pending", "PEND", 5, 3, lambda lane, _: number(lane.pending), "Wait in the lane"),
    _right("active", "ACTIVE", 6, 4, lambda lane, _: number(lane.active), "In flight, as the queue counts them"),
    _right("limit", "LIMIT", 5, 5, lambda lane, _: number(lane.limit), "Most that may be in flight; - for no limit"),
    _right("weight", "WEIGHT", 6, 7, lambda lane, _: number(lane.weight), "Jobs a claim may take at once; - for 1"),
    Column("ring", "RING", 12, Align.LEFT, 6, _standing, stretch=True, help="In the ring that claims walk, or why not"),
)
"""What a lane can show, from the left."""
