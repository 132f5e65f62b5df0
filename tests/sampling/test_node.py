"""The check that trusts no message: it finds what tracking missed, and never cries wolf."""

from collections.abc import AsyncIterator

import pytest

from emqtop.model.queue import QueueId
from emqtop.sampling.node import Node
from emqtop.sampling.signals import MOST_MISSED
from emqtop.wire.address import parse_address
from emqtop.wire.resp import ask_one
from tests.conftest import Hand
from tests.sampling.queues import GROUP, JOB, bullmq, echomq, fill, settings


@pytest.fixture
async def node(valkey: Hand, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Node]:
    # Every queue at every tick.
    monkeypatch.setattr("emqtop.sampling.node.CHECK_S", 1e-9)
    made = Node(parse_address(valkey.url), settings(valkey), lambda queues: None)
    yield made
    await made.close()


async def test_changes_that_were_told_are_never_counted_as_missed(node: Node, valkey: Hand) -> None:
    fill(valkey, 20)
    await node.sample(())
    for number in range(40):
        valkey("ZADD", f"emq:{{q{number % 20}}}:pending", 0, f"JOB0NgWEfA{number:04d}")
        valkey("ZADD", "emq:{q3}:pending", 0, f"JOB0NgWEfB{number:04d}")
        await node.sample(())
    assert node.signals.missed == 0
    assert node.is_tracking


async def test_changes_that_were_not_told_end_tracking(node: Node, valkey: Hand) -> None:
    queues = fill(valkey, 5)
    await node.sample(())
    await node._reading.run(ask_one("CLIENT", "TRACKING", "OFF"))
    for number in range(MOST_MISSED):
        valkey("ZADD", f"emq:{{q{number}}}:pending", 0, "JOB0NgWEfAEJft")
        await node.sample(())
        read = node.sampler.entries[echomq(f"q{number}")].queue
        assert read is not None
        assert read.pending == 2
    assert not node.is_tracking
    assert list(node.limits()) == ["CLIENT TRACKING misses changes here: queues are read in turn"]
    valkey("ZADD", "emq:{q4}:pending", 0, "JOB0NgWEfAEJft")
    await node.sample(())
    assert [queue.pending for queue in node.sampler.queues()] == [2] * MOST_MISSED + [1, 2]
    assert len(queues) == 5


@pytest.mark.parametrize(
    ("queue", "seed", "price"),
    [
        (echomq("q"), [("ZADD", "emq:{q}:pending", 0, JOB)], 7),
        (echomq("q"), [("ZADD", f"emq:{{q}}:g:{GROUP}:pending", 0, JOB), ("SADD", "emq:{q}:paused", GROUP)], 8),
        (bullmq("q"), [("RPUSH", "bull:q:wait", 1), ("RPUSH", "bull:q:active", 2)], 9),
    ],
)
async def test_a_check_costs_half_a_reading(
    node: Node, valkey: Hand, queue: QueueId, seed: list[tuple[str | int, ...]], price: int
) -> None:
    for words in seed:
        valkey(*words)
    await node.sample(())
    await node.sample(())
    before, read = node._looking.commands, node.sampler.entries[queue].queue
    await node._check([queue])
    assert node._looking.commands - before == price
    assert node.sampler.entries[queue].queue is read


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        (echomq("q"), ("ZADD", "emq:{q}:active", 1, JOB)),
        (echomq("q"), ("HSET", "emq:{q}:meta", "paused", 1)),
        (echomq("q"), ("HSET", "emq:{q}:metrics:completed", "count", 8)),
        (echomq("q"), ("ZADD", f"emq:{{q}}:g:{GROUP}:pending", 0, "JOB0NgWEfAEJft")),
        (bullmq("q"), ("LPUSH", "bull:q:active", 8)),
        (bullmq("q"), ("ZADD", "bull:q:completed", 1, 8)),
    ],
)
async def test_a_check_finds_whatever_changed_untold(
    node: Node, valkey: Hand, queue: QueueId, words: tuple[str | int, ...]
) -> None:
    valkey("ZADD", f"emq:{{q}}:g:{GROUP}:pending", 0, JOB)
    valkey("SADD", "emq:{q}:paused", GROUP)
    valkey("RPUSH", "bull:q:wait", 1)
    await node.sample(())
    await node._reading.run(ask_one("CLIENT", "TRACKING", "OFF"))
    before = node.sampler.entries[queue].queue
    valkey(*words)
    await node._check([echomq("q"), bullmq("q")])
    assert node.sampler.entries[queue].queue != before
    assert node.signals.missed == 1
