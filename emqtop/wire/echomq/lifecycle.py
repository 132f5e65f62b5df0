"""The life of a job: admitted, claimed under a lease, settled by its token (echomq.md 4.1 to 4.3).

Every verb is one script, so one round trip, and may share the queue with EchoMQ's own workers.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.refusals import StaleToken, refusing
from emqtop.wire.replies import items
from emqtop.wire.resp import Conversation, Reply, ReplyError, text
from emqtop.wire.scripts import Call, call, call_many, script

DEFAULT_LEASE_MS = 30_000
"""Lease of EchoMQ's consumers, ms."""
DEFAULT_ATTEMPTS = 3
"""Attempts at most, of EchoMQ's consumers."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that a worker holds."""

    id: str
    """Id of the job."""
    payload: bytes | None
    """Payload; None for a ghost, a member of a set without a row."""
    token: int
    """Fencing token: the attempts so far, this one counted."""
    group: str | None = None
    """Lane it came from; None from the flat set."""


class Settled(Enum):
    """How a completion ended."""

    GONE = 0
    DONE = 1


class Retried(StrEnum):
    """How a failure ended."""

    SCHEDULED = "scheduled"
    DEAD = "dead"


def enqueue(keys: QueueKeys, job: str, payload: bytes) -> Conversation[bool]:
    """Admit a job to the flat set; False: a row of this id stands, nothing changed.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    return (yield from refusing(call("enqueue", [keys.row(job), keys.pending], job, payload))) == 1


def enqueue_many(keys: QueueKeys, jobs: list[tuple[str, bytes]]) -> Conversation[list[bool | ReplyError]]:
    """Admit jobs (id, payload) in one write; each has its own verdict, as of `enqueue`.

    Raises:
        BadId: one is not the id of a job; nothing was sent.
    """
    verb = script("enqueue")
    replies = yield from call_many([Call(verb, (keys.row(job), keys.pending), (job, load)) for job, load in jobs])
    return [reply if isinstance(reply, ReplyError) else reply == 1 for reply in replies]


def schedule_at(keys: QueueKeys, job: str, payload: bytes, due_ms: int) -> Conversation[bool]:
    """Admit a job that is due at a Unix time in ms; otherwise as `enqueue`."""
    return (yield from _schedule(keys, job, payload, "at", due_ms))


def schedule_in(keys: QueueKeys, job: str, payload: bytes, delay_ms: int) -> Conversation[bool]:
    """Admit a job that is due after a delay in ms, by the server's clock; otherwise as `enqueue`."""
    return (yield from _schedule(keys, job, payload, "in", delay_ms))


def claim(keys: QueueKeys, lease_ms: int = DEFAULT_LEASE_MS) -> Conversation[Claim | None]:
    """Take the oldest flat job; None: nothing is ready, or the queue is paused."""
    reply = yield from call("claim", [keys.pending, keys.active], keys.part("job:"), lease_ms)
    return as_claim(reply)


def claim_batch(keys: QueueKeys, lease_ms: int, size: int) -> Conversation[list[Claim]]:
    """Take the oldest flat jobs, at most size of them, under one deadline."""
    reply = yield from call("claim_batch", [keys.pending, keys.active], keys.part("job:"), lease_ms, size)
    return as_claims(reply)


def complete(keys: QueueKeys, job: str, token: int, result: bytes = b"") -> Conversation[Settled]:
    """Settle a job as done; its row goes. An empty result tells a flow parent the job's own id.

    Raises:
        BadId: not the id of a job; nothing was sent.
        StaleToken: another claim holds the job; nothing changed.
    """
    reply = yield from refusing(call("complete", [keys.active, keys.row(job)], job, token, keys.base, result))
    return Settled.DONE if reply == 1 else Settled.GONE


def retry(
    keys: QueueKeys, job: str, token: int, error: str | bytes, *, delay_ms: int, attempts: int = DEFAULT_ATTEMPTS
) -> Conversation[Retried]:
    """Settle a job as failed: due again after the delay, dead when it had all its attempts.

    Raises:
        BadId: not the id of a job; nothing was sent.
        StaleToken: another claim holds the job, or it is gone; nothing changed.
    """
    declared = [keys.active, keys.schedule, keys.dead, keys.row(job)]
    reply = yield from refusing(call("retry", declared, job, token, delay_ms, attempts, error, keys.base))
    return Retried.DEAD if reply == b"dead" else Retried.SCHEDULED


def delay_in(keys: QueueKeys, job: str, token: int, delay_ms: int) -> Conversation[bool]:
    """Put a held job back, due after a delay in ms by the server's clock; False: it is gone.

    The count of its lane is left as it is: EchoMQ's own drift (echomq.md 10.3, 22).

    Raises:
        BadId: not the id of a job; nothing was sent.
        StaleToken: another claim holds the job; nothing changed.
    """
    return (yield from _delay(keys, job, token, "in", delay_ms))


def delay_at(keys: QueueKeys, job: str, token: int, due_ms: int) -> Conversation[bool]:
    """Put a held job back, due at a Unix time in ms; otherwise as `delay_in`."""
    return (yield from _delay(keys, job, token, "at", due_ms))


def as_claim(reply: Reply) -> Claim | None:
    """The claim in a reply of `id, payload, token[, group]`; None for an empty one."""
    match reply:
        case [bytes(job), bytes() | None as payload, int(token)]:
            return Claim(text(job), payload, token)
        case [bytes(job), bytes() | None as payload, int(token), bytes(group)]:
            return Claim(text(job), payload, token, text(group))
        case _:
            return None


def as_claims(reply: Reply) -> list[Claim]:
    """The claims in a reply of such rows."""
    return [claim for row in items(reply) if (claim := as_claim(row)) is not None]


def _schedule(keys: QueueKeys, job: str, payload: bytes, mode: str, value_ms: int) -> Conversation[bool]:
    declared = [keys.row(job), keys.schedule]
    return (yield from refusing(call("schedule", declared, job, payload, mode, value_ms))) == 1


def _delay(keys: QueueKeys, job: str, token: int, mode: str, value_ms: int) -> Conversation[bool]:
    declared = [keys.row(job), keys.active, keys.schedule]
    try:
        yield from refusing(call("delay", declared, job, token, mode, value_ms))
    except StaleToken as stale:
        if stale.gone:
            return False
        raise
    return True
