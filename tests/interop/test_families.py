"""Flows and schedulers of a real BullMQ under an operator's hand."""

import pytest

from emqtop.wire.bullmq import operator
from emqtop.wire.bullmq.schedulers import schedulers
from tests.interop.conftest import Real
from tests.wire.bullmq.writing import Seen


@pytest.fixture
def parent(real: Real) -> str:
    """A job that waits for two children of the same queue."""
    where = {"queueName": real.keys.name, "name": "job", "data": {}}
    children = [{**where, "data": {"fail": "boom"}, "opts": {"priority": 1}}, {**where, "opts": {"priority": 2}}]
    return str(real.rig.call("flow", prefix=real.keys.prefix, flow={**where, "children": children}))


def children_of(real: Real, parent: str) -> list[str]:
    keys = real.put("SMEMBERS", f"{parent}:dependencies")
    return sorted(key.removeprefix(real.keys.base).decode() for key in keys)  # type: ignore[union-attr,arg-type]


def reason(real: Real, conversation: object) -> str:
    (verdict,) = real.ask(conversation)  # type: ignore[arg-type]
    return str(verdict.reason)


def test_a_parent_that_waits_is_left_alone(real: Real, parent: str) -> None:
    seen = [Seen(parent, "held")]
    assert reason(real, operator.remove(real.keys, seen)) == "flow-parent"
    assert reason(real, operator.promote(real.keys, seen, early=True)) == "flow-parent"
    assert reason(real, operator.dead_letter(real.keys, seen, "no")) == "flow-parent"
    assert real.places(parent) == ["waiting-children"]


def test_a_failed_child_is_requeued_and_its_parent_runs(real: Real, parent: str) -> None:
    children = children_of(real, parent)
    real.work(drainDelay=60)
    failed = next(job for job in children if b"boom" in (real.field(job, "data") or b""))  # type: ignore[operator]
    real.await_place(failed, "failed")
    # Only then it is the last that the parent waits for.
    for sibling in set(children) - {failed}:
        real.await_place(sibling, "completed")
    assert real.places(parent) == ["waiting-children"]
    assert reason(real, operator.remove(real.keys, [Seen(failed, "dead")])) == "flow-child"
    real.put("HSET", failed, "data", "{}")
    assert reason(real, operator.requeue(real.keys, [Seen(failed, "dead")])) == "done"
    real.await_event(parent, "completed")
    real.await_place(parent, "completed")


def test_a_dead_lettered_child_leaves_its_parent_as_a_failure_would(real: Real, parent: str) -> None:
    first, second = children_of(real, parent)
    assert reason(real, operator.dead_letter(real.keys, [Seen(first, "pending")], "given up")) == "done"
    assert (real.places(first), real.places(parent)) == (["failed"], ["waiting-children"])
    assert reason(real, operator.requeue(real.keys, [Seen(first, "dead")], afresh=True)) == "done"
    for job in (first, second):
        real.put("HSET", job, "data", "{}")
    real.work()
    real.await_event(parent, "completed")


@pytest.mark.parametrize("release", ["npm 5.81.5", "npm 6.7.0"], indirect=True)
def test_a_series_goes_on_after_its_next_run_was_promoted_and_ends_when_it_is_stopped(real: Real) -> None:
    run = str(real.call("scheduler", id="night:ly", repeat={"every": 3_600_000}))
    if real.places(run) == ["wait"]:
        real.work()
        real.await_event(run, "completed")
        real.stop()
        (run,) = (job.decode() for job in real.put("ZRANGE", "delayed", 0, -1))  # type: ignore[union-attr]
    seen = [Seen(run, "schedule")]
    assert reason(real, operator.remove(real.keys, seen)) == "scheduler"
    assert reason(real, operator.dead_letter(real.keys, seen, "no")) == "scheduler"
    assert reason(real, operator.promote(real.keys, seen, early=True)) == "done"
    real.work()
    real.await_event(run, "completed")
    (series,) = real.ask(schedulers(real.keys)).schedulers
    assert (series.id, series.every_ms, series.next_lies) == (b"night:ly", 3_600_000, "schedule")
    assert real.ask(operator.stop_scheduler(real.keys, "night:ly")) is True
    assert real.put("ZCARD", "delayed") == 0
