"""What to send to read many queues, and whose answers are whose."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from emqtop.model.queue import Family, QueueId
from emqtop.sampling.clock import Clock
from emqtop.wire.echomq.counts import CountsReader as EchoMQReader
from emqtop.wire.echomq.keyspace import QueueKeys as EchoMQKeys
from emqtop.wire.errors import check_ready
from emqtop.wire.numbers import Counts
from emqtop.wire.resp import Ask, Burst, Conversation, Reply, pack

COMMANDS_A_WRITE = 80
"""Bigger writes make the server's other clients wait: with two on their way the p99 of others was 0.4 to 0.8 ms at this
size, 0.9 to 1.2 ms at 120; smaller ones cost this side more turns."""

_TIME = pack("TIME")


class FollowUp(Protocol):
    """The second step of reading a queue."""

    request: bytes
    """Bytes to send; may be empty."""
    replies: int
    """How many replies they bring."""

    def decode(self, replies: list[Reply]) -> Counts:
        """The numbers of the queue."""


class Reader(Protocol):
    """Reads the numbers of one queue again and again; one per layout stands in wire."""

    settled: bool
    """Is everything counted? Not when the last answer named something to be counted too: then read again at once."""
    stand: list[Reply] | None
    """What `check` is answered while all is as it was last read; None: only a reading tells."""

    def check(self) -> tuple[bytes, int]:
        """What tells whether a reading would bring other numbers: bytes to send, and how many replies they bring."""

    def ask(self, now_ms: int) -> tuple[bytes, int]:
        """The first step: bytes to send, and how many replies they bring."""

    def follow_up(self, replies: list[Reply], now_ms: int) -> FollowUp | Counts:
        """The second step, made from the answers of the first; the last numbers where these are the same answers."""


def reader(queue: QueueId) -> Reader:
    """The reader of a queue."""
    if queue.family is Family.ECHOMQ:
        return EchoMQReader(EchoMQKeys(queue.prefix, queue.name))
    # Where there is no such queue the first numbers need not wait for it.
    from emqtop.wire.bullmq.counts import CountsReader as BullMQReader
    from emqtop.wire.bullmq.keyspace import QueueKeys as BullMQKeys

    return BullMQReader(BullMQKeys(queue.prefix, queue.name))


def read_counts(readers: Sequence[Reader], clock: Clock) -> Burst[list[Counts]]:
    """The numbers of some queues of one node: one round trip, a second for those that answered something new.

    Args:
        readers: one per queue.
        clock: the node's; set by the same round trip.

    Raises:
        NotNow: the server as a whole cannot answer now.
    """
    now_ms = clock.now_ms()
    (time,), *firsts = yield from _ask([(_TIME, 1), *(reader.ask(now_ms) for reader in readers)])
    # A state of the whole server shows in the first reply of any queue.
    check_ready([time, *(replies[0] for replies in firsts)])
    clock.note(time)
    seconds = [reader.follow_up(replies, now_ms) for reader, replies in zip(readers, firsts, strict=True)]
    opened = [second for second in seconds if not isinstance(second, Counts)]
    answers = iter((yield from _ask([(second.request, second.replies) for second in opened])))
    return [second if isinstance(second, Counts) else second.decode(next(answers)) for second in seconds]


def check_counts(readers: Sequence[Reader]) -> Burst[list[bool]]:
    """Does each queue of one node stand as it was last read? One round trip, of half the price of reading them.

    Args:
        readers: one per queue.

    Raises:
        NotNow: the server as a whole cannot answer now.
    """
    answers = yield from _ask([reader.check() for reader in readers])
    check_ready(replies[0] for replies in answers)
    return [reader.stand == replies for reader, replies in zip(readers, answers, strict=True)]


def read_routed(reader: Reader, key: bytes, now_ms: int) -> Conversation[Counts]:
    """The numbers of one queue by way of a client that follows redirections, for one whose slot is moving.

    Args:
        reader: the queue's.
        key: any of its keys.
        now_ms: server's clock.
    """
    request, replies = reader.ask(now_ms)
    more = reader.follow_up((yield Ask(request, replies, key)), now_ms)
    if isinstance(more, Counts):
        return more
    return more.decode((yield Ask(more.request, more.replies, key)) if more.replies else [])


def is_empty(counts: Counts) -> bool:
    """Did no key of the queue answer?"""
    numbers = (counts.pending, counts.active, counts.schedule, counts.dead, counts.completed, counts.failed)
    return not any(numbers) and not counts.held and not counts.paused and counts.error is None


def _ask(requests: list[tuple[bytes, int]]) -> Burst[list[list[Reply]]]:
    """Send requests in writes of bounded size, and give each its own answers."""
    if not any(replies for _, replies in requests):
        return [[] for _ in requests]
    writes = list(_writes(requests))
    answers = yield [Ask(b"".join([request for request, _ in part]), sum([n for _, n in part])) for part in writes]
    mine: list[list[Reply]] = []
    for part, replies in zip(writes, answers, strict=True):
        taken = 0
        for _, count in part:
            mine.append(replies[taken : taken + count])
            taken += count
    return mine


def _writes(requests: list[tuple[bytes, int]]) -> Iterator[list[tuple[bytes, int]]]:
    start = size = 0
    for at, (_, replies) in enumerate(requests):
        if at > start and size + replies > COMMANDS_A_WRITE:
            yield requests[start:at]
            start, size = at, 0
        size += replies
    yield requests[start:]
