"""The live source: what a tick costs, what it notices, and how it lives with a server that goes away."""

import asyncio

import pytest

from emqtop.demo.server import EmbeddedServer
from emqtop.model.queue import Location
from emqtop.sampling.live import Live
from emqtop.sampling.source import PageRequest
from emqtop.settings import Secret, Settings
from emqtop.wire.errors import Unreachable
from tests.conftest import Hand
from tests.sampling.queues import FAR_MS, GROUP, JOB, bullmq, echomq, fill, settings
from tests.sampling.watching import found, until
from tests.servers.users import withheld


async def test_the_first_sample_is_whole(live: Live, valkey: Hand) -> None:
    queues = fill(valkey, 500)
    snapshot = await live.sample()
    assert [queue.id for queue in snapshot.queues] == sorted(queues)
    assert all((queue.pending, queue.active, queue.next_deadline_ms) == (1, 1, FAR_MS) for queue in snapshot.queues)
    assert (snapshot.mode, snapshot.clock, snapshot.limits) == ("tracking", "server", ())
    assert (snapshot.server.kind, snapshot.server.mode, snapshot.server.role) == ("valkey", "standalone", "master")


async def test_an_empty_server_is_an_empty_snapshot(live: Live) -> None:
    snapshot = await live.sample()
    assert snapshot.queues == ()
    assert snapshot.swept


async def test_a_thousand_idle_queues_cost_a_handful_of_commands(
    live: Live, valkey: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The check of a few queues at each tick takes as many as the time that passed.
    monkeypatch.setattr("emqtop.sampling.node.CHECK_S", 1e9)
    fill(valkey, 1000)
    await until(live, lambda snapshot: snapshot.swept)
    node = next(iter(live._nodes))
    commands, trips = node._reading.commands, node._reading.round_trips
    snapshot = await live.sample()
    assert (node._reading.commands - commands, node._reading.round_trips - trips) == (1, 1)
    assert snapshot.cost.commands <= 25


async def test_only_what_moved_is_read_again(live: Live, valkey: Hand) -> None:
    fill(valkey, 1000)
    await until(live, lambda snapshot: snapshot.swept)
    node = next(iter(live._nodes))
    commands, trips = node._reading.commands, node._reading.round_trips
    valkey("ZADD", "emq:{q7}:pending", 0, "JOB0NgWEfAEJft")
    valkey("DEL", "emq:{q8}:active")
    async with asyncio.timeout(5):
        while not all(node.signals.is_told(echomq(name)) for name in ("q7", "q8")):
            await asyncio.sleep(0.001)
    snapshot = await live.sample()
    assert (node._reading.commands - commands, node._reading.round_trips - trips) == (1 + 2 * 11, 1)
    assert (found(snapshot, echomq("q7")).pending, found(snapshot, echomq("q8")).active) == (2, 0)


async def test_a_message_that_comes_with_the_answer_is_followed_in_the_same_tick(live: Live, valkey: Hand) -> None:
    fill(valkey, 10)
    await until(live, lambda snapshot: snapshot.swept)
    for count in range(2, 30):
        valkey("ZADD", "emq:{q7}:pending", 0, f"JOB0NgWEfA{count:04d}")
        assert found(await live.sample(), echomq("q7")).pending == count


@pytest.mark.parametrize(
    ("write", "field", "wanted"),
    [
        (("ZADD", "emq:{q0}:dead", 0, JOB), "dead", 1),
        (("HSET", "emq:{q0}:meta", "paused", 1), "paused", True),
        (("HINCRBY", "emq:{q0}:metrics:completed", "count", 5), "completed", 5),
        (("ZADD", "emq:{q0}:active", FAR_MS - 5, "JOB0NgWEfAEJfa"), "next_deadline_ms", FAR_MS - 5),
        (("RPUSH", "emq:{q0}:ring", GROUP), "lanes", 1),
    ],
)
async def test_every_number_follows_its_key(
    live: Live, valkey: Hand, write: tuple[str | int, ...], field: str, wanted: object
) -> None:
    fill(valkey, 1)
    valkey("ZADD", f"emq:{{q0}}:g:{GROUP}:pending", 0, JOB)
    await live.sample()
    valkey(*write)
    assert getattr(found(await live.sample(), echomq("q0")), field) == wanted


async def test_a_lease_that_runs_out_is_noticed_without_a_write(live: Live, valkey: Hand) -> None:
    seconds, _ = valkey("TIME")  # type: ignore[misc]
    valkey("ZADD", "emq:{q}:active", int(seconds) * 1000 + 1500, JOB)  # type: ignore[arg-type]
    assert found(await live.sample(), echomq("q")).overdue == 0
    snapshot = await until(live, lambda snapshot: found(snapshot, echomq("q")).overdue == 1)
    assert found(snapshot, echomq("q")).active == 1


async def test_a_lane_that_stands_in_no_list_is_counted_once_the_sweep_met_it(live: Live, valkey: Hand) -> None:
    fill(valkey, 1)
    await live.sample()
    valkey("ZADD", f"emq:{{q0}}:g:{GROUP}:pending", 0, JOB)
    await until(live, lambda snapshot: found(snapshot, echomq("q0")).lanes == 1)


async def test_the_first_sample_counts_held_jobs_by_their_counters_of_children(live: Live, valkey: Hand) -> None:
    for number in range(200):
        valkey("HSET", f"emq:{{q}}:job:JOB{number:011d}", "state", "awaiting_children" if number < 3 else "pending")
    for number in range(4):
        valkey("SET", f"emq:{{q}}:job:JOB{number:011d}:dependencies", 1)
    assert found(await live.sample(), echomq("q")).held == 3
    assert next(iter(live._nodes))._looking.commands < 40  # nowhere near one for each row


async def test_queues_appear_and_vanish(live: Live, valkey: Hand) -> None:
    fill(valkey, 3)
    await live.sample()
    fill(valkey, 1, first=3)
    await until(live, lambda snapshot: len(snapshot.queues) == 4)
    valkey("DEL", "emq:{q0}:pending", "emq:{q0}:active")
    snapshot = await until(live, lambda snapshot: len(snapshot.queues) == 3)
    assert echomq("q0") not in {queue.id for queue in snapshot.queues}


async def test_a_flush_empties_the_table(live: Live, valkey: Hand) -> None:
    fill(valkey, 50)
    await live.sample()
    valkey("FLUSHALL")
    assert {queue.pending for queue in (await live.sample()).queues} <= {0}
    await until(live, lambda snapshot: not snapshot.queues)


async def test_only_named_queues_where_asked(valkey: Hand) -> None:
    fill(valkey, 5)
    valkey("RPUSH", "bull:q3:wait", 1)
    live = Live(settings(valkey, queues=("q3",)))
    assert {queue.id for queue in (await live.sample()).queues} == {echomq("q3"), bullmq("q3")}
    await live.close()


async def test_a_busy_queue_is_read_outside_of_tracking(live: Live, valkey: Hand) -> None:
    fill(valkey, 20)
    await until(live, lambda snapshot: snapshot.swept)
    node = next(iter(live._nodes))
    for number in range(8):
        valkey("ZADD", "emq:{q1}:pending", 0, f"JOB0NgWEfAEJ{number:02d}")
        snapshot = await live.sample()
    commands = node._reading.commands
    valkey("ZADD", "emq:{q1}:pending", 0, "JOB0NgWEfAEJ99")
    snapshot = await live.sample()
    assert node._reading.commands - commands == 1
    assert found(snapshot, echomq("q1")).pending == 10
    assert snapshot.mode == "tracking"


async def test_without_tracking_everything_is_polled_and_said_once(live: Live, valkey: Hand) -> None:
    fill(valkey, 50)
    with withheld(valkey, "-client|tracking"):
        snapshot = await live.sample()
        assert snapshot.mode == "polling"
        assert snapshot.limits == ("CLIENT TRACKING is withheld: queues are read in turn",)
        valkey("ZADD", "emq:{q7}:pending", 0, "JOB0NgWEfAEJft")
        assert found(await live.sample(), echomq("q7")).pending == 2


async def test_many_queues_are_polled_in_turn_the_screens_first(
    live: Live, valkey: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(valkey, 100)
    with withheld(valkey, "-client|tracking"):
        await live.sample()
        node = next(iter(live._nodes))
        monkeypatch.setattr(node, "_polled", 10)
        monkeypatch.setattr("emqtop.sampling.node.POLLED", 10)
        live.show((echomq("q50"),))
        commands = node._reading.commands
        await live.sample()
        assert node._reading.commands - commands <= 1 + 11 * 11
        for number in range(100):
            valkey("ZADD", f"emq:{{q{number}}}:pending", 0, "JOB0NgWEfAEJft")
        assert found(await live.sample(), echomq("q50")).pending == 2
        for _ in range(10):
            snapshot = await live.sample()
        assert {queue.pending for queue in snapshot.queues} == {2}


@pytest.mark.parametrize(
    ("rules", "limit"),
    [
        (("-info",), "INFO is withheld: version, memory and clients are not known"),
        (("-time",), "TIME is withheld: leases and ages are told by the local clock"),
        (("-subscribe",), "SUBSCRIBE is withheld: events of EchoMQ queues are not shown"),
    ],
)
async def test_a_right_that_is_withheld_turns_off_what_needs_it(
    live: Live, valkey: Hand, rules: tuple[str, ...], limit: str
) -> None:
    fill(valkey, 3)
    with withheld(valkey, *rules):
        live.show((echomq("q0"),))
        snapshot = await until(live, lambda snapshot: bool(snapshot.limits))
        assert snapshot.limits == (limit,)
        assert len(snapshot.queues) == 3


@pytest.mark.parametrize(
    ("version", "limits"),
    [
        ("echomq:3.0.0", ()),
        ("other", ("{emq}:version is 'other', which is no version of EchoMQ: its queues are only looked at",)),
    ],
)
async def test_a_foreign_version_fence_is_said(
    live: Live, valkey: Hand, monkeypatch: pytest.MonkeyPatch, version: str, limits: tuple[str, ...]
) -> None:
    monkeypatch.setattr("emqtop.sampling.live.VERSION_S", 0)
    assert (await live.sample()).limits == ()
    valkey("SET", "{emq}:version", version)
    snapshot = await live.sample()
    assert (snapshot.server.wire_version, snapshot.limits) == (version, limits)


async def test_without_scan_named_queues_are_there(valkey: Hand) -> None:
    fill(valkey, 3)
    live = Live(settings(valkey, queues=("q1",)))
    with withheld(valkey, "-scan"):
        snapshot = await live.sample()
        assert [queue.id for queue in snapshot.queues] == [echomq("q1")]
        assert snapshot.limits == ("SCAN is withheld: only queues asked for by name are shown",)
        assert not snapshot.swept
    await live.close()


async def test_keys_that_may_not_be_read_are_an_error_on_their_own_row(live: Live, valkey: Hand) -> None:
    fill(valkey, 2)
    with withheld(valkey, "resetkeys", "~emq:{q1}:*"):
        snapshot = await live.sample()
        assert (found(snapshot, echomq("q0")).error or "").startswith("pending: NOPERM")
        assert found(snapshot, echomq("q1")).error is None


async def test_moved_wakes_for_what_is_on_the_screen(live: Live, valkey: Hand) -> None:
    fill(valkey, 2)
    live.show((echomq("q1"),))
    await live.sample()
    waiting = asyncio.create_task(live.moved(10))
    valkey("ZADD", "emq:{q1}:pending", 0, "JOB0NgWEfAEJft")
    assert await waiting
    await live.sample()
    valkey("ZADD", "emq:{q0}:pending", 0, "JOB0NgWEfAEJft")
    assert not await live.moved(0.4)


async def test_moved_wakes_for_an_announcement(live: Live, valkey: Hand) -> None:
    fill(valkey, 1)
    live.show((echomq("q0"),))
    await live.sample()
    waiting = asyncio.create_task(live.moved(10))
    async with asyncio.timeout(5):
        while not valkey("PUBLISH", "emq:{q0}:events", '{"event":"progress","job":"x"}'):
            await asyncio.sleep(0.01)
    assert await waiting


async def test_a_cut_connection_is_made_anew(live: Live, valkey: Hand) -> None:
    fill(valkey, 10)
    await live.sample()
    valkey("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    valkey("ZADD", "emq:{q1}:pending", 0, "JOB0NgWEfAEJft")
    snapshot = await until(live, lambda snapshot: found(snapshot, echomq("q1")).pending == 2)
    assert snapshot.mode == "tracking"


async def test_a_lost_server_is_said_at_once_until_the_next_attempt_and_found_again() -> None:
    first = EmbeddedServer()
    first.ready()
    hand = Hand(first.url)
    fill(hand, 3)
    live = Live(Settings(url=Secret(first.url), timeout_s=2))
    assert len((await live.sample()).queues) == 3
    hand.link.close()
    first.stop()
    with pytest.raises(Unreachable):
        await live.sample()
    loop = asyncio.get_running_loop()
    with pytest.raises(Unreachable):
        await live.sample()
    opened = [node._reading.opened for node in live._nodes]
    live._retry_at = loop.time() + 3600
    with pytest.raises(Unreachable):
        await live.sample()
    assert [node._reading.opened for node in live._nodes] == opened
    await live.close()


async def test_pages_jobs_lanes_and_fields_come_on_demand(live: Live, valkey: Hand) -> None:
    valkey("ZADD", f"emq:{{q}}:g:{GROUP}:pending", 0, JOB)
    valkey("RPUSH", "emq:{q}:ring", GROUP)
    valkey("HSET", f"emq:{{q}}:job:{JOB}", "state", "pending", "attempts", 0, "payload", "hello", "group", GROUP)
    await live.sample()
    page = await live.page(PageRequest(echomq("q"), Location.PENDING))
    assert [(job.id, job.group) for job in page.jobs] == [(JOB, GROUP)]
    detail = await live.job(echomq("q"), JOB)
    assert detail is not None
    assert detail.location is Location.PENDING
    assert await live.job(echomq("q"), "JOB0KHTOWnGLuC") is None
    assert await live.field(echomq("q"), JOB, "payload", 1, 3) == b"ell"
    assert [(lane.group, lane.pending) for lane in await live.lanes(echomq("q"))] == [(GROUP, 1)]
    look = await live.lane_look(echomq("q"))
    assert ([(lane.group, lane.pending) for lane in look.lanes], look.running) == ([(GROUP, 1)], None)


async def test_closing_twice_is_harmless(live: Live) -> None:
    await live.sample()
    await live.close()
    await live.close()
