"""A short history in one run of block glyphs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from emqtop.model.queue import QueueId

if TYPE_CHECKING:
    from emqtop.model.history import History

BLOCKS = "▁▂▃▄▅▆▇█"
"""Eighths of a cell, from the lowest up."""
BARS = 8
"""Steps of a trend, one cell each."""
STEP_S = 10
"""Length of a step, seconds: a trend stands still for that long."""


def trend(past: "History", queue: QueueId) -> str:
    """How many jobs waited in the last whole steps, `BARS` cells; blank where nothing is known and where nothing moved.

    The step in which the newest numbers lie is not over and not shown. A level that stands still is told by the number
    beside it; drawn, it would creep over the screen for its own sake.

    Args:
        past: what queues were like.
        queue: which queue.
    """
    # The first frame has no past, and does not wait for what keeps one.
    from emqtop.model.history import Series

    first_s = (past.at_ms // 1_000 // STEP_S - BARS) * STEP_S
    means = past.means(queue, Series.PENDING, first_s, STEP_S, BARS)
    return run(means) if len({mean for mean in means if mean is not None}) > 1 else " " * BARS


def run(values: Sequence[float | None]) -> str:
    """A glyph a value, from nothing to the highest of them; a blank for an unknown one."""
    top = max((value for value in values if value is not None), default=0) or 1
    return "".join(" " if value is None else BLOCKS[_eighth(value, top)] for value in values)


def _eighth(value: float, top: float) -> int:
    return min(len(BLOCKS) - 1, max(0, round(value / top * (len(BLOCKS) - 1))))
