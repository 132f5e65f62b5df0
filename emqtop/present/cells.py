"""Cells that many tables have: a count, an age, the time that is left."""

from emqtop.present.columns import Cell, Tone
from emqtop.units import NOTHING, count, duration

UNKNOWN = Cell(NOTHING, Tone.DIM)
"""Stands where there is no value."""


def number(value: int | None, tone: Tone = Tone.PLAIN) -> Cell:
    """A count; nothing and none are dim, whatever the tone."""
    return Cell(count(value), tone if value else Tone.DIM)


def time_left(deadline_ms: int | None, now_ms: int, approximate: bool = False, past: Tone = Tone.BAD) -> Cell:
    """Time until a deadline, negative in tone `past` when it is over; `~` marks a clock that is not the server's."""
    if deadline_ms is None:
        return UNKNOWN
    left = deadline_ms - now_ms
    return Cell(("~" if approximate else "") + duration(left), past if left < 0 else Tone.PLAIN)


def age(since_ms: int | None, now_ms: int) -> Cell:
    """Time since then; a moment that lies ahead by a producer's clock is no age, so it is 0."""
    return UNKNOWN if since_ms is None else Cell(duration(max(0, now_ms - since_ms)))
