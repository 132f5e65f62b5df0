"""Acts on BullMQ queues as the dashboard and the command line do them."""

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.acting.undo import find, undo
from emqtop.model.actions import Order, Outcome, Reason, Verb
from emqtop.model.queue import Family, Location, QueueId
from emqtop.wire.bullmq import members
from emqtop.wire.client import Client
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull

MAIL = QueueId(Family.BULLMQ, "bull", "mail")


@pytest.fixture(params=["5.81.5", "6.7.0"])
def bull(request: pytest.FixtureRequest, valkey: Hand) -> Bull:
    return Bull(valkey, version=request.param)


async def _do(runner: Runner, client: Client, order: Order, selection: Selection | None = None) -> Outcome:
    return await runner.carry_out(await make_plan(client, order, selection))


async def test_reap_takes_what_no_lock_holds_and_nothing_else(client: Client, runner: Runner, bull: Bull) -> None:
    for number in range(5):
        bull.active(str(number), "worker:1" if number % 2 else None)
    outcome = await _do(runner, client, Order(Verb.REAP, MAIL))
    assert (outcome.matched, outcome.moved, outcome.skipped) == (3, 3, ())
    assert [bull.places(str(number)) for number in range(5)] == [["wait"], ["active"]] * 2 + [["wait"]]


async def test_reap_of_all_goes_past_live_locks_where_jobs_stand_by_claim(
    client: Client, runner: Runner, bull: Bull, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "SORTED_LEASES", 10)
    for number in range(1_200):
        bull.active(str(number), "worker:1" if number in {3, 499, 500} else None)
    outcome = await _do(runner, client, Order(Verb.REAP, MAIL))
    assert (outcome.matched, outcome.moved) == (1_197, 1_197)
    assert bull.put("LRANGE", "active", 0, -1) == [b"500", b"499", b"3"]


async def test_requeue_of_many(client: Client, runner: Runner, bull: Bull) -> None:
    for number in range(250):
        bull.failed(str(number))
    outcome = await _do(runner, client, Order(Verb.REQUEUE, MAIL))
    assert (outcome.matched, outcome.moved) == (250, 250)
    assert (bull.put("LLEN", "wait"), bull.put("ZCARD", "failed")) == (250, 0)


async def test_what_fails_at_its_next_claim_is_told_apart(client: Client, runner: Runner, bull: Bull) -> None:
    bull.waiting("1", "2")
    bull.put("HSET", "meta", "concurrency", "1")
    order = Order(Verb.DEAD_LETTER, MAIL, error="given up")
    plan = await make_plan(client, order, Selection(ids=("1",)), dry_run=True)
    assert plan.skipped == ()
    outcome = await runner.carry_out(plan)
    assert (outcome.matched, outcome.moved, outcome.deferred) == (1, 0, ("1",))


async def test_a_running_job_is_refused_in_words(client: Client, runner: Runner, bull: Bull) -> None:
    bull.active("a:b:c", "0f3a:7")
    outcome = await _do(runner, client, Order(Verb.DEAD_LETTER, MAIL, error="x"), Selection(ids=("a:b:c",)))
    (left,) = outcome.skipped
    assert (left.id, left.reason) == ("a:b:c", Reason.LEASE_LIVE)
    assert left.detail.startswith("worker 0f3a runs it")


async def test_pause_and_resume_say_whether_they_changed_anything(client: Client, runner: Runner, bull: Bull) -> None:
    bull.waiting("1")
    done = [await _do(runner, client, Order(verb, MAIL)) for verb in (Verb.PAUSE, Verb.PAUSE, Verb.RESUME, Verb.RESUME)]
    assert [(outcome.matched, outcome.moved) for outcome in done] == [(1, 1), (0, 0), (1, 1), (0, 0)]
    assert bull.places("1") == ["wait"]


async def test_a_layout_that_is_only_looked_at_is_one_skip(client: Client, runner: Runner, valkey: Hand) -> None:
    Bull(valkey, version="4.1.0").waiting("1")
    outcome = await _do(runner, client, Order(Verb.PAUSE, MAIL))
    assert [(left.id, left.reason) for left in outcome.skipped] == [("mail", Reason.NOT_SUPPORTED)]
    assert "read-only" in outcome.skipped[0].detail


async def test_a_removed_job_is_put_back_whole(client: Client, runner: Runner, audit: Audit, bull: Bull) -> None:
    bull.failed("a:b", data=b"\xff{", stacktrace='["x"]')
    bull.put("RPUSH", "a:b:logs", "one", b"\xfe")
    bull.delayed("d")
    bull.prioritized("p", 3)
    row, logs, score = (
        bull.put("HGETALL", "a:b"),
        bull.put("LRANGE", "a:b:logs", 0, -1),
        bull.put("ZSCORE", "delayed", "d"),
    )
    for job in ("a:b", "d", "p"):
        outcome = await _do(runner, client, Order(Verb.REMOVE, MAIL), Selection(ids=(job,)))
        assert outcome.moved == 1
        assert bull.put("EXISTS", job) == 0
        back = await undo(client, audit, find(audit, audit.entries()[-1].id))
        assert (back.matched, back.moved) == (1, 1)
    assert (bull.put("HGETALL", "a:b"), bull.put("LRANGE", "a:b:logs", 0, -1)) == (row, logs)
    assert (bull.places("a:b"), bull.places("d"), bull.places("p")) == (["failed"], ["delayed"], ["prioritized"])
    assert bull.put("ZSCORE", "delayed", "d") == score


async def test_a_dead_letter_is_taken_back(client: Client, runner: Runner, audit: Audit, bull: Bull) -> None:
    bull.waiting("1")
    assert (await _do(runner, client, Order(Verb.DEAD_LETTER, MAIL, error="x"), Selection(ids=("1",)))).moved == 1
    assert (await undo(client, audit, audit.entries()[-1])).moved == 1
    assert bull.places("1") == ["wait"]


async def test_a_requeue_is_taken_back_as_one_act_with_each_jobs_error(
    client: Client, runner: Runner, audit: Audit, bull: Bull
) -> None:
    jobs = [str(number) for number in range(1, 31)]
    for job in jobs:
        bull.failed(job, failedReason=f"error {job}")
    assert (await _do(runner, client, Order(Verb.REQUEUE, MAIL))).moved == 30
    entry = audit.entries()[-1]
    back = await undo(client, audit, find(audit, entry.id))
    assert (back.matched, back.moved, back.skipped) == (30, 30, ())
    assert [bull.put("HGET", job, "failedReason") for job in jobs] == [f"error {job}".encode() for job in jobs]
    assert {place for job in jobs for place in bull.places(job)} == {"failed"}
    assert [(each.verb, each.undoes) for each in audit.entries()[1:]] == [(Verb.UNDO, entry.id)]


async def test_drain_leaves_what_a_scheduler_needs(client: Client, runner: Runner, bull: Bull) -> None:
    bull.waiting("1", "2")
    run = "repeat:nightly:5"
    bull.waiting(run)
    bull.put("HSET", run, "rjk", "nightly")
    bull.put("ZADD", "repeat", 5, "nightly")
    outcome = await _do(runner, client, Order(Verb.DRAIN, MAIL), Selection(location=Location.PENDING))
    assert (outcome.moved, [left.reason for left in outcome.skipped]) == (2, [Reason.SCHEDULER])
    assert bull.put("LRANGE", "wait", 0, -1) == [run.encode()]


@pytest.mark.parametrize("waits", [True, False])
async def test_a_child_that_is_put_back_is_waited_for_again(
    client: Client, audit: Audit, runner: Runner, bull: Bull, waits: bool
) -> None:
    for child in ("c:1", "c:2"):
        bull.row(child, parent='{"id":"p:a:b","queueKey":"bull:mail"}', parentKey="bull:mail:p:a:b")
        bull.put("LPUSH", "wait", child)
        bull.put("SADD", "p:a:b:dependencies", f"bull:mail:{child}")
    bull.row("p:a:b")
    bull.put("ZADD", "waiting-children", 1, "p:a:b")
    assert (await _do(runner, client, Order(Verb.REMOVE, MAIL), Selection(ids=("c:1",)))).moved == 1
    assert bull.put("SMEMBERS", "p:a:b:dependencies") == [b"bull:mail:c:2"]
    if not waits:
        bull.put("ZREM", "waiting-children", "p:a:b")
    assert (await undo(client, audit, audit.entries()[-1])).moved == 1
    assert bull.places("c:1") == ["wait"]
    assert bull.put("SISMEMBER", "p:a:b:dependencies", "bull:mail:c:1") == int(waits)
