"""Rows of a page of jobs: what the domain knows of a job, joined into what one line shows."""

from dataclasses import dataclass

from emqtop.model.job import Job, Page
from emqtop.model.leases import LeaseWatch, Watched
from emqtop.model.queue import Location
from emqtop.text import safe, whole_letters


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


def job_rows(page: Page, approximate: bool = False, watch: LeaseWatch | None = None) -> tuple[JobRow, ...]:
    """A row for each job of the page, in its order."""
    return tuple(
        JobRow(job, page.location, approximate, None if watch is None else watch.of(job.id)) for job in page.jobs
    )


def payload_text(job: Job) -> str:
    """The first part of a payload as safe text; empty where none was asked for."""
    head = job.payload or b""
    return safe(whole_letters(head) if len(head) < (job.payload_bytes or 0) else head)
