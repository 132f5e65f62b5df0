"""Pages of jobs, and one job whole, by plain reads (bullmq.md 1 and 2)."""

from emqtop.wire.bullmq.detail import detail
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.members import stretch
from emqtop.wire.bullmq.rows import field_part, is_mark, job_readings
from emqtop.wire.cursor import Cursor, parse_cursor
from emqtop.wire.readings import PageReading
from emqtop.wire.resp import Conversation

__all__ = ["detail", "field_part", "page"]


def page(
    keys: QueueKeys,
    location: str,
    start: int = 0,
    limit: int = 100,
    after: str | None = None,
    lane: str | None = None,  # noqa: ARG001 - the same call as for an EchoMQ queue; there are no lanes here
    payload_bytes: int = 0,
) -> Conversation[PageReading]:
    """Some jobs of a location in the order served; running ones by deadline. Two round trips, a third for texts.

    Args:
        keys: which queue.
        location: `pending`, `active`, `schedule`, `dead`, `held` or `done`.
        start: rank of the first job, where there is no cursor.
        limit: how many at most.
        after: cursor of an earlier page.
        lane: no queue of this family has any.
        payload_bytes: how much of each payload to bring; 0: none.

    Raises:
        BadCursor: `after` is no cursor.
        ReplyError: the server refused.
    """
    cursor = None if after is None else parse_cursor(after)
    seen = yield from stretch(keys, location, start, limit, cursor)
    read = yield from job_readings(keys, seen.found, payload_bytes, scheduled=location == "schedule")
    jobs = tuple(job for job in read if not is_mark(job))
    last = seen.start + len(seen.found)
    return PageReading(
        at_ms=seen.now_ms,
        total=seen.total - len(read) + len(jobs),
        start=seen.start,
        jobs=jobs,
        next=Cursor(last, seen.found[-1].id).text() if seen.found and last < seen.total else None,
        by_deadline=seen.by_deadline,
    )
