"""All that is kept of a job, read before it is removed and written back when that is undone (bullmq.md 1, 2)."""

from collections.abc import Sequence
from typing import Any

from emqtop.wire.bullmq import calls
from emqtop.wire.bullmq.keyed_reads import Read, ask_each, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.layout import decode_layout, layout_reads
from emqtop.wire.bullmq.library_scripts import NotShipped, in_transaction
from emqtop.wire.bullmq.lookup import queue_of
from emqtop.wire.bullmq.places import ACTIVE, ALL, CHILDREN, DELAYED, HELD_BACK, WAIT
from emqtop.wire.bullmq.rows import ERROR_BYTES
from emqtop.wire.bullmq.scores import due_ms
from emqtop.wire.replies import blob, blobs, number, scored, texts
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, pack, raw, text
from emqtop.wire.scripts import Call
from emqtop.wire.verdicts import DONE, Sighted, Verdict

MOST_LOGS = 10_000
"""Log lines of a job that are kept, the newest."""

_HASHES = ("processed", "failed")
_PER_JOB = 6 + len(ALL)
_WAITS = b":dependencies"


def record(keys: QueueKeys, jobs: Sequence[Sighted]) -> Conversation[list[dict[str, Any]]]:
    """Row, logs, flow keys and place of each job, in one round trip, two for children; as JSON has it, without a lock.

    Bytes that are no UTF-8 stand as lone surrogates.
    """
    reads = []
    for job in jobs:
        id_ = raw(job.id)
        reads += [
            read("HGETALL", keys.row(id_)),
            read("LRANGE", keys.sub(id_, "logs"), -MOST_LOGS, -1),
            *(read("HGETALL", keys.sub(id_, name)) for name in _HASHES),
            read("SMEMBERS", keys.sub(id_, "dependencies")),
            read("ZRANGE", keys.sub(id_, "unsuccessful"), 0, -1, "WITHSCORES"),
            *(place.holds(keys, id_) for place in ALL),
        ]
    replies = yield from ask_each(keys, reads)
    found = [_record(job, replies[at * _PER_JOB : (at + 1) * _PER_JOB]) for at, job in enumerate(jobs)]
    children = [each for each in found if "parentKey" in each["row"]]
    waits = yield from ask_each(keys, [_is_awaited(keys, each) for each in children])
    for each, reply in zip(children, waits, strict=True):
        each["awaited"] = reply == 1
    return found


def sketch(keys: QueueKeys, jobs: Sequence[Sighted]) -> Conversation[list[dict[str, Any]]]:
    """Place, due time in ms and last error of each job, in one round trip; as JSON has it.

    Attempts are left out: dead-lettering a job that waits counts one here, so nothing is to be compared afterwards.
    """
    reads = []
    for job in jobs:
        reads.append(read("HGET", keys.row(raw(job.id)), "failedReason"))
        reads.append(DELAYED.holds(keys, raw(job.id)))
    replies = yield from ask_each(keys, reads)
    found = []
    for job, reply, score in zip(jobs, replies[::2], replies[1::2], strict=True):
        error = blob(reply)
        due = due_ms(number(score) or 0)
        told = None if error is None else text(error[:ERROR_BYTES])
        found.append({"id": job.id, "location": job.location, "score": str(due), "attempts": None, "last_error": told})
    return found


def restore(keys: QueueKeys, kept: dict[str, Any]) -> Conversation[Verdict]:
    """Put a job back as a record has it, one that was active to the served end; refused where its id lives again.

    The library has no script for it, so the rows are written as its own removal left room for, in one transaction.

    Raises:
        KeyError: it is no record.
        ReplyError: the server refused.
    """
    job = raw(kept["id"])
    watch = (keys.base, pack("WATCH", keys.row(job), *keys.parts("meta", "paused")))
    _, exists, *told = yield from ask_each(keys, [watch, read("EXISTS", keys.row(job)), *layout_reads(keys)])
    layout = decode_layout(told)
    refusal = layout.refusal or ("its id lives again" if exists else None)
    try:
        kick = [] if layout.paused or layout.held_back else [calls.resume(keys, silent=True)]
    except NotShipped as missing:
        refusal = str(missing)
    if refusal is not None:
        yield Ask(pack("UNWATCH"), 1, keys.base)
        return Verdict(kept["id"], "moved" if exists else "not-supported", "", refusal)
    commands: list[Call | bytes] = [*_writes(keys, job, kept, layout.is_list_paused), *kick]
    if kept.get("awaited") and (yield from _parent_waits(keys, kept["row"])):
        commands.insert(0, pack("SADD", raw(kept["row"]["parentKey"]) + _WAITS, keys.row(job)))
    payload, count = in_transaction(commands)
    replies = yield Ask(payload, count, keys.base)
    if isinstance(replies[-1], ReplyError):
        raise next(reply for reply in replies if isinstance(reply, ReplyError))
    if replies[-1] is None:
        return Verdict(kept["id"], "moved", "", "it changed while it was put back; nothing was written")
    return Verdict(kept["id"], DONE)


def _is_awaited(keys: QueueKeys, kept: dict[str, Any]) -> Read:
    return read("SISMEMBER", raw(kept["row"]["parentKey"]) + _WAITS, keys.row(raw(kept["id"])))


def _parent_waits(keys: QueueKeys, row: dict[str, str]) -> Conversation[bool]:
    """Does the parent of a removed child still wait for others? It is watched: else it went on without this one."""
    parent = raw(row["parentKey"])
    queue = queue_of(raw(row.get("parent", "")), parent)
    watch = (parent, pack("WATCH", parent, parent + _WAITS))
    waiting = read("ZSCORE", queue + b":" + raw(CHILDREN.part), parent[len(queue) + 1 :])
    _, score = yield from ask_each(keys, [watch, waiting])
    return number(score) is not None


def _writes(keys: QueueKeys, job: bytes, kept: dict[str, Any], list_paused: bool) -> list[bytes]:
    writes = [_flat("HSET", keys.row(job), kept["row"])]
    writes += [_flat("HSET", keys.sub(job, name), kept[name]) for name in _HASHES if kept[name]]
    if kept["logs"]:
        writes.append(pack("RPUSH", keys.sub(job, "logs"), *kept["logs"]))
    if kept["dependencies"]:
        writes.append(pack("SADD", keys.sub(job, "dependencies"), *kept["dependencies"]))
    for child, score in kept["unsuccessful"].items():
        writes.append(pack("ZADD", keys.sub(job, "unsuccessful"), score, child))
    part, score = kept["part"], kept["score"]
    if part == ACTIVE.part:
        writes.append(pack("RPUSH", keys.part((HELD_BACK if list_paused else WAIT).part), job))
    elif part in (WAIT.part, HELD_BACK.part):
        writes.append(pack("LPUSH", keys.part((HELD_BACK if list_paused else WAIT).part), job))
    elif part is not None:
        writes.append(pack("ZADD", keys.part(part), score, job))
    return writes


def _flat(verb: str, key: bytes, pairs: dict[str, str]) -> bytes:
    return pack(verb, key, *(part for pair in pairs.items() for part in pair))


def _record(job: Sighted, replies: list[Reply]) -> dict[str, Any]:
    row, logs, processed, failed, dependencies, unsuccessful, *where = replies
    part, score = next(
        ((place.part, score) for place, rank in zip(ALL, where, strict=True) if (score := number(rank)) is not None),
        (None, None),
    )
    return {
        "id": job.id,
        "location": job.location,
        "part": part,
        "score": None if score is None else repr(score),
        "row": texts(row),
        "logs": [text(line) for line in blobs(logs)],
        "processed": texts(processed),
        "failed": texts(failed),
        "dependencies": sorted(map(text, blobs(dependencies))),
        "unsuccessful": {text(child): repr(score) for child, score in scored(unsuccessful)},
    }
