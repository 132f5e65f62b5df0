"""The documents of `--json`, shape for shape as the command line promises them.

Names and ids are exact, so that they can be given back as arguments; only bytes that are no UTF-8, which JSON cannot
carry, stand as `\\xff`. Payloads, fields, errors and logs are safe text. What is written is ASCII, so that no sign of
a name acts on a terminal.
"""

import json
import re
from typing import TYPE_CHECKING, Any

from emqtop.model.job import Job, JobDetail, Page
from emqtop.model.queue import Lane, Queue
from emqtop.model.snapshot import Snapshot
from emqtop.present.job_rows import payload_text
from emqtop.sampling.source import Event
from emqtop.text import safe

if TYPE_CHECKING:
    # 15 ms of dataclasses that only acts need.
    from emqtop.model.actions import Outcome

_SURROGATES = re.compile("[\ud800-\udfff]+")


def dumps(document: dict[str, Any]) -> str:
    """One line of ASCII."""
    return json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(", ", ": "))


def exact(name: str) -> str:
    """A name or id as JSON can carry it."""
    return _SURROGATES.sub(lambda found: safe(found[0]), name)


def _left(deadline_ms: int | None, now_ms: int) -> int | None:
    return None if deadline_ms is None else deadline_ms - now_ms


def ls(snapshot: Snapshot) -> dict[str, Any]:
    """All queues; times are left (`next_lease_ms`, negative when past) or ages (`oldest_pending_ms`), ms."""
    server = snapshot.server
    return {
        "at_ms": snapshot.at_ms,
        "clock": snapshot.clock,
        "server": {"url": safe(server.url), "kind": server.kind, "version": server.version, "mode": server.mode},
        "queues": [_queue(queue, snapshot.at_ms) for queue in snapshot.queues],
    }


def _queue(queue: Queue, now_ms: int) -> dict[str, Any]:
    oldest = queue.oldest_pending_ms
    return {
        "family": queue.id.family.value,
        "prefix": exact(queue.id.prefix),
        "name": exact(queue.id.name),
        "pending": queue.pending,
        "lanes": queue.lanes,
        "active": queue.active,
        "schedule": queue.schedule,
        "dead": queue.dead,
        "held": queue.held,
        "completed": queue.completed,
        "failed": queue.failed,
        "overdue": queue.overdue,
        "due": queue.due,
        "paused": queue.paused,
        "next_lease_ms": _left(queue.next_deadline_ms, now_ms),
        "oldest_pending_ms": None if oldest is None else max(0, now_ms - oldest),
        "error": None if queue.error is None else safe(queue.error),
    }


def reading(snapshot: Snapshot) -> dict[str, Any]:
    """How changes are noticed, and what the look itself cost."""
    cost = snapshot.cost
    return {
        "mode": snapshot.mode,
        "commands": cost.commands,
        "sent_bytes": cost.sent_bytes,
        "received_bytes": cost.received_bytes,
        "round_trip_ms": cost.round_trip_ms,
    }


def lanes(name: str, found: tuple[Lane, ...]) -> dict[str, Any]:
    """The lanes of a queue."""
    return {
        "queue": exact(name),
        "lanes": [
            {
                "group": exact(lane.group),
                "pending": lane.pending,
                "active": lane.active,
                "limit": lane.limit,
                "weight": lane.weight,
                "paused": lane.paused,
                "in_ring": lane.in_ring,
            }
            for lane in found
        ],
    }


def jobs(page: Page) -> dict[str, Any]:
    """A page of jobs; `next` is the cursor of the page after it."""
    return {
        "queue": exact(page.queue.name),
        "location": page.location.value,
        "total": page.total,
        "next": page.next,
        "jobs": [_job(job, page.at_ms) for job in page.jobs],
    }


def _job(job: Job, now_ms: int) -> dict[str, Any]:
    return {
        "id": exact(job.id),
        "state": None if job.state is None else safe(job.state),
        "attempts": job.attempts,
        "minted_ms": job.minted_ms,
        "lease_ms": _left(job.deadline_ms, now_ms),
        "due_ms": job.due_ms,
        "group": None if job.group is None else exact(job.group),
        "last_error": None if job.last_error is None else safe(job.last_error),
        "payload_bytes": job.payload_bytes,
        "payload": None if job.payload is None else payload_text(job),
        "odd": [odd.value for odd in job.odd],
    }


def job(detail: JobDetail) -> dict[str, Any]:
    """One job: the fields of a page's line, and where it lies, its row, logs and family.

    A value of the row that is too large to be read unasked is null.
    """
    return {
        "queue": exact(detail.queue.name),
        **_job(detail.job, detail.at_ms),
        "location": None if detail.location is None else detail.location.value,
        "row": {safe(name): safe(value) if value or not size else None for name, value, size in detail.fields},
        "logs": [safe(entry) for entry in detail.logs],
        "parent": None if detail.parent is None else exact(detail.parent),
        "waiting_for": detail.waiting_for,
    }


def act(outcome: "Outcome") -> dict[str, Any]:
    """What an act did, or with `dry_run` would do."""
    document: dict[str, Any] = {
        "verb": outcome.verb.value,
        "family": outcome.queue.family.value,
        "queue": exact(outcome.queue.name),
        "matched": outcome.matched,
        "moved": outcome.moved,
        "deferred": [exact(job_id) for job_id in outcome.deferred],
        "skipped": [
            {"id": exact(skip.id), "reason": skip.reason.value, "detail": safe(skip.detail)} for skip in outcome.skipped
        ],
        "unknown": [exact(job_id) for job_id in outcome.unknown],
        "stopped": outcome.stopped,
    }
    return document | ({"dry_run": True} if outcome.dry_run else {})


def event(told: Event) -> dict[str, Any]:
    """What a queue announced; `at_ms` is the viewer's clock."""
    return {
        "at_ms": told.at_ms,
        "family": told.queue.family.value,
        "prefix": exact(told.queue.prefix),
        "queue": exact(told.queue.name),
        "event": safe(told.name),
        "job": None if told.job is None else exact(told.job),
        "extra": {safe(name): safe(value) for name, value in told.extra},
    }
