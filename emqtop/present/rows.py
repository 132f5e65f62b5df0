"""Rows of the tables: what the domain knows, joined into what one line shows."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from emqtop.model.job import Job, Page
from emqtop.model.queue import Location, Queue, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.text import safe, whole_letters


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the overview."""

    queue: Queue
    """The queue at this moment."""
    done_per_s: float | None = None
    """Jobs completed a second; None: not known yet."""
    died_per_s: float | None = None
    """Jobs that gave up a second; None: not known yet."""
    twin: bool = False
    """Does another queue have the same name, so that the prefix must be said?"""
    approximate: bool = False
    """Are its times by a clock that is not the server's (operator law 14)?"""


@dataclass(frozen=True, slots=True)
class JobRow:
    """One line of a page of jobs."""

    job: Job
    """The job."""
    location: Location
    """Where it lies."""
    approximate: bool = False
    """Are its times by a clock that is not the server's?"""


def queue_rows(
    snapshot: Snapshot,
    done_per_s: Mapping[QueueId, float] | None = None,
    died_per_s: Mapping[QueueId, float] | None = None,
) -> tuple[QueueRow, ...]:
    """A row for each queue of the snapshot, in its order."""
    names = Counter(queue.id.name for queue in snapshot.queues)
    return tuple(
        QueueRow(
            queue,
            (done_per_s or {}).get(queue.id),
            (died_per_s or {}).get(queue.id),
            names[queue.id.name] > 1,
            snapshot.clock != "server",
        )
        for queue in snapshot.queues
    )


def job_rows(page: Page, approximate: bool = False) -> tuple[JobRow, ...]:
    """A row for each job of the page, in its order."""
    return tuple(JobRow(job, page.location, approximate) for job in page.jobs)


def payload_text(job: Job) -> str:
    """The first part of a payload as safe text; empty where none was asked for."""
    head = job.payload or b""
    return safe(whole_letters(head) if len(head) < (job.payload_bytes or 0) else head)
