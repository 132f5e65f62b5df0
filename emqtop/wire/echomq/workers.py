"""Workers of a queue, as far as the server knows them (echomq.md 7): they register nowhere.

What they call their connections is their owner's choice. One that is named after the queue tells it; of one that waits
in BLPOP the server does not say for which queue. Who holds which lease is written nowhere.
"""

import re

from emqtop.wire.around import TeamReading, WorkerReading
from emqtop.wire.connections import LISTING, connection, lines, name_of, worker
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.resp import Conversation, ask_all

MOST_UNTOLD = 50
"""Connections that are listed of those that wait for nobody knows which queue."""

_WAITS, _BLOCKED = b" cmd=blpop ", re.compile(rb" flags=[^ ]*b")
"""What the line of a connection says that waits so."""
_NAMED = b"w:"
"""What stands before the worker's own name where the queue's stands too, as in the BullMQ family."""
_ELSEWHERE = re.compile(rb"[^:{}]+:\{.+\}(?::.*)?", re.DOTALL)


def team(keys: QueueKeys, database: int | None = None) -> Conversation[TeamReading]:
    """Who works on a queue, oldest first, then those that wait for some queue; one round trip."""
    (listing,) = yield from ask_all([LISTING], keys.base)
    own = keys.base[:-1]
    found = lines(listing, (b" name=" + own, _WAITS), database)
    if found is None:
        return TeamReading(workers=None)
    told = [line for line in found if _is_of(own, name_of(line))]
    waiting = [line for line in found if _WAITS in line and _BLOCKED.search(line)]
    untold = [line for line in waiting if not _ELSEWHERE.fullmatch(name_of(line))]
    workers = [_worker(line, own) for line in told]
    workers.sort(key=lambda one: (-one.age_s, one.client))
    strangers = [_worker(line) for line in untold[:MOST_UNTOLD]]
    return TeamReading(workers=(*workers, *strangers), unlisted=max(0, len(untold) - MOST_UNTOLD))


def _is_of(own: bytes, name: bytes) -> bool:
    return name == own or name.startswith(own + b":")


def _worker(line: bytes, own: bytes | None = None) -> WorkerReading:
    """One whose name begins with that of the queue, else one of which none knows for which queue it waits."""
    one = connection(line)
    name = one.name if own is None else one.name[len(own) + 1 :].removeprefix(_NAMED)
    return worker(one, name, is_told=own is not None)
