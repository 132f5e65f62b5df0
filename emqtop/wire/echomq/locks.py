"""The lock plane: flags that say "a worker holds this job", beside its lease (echomq.md 4.10)."""

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.recovery import extend_many
from emqtop.wire.resp import Conversation, ask_all, pack

LOCK_TTL_MS = 60_000
"""Life of a flag that is not renewed, ms: twice the usual lease."""
_FIELD = "lock"


def track(keys: QueueKeys, job: str, token: int, ttl_ms: int = LOCK_TTL_MS) -> Conversation[None]:
    """Raise both flags of a job: its lock key, and the field of its row.

    A server older than Valkey 9 or Redis 7.4 knows no life of a field; there the field stays until `untrack`, as with
    EchoMQ.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    row = keys.row(job)
    commands = [pack("SET", keys.sub(job, _FIELD), token, "PX", ttl_ms), pack("HSET", row, _FIELD, token)]
    yield from ask_all([*commands, _field_life(row, ttl_ms)], row)


def beat(
    keys: QueueKeys, held: list[tuple[str, int]], lease_ms: int, ttl_ms: int = LOCK_TTL_MS
) -> Conversation[tuple[str, ...]]:
    """Extend the leases of held jobs (id, token) and the life of their flags; returns the ids that are lost.

    Raises:
        BadId: one is not the id of a job; nothing was sent.
    """
    lost = yield from extend_many(keys, held, lease_ms)
    kept = [job for job, _ in held if job not in lost]
    commands = [
        command
        for job in kept
        for command in (pack("PEXPIRE", keys.sub(job, _FIELD), ttl_ms), _field_life(keys.row(job), ttl_ms))
    ]
    yield from ask_all(commands, keys.base)
    return lost


def untrack(keys: QueueKeys, job: str) -> Conversation[None]:
    """Lower both flags of a job.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    row = keys.row(job)
    yield from ask_all([pack("DEL", keys.sub(job, _FIELD)), pack("HDEL", row, _FIELD)], row)


def _field_life(row: bytes, ttl_ms: int) -> bytes:
    return pack("HPEXPIRE", row, ttl_ms, "FIELDS", 1, _FIELD)
