"""All that is kept of a job, read before it is removed and written back when that is undone (echomq.md 1.1, 3)."""

from collections.abc import Sequence
from typing import Any

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.replies import blob, blobs, items, scan_step, texts, whole
from emqtop.wire.resp import Arg, Conversation, Reply, ask_all, pack, text
from emqtop.wire.scripts import call
from emqtop.wire.verdicts import Sighted, Verdict

MOST_LOGS = 10_000
"""Log lines of a job that are kept, the newest."""

_HASHES = ("processed", "failed", "unsuccessful")
_MARK = "lock"
_SCAN_STEP, _MOST_SCANS = 1_000, 200


def record(keys: QueueKeys, jobs: Sequence[Sighted]) -> Conversation[list[dict[str, Any]]]:
    """Row, logs, flow keys and place of each job, in one round trip for many; as JSON has it.

    Bytes that are no UTF-8 stand as lone surrogates. A worker's mark is left out: its time would be over.

    Raises:
        BadId: one is not the id of a job; nothing was sent.
    """
    commands = []
    for job in jobs:
        commands += [
            pack("HGETALL", keys.row(job.id)),
            pack("LRANGE", keys.sub(job.id, "logs"), -MOST_LOGS, -1),
            pack("GET", keys.sub(job.id, "dependencies")),
            *(pack("HGETALL", keys.sub(job.id, name)) for name in _HASHES),
            pack("ZSCORE", keys.part(_set(job.location)), job.id),
        ]
    replies = yield from ask_all(commands, keys.base)
    width = len(_HASHES) + 4
    return [_record(job, replies[at * width : (at + 1) * width]) for at, job in enumerate(jobs)]


def sketch(keys: QueueKeys, jobs: Sequence[Sighted]) -> Conversation[list[dict[str, Any]]]:
    """Place, due time, token and last error of each job, in one round trip; as JSON has it.

    Raises:
        BadId: one is not the id of a job; nothing was sent.
    """
    commands = []
    for job in jobs:
        commands.append(pack("HMGET", keys.row(job.id), "attempts", "last_error"))
        commands.append(pack("ZSCORE", keys.part(_set(job.location)), job.id))
    replies = yield from ask_all(commands, keys.base)
    found = []
    for job, row, score in zip(jobs, replies[::2], replies[1::2], strict=True):
        attempts, error = [blob(value) for value in items(row)] if items(row) else (None, None)
        found.append(
            {
                "id": job.id,
                "location": job.location,
                "score": _number(score),
                "attempts": whole(attempts),
                "last_error": None if error is None else text(error),
            }
        )
    return found


def restore(keys: QueueKeys, kept: dict[str, Any]) -> Conversation[Verdict]:
    """Put a job back as a record has it; refused where its id lives again.

    Raises:
        BadId: the record names no job; nothing was sent.
        KeyError: it is no record.
    """
    job, group = kept["id"], kept["row"].get("group", "")
    keys.row(job)
    if group:
        keys.lane(group)
    args: list[Arg] = [
        job,
        kept["location"],
        kept["score"],
        group if kept["in_lane"] or kept["location"] == "active" else "",
    ]
    args.append("" if kept["dependencies"] is None else kept["dependencies"])
    flat = [part for pair in kept["row"].items() for part in pair]
    hashes = [[part for pair in kept[name].items() for part in pair] for name in _HASHES]
    for part in (flat, kept["logs"], *hashes):
        args += [len(part), *part]
    reply = yield from call("operator_restore", [keys.base], *args, *kept.get("dedup", ()))
    reason, kind, note = (text(part) for part in blobs(reply))
    return Verdict(job, reason, kind, note)


def dedup_of(keys: QueueKeys, jobs: frozenset[str]) -> Conversation[dict[str, list[str]]]:
    """Dedup ids by the job that they hold, among the first 200,000 keys of the server or so.

    No key leads from a job to its dedup id, so the keyspace is scanned.
    """
    root = keys.part("de:")
    found: dict[str, list[str]] = {}
    cursor = b"0"
    for _ in range(_MOST_SCANS):
        (reply,) = yield from ask_all(
            [pack("SCAN", cursor, "MATCH", keys.glob(b"de:*"), "COUNT", _SCAN_STEP)], keys.base
        )
        cursor, part = scan_step(reply)
        names = blobs(part)
        holders = yield from ask_all([pack("GET", name) for name in names], keys.base)
        for name, holder in zip(names, map(blob, holders), strict=True):
            if holder is not None and text(holder) in jobs:
                found.setdefault(text(holder), []).append(text(name[len(root) :]))
        if cursor == b"0":
            break
    return found


def _set(location: str) -> str:
    return location if location in {"active", "schedule", "dead"} else "pending"


def _record(job: Sighted, replies: list[Reply]) -> dict[str, Any]:
    row, logs, dependencies, *hashes, score = replies
    kept = texts(row)
    kept.pop(_MARK, None)
    raw = blob(dependencies)
    return {
        "id": job.id,
        "location": job.location,
        "score": _number(score),
        "in_lane": job.location == "pending" and score is None,
        "row": kept,
        "logs": [text(line) for line in blobs(logs)],
        "dependencies": None if raw is None else text(raw),
        **{name: texts(part) for name, part in zip(_HASHES, hashes, strict=True)},
    }


def _number(score: Reply) -> str:
    if isinstance(score, bytes):
        return text(score)
    return repr(float(score)) if isinstance(score, int | float) else "0"
