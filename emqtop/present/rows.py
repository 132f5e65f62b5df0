"""Rows of the tables: what the domain knows, joined into what one line shows."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from emqtop.model.history import History
from emqtop.model.job import Job, Page
from emqtop.model.leases import LeaseWatch, Watched
from emqtop.model.queue import Location, Queue, QueueId
from emqtop.model.rates import UNKNOWN, Rates
from emqtop.model.snapshot import Snapshot
from emqtop.text import safe, whole_letters


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the overview."""

    queue: Queue
    """The queue at this moment."""
    rates: Rates = UNKNOWN
    """How fast it moves."""
    twin: bool = False
    """Must the prefix be said: has another queue the same name, or does this one stand outside of its group?"""
    approximate: bool = False
    """Are its times by a clock that is not the server's (operator law 14)?"""
    past: History | None = None
    """What it was like before; None: nobody keeps that."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """One line of a page of jobs."""

    job: Job
    """The job."""
    location: Location
    """Where it lies."""
    approximate: bool = False
    """Are its times by a clock that is not the server's?"""
    watched: Watched | None = None
    """What was seen of it while it was active; None: nobody has watched."""


def queue_rows(
    snapshot: Snapshot, speeds: Mapping[QueueId, Rates] | None = None, past: History | None = None
) -> tuple[QueueRow, ...]:
    """A row for each queue of the snapshot, in its order."""
    names = Counter(queue.id.name for queue in snapshot.queues)
    known, approximate = speeds or {}, snapshot.clock != "server"
    return tuple(
        QueueRow(queue, known.get(queue.id, UNKNOWN), names[queue.id.name] > 1, approximate, past)
        for queue in snapshot.queues
    )


def job_rows(page: Page, approximate: bool = False, watch: LeaseWatch | None = None) -> tuple[JobRow, ...]:
    """A row for each job of the page, in its order."""
    return tuple(
        JobRow(job, page.location, approximate, None if watch is None else watch.of(job.id)) for job in page.jobs
    )


def payload_text(job: Job) -> str:
    """The first part of a payload as safe text; empty where none was asked for."""
    head = job.payload or b""
    return safe(whole_letters(head) if len(head) < (job.payload_bytes or 0) else head)
