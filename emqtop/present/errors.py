"""Dead jobs grouped by error, as columns and as a document."""

from typing import Any

from emqtop.model.error_groups import ErrorGroup, Errors
from emqtop.present.cells import age, number
from emqtop.present.columns import Cell, Column, Tone, left, right
from emqtop.present.jsonout import exact
from emqtop.text import safe
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
    right("count", "JOBS", 5, 2, lambda group, _: number(group.count, Tone.WARN), "How many"),
    right("first", "OLDEST", 6, 4, _oldest, "Age of the oldest job"),
    right("last", "NEWEST", 6, 5, _newest, "Age of the newest job"),
    left("sample", "SAMPLE", 14, 3, _sample, "The newest job of them"),
    left("error", "ERROR", 20, 1, _error, "What their errors have in common", stretch=True),
)
"""What a group can show, from the left."""


def errors_document(name: str, found: Errors) -> dict[str, Any]:
    """Dead jobs by error; times are those of minting, Unix ms; `rest` counts jobs beyond the groups."""
    return {
        "queue": exact(name),
        "total": found.total,
        "looked_at": found.looked_at,
        "groups": [
            {
                "error": safe(group.pattern),
                "count": group.count,
                "first_ms": group.first_ms,
                "last_ms": group.last_ms,
                "sample_id": exact(group.sample_id),
                "sample": safe(group.sample),
            }
            for group in found.groups
        ],
        "rest": found.rest,
    }
