"""Pause, add, resume in every mixture of emqtop and the library: no job is lost."""

import itertools

import pytest

from emqtop.wire.bullmq import operator
from emqtop.wire.verdicts import Verdict
from tests.interop.conftest import Real
from tests.wire.bullmq.writing import Seen


def hold(real: Real, who: str, what: str) -> None:
    if who == "library":
        real.call(what)
    else:
        real.ask(operator.pause(real.keys) if what == "pause" else operator.resume(real.keys))


@pytest.mark.parametrize(("pauses", "resumes"), list(itertools.product(("emqtop", "library"), repeat=2)))
def test_nothing_is_lost(real: Real, pauses: str, resumes: str) -> None:
    jobs = [real.add() for _ in range(3)]
    hold(real, pauses, "pause")
    jobs += [real.add() for _ in range(4)]
    jobs.append(real.add(opts={"priority": 2}))
    later = real.add(opts={"delay": 3_600_000})
    verdicts: list[Verdict] = real.ask(operator.promote(real.keys, [Seen(later, "schedule")], early=True))
    assert verdicts[0].reason in {"done", "paused"}
    hold(real, resumes, "resume")
    real.work()
    for job in jobs:
        real.await_event(job, "completed")
    assert real.places(later) == (["completed"] if verdicts[0].reason == "done" else ["delayed"])


def test_an_idle_worker_begins_at_once_after_a_resume(real: Real) -> None:
    real.work(drainDelay=60)
    real.ask(operator.pause(real.keys))
    job = real.add()
    assert real.ask(operator.resume(real.keys)) is True
    real.await_event(job, "completed")


def test_a_rate_limit_holds_back_and_lets_every_job_through(real: Real) -> None:
    real.ask(operator.set_rate_limit(real.keys, 1, 1_500))
    jobs = [real.add() for _ in range(2)]
    real.work(drainDelay=1)
    real.await_event(jobs[0], "completed")
    assert real.places(jobs[1]) == ["wait"]
    real.await_event(jobs[1], "completed")
    real.ask(operator.set_rate_limit(real.keys, None, None))
    free = [real.add() for _ in range(5)]
    for job in free:
        real.await_event(job, "completed")
