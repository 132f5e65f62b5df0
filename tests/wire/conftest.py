"""A queue on a real server, with short words for what the wire tests look at."""

import time
from typing import TypeVar

import pytest

from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lanes import enqueue_grouped
from emqtop.wire.echomq.lifecycle import Claim, claim, enqueue
from emqtop.wire.resp import Conversation, Reply, text
from tests.conftest import Hand

T = TypeVar("T")


class Drill:
    """One queue under test."""

    def __init__(self, valkey: Hand) -> None:
        self.raw = valkey
        self.keys = QueueKeys("emq", "drill.q")
        self.minter = Minter(3)

    def run(self, conversation: Conversation[T]) -> T:
        """Hold a conversation with the server."""
        return self.raw.link.run(conversation)

    def add(self, payload: bytes = b"work") -> str:
        """A fresh flat job; its id."""
        job = self.minter.mint()
        assert self.run(enqueue(self.keys, job, payload))
        return job

    def group(self) -> str:
        """A fresh group."""
        return self.minter.mint("PRT")

    def add_to(self, group: str, payload: bytes = b"work") -> str:
        """A fresh job in a lane; its id."""
        job = self.minter.mint()
        assert self.run(enqueue_grouped(self.keys, group, job, payload))
        return job

    def take(self, lease_ms: int = 60_000) -> Claim:
        """The next flat job, claimed."""
        taken = self.run(claim(self.keys, lease_ms))
        assert taken is not None
        return taken

    def row(self, job: str) -> dict[str, bytes]:
        """The row as it stands; empty for none."""
        flat = self.raw("HGETALL", self.keys.row(job))
        assert isinstance(flat, list)
        return {text(bytes(flat[at])): bytes(flat[at + 1]) for at in range(0, len(flat), 2)}

    def field(self, job: str, name: str) -> bytes | None:
        """One field of the row."""
        return self.row(job).get(name)

    def members(self, part: str) -> list[str]:
        """The members of one of the queue's ZSETs."""
        return self._texts(self.raw("ZRANGE", self.keys.part(part), 0, -1))

    def lane(self, group: str) -> list[str]:
        """The ids that wait in a lane."""
        return self._texts(self.raw("ZRANGE", self.keys.lane(group), 0, -1))

    def ring(self) -> list[str]:
        """The groups in the ring, next one first."""
        return self._texts(self.raw("LRANGE", self.keys.part("ring"), 0, -1))

    def in_flight(self, group: str) -> bytes | None:
        """The count of a lane's jobs in flight, as it stands in the hash."""
        count = self.raw("HGET", self.keys.part("gactive"), group)
        assert count is None or isinstance(count, bytes)
        return count

    def now_ms(self) -> int:
        """The server's clock."""
        moment = self.raw("TIME")
        assert isinstance(moment, list)
        return int(moment[0]) * 1000 + int(moment[1]) // 1000

    def outlast(self, ms: int) -> None:
        """Return once the server's clock has moved past this many ms from now."""
        end = self.now_ms() + ms
        while self.now_ms() <= end:
            time.sleep(0.002)

    @staticmethod
    def _texts(reply: Reply) -> list[str]:
        assert isinstance(reply, list)
        return [text(item) for item in reply if isinstance(item, bytes)]


@pytest.fixture
def drill(valkey: Hand) -> Drill:
    """An empty queue on an empty server."""
    return Drill(valkey)
