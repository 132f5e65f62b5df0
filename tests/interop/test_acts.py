"""Every act on a BullMQ queue is followed by a real worker that finishes the job."""

import pytest

from emqtop.wire.bullmq import operator
from tests.interop.conftest import Real
from tests.wire.bullmq.writing import Seen


def done(real: Real, conversation: object, count: int = 1) -> None:
    verdicts = real.ask(conversation)  # type: ignore[arg-type]
    assert [verdict.reason for verdict in verdicts] == ["done"] * count, verdicts


def finish(real: Real, *jobs: str) -> None:
    for job in jobs:
        real.await_event(job, "completed")
        real.await_place(job, "completed")


def test_a_reaped_job_of_a_killed_worker_is_finished_by_another(real: Real) -> None:
    plain, urgent = real.add(data={"hang": 1}), real.add(data={"hang": 1}, opts={"priority": 3})
    real.start_and_kill(plain, urgent)
    done(real, operator.reap(real.keys, [Seen(plain, "active"), Seen(urgent, "active")]), 2)
    assert (real.field(plain, "atm"), real.field(plain, "stc")) == (None, None)
    real.work()
    real.await_event(plain, "started")
    real.rig.call("release")
    real.await_event(urgent, "started")
    real.rig.call("release")
    finish(real, plain, urgent)


def test_a_running_job_is_left_alone_and_finishes(real: Real) -> None:
    job = real.add(data={"hang": 1})
    real.work(name="mailer")
    real.await_event(job, "started")
    for verb in (operator.reap, operator.remove):
        (verdict,) = real.ask(verb(real.keys, [Seen(job, "active")]))
        assert verdict.reason == "lease-live"
    (verdict,) = real.ask(operator.dead_letter(real.keys, [Seen(job, "active")], "no"))
    assert verdict.reason == "lease-live"
    done(real, operator.extend(real.keys, [Seen(job, "active")], 60_000))
    real.rig.call("release")
    finish(real, job)


def test_a_forced_reap_makes_the_first_run_worthless(real: Real) -> None:
    job = real.add(data={"hang": 1})
    real.work()
    real.await_event(job, "started")
    done(real, operator.reap(real.keys, [Seen(job, "active")], force=True))
    real.told.clear()
    real.rig.call("release")
    real.await_event(job, "started")
    real.rig.call("release")
    finish(real, job)
    assert (real.field(job, "ats"), real.field(job, "atm")) == (b"2", b"1")


def test_promoted_jobs_wake_an_idle_worker(real: Real) -> None:
    real.work(drainDelay=60)
    later, urgent = real.add(opts={"delay": 3_600_000}), real.add(opts={"delay": 3_600_000, "priority": 2})
    done(real, operator.promote(real.keys, [Seen(later, "schedule"), Seen(urgent, "schedule")], early=True), 2)
    finish(real, later, urgent)


@pytest.mark.parametrize("afresh", [False, True])
def test_requeued_jobs_run_again(real: Real, afresh: bool) -> None:
    jobs = [real.add(data={"fail": "SMTP 550"}) for _ in range(3)]
    real.work(drainDelay=60)
    for job in jobs:
        real.await_place(job, "failed")
        real.put("HSET", job, "data", "{}")
    done(real, operator.requeue(real.keys, [Seen(job, "dead", attempts=1) for job in jobs], afresh=afresh), 3)
    finish(real, *jobs)
    assert real.field(jobs[0], "atm") == (b"1" if afresh else b"2")


def test_a_completed_job_runs_again(real: Real) -> None:
    job = real.add()
    real.work(drainDelay=60)
    finish(real, job)
    real.told.clear()
    done(real, operator.rerun(real.keys, [Seen(job, "done")]))
    finish(real, job)
    assert real.field(job, "ats") == b"2"


def test_dead_lettered_jobs_can_be_requeued_and_finished(real: Real) -> None:
    waiting, urgent = real.add(), real.add(opts={"priority": 5})
    later, rest = real.add(opts={"delay": 3_600_000}), real.add()
    seen = [Seen(waiting, "pending"), Seen(urgent, "pending"), Seen(later, "schedule")]
    done(real, operator.dead_letter(real.keys, seen, "given up"), 3)
    assert [real.places(job) for job in (waiting, urgent, later)] == [["failed"]] * 3
    real.work(drainDelay=60)
    finish(real, rest)
    assert real.told == [(rest, "started"), (rest, "completed")]
    done(real, operator.requeue(real.keys, [Seen(job, "dead") for job in (waiting, urgent, later)]), 3)
    finish(real, waiting, urgent, later)


def test_a_lapsed_job_is_dead_lettered_and_requeued(real: Real) -> None:
    job = real.add(data={"hang": 1}, opts={"attempts": 3, "removeOnFail": True})
    real.start_and_kill(job)
    done(real, operator.dead_letter(real.keys, [Seen(job, "active")], "its worker was killed"))
    assert (real.places(job), real.field(job, "failedReason")) == (["failed"], b"its worker was killed")
    real.put("HSET", job, "data", "{}")
    done(real, operator.requeue(real.keys, [Seen(job, "dead")]))
    real.work()
    finish(real, job)


def test_a_deferred_failure_is_carried_out_by_the_worker_that_claims(real: Real) -> None:
    job, rest = real.add(), real.add()
    real.ask(operator.pause(real.keys))
    (verdict,) = real.ask(operator.dead_letter(real.keys, [Seen(job, "pending")], "given up"))
    assert verdict.reason == "deferred"
    real.work(drainDelay=60)
    real.ask(operator.resume(real.keys))
    finish(real, rest)
    real.await_place(job, "failed")
    assert (job, "started") not in real.told
    assert real.field(job, "failedReason") == b"given up"


def test_a_removed_job_never_runs(real: Real) -> None:
    job, rest = real.add(), real.add()
    done(real, operator.remove(real.keys, [Seen(job, "pending")]))
    real.work()
    finish(real, rest)
    assert (job, "started") not in real.told


def test_order_follows_a_changed_priority(real: Real) -> None:
    first, second, urgent = real.add(), real.add(), real.add(opts={"priority": 9})
    done(real, operator.change_priority(real.keys, [Seen(urgent, "pending")], 0, first=True))
    done(real, operator.change_priority(real.keys, [Seen(first, "pending")], 4))
    real.work()
    finish(real, first, second, urgent)
    started = [job for job, event in real.told if event == "started"]
    assert started == [urgent, second, first]


def test_a_shorter_delay_is_kept_by_a_sleeping_worker(real: Real) -> None:
    job = real.add(opts={"delay": 3_600_000})
    real.work(drainDelay=60)
    done(real, operator.change_delay(real.keys, [Seen(job, "schedule")], 50))
    finish(real, job)


def test_raised_concurrency_reaches_workers_that_sleep(real: Real) -> None:
    real.ask(operator.set_concurrency(real.keys, 1))
    jobs = [real.add(data={"hang": 1}) for _ in range(2)]
    real.work(drainDelay=60, concurrency=2)
    real.await_event(jobs[0], "started")
    assert real.put("LLEN", "active") == 1
    real.ask(operator.set_concurrency(real.keys, 2))
    real.await_event(jobs[1], "started")
    real.rig.call("release")
    finish(real, *jobs)
