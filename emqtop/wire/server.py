"""What a server says of itself (INFO), where it may be asked."""

import re
from dataclasses import dataclass, replace

from emqtop.wire.echomq.keyspace import VERSION
from emqtop.wire.errors import check_ready
from emqtop.wire.replies import blob, first_error
from emqtop.wire.resp import Conversation, Reply, ask_all, pack, text


@dataclass(frozen=True, slots=True)
class Facts:
    """Who answers; None = the server did not say."""

    kind: str | None = None
    """`valkey` or `redis`."""
    version: str | None = None
    """Its version."""
    mode: str | None = None
    """`standalone`, `sentinel` or `cluster`."""
    role: str | None = None
    """`master` or `replica`."""
    memory_bytes: int | None = None
    """Memory in use."""
    memory_limit_bytes: int | None = None
    """maxmemory; 0: none."""
    eviction: str | None = None
    """maxmemory-policy."""
    clients: int | None = None
    """Connected clients."""
    run_id: str | None = None
    """Changes with every start of the server."""
    replicas: int | None = None
    """Replicas that follow it."""
    history: str | None = None
    """Names the line of its writes (master_replid); its replicas share it until one of them takes its place."""
    silent_ms: int | None = None
    """How long a replica has not heard its master, or a master the most silent of its replicas, ms."""
    withheld: str | None = None
    """The server's words where it refuses INFO."""


def facts() -> Conversation[Facts]:
    """Everything that INFO tells of the server itself: one round trip."""
    return _facts(Facts(), (yield from ask_all([pack("INFO", "server"), *_CHANGING])))


def changed_facts(known: Facts) -> Conversation[Facts]:
    """The same with what can change while a server runs read anew."""
    return _facts(known, (yield from ask_all(list(_CHANGING))))


def replication(key: bytes) -> Conversation[Facts]:
    """Role, replicas and history of the server that holds a key."""
    return _facts(Facts(), (yield from ask_all([pack("INFO", "replication")], key)))


def wire_version() -> Conversation[str | None]:
    """The text of EchoMQ's version fence (echomq.md 1.2); None where it is not there or may not be read."""
    (reply,) = yield from ask_all([pack("GET", VERSION)], VERSION)
    version = blob(reply)
    return None if version is None else text(version)


_REPLICA, _LAG = re.compile(r"slave[0-9]+"), re.compile(r",lag=([0-9]{1,12})")
_CHANGING = tuple(pack("INFO", section) for section in ("memory", "clients", "replication"))


def _facts(known: Facts, replies: list[Reply]) -> Facts:
    check_ready(replies)
    said: dict[str, str] = {}
    for reply in replies:
        for line in text(blob(reply) or b"").splitlines():
            name, _, value = line.partition(":")
            said[name] = value
    version = said.get("valkey_version") or said.get("redis_version")
    role = said.get("role")
    return replace(
        known,
        kind=known.kind if version is None else "valkey" if "valkey_version" in said else "redis",
        version=version or known.version,
        mode=said.get("server_mode") or said.get("redis_mode") or known.mode,
        role="replica" if role == "slave" else role,
        memory_bytes=_whole(said.get("used_memory")),
        memory_limit_bytes=_whole(said.get("maxmemory")),
        eviction=said.get("maxmemory_policy"),
        clients=_whole(said.get("connected_clients")),
        run_id=said.get("run_id") or known.run_id,
        replicas=_whole(said.get("connected_slaves")),
        history=said.get("master_replid"),
        silent_ms=_silent_ms(said),
        withheld=first_error(replies),
    )


def _silent_ms(said: dict[str, str]) -> int | None:
    """By what INFO says of replication: both sides count in seconds, -1 where they never heard each other."""
    if said.get("role") == "slave":
        is_up = said.get("master_link_status") == "up"
        told = [said.get("master_last_io_seconds_ago" if is_up else "master_link_down_since_seconds")]
    else:
        told = [match[1] for name, value in said.items() if _REPLICA.fullmatch(name) and (match := _LAG.search(value))]
    seconds = [number for each in told if (number := _whole(each)) is not None]
    return 1_000 * max(seconds) if seconds else None


def _whole(said: str | None) -> int | None:
    return int(said) if said is not None and said.isascii() and said.isdigit() else None
