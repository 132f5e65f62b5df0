"""Queues of both layouts written by hand, for the tests of this floor."""

from emqtop.model.queue import Family, QueueId
from emqtop.settings import Secret, Settings
from emqtop.wire.resp import Conversation, Reply, ask_all, pack
from tests.conftest import Hand

JOB = "JOB0NgWEfAEJfs"
GROUP = "PRT0NgWEfAEJfs"
FAR_MS = 9_000_000_000_000


def echomq(name: str, prefix: str = "emq") -> QueueId:
    """An EchoMQ queue's id."""
    return QueueId(Family.ECHOMQ, prefix, name)


def bullmq(name: str, prefix: str = "bull") -> QueueId:
    """A BullMQ queue's id."""
    return QueueId(Family.BULLMQ, prefix, name)


def settings(valkey: Hand, **changes: object) -> Settings:
    """Settings for the test's server."""
    return Settings(url=Secret(valkey.url), **changes)  # type: ignore[arg-type]


def fill(valkey: Hand, count: int, first: int = 0) -> list[QueueId]:
    """Many idle EchoMQ queues, q0 and so on: one job pending, one under a lease that ends in far future."""

    def writes() -> Conversation[list[Reply]]:
        keys = [f"emq:{{q{number}}}:" for number in range(first, first + count)]
        packed = [pack("ZADD", key + "pending", 0, JOB) for key in keys]
        return (yield from ask_all(packed + [pack("ZADD", key + "active", FAR_MS, JOB) for key in keys]))

    valkey.link.run(writes())
    return [echomq(f"q{number}") for number in range(first, first + count)]
