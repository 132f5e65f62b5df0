"""Writes the keys of a queue as the library does, and tells where an id lies."""

from dataclasses import dataclass
from typing import TypeVar

from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.places import ALL
from emqtop.wire.resp import Conversation, Reply, raw
from tests.conftest import Hand

T = TypeVar("T")


@dataclass(frozen=True)
class Seen:
    """A job as an operator saw it."""

    id: str
    location: str
    attempts: int | None = None
    deadline_ms: int | None = None


class Bull:
    """One queue."""

    def __init__(self, valkey: Hand, prefix: str = "bull", name: str = "mail", version: str | None = None) -> None:
        self.valkey = valkey
        self.keys = QueueKeys(prefix, name)
        if version is not None:
            self.put("HSET", "meta", "version", f"bullmq:{version}", "opts.maxLenEvents", 10000)

    def put(self, verb: str, part: str, *args: bytes | str | int) -> Reply:
        return self.valkey(verb, self.keys.part(part), *args)

    def row(self, job: str, **fields: bytes | str | int) -> None:
        values = {"name": "n", "data": "{}", "opts": "{}", "timestamp": 7} | fields
        self.put("HSET", job, *(part for pair in values.items() for part in pair))

    def waiting(self, *jobs: str) -> None:
        for job in jobs:
            self.row(job)
            self.put("LPUSH", "wait", job)

    def prioritized(self, job: str, priority: int) -> None:
        self.row(job, priority=priority)
        self.put("ZADD", "prioritized", priority * 2**32 + int(self.put("INCR", "pc")), job)  # type: ignore[arg-type]

    def delayed(self, job: str, due_ms: int = 2_000_000_000_000, **fields: str | int) -> None:
        self.row(job, delay=1, **fields)
        self.put("ZADD", "delayed", due_ms * 4096, job)

    def failed(self, job: str, **fields: bytes | str | int) -> None:
        self.row(job, **({"failedReason": "boom", "atm": 1, "ats": 1, "finishedOn": 9, "processedOn": 8} | fields))
        self.put("ZADD", "failed", 9, job)

    def active(self, job: str, token: str | None = None, lease_ms: int = 60_000, **fields: str | int) -> None:
        self.row(job, **({"ats": 1, "processedOn": 8} | fields))
        self.put("LPUSH", "active", job)
        if token is not None:
            self.put("SET", f"{job}:lock", token, "PX", lease_ms)

    def ask(self, conversation: Conversation[T]) -> T:
        return self.valkey.link.run(conversation)

    def places(self, job: str) -> list[str]:
        """Every structure that holds the id, as often as it does."""
        found = []
        for place in ALL:
            ids = self.put("LRANGE", place.part, 0, -1) if place.is_list else self.put("ZRANGE", place.part, 0, -1)
            found += [place.part] * list(ids).count(raw(job))  # type: ignore[arg-type]
        return found

    def field(self, job: str, name: str) -> Reply:
        return self.put("HGET", job, name)

    def events(self) -> list[dict[bytes, bytes]]:
        entries = self.put("XRANGE", "events", "-", "+")
        return [dict(zip(flat[::2], flat[1::2], strict=True)) for _, flat in entries]  # type: ignore[misc,union-attr]
