"""Admission, claims and settling on a real server: the conformance scenarios of echomq.md 9 by name."""

import pytest

from emqtop.wire.echomq.branded_id import BadId
from emqtop.wire.echomq.flows import Node, add_flow
from emqtop.wire.echomq.lifecycle import (
    Claim,
    Retried,
    Settled,
    claim,
    claim_batch,
    complete,
    delay_at,
    delay_in,
    enqueue,
    enqueue_many,
    retry,
    schedule_at,
    schedule_in,
)
from emqtop.wire.echomq.queue_ops import pause
from emqtop.wire.echomq.recovery import promote, reap
from emqtop.wire.echomq.refusals import NotAJob, StaleToken, refusing
from emqtop.wire.resp import ReplyError
from emqtop.wire.scripts import call
from tests.wire.conftest import Drill


def test_mint(drill: Drill) -> None:
    job = drill.add(b"cargo")
    assert drill.row(job) == {"state": b"pending", "attempts": b"0", "payload": b"cargo"}


def test_duplicate(drill: Drill) -> None:
    job = drill.add(b"once")
    assert drill.run(enqueue(drill.keys, job, b"twice")) is False
    assert drill.field(job, "payload") == b"once"


def test_kind(drill: Drill) -> None:
    order = drill.minter.mint("ORD")
    with pytest.raises(BadId, match="is not a JOB id"):
        drill.run(enqueue(drill.keys, order, b"x"))
    row = drill.keys.found_row(order.encode())
    for verb, keys, args in (
        ("enqueue", [row, drill.keys.pending], (order, "x")),
        ("schedule", [row, drill.keys.schedule], (order, "x", "in", 0)),
        ("delay", [row, drill.keys.active, drill.keys.schedule], (order, 1, "in", 0)),
    ):
        with pytest.raises(NotAJob) as refused:
            drill.run(refusing(call(verb, keys, *args)))
        assert refused.value.said == "EMQKIND job id must be JOB-namespaced"
    assert drill.raw("KEYS", "*") == []


def test_order(drill: Drill) -> None:
    a, b, c = drill.add(), drill.add(), drill.add()
    newest_first = drill.raw("ZRANGE", drill.keys.pending, "+", "-", "BYLEX", "REV")
    assert newest_first == [c.encode(), b.encode(), a.encode()]


def test_claim(drill: Drill) -> None:
    job = drill.add(b"work")
    before = drill.now_ms()
    assert drill.run(claim(drill.keys, 60_000)) == Claim(job, b"work", 1)
    assert drill.field(job, "state") == b"active"
    deadline = float(str(drill.raw("ZSCORE", drill.keys.active, job), "ascii"))
    assert before + 60_000 <= deadline <= drill.now_ms() + 60_000
    assert drill.run(claim(drill.keys)) is None


def test_claim_of_a_ghost_has_no_payload(drill: Drill) -> None:
    ghost = drill.minter.mint()
    drill.raw("ZADD", drill.keys.pending, 0, ghost)
    assert drill.run(claim(drill.keys)) == Claim(ghost, None, 1)
    assert drill.row(ghost) == {"attempts": b"1", "state": b"active"}


def test_stale(drill: Drill) -> None:
    job = drill.add()
    drill.raw("SCRIPT", "FLUSH")
    drill.take()
    with pytest.raises(StaleToken) as stale:
        drill.run(complete(drill.keys, job, 99))
    assert stale.value.said == "EMQSTALE complete token mismatch"
    assert drill.run(complete(drill.keys, job, 1)) is Settled.DONE


def test_complete(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    assert drill.run(complete(drill.keys, job, 1)) is Settled.DONE
    assert drill.raw("KEYS", "*") == [drill.keys.part("metrics:completed")]
    assert drill.run(complete(drill.keys, job, 1)) is Settled.GONE


def test_retry(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    assert drill.run(retry(drill.keys, job, 1, "boom", delay_ms=10, attempts=3)) is Retried.SCHEDULED
    assert (drill.field(job, "state"), drill.field(job, "last_error")) == (b"scheduled", b"boom")
    assert drill.members("active") == []
    drill.outlast(30)
    assert drill.run(promote(drill.keys)) == 1
    assert drill.take().token == 2
    assert drill.run(complete(drill.keys, job, 2)) is Settled.DONE


def test_dead(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    assert drill.run(retry(drill.keys, job, 1, "gave up", delay_ms=10, attempts=1)) is Retried.DEAD
    assert (drill.field(job, "state"), drill.field(job, "last_error")) == (b"dead", b"gave up")
    assert drill.raw("ZRANGE", drill.keys.dead, 0, -1, "WITHSCORES") == [job.encode(), b"0"]
    assert drill.raw("HGET", drill.keys.part("metrics:failed"), "count") == b"1"
    assert drill.members("schedule") == []


def test_backoff(drill: Drill) -> None:
    job = drill.add()
    verdicts = []
    for attempt in (1, 2, 3):
        assert drill.take().token == attempt
        verdicts.append(drill.run(retry(drill.keys, job, attempt, f"boom {attempt}", delay_ms=0, attempts=3)))
        drill.run(promote(drill.keys))
    assert verdicts == [Retried.SCHEDULED, Retried.SCHEDULED, Retried.DEAD]
    assert (drill.field(job, "attempts"), drill.field(job, "last_error")) == (b"3", b"boom 3")


@pytest.mark.parametrize(("token", "said"), [(2, "EMQSTALE retry token mismatch"), (1, "EMQSTALE job gone")])
def test_retry_of_what_one_does_not_hold(drill: Drill, token: int, said: str) -> None:
    job = drill.add()
    drill.take()
    if token == 1:
        drill.raw("DEL", drill.keys.row(job))
    before = drill.row(job)
    with pytest.raises(StaleToken) as stale:
        drill.run(retry(drill.keys, job, token, "late", delay_ms=0))
    assert stale.value.said == said
    assert stale.value.gone is (token == 1)
    assert (drill.row(job), drill.members("schedule"), drill.members("dead")) == (before, [], [])


def test_reap(drill: Drill) -> None:
    job = drill.add()
    drill.take(lease_ms=30)
    drill.outlast(60)
    assert drill.run(reap(drill.keys)) == 1
    assert (drill.field(job, "state"), drill.members("pending"), drill.members("active")) == (b"pending", [job], [])
    assert drill.take().token == 2


def test_schedule(drill: Drill) -> None:
    job = drill.minter.mint()
    assert drill.run(schedule_in(drill.keys, job, b"later", 30)) is True
    assert drill.run(schedule_in(drill.keys, job, b"again", 30)) is False
    assert drill.row(job) == {"state": b"scheduled", "attempts": b"0", "payload": b"later"}
    assert drill.run(claim(drill.keys)) is None
    drill.outlast(50)
    assert drill.run(promote(drill.keys)) == 1
    assert drill.take() == Claim(job, b"later", 1)


def test_relative_times_are_reckoned_from_the_servers_clock(drill: Drill) -> None:
    fresh, failed, given_back = drill.minter.mint(), drill.add(), drill.add()
    drill.run(claim_batch(drill.keys, 60_000, 2))
    before = drill.now_ms()
    drill.run(schedule_in(drill.keys, fresh, b"x", 10_000))
    drill.run(retry(drill.keys, failed, 1, "boom", delay_ms=20_000))
    drill.run(delay_in(drill.keys, given_back, 1, 30_000))
    after = drill.now_ms()
    for job, delay_ms in ((fresh, 10_000), (failed, 20_000), (given_back, 30_000)):
        due = drill.raw("ZSCORE", drill.keys.schedule, job)
        assert before + delay_ms <= int(str(due, "ascii")) <= after + delay_ms


def test_a_child_that_was_taken_back_releases_no_parent(drill: Drill) -> None:
    """The sweep took it from its worker, which settles it all the same (echomq.md 10.2, 21)."""
    parent, child = drill.minter.mint(), drill.minter.mint()
    drill.run(add_flow(drill.keys, Node(parent, b"p", children=(Node(child, b"c"),))))
    drill.take(lease_ms=0)
    drill.run(reap(drill.keys))
    assert drill.run(complete(drill.keys, child, 1)) is Settled.DONE
    assert drill.raw("GET", drill.keys.sub(parent, "dependencies")) == b"1"
    assert (drill.field(parent, "state"), drill.members("pending")) == (b"awaiting_children", [])


def test_schedule_at_keeps_the_callers_time(drill: Drill) -> None:
    soon, far = drill.minter.mint(), drill.minter.mint()
    assert drill.run(schedule_at(drill.keys, soon, b"x", 1_000))
    assert drill.run(schedule_at(drill.keys, far, b"x", 883_612_800_000_123))
    assert drill.raw("ZSCORE", drill.keys.schedule, far) == b"883612800000123"
    assert drill.run(promote(drill.keys)) == 1
    assert (drill.members("pending"), drill.members("schedule")) == ([soon], [far])


def test_promote_takes_no_more_than_its_batch(drill: Drill) -> None:
    jobs = [drill.minter.mint() for _ in range(3)]
    for at, job in enumerate(jobs):
        drill.run(schedule_at(drill.keys, job, b"x", 3 - at))
    assert drill.run(promote(drill.keys, 2)) == 2
    assert drill.members("schedule") == jobs[:1]


def test_batch_claim(drill: Drill) -> None:
    jobs = [drill.add(b"%d" % at) for at in range(5)]
    taken = drill.run(claim_batch(drill.keys, 60_000, 3))
    assert taken == [Claim(job, b"%d" % at, 1) for at, job in enumerate(jobs[:3])]
    flat = drill.raw("ZRANGE", drill.keys.active, 0, -1, "WITHSCORES")
    assert isinstance(flat, list)
    assert flat[::2] == [job.encode() for job in jobs[:3]]
    assert len(set(flat[1::2])) == 1
    assert drill.members("pending") == jobs[3:]


def test_batch_claim_short(drill: Drill) -> None:
    job = drill.add()
    assert drill.run(claim_batch(drill.keys, 60_000, 10)) == [Claim(job, b"work", 1)]
    assert drill.run(claim_batch(drill.keys, 60_000, 10)) == []
    waiting = drill.add()
    drill.run(pause(drill.keys))
    assert drill.run(claim_batch(drill.keys, 60_000, 10)) == []
    assert drill.members("pending") == [waiting]


def test_batch_partial_failure(drill: Drill) -> None:
    first, second, third = drill.add(), drill.add(), drill.add()
    assert len(drill.run(claim_batch(drill.keys, 60_000, 3))) == 3
    assert drill.run(complete(drill.keys, first, 1)) is Settled.DONE
    assert drill.run(retry(drill.keys, second, 1, "one bad", delay_ms=60_000)) is Retried.SCHEDULED
    assert drill.run(complete(drill.keys, third, 1)) is Settled.DONE
    assert (drill.members("active"), drill.members("schedule")) == ([], [second])
    assert drill.raw("HGET", drill.keys.part("metrics:completed"), "count") == b"2"


def test_batch_partition(drill: Drill) -> None:
    done, again, lost, later = (drill.add() for _ in range(4))
    drill.run(claim_batch(drill.keys, 60_000, 4))
    drill.run(complete(drill.keys, done, 1))
    drill.run(retry(drill.keys, again, 1, "x", delay_ms=50_000, attempts=3))
    drill.run(retry(drill.keys, lost, 1, "x", delay_ms=50_000, attempts=1))
    drill.run(delay_in(drill.keys, later, 1, 60_000))
    places = {part: drill.members(part) for part in ("pending", "active", "schedule", "dead")}
    assert places == {"pending": [], "active": [], "schedule": [again, later], "dead": [lost]}
    assert drill.row(done) == {}


def test_batch_delay(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    assert drill.run(delay_in(drill.keys, job, 1, 40)) is True
    assert drill.row(job) == {"state": b"scheduled", "attempts": b"1", "payload": b"work"}
    assert (drill.members("schedule"), drill.members("active")) == ([job], [])
    assert drill.run(claim(drill.keys)) is None
    drill.outlast(60)
    assert drill.run(promote(drill.keys)) == 1
    assert drill.take().token == 2


def test_batch_delay_stale(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    with pytest.raises(StaleToken) as stale:
        drill.run(delay_in(drill.keys, job, 7, 40))
    assert stale.value.said == "EMQSTALE delay token mismatch"
    assert (drill.members("active"), drill.members("schedule")) == ([job], [])
    assert drill.run(delay_at(drill.keys, drill.minter.mint(), 1, 40)) is False


def test_delay_leaves_the_count_of_the_lane(drill: Drill) -> None:
    group = drill.group()
    job = drill.add_to(group)
    drill.raw("HSET", drill.keys.part("gactive"), group, 1)
    drill.raw("HSET", drill.keys.row(job), "attempts", 1)
    assert drill.run(delay_at(drill.keys, job, 1, 5)) is True
    assert drill.in_flight(group) == b"1"


def test_pool_enqueue(drill: Drill) -> None:
    first, second = drill.minter.mint(), drill.minter.mint()
    assert drill.run(enqueue_many(drill.keys, [(first, b"a"), (second, b"b"), (first, b"c")])) == [True, True, False]
    assert drill.field(first, "payload") == b"a"
    assert drill.run(enqueue_many(drill.keys, [])) == []


def test_pool_order(drill: Drill) -> None:
    jobs = [drill.minter.mint() for _ in range(50)]
    assert all(drill.run(enqueue_many(drill.keys, [(job, b"") for job in reversed(jobs)])))
    assert drill.members("pending") == jobs


def test_pool_enqueue_answers_each_job_for_itself(drill: Drill) -> None:
    damaged, fine = drill.minter.mint(), drill.minter.mint()
    drill.raw("SET", drill.keys.pending, "no set")
    verdicts = drill.run(enqueue_many(drill.keys, [(damaged, b"a")]))
    assert isinstance(verdicts[0], ReplyError)
    drill.raw("DEL", drill.keys.pending)
    assert drill.run(enqueue_many(drill.keys, [(fine, b"a")])) == [True]


@pytest.mark.parametrize("payload", [b"", b"\x00\xff\r\n{", "naïve ✓".encode(), b"x" * 100_000])
def test_payloads_come_back_as_they_went(drill: Drill, payload: bytes) -> None:
    drill.add(payload)
    assert drill.take().payload == payload
