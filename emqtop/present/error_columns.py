"""The columns of dead jobs grouped by error."""

from emqtop.model.error_groups import ErrorGroup
from emqtop.present.columns import Cell, Column, Tone
from emqtop.present.queue_columns import age, number
from emqtop.text import Align, safe
from emqtop.units import NOTHING


def _error(group: ErrorGroup, _now_ms: int) -> Cell:
    return Cell(safe(group.pattern), Tone.WARN) if group.pattern else Cell("(no error kept)", Tone.DIM)


def _sample(group: ErrorGroup, _now_ms: int) -> Cell:
    return Cell(safe(group.sample_id) or NOTHING, Tone.DIM)


def _oldest(group: ErrorGroup, now_ms: int) -> Cell:
    return age(group.first_ms, now_ms)


def _newest(group: ErrorGroup, now_ms: int) -> Cell:
    return age(group.last_ms, now_ms)


ERRORS: tuple[Column[ErrorGroup], ...] = (
    Column("count", "JOBS", 5, Align.RIGHT, 2, lambda group, _: number(group.count, Tone.WARN), help="How many"),
    Column("first", "OLDEST", 6, Align.RIGHT, 4, _oldest, help="Age of the oldest job"),
    Column("last", "NEWEST", 6, Align.RIGHT, 5, _newest, help="Age of the newest job"),
    Column("sample", "SAMPLE", 14, Align.LEFT, 3, _sample, help="The newest job of them"),
    Column("error", "ERROR", 20, Align.LEFT, 1, _error, stretch=True, help="What their errors have in common"),
)
"""What a group can show, from the left."""
