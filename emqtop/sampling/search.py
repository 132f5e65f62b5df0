"""Jobs of a location that fit a condition: looked through page by page, within a bound."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from emqtop.model.error_groups import Errors, ErrorTally
from emqtop.model.filters import Filter
from emqtop.model.job import Job, Page
from emqtop.model.queue import Location, QueueId
from emqtop.sampling.pages import page
from emqtop.sampling.source import PageRequest
from emqtop.wire.resp import Conversation

MOST_JOBS = 100_000
"""Jobs that one search looks at unless told otherwise."""
PAYLOAD_BYTES = 65_536
"""How much of each payload a condition on it reads."""

_PAGE = 500
_PAGE_WITH_PAYLOADS = 100


@dataclass(frozen=True, slots=True)
class Found:
    """What a search met."""

    page: Page
    """The jobs that fit, as a page of them alone; `total` counts the whole location, `next` goes on with the search."""
    looked_at: int
    """How many jobs it looked at."""


def search(
    request: PageRequest, where: Filter, most: int = MOST_JOBS, known_groups: Sequence[str] = ()
) -> Conversation[Found]:
    """The first jobs behind a place that fit, `request.limit` at most.

    Args:
        request: where to look and from where on.
        where: which jobs.
        most: how many jobs to look at, about.
        known_groups: lanes of the queue that were met before.

    Raises:
        BadCursor, BadId: nothing was sent.
        Refused: the server says no.
    """
    reading = _reading(request, where)
    found: list[Job] = []
    looked_at = 0
    while True:
        read = yield from page(reading, known_groups)
        for place, job in enumerate(read.jobs, start=1):
            if not where.matches(job, read.at_ms):
                continue
            found.append(job)
            if len(found) == request.limit:
                shorter = replace(reading, limit=place)
                last = read if place == len(read.jobs) else (yield from page(shorter, known_groups))
                return Found(replace(last, jobs=tuple(_cut(found, request))), looked_at + place)
        looked_at += len(read.jobs)
        if read.next is None or looked_at >= most:
            return Found(replace(read, jobs=tuple(_cut(found, request))), looked_at)
        reading = replace(reading, after=read.next)


def dead_errors(queue: QueueId, most: int = MOST_JOBS) -> Conversation[Errors]:
    """The errors of a queue's dead jobs, in groups.

    Args:
        queue: whose jobs.
        most: how many jobs to look at, about.

    Raises:
        Refused: the server says no.
    """
    tally, looked_at = ErrorTally(), 0
    reading = PageRequest(queue, Location.DEAD, _PAGE)
    while True:
        read = yield from page(reading)
        tally.add(read.jobs)
        looked_at += len(read.jobs)
        if read.next is None or looked_at >= most:
            return Errors(read.total, looked_at, tally.groups(), tally.rest)
        reading = replace(reading, after=read.next)


def _reading(request: PageRequest, where: Filter) -> PageRequest:
    if where.needs_payload:
        return replace(request, limit=_PAGE_WITH_PAYLOADS, payload=True, payload_bytes=PAYLOAD_BYTES)
    return replace(request, limit=_PAGE)


def _cut(jobs: list[Job], request: PageRequest) -> Iterator[Job]:
    """No more of a payload than was asked for, however much the condition needed."""
    for job in jobs:
        asked = job.payload[: request.payload_bytes] if job.payload is not None and request.payload else None
        yield replace(job, payload=asked)
