"""Workers of a queue, by the names of their connections (bullmq.md 8)."""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass

from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.replies import blob, whole
from emqtop.wire.resp import Conversation, ReplyError, ask_all, pack, raw

_FIELD = re.compile(rb"([a-z-]+)=([^ ]*)")
_TWICE = b"redis-py"
"""The library whose workers show both of their connections; all others show one."""


@dataclass(frozen=True, slots=True)
class WorkerReading:
    """One worker process, as its connection to the server shows it."""

    name: bytes | None
    """The name that its owner gave it; None: it has none."""
    address: bytes
    """Where it calls from."""
    age_s: int
    """Seconds since it connected."""
    is_waiting: bool
    """Does it wait for a job?"""
    library: bytes
    """Its client library, with version."""


def workers(keys: QueueKeys) -> Conversation[tuple[WorkerReading, ...] | None]:
    """Who works on a queue, oldest first; None: the server does not say. On a cluster, what one node sees."""
    (reply,) = yield from ask_all([pack("CLIENT", "LIST")], keys.part("marker"))
    if isinstance(reply, ReplyError):
        return None
    found = [_worker(keys, fields) for fields in _clients(blob(reply) or b"")]
    return tuple(_each_once([one for one in found if one is not None]))


def _clients(listing: bytes) -> Iterable[dict[bytes, bytes]]:
    return (dict(_FIELD.findall(line)) for line in listing.splitlines())


def _worker(keys: QueueKeys, fields: dict[bytes, bytes]) -> WorkerReading | None:
    named = _named(keys, fields.get(b"name", b""))
    if named is None:
        return None
    return WorkerReading(
        name=named or None,
        address=fields.get(b"addr", b""),
        age_s=whole(fields.get(b"age")) or 0,
        is_waiting=b"b" in fields.get(b"flags", b""),
        library=b" ".join(part for name in (b"lib-name", b"lib-ver") if (part := fields.get(name))),
    )


def _named(keys: QueueKeys, name: bytes) -> bytes | None:
    """The worker's own name, empty without one; None: another queue's, or no worker's (`…:qe` listens to events)."""
    encoded = raw(keys.prefix) + b":" + base64.b64encode(raw(keys.name))
    for spelling in (encoded, keys.base[:-1]):
        if name == spelling:
            return b""
        if name.startswith(spelling + b":w:"):
            return name[len(spelling) + 3 :]
    return None


def _each_once(found: list[WorkerReading]) -> Iterable[WorkerReading]:
    """Of the two connections of one process the one that waits, if any does: both come from one host at one age."""
    found.sort(key=lambda one: (-one.age_s, one.address))
    pairs: dict[tuple[bytes | None, bytes], WorkerReading] = {}
    for one in found:
        if not one.library.startswith(_TWICE):
            yield one
            continue
        key = (one.name, one.address.rpartition(b":")[0])
        first = pairs.pop(key, None)
        if first is None:
            pairs[key] = one
        else:
            yield one if one.is_waiting else first
    yield from pairs.values()
