"""What is wrong with a server, which no queue on it can mend."""

from collections.abc import Iterator

from emqtop.model.findings import Finding, Kind
from emqtop.model.snapshot import NEAR_LIMIT, SAFE_POLICY, Server
from emqtop.text import safe
from emqtop.units import duration, size

SILENT_MS = 15_000
"""Time without a word between master and replica from which on it is told, ms: an idle master speaks every 10 s."""


def examine_server(server: Server) -> Iterator[Finding]:
    """All that is wrong with it, as far as it told; nothing where it withholds INFO."""
    yield from _memory(server)
    yield from _eviction(server)
    yield from _replication(server)


def _memory(server: Server) -> Iterator[Finding]:
    used, limit = server.memory_bytes, server.memory_limit_bytes
    if used is None or not limit or used <= NEAR_LIMIT * limit:
        return
    percent = used * 100 // limit
    says = f"memory {size(used)} of {size(limit)}, {percent} %"
    kind = Kind.MEMORY_FULL if used >= limit else Kind.MEMORY_NEAR
    if kind is Kind.MEMORY_FULL:
        says += ": writes are refused" if server.eviction == SAFE_POLICY else ": keys are thrown out"
    yield Finding(None, kind, says, {"used_bytes": used, "limit_bytes": limit, "percent": percent})


def _eviction(server: Server) -> Iterator[Finding]:
    if server.eviction in {None, SAFE_POLICY}:
        return
    # Jobs have no time to live; locks of BullMQ do.
    what = "locks" if str(server.eviction).startswith("volatile") else "jobs"
    then = f"{what} vanish when memory is full"
    limit = "" if server.memory_limit_bytes else ", though no limit is set"
    yield Finding(None, Kind.EVICTS, f"maxmemory-policy {safe(str(server.eviction))}: {then}{limit}")


def _replication(server: Server) -> Iterator[Finding]:
    is_replica = server.role == "replica"
    if is_replica:
        yield Finding(None, Kind.REPLICA, "this is a replica: acts are refused, and what it shows may be behind")
    if server.silent_ms is not None and server.silent_ms >= SILENT_MS:
        who = "its master" if is_replica else "one of its replicas"
        says = f"nothing was heard of {who} for {duration(server.silent_ms)}"
        yield Finding(None, Kind.LAGS, says, {"silent_ms": server.silent_ms})
