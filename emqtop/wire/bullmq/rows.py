"""Rows of jobs in small pieces: never a whole payload, never HGETALL (bullmq.md 2)."""

from collections.abc import Sequence
from dataclasses import replace

from emqtop.wire.bullmq.keyed_reads import Read, ask_each, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.members import Member
from emqtop.wire.bullmq.oddities import marks, odd_now
from emqtop.wire.bullmq.places import ACTIVE, ALL, WAIT
from emqtop.wire.bullmq.scores import PSEUDO, due_ms
from emqtop.wire.errors import is_withheld
from emqtop.wire.readings import JobReading
from emqtop.wire.replies import blob, blobs, checked, count, items, whole
from emqtop.wire.resp import Conversation, Reply, pack, raw
from emqtop.wire.scripts import Call, script

ERROR_BYTES = 4096
"""How much of a failure's text is brought."""
LARGE_BYTES = 65536
"""From this size on a value is cut by the server instead of being brought whole."""

_SMALL = ("timestamp", "attemptsMade", "atm")
_PER_ROW = 4
_SETS = tuple(place for place in ALL if not place.is_list)
_LISTS = (ACTIVE, WAIT)
_ENDS = ((0, 99), (-100, -1))


def job_readings(
    keys: QueueKeys, found: Sequence[Member], payload_bytes: int, *, scheduled: bool = False
) -> Conversation[tuple[JobReading, ...]]:
    """The lines of some jobs: one round trip, a second for failures and payloads.

    One more where something seems odd: a job that moves between the looks seems so too, and only what holds at one
    moment is said.

    Args:
        keys: which queue.
        found: the members, in order.
        payload_bytes: how much of each payload to bring; 0: none.
        scheduled: are the scores due times?
    """
    reads = [one for each in found for one in _row_reads(keys, each.id)]
    replies = yield from ask_each(keys, [*reads, *_double_reads(keys, found)])
    doubled = _doubled(found, replies[len(reads) :])
    rows = [replies[at : at + _PER_ROW] for at in range(0, len(reads), _PER_ROW)]
    wanted = [
        want
        for each, (_, _, data, error) in zip(found, rows, strict=True)
        for want in (
            (each.id, "failedReason", count(error), ERROR_BYTES),
            (each.id, "data", count(data), payload_bytes),
        )
    ]
    texts = yield from parts(keys, wanted)
    lines = [
        _reading(each, row, texts[2 * at], texts[2 * at + 1], elsewhere=each.id in doubled, scheduled=scheduled)
        for at, (each, row) in enumerate(zip(found, rows, strict=True))
    ]
    odd = [at for at, line in enumerate(lines) if line.odd]
    told = yield from odd_now(keys, [found[at] for at in odd])
    for at, now in zip(odd, told, strict=True):
        if now is not None:
            lines[at] = replace(lines[at], odd=now)
    return tuple(lines)


def parts(keys: QueueKeys, wanted: Sequence[tuple[bytes, str | bytes, int, int]]) -> Conversation[list[bytes | None]]:
    """The first parts of fields, in one round trip; None for what is empty or was refused.

    Args:
        keys: which queue.
        wanted: id, field, size of the field and bytes to bring; size or bytes 0: nothing is asked.
    """
    asked = [at for at, (_, _, size, most) in enumerate(wanted) if size and most]
    replies = yield from ask_each(keys, [_part(keys, *wanted[at]) for at in asked])
    brought: list[bytes | None] = [None] * len(wanted)
    for at, reply in zip(asked, replies, strict=True):
        value = blob(reply)
        brought[at] = value if value is None else value[: wanted[at][3]]
    return brought


def field_part(keys: QueueKeys, job: str, name: str, start: int, length: int) -> Conversation[bytes]:
    """Part of one field of a row, in bytes; empty where there is none. The server cuts it, if it lets scripts run.

    Raises:
        ReplyError: the row is no hash, or may not be read.
    """
    (reply,) = yield from ask_each(keys, [_cut(keys, raw(job), name, start, length)])
    if is_withheld(reply):
        (whole,) = yield from ask_each(keys, [read("HGET", keys.row(raw(job)), name)])
        return (blob(checked(whole)) or b"")[start : start + length]
    return blob(checked(reply)) or b""


def _part(keys: QueueKeys, job: bytes, name: str | bytes, size: int, most: int) -> Read:
    return _cut(keys, job, name, 0, most) if size > LARGE_BYTES else read("HGET", keys.row(job), name)


def _cut(keys: QueueKeys, job: bytes, name: str | bytes, start: int, length: int) -> Read:
    # With its body, not its SHA: large values are rare, and so a read stays one round trip.
    return keys.row(job), Call(script("row_part"), (keys.row(job),), (name, start, length)).by_body()


def _row_reads(keys: QueueKeys, job: bytes) -> list[Read]:
    row = keys.row(job)
    return [
        (row, pack("EXISTS", row)),
        (row, pack("HMGET", row, *_SMALL)),
        (row, pack("HSTRLEN", row, "data")),
        (row, pack("HSTRLEN", row, "failedReason")),
    ]


def _double_reads(keys: QueueKeys, found: Sequence[Member]) -> list[Read]:
    """Reads that tell which of these ids lie in a second place: exact for sets, near their ends for lists."""
    ids = [each.id for each in found]
    if not ids:
        return []
    reads = [read("ZMSCORE", keys.part(place.part), *ids) for place in _SETS]
    return reads + [read("LRANGE", keys.part(place.part), *ends) for place in _LISTS for ends in _ENDS]


def _doubled(found: Sequence[Member], replies: list[Reply]) -> set[bytes]:
    held: dict[bytes, set[str]] = {each.id: {each.place.part} if each.place else set() for each in found}
    for place, reply in zip(_SETS, replies, strict=False):
        for each, score in zip(found, items(reply), strict=False):
            if score is not None:
                held[each.id].add(place.part)
    windows = [place for place in _LISTS for _ in _ENDS]
    for place, reply in zip(windows, replies[len(_SETS) :], strict=False):
        for job in blobs(reply):
            if job in held:
                held[job].add(place.part)
    return {job for job, where in held.items() if len(where) > 1}


def _reading(
    each: Member, row: list[Reply], error: bytes | None, payload: bytes | None, *, elsewhere: bool, scheduled: bool
) -> JobReading:
    exists, small, data, _ = row
    # A key of another type under the id's name answers EXISTS, but is no row.
    there = whole(exists) == 1 and isinstance(small, list)
    minted, old_made, made = [whole(value) for value in items(small)] or [None] * 3
    return JobReading(
        id=each.id,
        attempts=(made or 0 if old_made is None else old_made) if there else None,
        minted_ms=minted or None,
        deadline_ms=each.deadline_ms,
        is_unlocked=each.is_unlocked,
        due_ms=due_ms(each.score) if scheduled and each.score is not None else None,
        last_error=error,
        payload_bytes=whole(data) if there else None,
        payload=payload,
        odd=marks(there=there, payload=bool(whole(data)), elsewhere=elsewhere),
    )


def is_mark(reading: JobReading) -> bool:
    """Is this no job but a wake-up mark of BullMQ 4 and older?"""
    return reading.id.startswith(PSEUDO) and "no-row" in reading.odd
