"""Who answered."""

from emqtop.model.snapshot import Server
from emqtop.wire.server import Facts


def server_of(url: str, facts: Facts, wire_version: str | None) -> Server:
    """Who answered.

    Args:
        url: address without password.
        facts: what its first node tells.
        wire_version: text of EchoMQ's version fence.
    """
    return Server(
        url=url,
        kind=facts.kind,
        version=facts.version,
        mode=facts.mode,
        role=facts.role,
        memory_bytes=facts.memory_bytes,
        memory_limit_bytes=facts.memory_limit_bytes,
        eviction=facts.eviction,
        clients=facts.clients,
        wire_version=wire_version,
        silent_ms=facts.silent_ms,
    )
