"""Everything about one job, without moving a giant value (echomq.md 1.1, 3, 10.1)."""

from dataclasses import dataclass, field

from emqtop.wire.echomq.groups import groups
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.locations import SETS
from emqtop.wire.echomq.members import Member
from emqtop.wire.echomq.rows import ERROR_BYTES, LARGE_BYTES, PREVIEW_BYTES, Finding, look_again
from emqtop.wire.errors import check_told
from emqtop.wire.readings import DetailReading
from emqtop.wire.replies import blob, blobs, count, items, score_ms, server_ms, whole
from emqtop.wire.resp import Conversation, Reply, ask_all, ask_one, pack

_LOG_LINES = 100
_MOST_CHILDREN = 500
_CHILDREN = (("processed", "done"), ("failed", "failed"), ("unsuccessful", "failed"))
_SMALL = ("state", "attempts", "group", "parent", "parent_queue", "last_error")


@dataclass(slots=True)
class _Dossier:
    """What the first round trip brings."""

    at_ms: int
    exists: bool
    names: list[bytes]
    small: dict[str, bytes | None]
    scores: dict[str, int | None]
    logs: tuple[bytes, ...]
    log_total: int
    lock_ms: int | None
    waiting_for: int | None
    children: list[tuple[bytes, str]] = field(default_factory=list)


def detail(keys: QueueKeys, job: str) -> Conversation[DetailReading | None]:
    """One job in three round trips, four where something seems odd; None: no row, and in no set or lane.

    Values of the row above 64 kB are measured, not read, but for the beginning of the error. The newest 100 log lines
    and 500 children are read.

    Raises:
        BadId: not the id of a job; nothing is sent.
        ReplyError: a right is missing, without which nothing can be said of it.
    """
    raw_id = keys.row(job)[len(keys.row_root) :]
    found = yield from _open(keys, job, raw_id)
    if found.exists:
        fields, lane = yield from _read_row(keys, job, found)
    else:
        fields, lane = (), (yield from _lane_of_ghost(keys, raw_id))
    location, member = _place(raw_id, found, lane)
    if location is None and not found.exists:
        return None
    finding = _finding(found, member, lane, {name: (value, size) for name, value, size in fields})
    yield from look_again(keys, location or "", [finding] if finding.odd(location) else [])
    return DetailReading(
        at_ms=found.at_ms,
        job=finding.reading(location),
        location=location,
        fields=fields,
        logs=found.logs,
        log_total=found.log_total,
        parent=found.small["parent"],
        parent_queue=found.small["parent_queue"],
        waiting_for=found.waiting_for,
        children=tuple(found.children),
        lock_ms=found.lock_ms,
    )


def field_part(keys: QueueKeys, job: str, name: str, start: int, length: int) -> Conversation[bytes]:
    """Part of a field's value; empty where there is no such field. The server sends the whole value once.

    Raises:
        BadId: not the id of a job; nothing is sent.
        ReplyError: the row is no hash, or may not be read.
    """
    row = keys.row(job)
    value = blob((yield from ask_one("HGET", row, name, key=row))) or b""
    return value[start : start + length]


def _open(keys: QueueKeys, job: str, raw_id: bytes) -> Conversation[_Dossier]:
    row, logs = keys.row(job), keys.sub(job, "logs")
    time, exists, names, small, lines, total, lock, waiting, *rest = yield from ask_all(
        [
            pack("TIME"),
            pack("EXISTS", row),
            pack("HKEYS", row),
            pack("HMGET", row, *_SMALL),
            pack("LRANGE", logs, -_LOG_LINES, -1),
            pack("LLEN", logs),
            pack("PTTL", keys.sub(job, "lock")),
            pack("GETRANGE", keys.sub(job, "dependencies"), 0, 20),
            *(pack("ZSCORE", keys.part(name), raw_id) for name in SETS),
            *(pack("HRANDFIELD", keys.sub(job, kind), _MOST_CHILDREN) for kind, _ in _CHILDREN),
        ],
        row,
    )
    lock_ms = whole(lock)
    scores, families = rest[: len(SETS)], rest[len(SETS) :]
    check_told([exists, names, small, *scores])
    return _Dossier(
        at_ms=server_ms(time),
        exists=count(exists) > 0,
        names=blobs(names),
        small=dict(zip(_SMALL, map(blob, items(small) or [None] * len(_SMALL)), strict=True)),
        scores=dict(zip(SETS, map(score_ms, scores), strict=True)),
        logs=tuple(blobs(lines)),
        log_total=count(total),
        lock_ms=lock_ms if lock_ms is not None and lock_ms >= 0 else None,
        waiting_for=whole(waiting),
        children=[
            (child, word)
            for (_, word), reply in zip(_CHILDREN, families, strict=True)
            for child in sorted(blobs(reply))
        ],
    )


def _read_row(
    keys: QueueKeys, job: str, found: _Dossier
) -> Conversation[tuple[tuple[tuple[bytes, bytes, int], ...], bytes | None]]:
    """The fields with their sizes, and the lane that the row names where the id lies in it."""
    row, group = keys.row(job), found.small["group"]
    commands = [pack("HSTRLEN", row, name) for name in found.names]
    if group is not None:
        commands.append(pack("ZSCORE", keys.found_lane(group), row[len(keys.row_root) :]))
    replies = yield from ask_all(commands, row)
    sizes = dict(zip(found.names, map(count, replies), strict=False))
    lane = group if group is not None and score_ms(replies[-1]) is not None else None
    modest = [name for name, size in sizes.items() if size <= LARGE_BYTES]
    values: dict[bytes, Reply] = {}
    if modest:
        (reply,) = yield from ask_all([pack("HMGET", row, *modest)], row)
        values = dict(zip(modest, items(reply), strict=False))
    return tuple((name, blob(values.get(name)) or b"", size) for name, size in sizes.items()), lane


def _lane_of_ghost(keys: QueueKeys, raw_id: bytes) -> Conversation[bytes | None]:
    """The lane that holds an id without a row, which could have named it."""
    names = (yield from groups(keys)).names()
    scores = yield from ask_all([pack("ZSCORE", keys.found_lane(name), raw_id) for name in names], keys.base)
    return next((name for name, score in zip(names, scores, strict=True) if score_ms(score) is not None), None)


def _place(raw_id: bytes, found: _Dossier, lane: bytes | None) -> tuple[str | None, Member]:
    for name, score in found.scores.items():
        if score is not None:
            return name, Member(raw_id, score)
    if lane is not None:
        return "pending", Member(raw_id, lane=lane)
    return "held" if found.small["state"] == b"awaiting_children" else None, Member(raw_id)


def _finding(found: _Dossier, member: Member, lane: bytes | None, row: dict[bytes, tuple[bytes, int]]) -> Finding:
    payload, size = row.get(b"payload", (None, 0))
    error = found.small["last_error"]
    places = {name for name, score in found.scores.items() if score is not None}
    return Finding(
        member,
        state=found.small["state"],
        attempts=whole(found.small["attempts"]),
        group=found.small["group"],
        last_error=None if error is None else error[:ERROR_BYTES],
        size=size,
        has_row=found.exists,
        has_payload=payload is not None,
        payload=payload[:PREVIEW_BYTES] if payload is not None and size <= LARGE_BYTES else None,
        places=places | ({"lane"} if lane is not None and member.lane is None else set()),
    )
