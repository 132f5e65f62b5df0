"""A job as one moment shows it."""

from dataclasses import dataclass
from enum import StrEnum

from emqtop.model.queue import Location, QueueId


class Odd(StrEnum):
    """What can be wrong with a job: its places and its row disagree."""

    NO_ROW = "no-row"
    NO_PAYLOAD = "no-payload"
    STATE_DIFFERS = "state-differs"
    SECOND_LOCATION = "second-location"


@dataclass(frozen=True, slots=True)
class Job:
    """One line of a page of jobs. None = not there or not known."""

    id: str
    """Its id; bytes that are no UTF-8 stand as lone surrogates."""
    state: str | None = None
    """The row's own word; None without a row or, in BullMQ, where the location is the only word."""
    attempts: int | None = None
    """EchoMQ's fencing token; BullMQ's attempts made."""
    minted_ms: int | None = None
    """When the id was minted, Unix ms."""
    deadline_ms: int | None = None
    """Active: lease deadline, Unix ms of the server's clock."""
    due_ms: int | None = None
    """Scheduled: due time, Unix ms."""
    group: str | None = None
    """Its lane."""
    last_error: str | None = None
    """Text of the last failure, cut at 4,096 characters."""
    payload_bytes: int | None = None
    """Size of the payload."""
    payload: bytes | None = None
    """The first part of the payload where it was asked for, else None."""
    odd: tuple[Odd, ...] = ()
    """What is wrong with it."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some jobs of one location."""

    queue: QueueId
    """Whose jobs."""
    location: Location
    """Where they lie."""
    at_ms: int
    """When, server's clock, Unix ms."""
    total: int
    """How many jobs the location holds."""
    start: int
    """Rank of the first job of this page; 0 is the first served."""
    jobs: tuple[Job, ...] = ()
    """The page, in the order the server serves."""
    next: str | None = None
    """Cursor of the page after this one; None at the end."""


@dataclass(frozen=True, slots=True)
class JobDetail:
    """Everything the server holds of one job."""

    queue: QueueId
    """Whose job."""
    job: Job
    """Its line."""
    at_ms: int
    """When it was read, server's clock, Unix ms."""
    location: Location | None
    """Which key holds its id; None: none does."""
    fields: tuple[tuple[str, bytes, int], ...] = ()
    """The row: name, the first part of the value, full size in bytes; in the server's order."""
    logs: tuple[bytes, ...] = ()
    """The newest log lines, oldest first."""
    log_total: int = 0
    """How many log lines there are."""
    parent: str | None = None
    """Id of the job that waits for this one."""
    parent_queue: str | None = None
    """The parent's queue where it is another one."""
    waiting_for: int | None = None
    """Children still outstanding; None for a job without children."""
    children: tuple[tuple[str, str], ...] = ()
    """Children that are known: id, and `done`, `failed` or `waiting`."""
    lock_ms: int | None = None
    """Time left of the job's `:lock` key when it was read, ms; None: no such key, or one that never expires."""
    facts: tuple[tuple[str, str], ...] = ()
    """What else its family tells of it: label and words."""
