"""Reading jobs of an EchoMQ queue: pages, one job, parts of a field, lanes. Nothing here writes (operator law 12)."""

from collections.abc import Iterable

from emqtop.wire.cursor import Cursor, parse_cursor
from emqtop.wire.echomq.detail import detail, field_part
from emqtop.wire.echomq.groups import lanes
from emqtop.wire.echomq.held import held_page
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.members import clock, place_after, stretch
from emqtop.wire.echomq.pending import pending_page
from emqtop.wire.echomq.rows import read_rows
from emqtop.wire.readings import PageReading
from emqtop.wire.resp import Conversation
from emqtop.wire.together import together

__all__ = ["detail", "field_part", "lanes", "page"]

_BY_TIME = frozenset({"active", "schedule"})


def page(
    keys: QueueKeys,
    location: str,
    start: int = 0,
    limit: int = 100,
    after: str | None = None,
    lane: str | None = None,
    payload_bytes: int = 0,
    known_groups: Iterable[bytes] = (),
) -> Conversation[PageReading]:
    """Some jobs of a location in the order the server serves: two round trips, a third where rows name lanes.

    One more where something seems odd, since only what holds at one moment is called so.

    Args:
        keys: the queue.
        location: `pending`, `active`, `schedule`, `dead`, `held` or `done`; a done job has no row any more.
        start: rank of the first job where there is no cursor.
        limit: how many jobs, at least one.
        after: `next` of an earlier page of the same location.
        lane: only this lane; `pending` alone knows lanes.
        payload_bytes: how much of each payload up to 64 kB, in a round trip more; 0: none.
        known_groups: lanes met before, so that one which drifted out of the queue's books is listed too.

    Raises:
        BadCursor, BadId: nothing is sent.
        ReplyError: the location's key is no sorted set, or may not be read.
    """
    cursor = parse_cursor(after) if after is not None else Cursor(max(0, start))
    limit = max(1, limit)
    if location == "done":
        return PageReading((yield from clock()), 0, 0, (), None)
    if location == "held":
        return (yield from held_page(keys, cursor, limit, payload_bytes))
    if location == "pending" and lane is None:
        return (yield from pending_page(keys, cursor, limit, payload_bytes, known_groups))
    key = keys.part(location)
    if lane is not None:
        key = keys.lane(lane)
        cursor = Cursor(cursor.rank, cursor.anchor, cursor.score, lane.encode())
    by_time = location in _BY_TIME
    at_ms, found = yield from together(clock(), stretch(key, cursor, limit, by_time=by_time))
    jobs = yield from read_rows(keys, location, found.members, payload_bytes)
    following = None
    if found.members and found.start + len(jobs) < found.total:
        following = place_after(found.members[-1]).text()
    return PageReading(at_ms, found.total, found.start, jobs, following)
