"""The server strip: who answers, and how it is."""

from collections.abc import Iterator

from emqtop.model.snapshot import Snapshot
from emqtop.text import cells, safe
from emqtop.ui.widgets.line import Part
from emqtop.units import count, size

NEAR_LIMIT = 0.9
"""Part of maxmemory in use from which on it is a warning."""


def server_parts(snapshot: Snapshot, width: int) -> tuple[Part, ...]:
    """As much about the server as `width` cells hold, the most important things first."""
    kept: list[Part] = []
    for part in _facts(snapshot):
        need = cells(part.text) + 2
        if need > width:
            continue
        width -= need
        kept += [Part("  ", "bar"), part]
    return (*kept, Part(" ", "bar")) if kept else ()


def _facts(snapshot: Snapshot) -> Iterator[Part]:
    server = snapshot.server
    if server.url:
        yield Part(safe(server.url), "bar")
    if server.kind is not None:
        yield Part(safe(f"{server.kind} {server.version or ''}".strip()), "bar")
    if server.role is not None and server.role != "master":
        yield Part(safe(server.role), "warn")
    if server.memory_bytes is not None:
        yield _memory(server.memory_bytes, server.memory_limit_bytes)
    if server.eviction is not None and server.eviction != "noeviction":
        yield Part(safe(f"evicts: {server.eviction}"), "warn")
    if server.clients is not None:
        yield Part(f"{count(server.clients)} clients", "bar")


def _memory(used: int, limit: int | None) -> Part:
    if not limit:
        return Part(f"mem {size(used)}", "bar")
    return Part(f"mem {size(used)}/{size(limit)}", "warn" if used > NEAR_LIMIT * limit else "bar")
