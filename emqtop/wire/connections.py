"""Connections of a server, as CLIENT LIST tells of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from emqtop.wire.around import WorkerReading
from emqtop.wire.replies import blob, whole
from emqtop.wire.resp import Reply, ReplyError, pack

LISTING = pack("CLIENT", "LIST")
"""Asks for all of them: some 300 bytes each, on a cluster those of one node."""

_FIELD = re.compile(rb"([a-z-]+)=([^ ]*)")
_NAME = re.compile(rb" name=([^ ]*)")


@dataclass(frozen=True, slots=True)
class Connection:
    """One of them."""

    id: int
    """The server's number of it."""
    name: bytes
    """As it named itself; empty: not at all."""
    address: bytes
    """Where it comes from."""
    age_s: int
    """Seconds since it was made."""
    idle_s: int
    """Seconds since its last command."""
    is_blocked: bool
    """Does it wait in a blocking command?"""
    library: bytes
    """Client library, with version."""


def lines(listing: Reply, marks: Sequence[bytes], database: int | None = None) -> list[bytes] | None:
    """The lines of connections that hold one of the marks; None: the server withholds them.

    There may be ten thousand: a line is searched here, and read only where that is wanted.

    Args:
        listing: answer to `LISTING`.
        marks: parts of lines.
        database: only those that use it; None: all.
    """
    if isinstance(listing, ReplyError):
        return None
    every = (blob(listing) or b"").splitlines()
    found = [line for line in every if any(mark in line for mark in marks)]
    return found if database is None else [line for line in found if b" db=%d " % database in line]


def name_of(line: bytes) -> bytes:
    """As the connection of a line named itself; empty: not at all."""
    found = _NAME.search(line)
    return b"" if found is None else found[1]


def connection(line: bytes) -> Connection:
    """What a line tells."""
    fields = dict(_FIELD.findall(line))
    return Connection(
        id=whole(fields.get(b"id")) or 0,
        name=fields.get(b"name", b""),
        address=fields.get(b"addr", b""),
        age_s=whole(fields.get(b"age")) or 0,
        idle_s=whole(fields.get(b"idle")) or 0,
        is_blocked=b"b" in fields.get(b"flags", b""),
        library=b" ".join(part for name in (b"lib-name", b"lib-ver") if (part := fields.get(name))),
    )


def worker(found: Connection, name: bytes, is_told: bool = True) -> WorkerReading:
    """A connection as a worker.

    Args:
        found: its connection.
        name: its own name, without that of the queue; empty: none.
        is_told: does the connection tell for which queue it works?
    """
    return WorkerReading(
        name=name or None,
        address=found.address,
        age_s=found.age_s,
        is_waiting=found.is_blocked,
        library=found.library,
        idle_s=found.idle_s,
        client=found.id,
        is_told=is_told,
    )
