"""Workers of a queue, as far as the server knows them (echomq.md 7): they register nowhere.

What they call their connections is their owner's choice. One that is named after the queue tells it; of one that waits
in BLPOP the server does not say for which queue. Who holds which lease is written nowhere.
"""

import re

from emqtop.wire.around import TeamReading, WorkerReading
from emqtop.wire.connections import LISTING, Connection, connections
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.resp import Conversation, ask_all

MOST_UNTOLD = 50
"""Connections that are listed of those that wait for nobody knows which queue."""

_WORKER = b"w:"
"""What stands before the worker's own name where the queue's stands too, as in the BullMQ family."""
_ELSEWHERE = re.compile(rb"[^:{}]+:\{.+\}(?::.*)?", re.DOTALL)


def team(keys: QueueKeys, database: int | None = None) -> Conversation[TeamReading]:
    """Who works on a queue, oldest first, then those that wait for some queue; one round trip."""
    (listing,) = yield from ask_all([LISTING], keys.base)
    own = keys.base[:-1]
    found = connections(listing, (b" name=" + own, b" cmd=blpop "), database)
    if found is None:
        return TeamReading(workers=None)
    found.sort(key=lambda one: (-one.age_s, one.id))
    told = [one for one in found if _is_of(own, one.name)]
    untold = [one for one in found if one.is_blocked and not _ELSEWHERE.fullmatch(one.name)]
    listed = [*(_told(own, one) for one in told), *map(_untold, untold[:MOST_UNTOLD])]
    return TeamReading(workers=tuple(listed), unlisted=max(0, len(untold) - MOST_UNTOLD))


def _is_of(own: bytes, name: bytes) -> bool:
    return name == own or name.startswith(own + b":")


def _told(own: bytes, one: Connection) -> WorkerReading:
    return _reading(one, one.name[len(own) + 1 :].removeprefix(_WORKER), is_told=True)


def _untold(one: Connection) -> WorkerReading:
    return _reading(one, one.name, is_told=False)


def _reading(one: Connection, name: bytes, *, is_told: bool) -> WorkerReading:
    return WorkerReading(
        name=name or None,
        address=one.address,
        age_s=one.age_s,
        is_waiting=one.is_blocked,
        library=one.library,
        idle_s=one.idle_s,
        client=one.id,
        is_told=is_told,
    )
