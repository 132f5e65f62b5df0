"""Every release of a server that people have: the same scripts, numbers, signals and words on each.

What acts and reads are let do by the rights that are printed is tried on each by `tests/cli/test_acl.py`.
"""

import re
from collections.abc import Iterator

import pytest

from emqtop.sampling.live import Live
from emqtop.sampling.oneshot import OneShot
from emqtop.settings import Secret, Settings
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import ReplyError, ask_all, pack
from tests.conftest import Hand
from tests.sampling.queues import JOB, bullmq, echomq
from tests.servers import states
from tests.servers.process import ServerProcess
from tests.wire.echomq.every_verb import every_verb

RELEASES = {
    "valkey": ("valkey", "9."),
    "valkey-8": ("valkey", "8.1."),
    "redis": ("redis", "7."),
    "redis-8": ("redis", "8.2."),
    "redis-6.2": ("redis", "6.2."),
}
SPEAKING = [state for state in states.WORDS if state not in {states.dead, states.frozen}]
"""States of which the server itself speaks."""
_NOW = re.compile(r"\b1[0-9]{12}\b")
"""A time, Unix ms."""
_ID = re.compile(r"\b(JOB|PRT)[0-9A-Za-z]{11}\b")


def settings(server: ServerProcess) -> Settings:
    return Settings(url=Secret(server.url), timeout_s=2)


def outcomes(hand: Hand) -> Iterator[str]:
    """What came of every script, in words, without ids and times."""
    for step in every_verb(QueueKeys("emq", "q"), Minter(3)):
        try:
            told = repr(hand.link.run(step.talk))
        except ReplyError as refusal:
            told = f"refused: {refusal}"
        except Exception as error:
            told = repr(error)
        yield _NOW.sub("<ms>", _ID.sub(r"\1", told))


def test_every_script_does_the_same(any_server: ServerProcess, valkey: Hand) -> None:
    hand = Hand(any_server.socket_url)
    try:
        told = list(outcomes(hand))
        assert told == list(outcomes(valkey))
        assert not any("ERR" in each or "WRONGTYPE" in each for each in told)
    finally:
        hand.link.close()


async def test_it_is_named_tracked_and_read_again_where_it_moved(any_server: ServerProcess) -> None:
    server = any_server
    server("ZADD", "emq:{q}:pending", 0, JOB)
    server("RPUSH", "bull:b:wait", 1)
    live = Live(settings(server))
    try:
        snapshot = await live.sample()
        name, release = RELEASES[server.kind]
        assert (snapshot.server.kind, (snapshot.server.version or "")[: len(release)]) == (name, release)
        assert (snapshot.mode, snapshot.limits, snapshot.clock) == ("tracking", (), "server")
        live.show((bullmq("b"), echomq("q")))
        (node,) = live._nodes
        for number in range(2, 5):
            server("RPUSH", "bull:b:wait", number)
            assert await live.moved(5)
            commands = node._reading.commands
            assert [queue.pending for queue in (await live.sample()).queues] == [number, 1]
            # The clock and one queue, not two.
            assert node._reading.commands - commands < 20
    finally:
        await live.close()


def test_queues_are_found_by_sweep_and_by_outline(any_server: ServerProcess) -> None:
    rows = [pack("HSET", f"emq:{{q{n % 40}}}:job:JOB{n:011d}", "state", "dead") for n in range(3_000)]
    any_server.run(ask_all([*rows, *(pack("ZADD", f"emq:{{q{n}}}:dead", 0, JOB) for n in range(40))]))
    found = []
    for keys in (1, 200_000):
        with OneShot(settings(any_server)) as shot:
            snapshot = shot.sample(sweep_keys=keys)
        assert (snapshot.swept, snapshot.limits) == (True, ())
        found.append([queue.id.name for queue in snapshot.queues])
    assert found == [sorted(f"q{number}" for number in range(40))] * 2


@pytest.mark.parametrize("state", SPEAKING, ids=lambda state: state.__name__)
def test_it_says_why_it_cannot_answer(any_server: ServerProcess, state: states.State) -> None:
    name = RELEASES[any_server.kind][0].capitalize()
    with state(any_server), pytest.raises(SourceError) as caught, OneShot(settings(any_server)) as shot:
        shot.sample()
    assert str(caught.value) == states.WORDS[state].format(kind=name, url=any_server.url)
    with OneShot(settings(any_server)) as shot:
        assert shot.sample().limits == ()
