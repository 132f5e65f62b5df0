"""The demo workload on a real server: every queue moves, leases run out, and the processes end with their owner."""

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from emqtop.demo.assignment import Assignment, read_assignment
from emqtop.demo.queues import BY_NAME, tenants
from emqtop.demo.workload import Workload, WorkloadDied
from emqtop.settings import Secret
from emqtop.wire.address import Address
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.recovery import reap
from tests.conftest import Hand
from tests.demo.owners import ENDS, alive, offspring, owner

linux = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks into /proc")


@pytest.fixture
def quiet(valkey: Hand) -> Iterator[Hand]:
    """The server, emptied again of what a workload of the test left."""
    yield valkey
    valkey("FLUSHALL")


def until(condition: Callable[[], object], workload: Workload | None = None) -> None:
    """Wait until it holds; the test's own timeout bounds it."""
    while not condition():
        if workload is not None:
            workload.poll()
        time.sleep(0.02)


def keys_of(queue: str) -> QueueKeys:
    return QueueKeys("emq", queue)


def completed(valkey: Hand, queue: str) -> int:
    count = valkey("HGET", keys_of(queue).part("metrics:completed"), "count")
    return int(count) if isinstance(count, bytes) else 0


def overdue(valkey: Hand, queue: str) -> int:
    now = valkey("TIME")
    assert isinstance(now, list)
    count = valkey("ZCOUNT", keys_of(queue).active, "-inf", int(now[0]) * 1000)
    assert isinstance(count, int)
    return count


def test_every_queue_moves_fails_and_leaves_leases_behind(quiet: Hand) -> None:
    lanes = keys_of("tenants")
    limited, paused = tenants(5)[3].group, tenants(5)[4].group
    with Workload(quiet.url, rate=80, seed=5) as workload:
        until(lambda: all(completed(quiet, queue) for queue in BY_NAME), workload)
        until(lambda: quiet("HGET", keys_of("payments").part("metrics:failed"), "count"), workload)
        until(lambda: quiet("ZCARD", keys_of("payments").dead), workload)
        until(lambda: quiet("EXISTS", lanes.lane(paused)), workload)
        until(lambda: overdue(quiet, "orders") + overdue(quiet, "tenants"), workload)
        until(lambda: quiet("EXISTS", keys_of("reports").schedule), workload)
        assert quiet("ZCARD", keys_of("reports").part("repeat")) == 2
        assert quiet("HGET", lanes.part("glimit"), limited) == b"1"
        assert quiet("SMEMBERS", lanes.part("paused")) == [paused.encode()]
        assert quiet("HGET", lanes.part("gactive"), paused) is None
    assert quiet("EXISTS", keys_of("reports").part("repeat")) == 0


def test_without_a_reaper_leases_are_left_to_the_operator(quiet: Hand) -> None:
    with Workload(quiet.url, reaper=False, seed=2) as workload:
        until(lambda: overdue(quiet, "orders") and overdue(quiet, "tenants"), workload)
        left = [job for queue in ("orders", "tenants") for job in _lapsed(quiet, queue)]
        assert quiet.link.run(reap(keys_of("orders"))) >= 1
        assert quiet.link.run(reap(keys_of("tenants"))) >= 1
        until(lambda: not any(quiet("EXISTS", keys_of(queue).row(job)) for queue, job in left), workload)


def _lapsed(valkey: Hand, queue: str) -> list[tuple[str, str]]:
    now = valkey("TIME")
    assert isinstance(now, list)
    found = valkey("ZRANGEBYSCORE", keys_of(queue).active, "-inf", int(now[0]) * 1000)
    assert isinstance(found, list)
    return [(queue, job.decode()) for job in found if isinstance(job, bytes)]


def test_nothing_is_made_where_too_much_waits(quiet: Hand) -> None:
    emails = keys_of("emails")
    quiet("HSET", emails.meta, "paused", 1)
    with Workload(quiet.url, rate=4_000) as workload:
        until(lambda: int(str(quiet("ZCARD", emails.pending))) >= BY_NAME["emails"].backlog, workload)
        until(lambda: completed(quiet, "orders") > 500, workload)
    waiting = quiet("ZCARD", emails.pending)
    assert isinstance(waiting, int)
    assert waiting < BY_NAME["emails"].backlog + 50


def test_a_naive_queue_tears(quiet: Hand) -> None:
    keys = keys_of("naive")

    def lost() -> int:
        rows = quiet("KEYS", keys.part("job:*"))
        held = [quiet("ZRANGE", place, 0, -1) for place in (keys.pending, keys.active, keys.schedule)]
        assert isinstance(rows, list)
        return len(rows) - len({job for place in held if isinstance(place, list) for job in place})

    with Workload(quiet.url, naive=True, seed=3) as workload:
        until(lambda: completed(quiet, "naive") and lost() > 0, workload)


def test_a_workload_without_a_server_says_so() -> None:
    with Workload("unix:///nowhere/at/all") as workload, pytest.raises(WorkloadDied, match="cannot be reached"):
        until(lambda: False, workload)


def test_it_survives_a_lost_connection(quiet: Hand) -> None:
    with Workload(quiet.url) as workload:
        until(lambda: completed(quiet, "orders"), workload)
        quiet("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        before = completed(quiet, "orders")
        until(lambda: completed(quiet, "orders") > before + 20, workload)


@linux
@pytest.mark.parametrize("end", ENDS, ids=lambda each: each.name)
def test_its_processes_die_with_their_owner(quiet: Hand, end: signal.Signals) -> None:
    code = f"""
from emqtop.demo.workload import Workload
workload = Workload({quiet.url!r})
workload.start()
print("started", flush=True)
"""
    with owner(code, 1) as (process, _):
        until(lambda: completed(quiet, "orders") and len(offspring(process.pid)) == 3)
        below = offspring(process.pid)
        process.send_signal(end)
        until(lambda: not any(alive(pid) for pid in below))


@linux
def test_its_processes_end_where_the_kernel_does_not_kill_them(quiet: Hand) -> None:
    code = f"""
import threading
from emqtop.demo.workload import Workload
workload = Workload({quiet.url!r})
starter = threading.Thread(target=workload.start)
starter.start()
starter.join()
print("started", flush=True)
"""
    with owner(code, 1) as (process, _):
        until(lambda: completed(quiet, "orders") and len(offspring(process.pid)) == 3)
        below = offspring(process.pid)
        process.kill()
        until(lambda: not any(alive(pid) for pid in below))


@pytest.mark.parametrize(("rate", "workers"), [(-1.0, 4), (40.0, 0)])
def test_numbers_that_mean_nothing_are_refused(rate: float, workers: int) -> None:
    with pytest.raises(ValueError, match="wanted"):
        Workload("redis://127.0.0.1", rate=rate, workers=workers)


def test_a_password_goes_through_the_pipe_and_nowhere_else() -> None:
    address = Address("db.example", 7000, None, 2, "me", Secret("hush"), True, (("insecure", "1"),))
    told = Assignment(address, seed=9)
    assert read_assignment(told.to_json()) == told
    assert "hush" not in repr(told)
