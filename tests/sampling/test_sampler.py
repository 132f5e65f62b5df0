"""What one process's queues cost to read, and when a queue that is gone leaves the list."""

from emqtop.model.queue import Queue
from emqtop.sampling.plan import COMMANDS_A_WRITE
from emqtop.sampling.sampler import Sampler
from tests.conftest import Hand
from tests.sampling.queues import FAR_MS, GROUP, JOB, bullmq, echomq, fill


def sweep(valkey: Hand, sampler: Sampler) -> None:
    done = sampler.discovery.sweeps
    while sampler.discovery.sweeps == done:
        valkey.link.run(sampler.discovery.walk(10, 1000))
        valkey.link.hold(sampler.discovery.finish())
    sampler.learn()


def read_all(valkey: Hand, sampler: Sampler) -> None:
    valkey.link.hold(sampler.read(list(sampler.entries)))


def test_both_layouts_are_read_in_the_same_trip(valkey: Hand) -> None:
    sampler = Sampler(("emq", "bull"))
    fill(valkey, 1)
    valkey("RPUSH", "bull:mail:wait", 1)
    valkey("ZADD", "bull:mail:failed", 1_790_000_000_000, 2)
    sweep(valkey, sampler)
    read_all(valkey, sampler)
    assert sampler.queues() == (
        Queue(bullmq("mail"), 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, False),
        Queue(echomq("q0"), 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, False, FAR_MS, oldest_pending_ms=1_780_512_970_164),
    )


def test_a_thousand_idle_queues_go_out_in_writes_of_bounded_size(valkey: Hand) -> None:
    sampler = Sampler(("emq",))
    fill(valkey, 1000)
    sweep(valkey, sampler)
    commands, trips = valkey.link.commands, valkey.link.round_trips
    read_all(valkey, sampler)
    assert valkey.link.commands - commands == 1 + 11 * 1000
    assert valkey.link.round_trips - trips == -(-1000 // (COMMANDS_A_WRITE // 11))


def test_a_queue_with_lanes_is_whole_at_its_first_reading(valkey: Hand) -> None:
    sampler = Sampler(("emq",))
    valkey("ZADD", f"emq:{{q}}:g:{GROUP}:pending", 0, JOB)
    valkey("HSET", "emq:{q}:glimit", GROUP, 1)
    sweep(valkey, sampler)
    read_all(valkey, sampler)
    assert [(queue.pending, queue.lanes) for queue in sampler.queues()] == [(1, 1)]


def test_queues_come_sorted(valkey: Hand) -> None:
    sampler = Sampler(("emq", "bull"))
    for name in ("b", "a", "c"):
        valkey("ZADD", f"emq:{{{name}}}:dead", 0, JOB)
        valkey("RPUSH", f"bull:{name}:wait", 1)
    sweep(valkey, sampler)
    read_all(valkey, sampler)
    ids = [queue.id for queue in sampler.queues()]
    assert ids == sorted(ids)
    assert len(ids) == 6


def test_what_did_not_change_is_the_same_table(valkey: Hand) -> None:
    sampler = Sampler(("emq",))
    fill(valkey, 3)
    sweep(valkey, sampler)
    read_all(valkey, sampler)
    table = sampler.queues()
    read_all(valkey, sampler)
    assert sampler.queues() is table
    valkey("ZADD", "emq:{q1}:dead", 0, JOB)
    read_all(valkey, sampler)
    assert [queue.dead for queue in sampler.queues()] == [0, 1, 0]
    valkey("HSET", "emq:{q2}:job:JOB00000000003", "state", "awaiting_children")
    sweep(valkey, sampler)
    assert [queue.held for queue in sampler.queues()] == [0, 0, 1]
    sampler.drop(echomq("q0"))
    assert [queue.id for queue in sampler.queues()] == [echomq("q1"), echomq("q2")]


def test_held_is_unknown_until_the_whole_keyspace_was_seen(valkey: Hand) -> None:
    sampler = Sampler(("emq",))
    valkey("HSET", f"emq:{{q}}:job:{JOB}", "state", "awaiting_children")
    for number in range(500):
        valkey("SET", f"filler{number}", 1)
    valkey("ZADD", "emq:{q}:dead", 0, JOB)
    while echomq("q") not in sampler.entries:
        valkey.link.run(sampler.discovery.walk(1, 10))
        valkey.link.hold(sampler.discovery.finish())
        sampler.learn()
    read_all(valkey, sampler)
    if sampler.discovery.sweeps == 0:
        assert sampler.queues()[0].held is None
    sweep(valkey, sampler)
    assert sampler.queues()[0].held == 1


def test_a_queue_leaves_once_a_whole_sweep_has_not_met_it(valkey: Hand) -> None:
    sampler = Sampler(("emq",))
    fill(valkey, 2)
    sweep(valkey, sampler)
    read_all(valkey, sampler)
    valkey("DEL", "emq:{q0}:pending", "emq:{q0}:active")
    read_all(valkey, sampler)
    assert len(sampler.queues()) == 2
    sweep(valkey, sampler)
    sweep(valkey, sampler)
    assert [queue.id for queue in sampler.queues()] == [echomq("q1")]
    fill(valkey, 1)
    sweep(valkey, sampler)
    read_all(valkey, sampler)
    assert len(sampler.queues()) == 2


def test_an_empty_queue_that_still_has_a_key_stays(valkey: Hand) -> None:
    sampler = Sampler(("emq",))
    valkey("RPUSH", "emq:{q}:wake", 1)
    sweep(valkey, sampler)
    for _ in range(3):
        read_all(valkey, sampler)
        sweep(valkey, sampler)
    assert [queue.id for queue in sampler.queues()] == [echomq("q")]


def test_the_clock_is_the_servers(valkey: Hand) -> None:
    sampler = Sampler(("emq",))
    read_all(valkey, sampler)
    assert sampler.clock.kind == "server"
    valkey("ACL", "SETUSER", "default", "-time")
    try:
        read_all(valkey, sampler)
    finally:
        valkey("ACL", "SETUSER", "default", "+time")
    assert sampler.clock.kind == "local"
