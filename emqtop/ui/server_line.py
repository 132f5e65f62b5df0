"""The server strip: who answers, how it is, what asking it costs, and what it withholds."""

from collections.abc import Iterator

from emqtop.model.snapshot import NEAR_LIMIT, SAFE_POLICY, Snapshot
from emqtop.text import cells, safe
from emqtop.ui.vitals import Vitals
from emqtop.ui.widgets.line import Part
from emqtop.units import count, size

SLOW_MS = 200.0
"""Wall time of a sample from which on it is a warning, ms."""


def server_parts(snapshot: Snapshot, vitals: Vitals, width: int) -> tuple[Part, ...]:
    """As much about the server as `width` cells hold, the most important things first."""
    kept: list[Part] = []
    for part in _facts(snapshot, vitals):
        need = cells(part.text) + 2
        if need > width:
            continue
        width -= need
        kept += [Part("  ", "bar"), part]
    return (*kept, Part(" ", "bar")) if kept else ()


def _facts(snapshot: Snapshot, vitals: Vitals) -> Iterator[Part]:
    server = snapshot.server
    if server.url:
        yield Part(safe(server.url), "bar")
    yield from _warnings(snapshot)
    if server.kind is not None:
        yield Part(safe(f"{server.kind} {server.version or ''}".strip()), "bar")
    if vitals.memory_bytes is not None:
        yield _memory(vitals.memory_bytes, server.memory_limit_bytes)
    if vitals.clients is not None:
        yield Part(f"{count(vitals.clients)} clients", "bar")
    if vitals.round_trip_ms is not None:
        yield Part(round_trip(vitals.round_trip_ms), "warn" if vitals.round_trip_ms >= SLOW_MS else "bar")
    if vitals.commands is not None and vitals.bytes is not None:
        yield Part(f"asks {rounded(vitals.commands)}/s {size(round_to_two(vitals.bytes))}/s", "bar")
        yield Part(safe(snapshot.mode), "bar")
    if server.mode is not None and server.mode != "standalone":
        yield Part(safe(server.mode), "bar")
    if server.role == "master":
        yield Part("master", "bar")
    if server.eviction == SAFE_POLICY:
        yield Part(SAFE_POLICY, "bar")


def _warnings(snapshot: Snapshot) -> Iterator[Part]:
    """What somebody should know who acts here."""
    server = snapshot.server
    if server.role is not None and server.role != "master":
        yield Part(safe(server.role), "warn")
    if server.eviction is not None and server.eviction != SAFE_POLICY:
        yield Part(safe(f"evicts: {server.eviction}"), "warn")
    if snapshot.limits:
        yield Part(f"{len(snapshot.limits)} withheld", "warn")


def _memory(used: int, limit: int | None) -> Part:
    if not limit:
        return Part(f"mem {size(used)}", "bar")
    return Part(f"mem {size(used)}/{size(limit)}", "warn" if used > NEAR_LIMIT * limit else "bar")


def round_trip(ms: float) -> str:
    """The time of a sample in a few cells: `<1ms`, `12ms`, `1.2s`."""
    if ms < 1:
        return "<1ms"
    return f"{round_to_two(ms)}ms" if ms < 1_000 else f"{ms / 1_000:.1f}s"


def rounded(per_second: float) -> str:
    """Things a second to two digits: `<1`, `12`, `2300`."""
    return "<1" if 0 < per_second < 1 else str(round_to_two(per_second))


def round_to_two(number: float) -> int:
    """A number to its first two digits."""
    whole = round(number)
    unit = int(10 ** max(0, len(str(whole)) - 2))
    return round(whole / unit) * unit
