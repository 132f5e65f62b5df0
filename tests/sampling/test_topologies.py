"""The live source and the one look on every arrangement of servers, and in bad weather."""

import asyncio
import contextlib

import pytest

from emqtop.model.queue import Location, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.oneshot import OneShot
from emqtop.sampling.source import PageRequest
from emqtop.settings import Secret, Settings
from emqtop.wire.errors import Frozen, SourceError, Unreachable
from emqtop.wire.resp import Conversation, Reply, ask_all, pack
from emqtop.wire.window import window
from tests.conftest import Hand
from tests.sampling.queues import JOB, bullmq, echomq, fill
from tests.sampling.watching import found, until, watching
from tests.servers.cluster import Cluster
from tests.servers.process import ServerProcess
from tests.servers.sentinel import Trio
from tests.servers.weather import Weather

NAMES = [f"q{number}" for number in range(12)]


def fill_cluster(cluster: Cluster) -> list[QueueId]:
    for name in NAMES:
        cluster.owner(f"emq:{{{name}}}:")("ZADD", f"emq:{{{name}}}:pending", 0, JOB)
    cluster.owner("bull:{b}:wait")("RPUSH", "bull:{b}:wait", 1)
    return sorted([*(echomq(name) for name in NAMES), bullmq("{b}")])


async def test_a_cluster_is_one_table(cluster: Cluster) -> None:
    queues = fill_cluster(cluster)
    async with watching(cluster.url) as live:
        snapshot = await live.sample()
        assert [queue.id for queue in snapshot.queues] == queues
        assert {queue.error for queue in snapshot.queues} == {None}
        assert (snapshot.mode, snapshot.server.mode) == ("tracking", "cluster")
        cluster.owner("emq:{q3}:")("ZADD", "emq:{q3}:pending", 0, "JOB0NgWEfAEJft")
        assert found(await live.sample(), echomq("q3")).pending == 2
        page = await live.page(PageRequest(echomq("q3"), Location.PENDING))
        assert [job.id for job in page.jobs] == [JOB, "JOB0NgWEfAEJft"]
    with OneShot(Settings(url=Secret(cluster.url))) as shot:
        snapshot = shot.sample()
        assert [queue.id for queue in snapshot.queues] == queues
        assert snapshot.swept
        assert shot.find("q7") == echomq("q7")
    # By the outlines of three nodes, as where each holds more keys than a look may read.
    with OneShot(Settings(url=Secret(cluster.url))) as shot:
        snapshot = shot.sample(sweep_keys=1)
        assert ([queue.id for queue in snapshot.queues], snapshot.swept) == (queues, True)
        assert len(shot.run(_page("q3")).jobs) == 2


def _page(name: str):  # type: ignore[no-untyped-def]
    from emqtop.sampling import pages

    return pages.page(PageRequest(echomq(name), Location.PENDING))


async def test_a_queue_whose_keys_lie_on_all_nodes_is_read_from_all(cluster: Cluster) -> None:
    fill_cluster(cluster)
    parts = {"wait": ("RPUSH", 1), "active": ("RPUSH", 2), "delayed": ("ZADD", 4096, 3), "failed": ("ZADD", 9, 4)}
    for part, (verb, *rest) in parts.items():
        cluster.owner(f"bull:plain:{part}")(verb, f"bull:plain:{part}", *rest)
    assert len({cluster.owner(f"bull:plain:{part}") for part in parts}) > 1
    async with watching(cluster.url) as live:
        for pending in (1, 2):
            snapshot = await until(live, lambda snapshot, pending=pending: _has(snapshot, bullmq("plain"), pending))
            read = found(snapshot, bullmq("plain"))
            assert (read.active, read.overdue, read.schedule, read.dead, read.error) == (1, 1, 1, 1, None)
            cluster.owner("bull:plain:wait")("RPUSH", "bull:plain:wait", 5)
    with OneShot(Settings(url=Secret(cluster.url))) as shot:
        read = found(shot.sample(), bullmq("plain"))
        assert (read.pending, read.active, read.schedule, read.dead, read.error) == (3, 1, 1, 1, None)


async def test_a_tick_of_an_idle_cluster_is_one_trip_to_each_node(cluster: Cluster) -> None:
    fill_cluster(cluster)
    async with watching(cluster.url) as live:
        await until(live, lambda snapshot: snapshot.swept)
        before = [(node._reading.commands, node._reading.round_trips) for node in live._nodes]
        await live.sample()
        after = [(node._reading.commands, node._reading.round_trips) for node in live._nodes]
        assert [(c - d, t - u) for (c, t), (d, u) in zip(after, before, strict=True)] == [(1, 1)] * 3


async def test_a_queue_whose_slot_moves_stays_on_the_screen(cluster: Cluster) -> None:
    queues = fill_cluster(cluster)
    async with watching(cluster.url) as live:
        await live.sample()
        target = next(node for node in cluster.nodes if node is not cluster.owner("emq:{q5}:"))
        cluster.move("emq:{q5}:", target, finish=False)
        half = await until(live, lambda snapshot: [queue.id for queue in snapshot.queues] == queues)
        assert (found(half, echomq("q5")).pending, found(half, echomq("q5")).error) == (1, None)
        with OneShot(Settings(url=Secret(cluster.url))) as shot:
            read = found(shot.sample(), echomq("q5"))
        assert (read.pending, read.error) == (1, None)
        cluster.finish("emq:{q5}:", target)
        target("ZADD", "emq:{q5}:pending", 0, "JOB0NgWEfAEJft")
        snapshot = await until(live, lambda snapshot: _has(snapshot, echomq("q5"), 2))
        assert found(snapshot, echomq("q5")).error is None


def _has(snapshot: Snapshot, queue: QueueId, pending: int) -> bool:
    return any(each.id == queue and each.pending == pending for each in snapshot.queues)


async def test_a_node_that_is_gone_takes_only_its_own_queues() -> None:
    with Cluster(node_timeout_ms=60_000) as cluster:
        fill_cluster(cluster)
        # The one that would be asked first wherever any would do.
        gone = min(cluster.nodes, key=lambda node: node.port)
        url = next(node for node in cluster.nodes if node is not gone).url
        hers = {echomq(name) for name in NAMES if cluster.owner(f"emq:{{{name}}}:") is gone}
        others = sorted({echomq(name) for name in NAMES} - hers)
        async with watching(url) as live:
            live.show((others[0],))
            await live.sample()
            gone.kill()
            snapshot = await until(live, lambda snapshot: any(queue.error for queue in snapshot.queues))
            assert {queue.id for queue in snapshot.queues if queue.error} & set(hers) == hers
            assert any(f":{gone.port}" in limit for limit in snapshot.limits)
            assert any(queue.error is None for queue in snapshot.queues)
        async with watching(url) as live:
            snapshot = await until(live, lambda snapshot: set(others) <= {queue.id for queue in snapshot.queues})
            assert (snapshot.clock, snapshot.server.kind, snapshot.server.mode) == ("server", "valkey", "cluster")
        lost = f"The server cannot be reached: redis://127.0.0.1:{gone.port}: Connection refused"
        assert (snapshot.limits, snapshot.swept) == ((lost,), False)
        with OneShot(Settings(url=Secret(url))) as shot:
            snapshot = shot.sample()
            assert ({echomq(name) for name in NAMES} & {queue.id for queue in snapshot.queues}) == set(others)
            assert (snapshot.limits, snapshot.swept) == ((lost,), False)
            assert len(shot.run(_page(others[0].name)).jobs) == 1
            with pytest.raises(Unreachable, match=str(gone.port)):
                shot.find(min(hers).name)


async def test_the_node_that_was_named_may_be_gone_once_the_others_are_known() -> None:
    with Cluster(node_timeout_ms=500) as cluster:
        named = cluster.owner("emq:{q3}:")
        named("ZADD", "emq:{q3}:pending", 0, JOB)
        replica = cluster.replica(named)
        async with watching(named.url) as live:
            assert _has(await live.sample(), echomq("q3"), 1)
            named.kill()
            snapshot = await until(live, lambda snapshot: _is_whole(snapshot, replica))
            assert _has(snapshot, echomq("q3"), 1)
            assert len(live.client.nodes) == 3


def _is_whole(snapshot: Snapshot, replica: ServerProcess) -> bool:
    is_known = snapshot.limits == () and not any(queue.error for queue in snapshot.queues)
    return is_known and replica.info("replication")["role"] == "master"


async def test_a_cluster_that_is_down_is_said_and_its_numbers_are_kept() -> None:
    with Cluster(node_timeout_ms=500) as cluster:
        fill_cluster(cluster)
        async with watching(cluster.url) as live:
            before = (await live.sample()).queues
            cluster.nodes[2].kill()
            said: list[str] = []
            while not any("CLUSTERDOWN" in line for line in said):
                try:
                    snapshot = await live.sample()
                    said = [*snapshot.limits, *(queue.error or "" for queue in snapshot.queues)]
                    assert [queue.pending for queue in snapshot.queues] == [queue.pending for queue in before]
                except SourceError as error:
                    said = [str(error)]
                await asyncio.sleep(0.02)


async def test_a_failover_is_followed(sentinels: Trio) -> None:
    sentinels.first("ZADD", "emq:{q}:pending", 0, JOB)
    async with watching(sentinels.url()) as live:
        assert found(await live.sample(), echomq("q")).pending == 1
        new = sentinels.fail_over()
        new("ZADD", "emq:{q}:pending", 0, "JOB0NgWEfAEJft")
        snapshot = await until(live, lambda snapshot: _has(snapshot, echomq("q"), 2))
        assert snapshot.server.role == "master"
    with OneShot(Settings(url=Secret(sentinels.url()))) as shot:
        assert [queue.pending for queue in shot.sample().queues] == [2]


async def test_a_replica_is_read_and_named_as_such(sentinels: Trio) -> None:
    sentinels.first("ZADD", "emq:{q}:pending", 0, JOB)
    async with watching(sentinels.second.url) as live:
        snapshot = await until(live, lambda snapshot: bool(snapshot.queues))
        assert (snapshot.server.role, snapshot.queues[0].pending) == ("replica", 1)


async def test_a_server_that_speaks_tls(mtls_server: ServerProcess) -> None:
    mtls_server("FLUSHALL")
    mtls_server("ZADD", "emq:{q}:pending", 0, JOB)
    async with watching(mtls_server.url) as live:
        assert found(await live.sample(), echomq("q")).pending == 1
    with OneShot(Settings(url=Secret(mtls_server.url))) as shot:
        assert [queue.pending for queue in shot.sample().queues] == [1]


async def test_redis_is_watched_as_valkey_is(redis7: ServerProcess) -> None:
    redis7("ZADD", "emq:{q}:pending", 0, JOB)
    async with watching(redis7.url) as live:
        snapshot = await live.sample()
        assert (snapshot.server.kind, snapshot.mode) == ("redis", "tracking")
        redis7("ZADD", "emq:{q}:pending", 0, "JOB0NgWEfAEJft")
        assert found(await live.sample(), echomq("q")).pending == 2
    with OneShot(Settings(url=Secret(redis7.url))) as shot:
        snapshot = shot.sample(sweep_keys=1)
        assert ([queue.id for queue in snapshot.queues], snapshot.swept) == ([echomq("q")], True)


async def test_the_first_numbers_over_a_thin_link_wait_for_no_sweep(valkey: Hand) -> None:
    rows = [pack("HSET", f"emq:{{q}}:job:JOB{number:011d}", "state", "dead") for number in range(4000)]
    valkey.link.run(ask_all([*rows, pack("ZADD", "emq:{q}:dead", 0, JOB)]))
    with Weather(valkey.url.removeprefix("unix://"), rtt_ms=20) as thin:
        thin.bytes_a_second = 40_000
        async with watching(thin.url) as live:
            assert found(await live.sample(), echomq("q")).dead == 1
            (node,) = live._nodes
            # All names are 170 kB; what one second carries is looked at, and INFO.
            assert node._looking.received_bytes < 80_000
            assert node.sampler.discovery.sweeps == node.sampler.discovery.outlines == 0


async def test_another_database_is_watched(valkey: Hand) -> None:
    valkey("ZADD", "emq:{zero}:pending", 0, JOB)
    valkey("SELECT", 3)
    valkey("ZADD", "emq:{three}:pending", 0, JOB)
    async with watching(f"{valkey.url}?db=3") as live:
        assert [queue.id for queue in (await live.sample()).queues] == [echomq("three")]


async def test_a_server_that_comes_back_empty_is_found_again(lone_server: ServerProcess) -> None:
    lone_server("ZADD", "emq:{q}:pending", 0, JOB)
    async with watching(lone_server.url) as live:
        await live.sample()
        lone_server.restart()
        lone_server("ZADD", "emq:{new}:pending", 0, JOB)
        snapshot = await until(live, lambda snapshot: {queue.id for queue in snapshot.queues} == {echomq("new")})
        assert snapshot.mode == "tracking"


async def test_a_frozen_server_is_said_and_thaws(lone_server: ServerProcess) -> None:
    lone_server("ZADD", "emq:{q}:pending", 0, JOB)
    async with watching(lone_server.url) as live:
        live.client.timeout_s = 0.2
        await live.sample()
        lone_server.freeze()
        try:
            with pytest.raises(Frozen):
                await live.sample()
        finally:
            lone_server.thaw()
        await until(live, lambda snapshot: bool(snapshot.queues))


async def test_scripts_flushed_and_other_clients_killed_change_nothing(valkey: Hand) -> None:
    fill(valkey, 5)
    async with watching(valkey.url) as live:
        await live.sample()
        valkey("SCRIPT", "FLUSH")
        valkey("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        assert len((await until(live, lambda snapshot: bool(snapshot.queues))).queues) == 5


async def test_full_house_is_said_and_passes(lone_server: ServerProcess) -> None:
    lone_server("CONFIG", "SET", "maxclients", 1)
    async with watching(lone_server.url) as live:
        with contextlib.closing(Hand(lone_server.socket_url).link) as link:
            with pytest.raises(SourceError, match="max number of clients"):
                await live.sample()
            link.run(ask_all([pack("CONFIG", "SET", "maxclients", 100)]))
        await until(live, lambda snapshot: snapshot.swept)


async def test_a_line_that_is_cut_is_made_anew(valkey: Hand, weather: Weather) -> None:
    fill(valkey, 5)
    async with watching(weather.url) as live:
        await live.sample()
        weather.cut()
        await until(live, lambda snapshot: len(snapshot.queues) == 5)
        weather.refuse()
        weather.cut()
        with pytest.raises(SourceError):
            await live.sample()
        weather.accept()
        await until(live, lambda snapshot: len(snapshot.queues) == 5)


async def test_far_servers_are_asked_many_things_at_a_time(valkey: Hand) -> None:
    fill(valkey, 300)
    server = valkey.url.removeprefix("unix://")
    with Weather(server, rtt_ms=20) as far:
        async with watching(far.url) as live:
            assert len((await live.sample()).queues) == 300
            (node,) = live._nodes
            # 300 queues are 28 writes: together they take little more than the way there and back.
            assert node._reading.rtt_ms >= 20
            assert window(node._reading.rtt_ms) >= 28


async def test_a_server_that_is_busy_says_so_and_passes(lone_server: ServerProcess) -> None:
    lone_server("ZADD", "emq:{q}:pending", 0, JOB)
    lone_server("CONFIG", "SET", "busy-reply-threshold", 1)
    async with watching(lone_server.url) as live:
        await live.sample()
        spin = asyncio.create_task(asyncio.to_thread(_run, lone_server, _spin()))
        said = ""
        async with asyncio.timeout(10):
            while not said.startswith("The server cannot answer now: BUSY"):
                try:
                    await live.sample()
                except SourceError as error:
                    said = str(error)
                await asyncio.sleep(0.01)
        lone_server("SCRIPT", "KILL")
        (ended,) = await spin
        assert "killed" in str(ended)
        snapshot = await until(live, lambda snapshot: snapshot.queues[0].pending == 1)
        assert (snapshot.mode, snapshot.limits, snapshot.clock) == ("tracking", (), "server")


def _run(server: ServerProcess, talk: Conversation[list[Reply]]) -> list[Reply]:
    return server.run(talk)


def _spin() -> Conversation[list[Reply]]:
    return (yield from ask_all([pack("EVAL", "while true do end", 0)]))
