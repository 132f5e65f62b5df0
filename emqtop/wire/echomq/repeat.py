"""Repeating jobs: a registration that mints a fresh job each time it is due (echomq.md 4.8).

All times are the caller's wall clock in ms: the registry is the one place of EchoMQ that does not go by the server's.
"""

from dataclasses import dataclass

from emqtop.units import now_ms
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lifecycle import enqueue_many
from emqtop.wire.replies import blob, blobs, items, whole
from emqtop.wire.resp import Conversation, ReplyError, ask_all, ask_one, pack, text
from emqtop.wire.scripts import Call, call, call_many, script

FIRE_BATCH = 100
"""Registrations that one sweep fires at most."""


@dataclass(frozen=True, slots=True)
class Due:
    """A registration whose time has come."""

    name: str
    """Name of the registration; any text."""
    every_ms: int | None
    """Its period in ms; None where its record is gone or holds no number."""
    template: bytes
    """Payload of each of its jobs."""


def register_repeat(
    keys: QueueKeys, name: str, every_ms: int, template: bytes, first_ms: int | None = None
) -> Conversation[bool]:
    """Register a repeating job; False where the name is registered already, and nothing changes then.

    Args:
        first_ms: the first run, Unix ms of the caller's clock; None: now.
    """
    first = now_ms() if first_ms is None else first_ms
    return (yield from call("repeat_register", [*_both(keys, name)], name, every_ms, template, first)) == 1


def cancel_repeat(keys: QueueKeys, name: str) -> Conversation[bool]:
    """Forget a repeating job; False where it was not registered."""
    return (yield from call("repeat_cancel", [*_both(keys, name)], name)) == 1


def due_repeats(keys: QueueKeys, now_ms: int, limit: int = FIRE_BATCH) -> Conversation[list[Due]]:
    """Registrations whose time has come, longest due first; two round trips, one where none is due."""
    registry = keys.part("repeat")
    names = yield from ask_one("ZRANGEBYSCORE", registry, "-inf", now_ms, "LIMIT", 0, limit, key=registry)
    found = blobs(names)
    commands = [pack("HMGET", keys.part("repeat:") + name, "every_ms", "template") for name in found]
    replies = yield from ask_all(commands, registry)
    due = []
    for name, reply in zip(found, replies, strict=True):
        every, template = items(reply) or (None, None)
        period = whole(every)
        due.append(Due(text(name), None if period is None or period < 0 else period, blob(template) or b""))
    return due


def fire_repeats(keys: QueueKeys, minter: Minter, now_ms: int, limit: int = FIRE_BATCH) -> Conversation[list[str]]:
    """Enqueue one fresh job for each registration that is due and set its next run to now and a period.

    Missed runs are not caught up, and a crash between the two steps fires twice. A registration without a record is
    dropped.

    Returns:
        The ids of the new jobs.
    """
    fresh: list[tuple[str, Due]] = []
    lost: list[str] = []
    for due in (yield from due_repeats(keys, now_ms, limit)):
        if due.every_ms is None:
            lost.append(due.name)
        else:
            fresh.append((minter.mint(), due))
    born = yield from enqueue_many(keys, [(job, due.template) for job, due in fresh])
    landed = [one for one, verdict in zip(fresh, born, strict=True) if not isinstance(verdict, ReplyError)]
    advance, cancel = script("repeat_advance"), script("repeat_cancel")
    moves = [Call(advance, _both(keys, due.name), (due.name, now_ms + (due.every_ms or 0))) for _, due in landed]
    yield from call_many(moves + [Call(cancel, _both(keys, name), (name,)) for name in lost])
    return [job for job, _ in landed]


def _both(keys: QueueKeys, name: str) -> tuple[bytes, bytes]:
    return keys.part("repeat"), keys.part("repeat:" + name)
