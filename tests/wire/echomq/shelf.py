"""Jobs laid out by raw commands, as any foreign tool may leave them, and a count of what a read costs."""

from typing import TypeVar

from emqtop.wire.echomq.branded_id import encode
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.resp import Conversation
from tests.conftest import Hand

T = TypeVar("T")

STATES = {"pending": "pending", "active": "active", "schedule": "scheduled", "dead": "dead"}
FIRST = 320_636_799_581_945_856
MINTED_MS = 1_780_512_970_164


def job_id(number: int) -> str:
    """The id of a job minted `number` ms after the first."""
    return encode("JOB", FIRST + (number << 22))


def group_id(number: int) -> str:
    """The id of a lane; they sort by number."""
    return encode("PRT", FIRST + (number << 22))


class Shelf:
    """One queue on a real server."""

    def __init__(self, hand: Hand, name: str = "orders") -> None:
        self.hand = hand
        self.keys = QueueKeys("emq", name)

    def put(self, location: str, *numbers: int, score: float = 0, group: str | None = None, **row: str | bytes) -> None:
        """Jobs in one of the four sets, or in their lane, with whole rows."""
        lane = group is not None and location == "pending"
        for number in numbers:
            key = self.keys.lane(group) if lane and group else self.keys.part(location)
            self.hand("ZADD", key, score, job_id(number))
            self.row(number, state=STATES[location], group=group, **row)
        if lane and group:
            self.hand("LREM", self.keys.part("ring"), 0, group)
            self.hand("RPUSH", self.keys.part("ring"), group)

    def row(self, number: int, *, group: str | None = None, **fields: str | bytes) -> None:
        """A row with attempts 0 and the payload `{}` unless told otherwise; an empty text leaves a field out."""
        wanted = {"attempts": "0", "payload": "{}", **({"group": group} if group else {}), **fields}
        for name, value in wanted.items():
            if value != "":
                self.hand("HSET", self.keys.row(job_id(number)), name, value)

    def run(self, conversation: Conversation[T]) -> T:
        """The result of a conversation."""
        return self.hand.link.run(conversation)

    def trips(self, conversation: Conversation[T]) -> tuple[int, int, T]:
        """How many writes a conversation needs, how many bytes come as bulk strings, and its result."""
        writes = received = 0
        try:
            ask = next(conversation)
            while True:
                writes += 1
                replies = self.hand.link.run(_pass_on(ask))
                received += sum(map(_bulk, replies))
                ask = conversation.send(replies)
        except StopIteration as end:
            return writes, received, end.value


def _pass_on(ask):  # type: ignore[no-untyped-def]
    return (yield ask)


def _bulk(reply: object) -> int:
    if isinstance(reply, list):
        return sum(map(_bulk, reply))
    return len(reply) if isinstance(reply, bytes) else 0
