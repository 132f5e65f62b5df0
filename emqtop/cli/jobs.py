"""`emqtop jobs`, `job`, `lanes` and `errors`: what lies in a queue."""

import argparse

from emqtop.cli.console import Exit, UsageError, complain, document, foreign, lines
from emqtop.cli.ls import terminal_width
from emqtop.cli.options import number, parse, parser, settings, words
from emqtop.cli.queue_name import find
from emqtop.model.filters import Filter
from emqtop.model.job import JobDetail, Page
from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.where import BadFilter, parse_filter
from emqtop.present import jsonout, plain
from emqtop.present.errors import ERRORS, errors_document
from emqtop.present.job_columns import job_columns
from emqtop.present.job_rows import job_rows
from emqtop.present.lane_columns import LANES
from emqtop.sampling import pages
from emqtop.sampling.oneshot import OneShot
from emqtop.sampling.search import MOST_JOBS, dead_errors, search
from emqtop.sampling.source import PageRequest
from emqtop.units import now_ms
from emqtop.wire.errors import Refused
from emqtop.wire.resp import Conversation

_LOOK_AT = f"jobs to look at, at most ({MOST_JOBS})"


def jobs(argv: list[str]) -> int:
    """A page of jobs."""
    made = parser("jobs", f"A page of jobs. LOCATION is {', '.join(Location)}.")
    made.add_argument("--limit", type=number(1, 10_000), default=100, metavar="N", help="jobs at most (100)")
    made.add_argument("--after", metavar="CURSOR", help="go on behind the page that named this cursor")
    made.add_argument("--lane", metavar="G", help="only this lane of pending")
    made.add_argument("--where", type=condition, metavar="EXPR", help="only those it fits: attempts>=3 error~timeout")
    made.add_argument("--look-at", type=number(1, 10**9), default=MOST_JOBS, metavar="N", help=_LOOK_AT)
    read = parse(made, argv)
    name, place = words(read, "QUEUE", "LOCATION")
    location = _location(place)
    if read.lane is not None and location is not Location.PENDING:
        raise UsageError("--lane is for pending")
    with OneShot(settings(read)) as shot:
        queue = find(shot, name)
        request = PageRequest(queue, location, read.limit, read.after, lane=read.lane, payload=True)
        known = _lanes_met(shot, request)
        page = shot.run(pages.page(request, known) if read.where is None else _search(request, read, known))
    if read.json:
        document(jsonout.jobs(page))
        return Exit.DONE
    lines(list(plain.table(job_columns(location, queue.family), job_rows(page), page.at_ms, terminal_width())))
    if page.next is not None and read.where is None:
        complain(f"{page.total} in all; the next page: --after {page.next}")
    return Exit.DONE


def _lanes_met(shot: OneShot, request: PageRequest) -> list[str]:
    """The lanes of a look as deep as that of `lanes`, so that one which drifted out of its books is listed too."""
    if request.location is not Location.PENDING or request.lane is not None:
        return []
    try:
        return [lane.group for lane in shot.run(pages.lanes(request.queue))]
    except Refused as refusal:
        complain(f"lanes may be missing: {refusal.detail}")
        return []


def _search(request: PageRequest, read: argparse.Namespace, known: list[str]) -> Conversation[Page]:
    found = yield from search(request, read.where, read.look_at, known)
    if found.page.next is not None and len(found.page.jobs) < request.limit:
        complain(f"looked at {found.looked_at} of {found.page.total} jobs; go on with --after {found.page.next}")
    return found.page


def _location(word: str) -> Location:
    try:
        return Location(word)
    except ValueError:
        raise UsageError(f"unknown location: {word}; wanted {', '.join(Location)}") from None


def job(argv: list[str]) -> int:
    """One job, or the bytes of one field of its row."""
    made = parser("job", "One job: row, location, lease, logs, family.")
    made.add_argument("--raw", metavar="FIELD", help="write the bytes of this field of the row, nothing else")
    read = parse(made, argv)
    name, job_id = words(read, "QUEUE", "ID")
    chosen = settings(read)
    with OneShot(chosen) as shot:
        queue = find(shot, name)
        detail = shot.run(pages.detail(queue, job_id))
        if detail is None:
            complain(f"gone: no job {job_id} in {name}")
            return Exit.FINDINGS
        if read.raw is not None:
            return _raw(shot, queue, detail, read.raw)
    if read.json:
        document(jsonout.job(detail))
    else:
        lines(list(plain.job(detail, chosen.utc)))
    return Exit.DONE


def _raw(shot: OneShot, queue: QueueId, detail: JobDetail, field: str) -> int:
    found = next(((value, size) for name, value, size in detail.fields if name == field), None)
    if found is None:
        complain(f"no field {field} in the row of {detail.job.id}")
        return Exit.FINDINGS
    value, size = found
    # In one piece: each part of a field would cost the server the whole of it.
    whole = value if len(value) == size else shot.run(pages.field_part(queue, detail.job.id, field, 0, size))
    foreign(whole)
    return Exit.DONE


def lanes(argv: list[str]) -> int:
    """The lanes of an EchoMQ queue."""
    made = parser("lanes", "The lanes of an EchoMQ queue, the longest backlog first.")
    read = parse(made, argv)
    (name,) = words(read, "QUEUE")
    with OneShot(settings(read)) as shot:
        queue = find(shot, name)
        if queue.family is not Family.ECHOMQ:
            raise UsageError(f"{name} is a BullMQ queue, which has no lanes")
        found = shot.run(pages.lanes(queue))
    if read.json:
        document(jsonout.lanes(queue.name, found))
    else:
        lines(list(plain.table(LANES, found, now_ms(), terminal_width())))
    return Exit.DONE


def errors(argv: list[str]) -> int:
    """Dead jobs grouped by what their errors have in common."""
    made = parser("errors", "Dead jobs grouped by error, ids and numbers folded.")
    made.add_argument("--look-at", type=number(1, 10**9), default=MOST_JOBS, metavar="N", help=_LOOK_AT)
    read = parse(made, argv)
    (name,) = words(read, "QUEUE")
    with OneShot(settings(read)) as shot:
        queue = find(shot, name)
        found = shot.run(dead_errors(queue, read.look_at))
    if found.looked_at < found.total:
        complain(f"looked at {found.looked_at} of {found.total} jobs")
    if read.json:
        document(errors_document(queue.name, found))
    else:
        lines(list(plain.table(ERRORS, found.groups, now_ms(), terminal_width())))
    return Exit.DONE


def condition(text: str) -> Filter:
    """A condition on jobs."""
    try:
        return parse_filter(text)
    except BadFilter as error:
        raise argparse.ArgumentTypeError(str(error)) from None
