"""Connections of a server, as CLIENT LIST tells of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from emqtop.wire.replies import blob, whole
from emqtop.wire.resp import Reply, ReplyError, pack

LISTING = pack("CLIENT", "LIST")
"""Asks for all of them: some 300 bytes each, on a cluster those of one node."""

_FIELD = re.compile(rb"([a-z-]+)=([^ ]*)")


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
    command: bytes
    """Its last command, in small letters."""
    is_blocked: bool
    """Does it wait in a blocking command?"""
    library: bytes
    """Client library, with version."""


def connections(listing: Reply, marks: Sequence[bytes], database: int | None = None) -> list[Connection] | None:
    """The connections whose line holds one of the marks; None: the server withholds them.

    Args:
        listing: answer to `LISTING`. Lines without a mark cost a search and no more: there may be ten thousand.
        marks: parts of lines.
        database: only those that use it; None: all.
    """
    if isinstance(listing, ReplyError):
        return None
    lines = [line for line in (blob(listing) or b"").splitlines() if any(mark in line for mark in marks)]
    fields = [dict(_FIELD.findall(line)) for line in lines]
    return [_connection(each) for each in fields if database is None or whole(each.get(b"db")) == database]


def _connection(fields: dict[bytes, bytes]) -> Connection:
    return Connection(
        id=whole(fields.get(b"id")) or 0,
        name=fields.get(b"name", b""),
        address=fields.get(b"addr", b""),
        age_s=whole(fields.get(b"age")) or 0,
        idle_s=whole(fields.get(b"idle")) or 0,
        command=fields.get(b"cmd", b""),
        is_blocked=b"b" in fields.get(b"flags", b""),
        library=b" ".join(part for name in (b"lib-name", b"lib-ver") if (part := fields.get(name))),
    )
