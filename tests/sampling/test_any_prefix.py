"""`--prefix '*'` finds the queues of every prefix by their `meta` keys, and takes nothing of strangers for one."""

from collections.abc import Iterator

import pytest

from emqtop.sampling.discovery import Discovery
from emqtop.sampling.oneshot import AmbiguousQueue, OneShot, UnknownQueue
from tests.conftest import Hand
from tests.sampling.queues import JOB, bullmq, echomq, settings

META = "opts.maxLenEvents"


@pytest.fixture
def shot(valkey: Hand) -> Iterator[OneShot]:
    for base in ("bull:mail", "app:mail", "x:y:deep", "x:top", "{br}:q", "pre:{q}x"):
        valkey("HSET", f"{base}:meta", META, 10)
        valkey("RPUSH", f"{base}:wait", 1)
        valkey("ZADD", f"{base}:delayed", 4096, 2)
    valkey("HSET", f"my:{{new}}:job:{JOB}", "state", "awaiting_children")
    valkey("ZADD", "my:{new}:pending", 0, JOB)
    valkey("SET", "shop:user:meta", "x")
    valkey("HSET", "shop:cart:meta", "owner", 7)
    valkey("SET", "shop:cart:id", 7)
    valkey("RPUSH", "shop:cart:wait", 7)
    valkey("ZADD", "shop:{u}:pending", 1, "x")
    opened = OneShot(settings(valkey, prefixes=("*",)))
    yield opened
    opened.close()


def test_every_queue_is_found_with_its_prefix_and_its_numbers(shot: OneShot) -> None:
    found = {queue.id: (queue.pending, queue.schedule, queue.held) for queue in shot.sample().queues}
    prefixes = {"mail": "bull", "deep": "x:y", "top": "x", "q": "{br}", "{q}x": "pre"}
    six = [*(bullmq(name, prefix) for name, prefix in prefixes.items()), bullmq("mail", "app")]
    assert found == dict.fromkeys(six, (1, 1, 0)) | {echomq("new", "my"): (1, 0, 1)}


def test_a_name_is_looked_for_under_every_prefix(shot: OneShot) -> None:
    assert shot.find("deep") == bullmq("deep", "x:y")
    with pytest.raises(AmbiguousQueue) as refusal:
        shot.find("mail")
    assert refusal.value.candidates == (bullmq("mail", "app"), bullmq("mail", "bull"))
    assert shot.find("mail", prefix="app") == bullmq("mail", "app")
    with pytest.raises(UnknownQueue):
        shot.find("cart")


def test_a_sweep_that_learned_a_prefix_is_begun_anew(valkey: Hand) -> None:
    valkey("HSET", "app:mail:meta", META, 10)
    discovery = Discovery(("*",))
    valkey.link.run(discovery.walk(1, 1000))
    valkey.link.hold(discovery.finish())
    assert (discovery.sweeps, set(discovery.queues())) == (0, {bullmq("mail", "app")})
    valkey.link.run(discovery.walk(1, 1000))
    valkey.link.hold(discovery.finish())
    assert discovery.sweeps == 1
