"""Acts on servers that fail over, reshard, hang up or refuse to write: nothing is done twice or told otherwise."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import product

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.acting.tally import Progress
from emqtop.model.actions import Order, Outcome, Reason, Verb
from emqtop.model.queue import Family, QueueId
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from emqtop.wire.resp import Reply, ask_all, pack
from tests.acting.acts import ORDERS, calls, do
from tests.conftest import Hand
from tests.servers.binaries import KINDS, Kind
from tests.servers.cluster import Cluster
from tests.servers.process import ServerProcess
from tests.servers.sentinel import Trio
from tests.servers.waiting import wait_for
from tests.servers.weather import Weather
from tests.wire.bullmq.writing import Bull
from tests.wire.echomq.operator.stage import QUEUE, P, Stage, job

REQUEUE = Order(Verb.REQUEUE, ORDERS)
MAIL = QueueId(Family.BULLMQ, "bull", "mail")
MANY = 2_000
RATE = 4_000.0


def lay(server: ServerProcess, count: int = MANY) -> None:
    """Dead jobs."""
    rows = [
        command
        for number in range(1, count + 1)
        for command in (
            pack("HSET", f"{P}job:{job(number)}", "state", "dead", "attempts", 1, "payload", "x"),
            pack("ZADD", f"{P}dead", 0, job(number)),
        )
    ]
    server.run(ask_all(rows))


def lying(server: ServerProcess, count: int = MANY) -> tuple[set[str], set[str]]:
    """Ids that are dead and those that wait; each row names its place, and none is lost or lies twice."""
    told = server.run(ask_all([pack("ZRANGE", f"{P}{part}", 0, -1) for part in ("dead", "pending")]))
    dead, pending = ({member.decode() for member in reply} for reply in told)  # type: ignore[union-attr]
    assert (len(dead | pending), dead & pending) == (count, set())
    names = [job(number) for number in range(1, count + 1)]
    states: list[Reply] = server.run(ask_all([pack("HGET", f"{P}job:{name}", "state") for name in names]))
    assert states == [b"dead" if name in dead else b"pending" for name in names]
    return dead, pending


@asynccontextmanager
async def client_of(url: str) -> AsyncIterator[Client]:
    client = await Client.open(parse_address(url), timeout_s=2)
    yield client
    await client.close()


async def requeue(url: str, audit: Audit, meanwhile: Callable[[], object], rate: float | None = RATE) -> Outcome:
    """Requeue everything, and let something happen when a quarter is through."""
    begun = asyncio.Event()

    def on_progress(progress: Progress) -> None:
        if progress.done * 4 >= progress.total:
            begun.set()

    async with client_of(url) as client:
        plan = await make_plan(client, REQUEUE)
        runner = Runner(client, audit, patience_s=5)
        act = asyncio.create_task(runner.carry_out(plan, rate=rate, on_progress=on_progress))
        await begun.wait()
        await asyncio.to_thread(meanwhile)
        return await act


async def test_what_an_old_master_took_is_not_told_as_done(sentinels: Trio, audit: Audit) -> None:
    lay(sentinels.first)
    outcome = await requeue(sentinels.url(), audit, sentinels.fail_over)
    dead, pending = lying(sentinels.second)
    back = {left.id for left in outcome.skipped if left.reason is Reason.MOVED}
    assert {left.detail for left in outcome.skipped if left.reason is Reason.MOVED} <= {
        "it lies in dead again: another server took the place of the one where it moved"
    }
    # Whatever else became of the rest, by the time that the old master was turned round or hung up.
    told = len(pending) - len(outcome.unknown), len(pending)
    assert told[0] <= outcome.moved <= told[1]
    assert back <= dead
    assert outcome.matched == MANY


async def test_a_master_that_freezes_is_replaced_and_its_last_batch_stays_unknown(
    sentinels: Trio, audit: Audit
) -> None:
    lay(sentinels.first)
    outcome = await requeue(sentinels.url(), audit, sentinels.first.freeze)
    assert sentinels.master is sentinels.second
    dead, pending = lying(sentinels.second)
    assert (outcome.moved, outcome.stopped, bool(outcome.lost)) == (len(pending), True, True)
    assert set(outcome.unknown) < dead
    assert len(dead) == len(outcome.unknown) + outcome.not_begun


async def test_a_replica_of_a_cluster_takes_over_in_the_middle(audit: Audit) -> None:
    with Cluster() as cluster:
        owner = cluster.owner(P)
        lay(owner)
        replica = cluster.replica(owner)

        def take_over() -> None:
            replica("CLUSTER", "FAILOVER")
            wait_for(lambda: replica.info("replication")["role"] == "master", "the replica to take over")

        outcome = await requeue(owner.url, audit, take_over)
        dead, pending = lying(replica)
    assert (outcome.moved, len(outcome.unknown) + outcome.not_begun) == (len(pending), len(dead))
    assert outcome.skipped == ()


async def test_a_queue_on_its_way_to_another_node_is_left_alone(cluster: Cluster, audit: Audit) -> None:
    """Half of it there, half of it here: a script would see that half only, at either place."""
    count = 200
    owner, target = cluster.owner(P), next(node for node in cluster.nodes if node is not cluster.owner(P))
    lay(owner, count)
    slot = cluster.slot(P)
    bull = QueueId(Family.BULLMQ, "emq", f"{{{QUEUE}}}x")
    owner("ZADD", f"emq:{bull.name}:failed", 1, 1)
    owner("HSET", f"emq:{bull.name}:1", "name", "n", "data", "{}", "opts", "{}", "timestamp", 1)

    def half() -> None:
        target("CLUSTER", "SETSLOT", slot, "IMPORTING", owner("CLUSTER", "MYID"))  # type: ignore[arg-type]
        owner("CLUSTER", "SETSLOT", slot, "MIGRATING", target("CLUSTER", "MYID"))  # type: ignore[arg-type]
        for name in (f"{P}dead", f"{P}job:{job(count)}"):
            owner("MIGRATE", "127.0.0.1", target.port, name, 0, 5000)

    async with client_of(cluster.url) as client:
        plan = await make_plan(client, REQUEUE)
        other = await make_plan(client, Order(Verb.REQUEUE, bull), Selection(ids=("1",)))
        half()
        moving = "the queue is on its way to another node of the cluster; try again when it is there"
        for each in (plan, other):
            outcome = await Runner(client, audit).carry_out(each)
            assert {(left.reason, left.detail) for left in outcome.skipped} == {(Reason.NOT_PERMITTED, moving)}
            assert (outcome.moved, outcome.unknown, len(outcome.skipped)) == (0, (), outcome.matched)
        cluster.move(P, target)
        outcome = await Runner(client, audit).carry_out(plan)
        assert (outcome.moved, outcome.skipped) == (count, ())
    assert lying(target, count) == (set(), {job(number) for number in range(1, count + 1)})


async def test_scripts_that_are_forgotten_and_links_that_are_cut_between_batches_cost_no_job(
    lone_server: ServerProcess, audit: Audit
) -> None:
    lay(lone_server)

    def meanwhile() -> None:
        for _ in range(5):
            lone_server("SCRIPT", "FLUSH")
            time.sleep(0.03)

    outcome = await requeue(lone_server.url, audit, meanwhile)
    assert (outcome.moved, outcome.skipped, outcome.unknown) == (MANY, (), ())
    assert lying(lone_server)[0] == set()


async def test_a_link_that_is_cut_in_the_middle_is_told_and_nothing_is_sent_twice(
    lone_server: ServerProcess, audit: Audit
) -> None:
    lay(lone_server)
    lone_server("CONFIG", "RESETSTAT")
    kill = ("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    outcome = await requeue(lone_server.url, audit, lambda: [lone_server(*kill) for _ in range(20)])
    dead, pending = lying(lone_server)
    # Between two batches nothing is lost by it; in the middle of one the rest is not begun.
    assert (outcome.moved, len(outcome.unknown) + outcome.not_begun) == (len(pending), len(dead))
    assert outcome.skipped == ()
    sent = calls(lone_server)
    assert sent["evalsha"] + sent.get("eval", 0) <= MANY // 25 + 1


async def test_a_far_link_that_loses_packets_carries_an_act_once(valkey: Hand, stage: Stage, audit: Audit) -> None:
    for number in range(1, 31):
        stage.put(job(number), "dead")
    with Weather(valkey.url.removeprefix("unix://"), rtt_ms=300) as far:
        far.loss = 0.1
        async with client_of(far.url) as client:
            outcome = await do(Runner(client, audit), client, REQUEUE, Selection(ids=tuple(map(job, range(1, 31)))))
    assert (outcome.moved, outcome.skipped, outcome.unknown) == (30, (), ())
    assert set(stage.dump()["pending"]) == {job(number) for number in range(1, 31)}


def _no_disk(server: ServerProcess) -> None:
    server("CONFIG", "SET", "save", "3600 1")
    (server.folder / "dump.rdb").mkdir()
    server("BGSAVE")
    wait_for(lambda: server.info("persistence")["rdb_last_bgsave_status"] == "err", "saving to fail")


UNWILLING: dict[str, Callable[[ServerProcess], object]] = {
    "MISCONF": _no_disk,
    "NOREPLICAS": lambda server: server("CONFIG", "SET", "min-replicas-to-write", 1),
    "READONLY": lambda server: server("REPLICAOF", "127.0.0.1", 1),
    "OOM": lambda server: server("CONFIG", "SET", "maxmemory", 1),
}
LENIENT = ("redis-6.2", "NOREPLICAS")
"""Redis 6 lets scripts write without replicas."""
ALSO = [Order(Verb.PAUSE, ORDERS), Order(Verb.REQUEUE, MAIL), Order(Verb.PAUSE, MAIL)]
"""Acts that a server without memory may let through, since they take less than they give back."""


@pytest.mark.parametrize(("kind", "word"), [pair for pair in product(KINDS, UNWILLING) if pair != LENIENT])
async def test_a_server_that_takes_no_writes_is_named_and_left_whole(kind: Kind, word: str, audit: Audit) -> None:
    with ServerProcess(kind) as server:
        hand = Hand(server.url)
        stage, bull = Stage(hand), Bull(hand, version="6.7.0")
        stage.put(job(1), "dead")
        bull.failed("1")
        UNWILLING[word](server)
        before = stage.dump()
        async with client_of(server.url) as client:
            runner = Runner(client, audit)
            for order in (REQUEUE, *(ALSO if word != "OOM" else ())):
                outcome = await do(runner, client, order)
                (left,) = outcome.skipped
                assert (order, outcome.moved, outcome.unknown, left.reason) == (order, 0, (), Reason.NOT_PERMITTED)
                assert left.detail.split(" ")[0] == word
                assert "script" not in left.detail
        assert stage.dump() == before
        hand.link.close()
