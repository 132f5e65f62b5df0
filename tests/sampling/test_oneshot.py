"""One look for one-shot commands: exact, and without the weight of redis-py."""

import subprocess
import sys

import pytest

from emqtop.model.queue import Family, Location, QueueId
from emqtop.sampling import pages
from emqtop.sampling.oneshot import AmbiguousQueue, OneShot, UnknownQueue
from emqtop.sampling.source import PageRequest
from emqtop.settings import Secret, Settings
from emqtop.wire.errors import BadAddress, Unreachable
from emqtop.wire.resp import ask_all, pack
from tests.conftest import Hand
from tests.sampling.queues import JOB, bullmq, echomq, fill, settings


def test_a_look_loads_neither_redis_nor_asyncio_nor_a_terminal_library(valkey: Hand) -> None:
    fill(valkey, 1)
    code = f"""if True:
        import sys
        from emqtop.sampling.oneshot import OneShot
        from emqtop.settings import Secret, Settings
        with OneShot(Settings(url=Secret({valkey.url!r}))) as shot:
            heavy = {{"redis", "asyncio", "ssl", "textual", "rich"}}
            print(len(shot.sample().queues), sorted(heavy & set(sys.modules)))
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout == "1 []\n"


def test_every_queue_is_there(valkey: Hand) -> None:
    queues = fill(valkey, 300)
    valkey("RPUSH", "bull:mail:wait", 1)
    valkey("HSET", f"emq:{{flow}}:job:{JOB}", "state", "awaiting_children")
    with OneShot(settings(valkey)) as shot:
        snapshot = shot.sample()
    assert [queue.id for queue in snapshot.queues] == sorted([*queues, bullmq("mail"), echomq("flow")])
    assert {queue.held for queue in snapshot.queues if queue.id == echomq("flow")} == {1}
    assert snapshot.swept
    assert (snapshot.server.kind, snapshot.clock, snapshot.limits) == ("valkey", "server", ())
    assert snapshot.cost.commands > 300


def test_held_is_unknown_where_the_keyspace_is_too_large(valkey: Hand) -> None:
    valkey.link.run(ask_all([pack("SET", f"filler{number}", 1) for number in range(3000)]))
    fill(valkey, 1)
    with OneShot(settings(valkey, queues=("q0",))) as shot:
        small = shot.sample(sweep_keys=500)
        assert [queue.held for queue in small.queues] == [None]
        assert small.swept
        assert [queue.held for queue in shot.sample().queues] == [0]


def test_it_can_look_again(valkey: Hand) -> None:
    fill(valkey, 2)
    with OneShot(settings(valkey)) as shot:
        shot.sample()
        valkey("ZADD", "emq:{q1}:pending", 0, "JOB0NgWEfAEJft")
        fill(valkey, 1, first=2)
        assert [queue.pending for queue in shot.sample().queues] == [1, 2, 1]


@pytest.mark.parametrize(
    ("name", "family", "prefix", "wanted"),
    [
        ("q0", None, None, echomq("q0")),
        ("a:b", None, None, bullmq("a:b")),
        ("{x}", None, None, bullmq("{x}", "emq")),
        ("x", None, None, echomq("x")),
        ("twice", Family.BULLMQ, None, bullmq("twice")),
        ("twice", None, "emq", echomq("twice")),
        ("only rows", None, None, echomq("only rows")),
    ],
)
def test_a_queue_is_found_by_its_name(
    valkey: Hand, name: str, family: Family | None, prefix: str | None, wanted: QueueId
) -> None:
    fill(valkey, 1)
    valkey("RPUSH", "bull:a:b:wait", 1)
    valkey("RPUSH", "emq:{x}:wait", 1)
    valkey("ZADD", "emq:{x}:dead", 0, JOB)
    valkey("RPUSH", "bull:twice:wait", 1)
    valkey("ZADD", "emq:{twice}:dead", 0, JOB)
    valkey("HSET", f"emq:{{only rows}}:job:{JOB}", "state", "awaiting_children")
    with OneShot(settings(valkey)) as shot:
        assert shot.find(name, family, prefix) == wanted


def test_a_name_that_several_share_is_refused_with_the_candidates(valkey: Hand) -> None:
    valkey("RPUSH", "bull:twice:wait", 1)
    valkey("ZADD", "emq:{twice}:dead", 0, JOB)
    with OneShot(settings(valkey)) as shot, pytest.raises(AmbiguousQueue) as caught:
        shot.find("twice")
    assert caught.value.candidates == (bullmq("twice"), echomq("twice"))
    assert "--family echomq --prefix emq" in str(caught.value)


def test_an_unknown_name_is_refused(valkey: Hand) -> None:
    with OneShot(settings(valkey)) as shot, pytest.raises(UnknownQueue):
        shot.find("nothing")


def test_a_known_queue_is_found_in_one_round_trip(valkey: Hand) -> None:
    fill(valkey, 500)
    with OneShot(settings(valkey)) as shot:
        (link,) = shot._client.nodes
        before = link.round_trips
        shot.find("q7")
        assert link.round_trips - before == 1


def test_pages_are_held_on_the_same_link(valkey: Hand) -> None:
    fill(valkey, 1)
    with OneShot(settings(valkey)) as shot:
        page = shot.run(pages.page(PageRequest(shot.find("q0"), Location.ACTIVE)))
    assert [job.id for job in page.jobs] == [JOB]


@pytest.mark.parametrize(("url", "kind"), [("redis://127.0.0.1:1", Unreachable), ("http://x", BadAddress)])
def test_a_server_that_is_not_there(url: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        OneShot(Settings(url=Secret(url)))


def test_withheld_rights_are_named(valkey: Hand) -> None:
    fill(valkey, 1)
    valkey("ACL", "SETUSER", "default", "-info", "-scan")
    try:
        with OneShot(settings(valkey, queues=("q0",))) as shot:
            snapshot = shot.sample()
    finally:
        valkey("ACL", "SETUSER", "default", "+@all")
    assert [queue.id for queue in snapshot.queues] == [echomq("q0")]
    assert sorted(limit.split()[0] for limit in snapshot.limits) == ["INFO", "SCAN"]
