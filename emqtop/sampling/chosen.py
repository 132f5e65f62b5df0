"""The jobs of a location that meet a condition: pages read one after another, within a bound."""

from collections.abc import Iterable
from dataclasses import replace

from emqtop.model.filters import Filter
from emqtop.model.job import Job, Page
from emqtop.sampling.pages import page
from emqtop.sampling.source import PageRequest
from emqtop.wire.resp import Conversation

MOST_LOOKED_AT = 10_000
"""Jobs that one request looks at unless told otherwise; its `next` goes on from there."""

_STEP = 100
_SEARCHED_BYTES = 65_536


def chosen(
    request: PageRequest, condition: Filter, most_looked_at: int = MOST_LOOKED_AT, known_groups: Iterable[str] = ()
) -> Conversation[Page]:
    """The first jobs that meet a condition, up to `request.limit` of them.

    A link that is stopped between two round trips has done no harm. Payloads are read only where the condition is
    about them, and searched up to 64 kB; a larger one counts as not known.

    Args:
        request: where to look.
        condition: what is wanted.
        most_looked_at: how many jobs to look at, about; fewer than `limit` may be found then although more are there.
        known_groups: as for `page`.

    Returns:
        A page whose `total` is that of the whole location, whose `start` is where the search began, and whose `next`
        is the cursor behind the last job that was looked at.

    Raises:
        BadCursor, BadId, Refused: as for `page`.
    """
    groups = tuple(known_groups)
    step = replace(request, limit=_STEP)
    if condition.needs_payload:
        step = replace(step, payload=True, payload_bytes=_SEARCHED_BYTES)
    found: list[Job] = []
    first = read = yield from page(step, groups)
    looked_at = _STEP
    while True:
        places = [at for at, job in enumerate(read.jobs) if condition.matches(job, read.at_ms)]
        missing = request.limit - len(found)
        if len(places) > missing:
            # The cursor must stand right behind the last job that is shown.
            read = yield from page(replace(step, limit=places[missing - 1] + 1), groups)
            places = [at for at, job in enumerate(read.jobs) if condition.matches(job, read.at_ms)]
        found += [_shown(read.jobs[at], request) for at in places]
        if len(found) >= request.limit or read.next is None or looked_at >= most_looked_at:
            return replace(read, start=first.start, jobs=tuple(found[: request.limit]))
        step = replace(step, after=read.next)
        read = yield from page(step, groups)
        looked_at += _STEP


def _shown(job: Job, request: PageRequest) -> Job:
    """The job with as much of its payload as the request wants to see."""
    part = job.payload[: request.payload_bytes] if request.payload and job.payload is not None else None
    return replace(job, payload=part)
