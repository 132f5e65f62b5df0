"""Workers of a queue: by the names of their connections, and by what the running jobs tell (bullmq.md 8)."""

import base64
from collections.abc import Iterable

from emqtop.wire.around import HolderReading, TeamReading, WorkerReading
from emqtop.wire.bullmq.keyed_reads import ask_each, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.places import ACTIVE
from emqtop.wire.connections import LISTING, connection, lines, name_of, worker
from emqtop.wire.replies import blob, blobs, checked, count, items
from emqtop.wire.resp import Conversation, Reply, ask_all, raw

MOST_ACTIVE = 200
"""Running jobs that are asked for their worker, the longest running first."""

_TWICE = b"redis-py"
"""The library whose workers show both of their connections; all others show one."""


def workers(keys: QueueKeys, database: int | None = None) -> Conversation[tuple[WorkerReading, ...] | None]:
    """Who works on a queue, oldest first; None: the server does not say. On a cluster, what one node sees."""
    (listing,) = yield from ask_all([LISTING], keys.part("marker"))
    return _workers(keys, listing, database)


def team(keys: QueueKeys, database: int | None = None) -> Conversation[TeamReading]:
    """Who works on a queue and who holds its jobs; two round trips, one where nothing runs.

    Raises:
        ReplyError: the server refused to tell the running jobs.
    """
    asked = (ACTIVE.size(keys), ACTIVE.members(keys, 0, MOST_ACTIVE))
    # The node that workers block on, which is where they can be seen.
    listing, active, members = yield from ask_all([LISTING, *(each for _, each in asked)], keys.part("marker"))
    jobs = [job for job, _ in ACTIVE.decode(checked(members))]
    reads = [each for job in jobs for each in (read("HMGET", keys.row(job), "pb"), read("GET", keys.sub(job, "lock")))]
    marks = yield from ask_each(keys, reads)
    return TeamReading(
        workers=_workers(keys, listing, database),
        holders=tuple(_holders(zip(marks[::2], marks[1::2], strict=True))),
        active=count(active),
        looked_at=len(jobs),
    )


def _holders(marks: Iterable[tuple[Reply, Reply]]) -> Iterable[HolderReading]:
    """Jobs by the worker's name in their rows, else by the part of their lock that is the same for all of a worker."""
    found: dict[tuple[bytes | None, bytes | None], list[bool]] = {}
    for row, lock in marks:
        name, token = next(iter(blobs(items(row))), None), blob(lock)
        part = None if name is not None or token is None else token.rpartition(b":")[0] or token
        found.setdefault((name, part), []).append(token is None)
    for (name, part), lapsed in found.items():
        yield HolderReading(name, part, len(lapsed), sum(lapsed))


def _workers(keys: QueueKeys, listing: Reply, database: int | None) -> tuple[WorkerReading, ...] | None:
    names = _spellings(keys)
    found = lines(listing, [b" name=" + name for name in names], database)
    if found is None:
        return None
    return tuple(_each_once([one for line in found if (one := _worker(names, line)) is not None]))


def _spellings(keys: QueueKeys) -> tuple[bytes, bytes]:
    """The two ways in which libraries name a worker's connection after its queue."""
    return raw(keys.prefix) + b":" + base64.b64encode(raw(keys.name)), keys.base[:-1]


def _worker(names: tuple[bytes, bytes], line: bytes) -> WorkerReading | None:
    named = _named(names, name_of(line))
    return None if named is None else worker(connection(line), named)


def _named(names: tuple[bytes, bytes], name: bytes) -> bytes | None:
    """The worker's own name, empty without one; None: another queue's, or no worker's (`…:qe` listens to events)."""
    for spelling in names:
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
