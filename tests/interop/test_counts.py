"""Counts equal BullMQ's own, in every state and while a load runs; pages show what is there."""

import pytest

from emqtop.wire.bullmq.counts import counts
from emqtop.wire.bullmq.reads import detail, page
from emqtop.wire.bullmq.workers import workers
from emqtop.wire.numbers import Counts
from tests.interop.conftest import Real
from tests.interop.rig import until

NOW = 2_000_000_000_000


def ours(real: Real) -> Counts:
    read = real.ask(counts(real.keys, NOW))
    assert read.error is None
    return read


def theirs(real: Real) -> dict[str, int]:
    told = real.call("counts")
    assert isinstance(told, dict)
    waiting = told.get("waiting", 0) + told.get("paused", 0) + told.get("prioritized", 0)
    return {"waiting": waiting, **{name: told[name] for name in ("active", "delayed", "completed", "failed")}}


def test_counts_of_every_state(real: Real) -> None:
    for number in range(3):
        real.add(data={"fail": "boom"} if number == 2 else {})
    real.work()
    until(lambda: theirs(real) | {"waiting": 0} == {**theirs(real), "completed": 2, "failed": 1}, "for the first three")
    real.stop()
    real.add(opts={"delay": 3_600_000})
    real.add(opts={"priority": 3})
    real.add()
    read = ours(real)
    assert (read.pending, read.schedule, read.completed, read.dead, read.active) == (2, 1, 2, 1, 0)
    assert theirs(real) == {"waiting": 2, "active": 0, "delayed": 1, "completed": 2, "failed": 1}
    assert read.paused is False
    assert read.oldest_pending_ms is not None


def test_a_paused_queue_is_counted_once(real: Real) -> None:
    for _ in range(3):
        real.add()
    real.call("pause")
    for _ in range(2):
        real.add()
    read = ours(real)
    assert (read.pending, read.paused) == (5, True)
    assert theirs(real)["waiting"] == 5
    real.call("resume")
    assert (ours(real).pending, ours(real).paused) == (5, False)


def test_counts_while_a_load_runs(real: Real) -> None:
    """No other moment can be compared than one between two of theirs: done only grows, waiting only shrinks."""
    total = 400
    real.call("add_bulk", jobs=[{"data": {"fail": "boom"} if number % 20 == 0 else {}} for number in range(total)])
    real.work(concurrency=4)
    samples = 0
    while True:
        before, read, after = theirs(real), ours(real), theirs(real)
        assert before["completed"] <= (read.completed or 0) <= after["completed"]
        assert before["failed"] <= (read.dead or 0) <= after["failed"]
        assert before["waiting"] >= (read.pending or 0) >= after["waiting"]
        samples += 1
        if after["completed"] + after["failed"] == total:
            break
    assert samples > 1


def test_running_jobs_and_their_locks(real: Real) -> None:
    job = real.add(data={"hang": 1})
    real.work(lockDuration=30_000)
    real.await_event(job, "started")
    now_ms = real.ask(page(real.keys, "active")).at_ms
    read = real.ask(counts(real.keys, now_ms))
    assert (read.active, read.overdue) == (1, 0)
    assert read.next_deadline_ms is not None
    assert 0 < read.next_deadline_ms - now_ms <= 30_500
    real.rig.kill()
    real.put("DEL", f"{job}:lock")
    assert ours(real).overdue == 1
    found = real.ask(detail(real.keys, job))
    assert found is not None
    assert (found.location, found.job.odd, found.job.attempts) == ("active", (), 0)


@pytest.mark.parametrize("location", ["pending", "dead", "done"])
def test_pages_hold_the_jobs_in_the_order_served(real: Real, location: str) -> None:
    jobs = [real.add(data={"fail": "boom"} if location == "dead" else {"n": number}) for number in range(5)]
    if location != "pending":
        real.work()
        until(lambda: sum(theirs(real)[name] for name in ("completed", "failed")) == 5, "for all to end")
    read = real.ask(page(real.keys, location, payload_bytes=64))
    assert [job.id.decode() for job in read.jobs] == jobs
    assert all(job.odd == () and job.payload for job in read.jobs)
    assert {job.last_error for job in read.jobs} == ({b"boom"} if location == "dead" else {None})


def test_a_flow_across_queues_with_ids_that_hold_colons(real: Real) -> None:
    where = {"queueName": real.keys.name, "name": "job", "data": {}}
    child = {**where, "opts": {"jobId": "a:b:c"}} if real.release != "pypi" else where
    parent = str(real.rig.call("flow", prefix=real.keys.prefix, flow={**where, "children": [child]}))
    held = real.ask(detail(real.keys, parent))
    assert held is not None
    assert (held.location, held.waiting_for) == ("held", 1)
    ((child_id, word),) = held.children
    assert word == "waiting"
    found = real.ask(detail(real.keys, child_id.decode()))
    assert found is not None
    assert (found.location, found.parent, found.parent_queue) == ("pending", parent.encode(), None)
    assert real.release == "pypi" or child_id == b"a:b:c"
    real.work()
    real.await_place(parent, "completed")


def test_workers_are_found_by_the_names_of_their_connections(real: Real) -> None:
    assert real.ask(workers(real.keys)) == ()
    real.work(name="mailer")
    (worker,) = until(lambda: real.ask(workers(real.keys)), "for the worker to be seen")
    assert worker.name == (b"mailer" if real.release != "pypi" else worker.name)
