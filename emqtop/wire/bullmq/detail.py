"""Everything about one job, without moving a giant value (bullmq.md 2, 4.3, 9)."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from emqtop.wire.bullmq.job_facts import FIELDS, facts
from emqtop.wire.bullmq.keyed_reads import Read, ask_each, clock, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.members import Member
from emqtop.wire.bullmq.places import ACTIVE, ALL, Place
from emqtop.wire.bullmq.rows import LARGE_BYTES, job_readings, parts
from emqtop.wire.errors import check_told
from emqtop.wire.readings import DetailReading
from emqtop.wire.replies import blob, blobs, count, items, number, server_ms, whole
from emqtop.wire.resp import Conversation, Reply, raw

PREVIEW_BYTES = 4096
"""How much of a payload comes with the job."""

_LOG_LINES = 100
_MOST_FIELDS = 500
_MOST_CHILDREN = 500


@dataclass(frozen=True, slots=True)
class _Dossier:
    """What the first round trip brings."""

    at_ms: int
    is_row: bool
    names: list[bytes]
    parent: tuple[bytes | None, bytes | None]
    held_by: list[tuple[Place, float | None]]
    small: dict[str, bytes | None]
    token: bytes | None
    lock: Reply
    is_listed: bool
    check: Reply
    logs: tuple[bytes, ...]
    log_total: int
    outstanding: int
    children: tuple[tuple[bytes, str], ...]


def detail(keys: QueueKeys, job: str) -> Conversation[DetailReading | None]:
    """One job in four round trips; None: no row, and in no structure.

    Values of the row above 64 kB come cut. The newest 100 log lines, 500 fields and 500 children of each kind are read.

    Raises:
        ReplyError: the server refused to tell.
    """
    id_ = raw(job)
    found = yield from _open(keys, id_)
    if not found.is_row and not found.held_by:
        return None
    place, score = found.held_by[0] if found.held_by else (None, None)
    member = Member(id_, place, score)
    if place is ACTIVE:
        member = Member.running(id_, place, found.lock, found.at_ms)
    scheduled = place is not None and place.location == "schedule"
    (line,) = yield from job_readings(keys, [member], PREVIEW_BYTES, scheduled=scheduled)
    if len(found.held_by) > 1 and "second-location" not in line.odd:
        line = replace(line, odd=(*line.odd, "second-location"))
    lock_ms = whole(found.lock)
    parent, parent_queue = found.parent
    return DetailReading(
        at_ms=found.at_ms,
        job=line,
        location=place.location if place is not None else None,
        fields=(yield from _row(keys, id_, found.names)),
        logs=found.logs,
        log_total=found.log_total,
        parent=parent,
        parent_queue=parent_queue,
        waiting_for=found.outstanding if found.outstanding or found.children else None,
        children=found.children,
        lock_ms=lock_ms if lock_ms is not None and lock_ms >= 0 else None,
        facts=tuple(
            facts(
                found.small,
                is_active=place is ACTIVE,
                token=found.token,
                lock_ms=lock_ms,
                is_listed=found.is_listed,
                check_ms=whole(found.check),
            )
        ),
    )


def parent_of(keys: QueueKeys, parent: bytes | None, parent_key: bytes | None) -> tuple[bytes | None, bytes | None]:
    """Id of the flow parent, and its queue as `prefix:name` where it is another one.

    Args:
        keys: the child's queue.
        parent: the row's field of that name, JSON that names both.
        parent_key: the row's full key of the parent, for rows without the JSON; not cut, since names and ids hold
            colons, unless the parent is of the same queue.
    """
    try:
        told = json.loads(parent or b"")
        id_, queue = str(told["id"]), str(told["queueKey"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return (parent_key.removeprefix(keys.base) if parent_key else None), None
    other = raw(queue)
    return raw(id_), None if other + b":" == keys.base else other


def _open(keys: QueueKeys, job: bytes) -> Conversation[_Dossier]:
    replies = yield from ask_each(keys, list(_reads(keys, job)))
    time, kind, names, parent, small, token, lock, listed, check, lines, total, outstanding, *rest = replies
    held, families = rest[: len(ALL)], rest[len(ALL) :]
    check_told([kind, names, parent, small, *held])
    return _Dossier(
        at_ms=server_ms(time),
        is_row=kind == b"hash",
        names=blobs(names)[:_MOST_FIELDS],
        parent=parent_of(keys, *(blob(value) for value in items(parent)[:2] or (None, None))),
        held_by=[
            (place, None if place.is_list else score)
            for place, where in zip(ALL, held, strict=True)
            if (score := number(where)) is not None
        ],
        small=dict(zip(FIELDS, map(blob, items(small) or [None] * len(FIELDS)), strict=True)),
        token=blob(token),
        lock=lock,
        is_listed=count(listed) == 1,
        check=check,
        logs=tuple(blobs(lines)),
        log_total=count(total),
        outstanding=count(outstanding),
        children=_children(keys, families),
    )


def _reads(keys: QueueKeys, job: bytes) -> Iterator[Read]:
    """What `_open` asks, in the order of its answers."""
    row, logs, dependencies = keys.row(job), keys.sub(job, "logs"), keys.sub(job, "dependencies")
    yield clock(keys)
    yield read("TYPE", row)
    yield read("HKEYS", row)
    yield read("HMGET", row, "parent", "parentKey")
    yield read("HMGET", row, *FIELDS)
    yield read("GET", keys.sub(job, "lock"))
    yield read("PTTL", keys.sub(job, "lock"))
    yield read("SISMEMBER", keys.part("stalled"), job)
    yield read("PTTL", keys.part("stalled-check"))
    yield read("LRANGE", logs, -_LOG_LINES, -1)
    yield read("LLEN", logs)
    yield read("SCARD", dependencies)
    yield from (place.holds(keys, job) for place in ALL)
    yield read("SRANDMEMBER", dependencies, _MOST_CHILDREN)
    yield read("HRANDFIELD", keys.sub(job, "processed"), _MOST_CHILDREN)
    yield read("HRANDFIELD", keys.sub(job, "failed"), _MOST_CHILDREN)
    yield read("ZRANGE", keys.sub(job, "unsuccessful"), 0, _MOST_CHILDREN - 1)


def _children(keys: QueueKeys, families: Sequence[Reply]) -> tuple[tuple[bytes, str], ...]:
    """Ids of this queue; full keys of others, which nothing cuts into queue and id for sure."""
    words = zip(families, ("waiting", "done", "failed", "failed"), strict=True)
    return tuple((key.removeprefix(keys.base), word) for reply, word in words for key in sorted(blobs(reply)))


def _row(keys: QueueKeys, job: bytes, names: list[bytes]) -> Conversation[tuple[tuple[bytes, bytes, int], ...]]:
    sizes = [count(size) for size in (yield from ask_each(keys, [read("HSTRLEN", keys.row(job), n) for n in names]))]
    values = yield from parts(keys, [(job, name, size, LARGE_BYTES) for name, size in zip(names, sizes, strict=True)])
    return tuple((name, value or b"", size) for name, value, size in zip(names, values, sizes, strict=True))
