"""What the filter of a list of jobs looks at: in what is loaded, and in all that the server holds."""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from emqtop.model.queue import Lane
from emqtop.model.team import Worker
from emqtop.model.timetable import Scheduler
from emqtop.present.job_rows import JobRow

if TYPE_CHECKING:
    # Compiling its patterns takes some ms, which the first frame need not wait for.
    from emqtop.model.filters import Filter


def searched(row: JobRow | Lane | Worker | Scheduler) -> str:
    """The text of a row in which the filter looks."""
    if isinstance(row, Lane):
        return row.group
    if isinstance(row, Worker):
        return " ".join(word for word in (row.name, row.address, row.library) if word)
    if isinstance(row, Scheduler):
        return " ".join(word for word in (row.id, row.name, row.pattern, row.zone) if word)
    job = row.job
    payload = (job.payload or b"").decode("utf-8", "replace")
    words = (job.id, job.group, job.last_error, job.state, *job.odd, payload)
    return " ".join(word for word in words if word)


def where(wanted: str, lane: str | None = None) -> "Filter":
    """The condition that a typed filter means: every word somewhere, none of those behind `!`; only in this lane."""
    from emqtop.model.filters import EVERY, Field, Op, Text

    condition: Filter = EVERY if lane is None else Text(Field.GROUP, Op.EQUAL, lane)
    for word in wanted.split():
        if word.startswith("!"):
            condition = condition if word == "!" else condition & ~_anywhere(word[1:])
        else:
            condition &= _anywhere(word)
    return condition


def _anywhere(word: str) -> "Filter":
    from emqtop.model.filters import Field, Op, Text

    fields = (Field.ID, Field.GROUP, Field.ERROR, Field.STATE, Field.ODD, Field.PAYLOAD)
    return reduce(or_, (Text(field, Op.HAS, word) for field in fields))
