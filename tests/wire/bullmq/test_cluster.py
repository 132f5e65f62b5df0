"""BullMQ queues on a cluster: with braces as elsewhere, without them to look at."""

from collections.abc import Iterator

import pytest

from emqtop.wire.address import parse_address
from emqtop.wire.bare_client import BareClient
from emqtop.wire.bullmq import operator, workers
from emqtop.wire.bullmq.counts import counts
from emqtop.wire.bullmq.metrics import metrics
from emqtop.wire.bullmq.reads import detail, page
from emqtop.wire.bullmq.schedulers import schedulers
from emqtop.wire.resp import Reply, ReplyError, ask_one
from emqtop.wire.verdicts import QueueActRefused
from tests.conftest import Hand
from tests.servers.cluster import Cluster
from tests.wire.bullmq.writing import Bull, Seen


class ClusterHand:
    """A plain client of a cluster: each command goes to the owner of its key."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.link = BareClient(parse_address(url))

    def __call__(self, *args: bytes | str | int | float) -> Reply:
        key = args[1] if isinstance(args[1], bytes) else str(args[1]).encode()
        return self.link.run(ask_one(*args, key=key))


@pytest.fixture
def hand(cluster: Cluster) -> Iterator[ClusterHand]:
    hand = ClusterHand(cluster.url)
    yield hand
    hand.link.close()


@pytest.fixture(params=["mail", "{mail}"])
def bull(request: pytest.FixtureRequest, hand: ClusterHand) -> Bull:
    return Bull(hand, name=request.param, version="5.81.5")  # type: ignore[arg-type]


def test_every_queue_is_read(bull: Bull) -> None:
    bull.waiting("1", "2", "3")
    bull.active("4", "w:1")
    bull.failed("5")
    read = bull.ask(counts(bull.keys, 1))
    assert (read.pending, read.active, read.overdue, read.dead, read.error) == (3, 1, 0, 1, None)
    assert [job.id for job in bull.ask(page(bull.keys, "pending")).jobs] == [b"1", b"2", b"3"]
    found = bull.ask(detail(bull.keys, "5"))
    assert found is not None
    assert (found.location, found.job.last_error) == ("dead", b"boom")


def test_what_stands_around_the_jobs_is_read(cluster: Cluster, bull: Bull) -> None:
    worker = Hand(cluster.owner(bull.keys.part("marker")).url)
    worker("CLIENT", "SETNAME", f"bull:{bull.keys.name}:w:ada")
    bull.active("4", "w:1", pb="ada")
    bull.active("5", "w:2", pb="killed")
    bull.put("ZADD", "repeat", 50, "s")
    bull.put("HSET", "repeat:s", "name", "n", "every", 10, "ic", 1)
    bull.waiting("repeat:s:50")
    bull.put("HSET", "metrics:completed", "count", 3, "prevTS", 60_000, "prevCount", 1)
    bull.put("RPUSH", "metrics:completed:data", 7)
    team = bull.ask(workers.team(bull.keys))
    assert [one.name for one in team.workers or ()] == [b"ada"]
    assert {(one.name, one.jobs, one.lapsed) for one in team.holders or ()} == {(b"ada", 1, 0), (b"killed", 1, 0)}
    (one,) = bull.ask(schedulers(bull.keys)).schedulers
    assert (one.id, one.every_ms, one.next_lies) == (b"s", 10, "pending")
    counted = bull.ask(metrics(bull.keys)).completed
    assert (counted.count, counted.counted_before, counted.points) == (3, 1, (7,))
    worker.link.close()


def test_acts_need_braces(bull: Bull) -> None:
    bull.failed("1")
    seen = [Seen("1", "dead")]
    (foreseen,) = bull.ask(operator.foresee(bull.keys, "requeue", seen))
    (verdict,) = bull.ask(operator.requeue(bull.keys, seen))
    assert foreseen == verdict
    if bull.keys.name == "{mail}":
        assert (verdict.reason, bull.places("1")) == ("done", ["wait"])
        assert bull.ask(operator.pause(bull.keys)) is True
        return
    assert verdict.reason == "not-supported"
    assert "braces" in verdict.note
    assert bull.places("1") == ["failed"]
    with pytest.raises(QueueActRefused, match="braces"):
        bull.ask(operator.pause(bull.keys))


def test_a_slot_on_its_way_to_another_node_stops_the_act(cluster: Cluster, hand: ClusterHand) -> None:
    bull = Bull(hand, name="{mail}", version="5.81.5")  # type: ignore[arg-type]
    bull.failed("1")
    key = bull.keys.base
    target = next(node for node in cluster.nodes if node is not cluster.owner(key))
    cluster.move(key, target, finish=False)
    with pytest.raises(ReplyError, match="ASK"):
        bull.ask(operator.requeue(bull.keys, [Seen("1", "dead")]))
    assert bull.places("1") == ["failed"]
    cluster.finish(key, target)
    (verdict,) = bull.ask(operator.requeue(bull.keys, [Seen("1", "dead")]))
    assert (verdict.reason, bull.places("1")) == ("done", ["wait"])


def test_a_child_whose_parent_lies_in_another_slot_is_left_alone(hand: ClusterHand) -> None:
    """Its end would break off half way: the script may not touch the parent."""
    bull = Bull(hand, name="{mail}", version="5.81.5")  # type: ignore[arg-type]
    bull.waiting("1")
    bull.put("HSET", "1", "parentKey", "bull:{other}:p", "parent", '{"id": "p", "queueKey": "bull:{other}"}')
    for verdict in (
        *bull.ask(operator.dead_letter(bull.keys, [Seen("1", "pending")], "no")),
        *bull.ask(operator.remove(bull.keys, [Seen("1", "pending")])),
    ):
        assert verdict.reason == "flow-child"
        assert "slot" in verdict.note
    assert bull.places("1") == ["wait"]
