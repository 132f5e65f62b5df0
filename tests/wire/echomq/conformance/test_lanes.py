"""Lanes on a real server: the conformance scenarios of echomq.md 9 by name."""

from collections import Counter

import pytest

from emqtop.wire.echomq.branded_id import BadId
from emqtop.wire.echomq.lanes import (
    Reassigned,
    claim_lane,
    claim_lane_batch,
    claim_lane_weighted,
    drain_lane,
    enqueue_grouped,
    lane_counts,
    limit_lane,
    pause_lane,
    reassign,
    resume_lane,
    weigh_lane,
)
from emqtop.wire.echomq.lifecycle import Claim, Retried, Settled, complete, retry
from emqtop.wire.echomq.mutation import add_log
from emqtop.wire.echomq.queue_ops import obliterate, pause
from emqtop.wire.echomq.recovery import promote, reap, reap_group, sweep_stalled
from tests.wire.conftest import Drill


def serve(drill: Drill, lease_ms: int = 60_000) -> Claim:
    """The next job of the ring, claimed."""
    taken = drill.run(claim_lane(drill.keys, lease_ms))
    assert taken is not None
    return taken


def finish(drill: Drill, taken: Claim) -> None:
    assert drill.run(complete(drill.keys, taken.id, taken.token)) is Settled.DONE


def test_enqueue_grouped(drill: Drill) -> None:
    group = drill.group()
    job = drill.add_to(group, b"x")
    assert drill.row(job) == {"state": b"pending", "attempts": b"0", "payload": b"x", "group": group.encode()}
    assert drill.run(enqueue_grouped(drill.keys, group, job, b"y")) is False
    drill.add_to(group)
    assert (drill.ring(), drill.raw("LRANGE", drill.keys.wake, 0, -1)) == ([group], [b"1"])
    assert drill.members("pending") == []


def test_a_group_that_is_not_branded_is_refused_before_any_command(drill: Drill) -> None:
    for verb in (pause_lane, resume_lane, drain_lane, reap_group):
        with pytest.raises(BadId, match="'acme' is not a branded id"):
            drill.run(verb(drill.keys, "acme"))
    assert drill.raw("KEYS", "*") == []


def test_wake_keeps_at_most_64_tokens(drill: Drill) -> None:
    for _ in range(70):
        drill.add_to(drill.group())
    assert drill.raw("LLEN", drill.keys.wake) == 64


def test_rotate(drill: Drill) -> None:
    a, b = drill.group(), drill.group()
    jobs = [drill.add_to(group) for group in (a, a, b, b)]
    served = [serve(drill) for _ in range(4)]
    assert served == [Claim(jobs[at], b"work", 1, group) for at, group in ((0, a), (2, b), (1, a), (3, b))]
    assert drill.run(claim_lane(drill.keys)) is None
    assert (drill.ring(), drill.in_flight(a), drill.in_flight(b)) == ([], b"2", b"2")


def test_an_emptied_lane_leaves_the_ring_with_an_empty_answer(drill: Drill) -> None:
    a, b = drill.group(), drill.group()
    drill.raw("RPUSH", drill.keys.part("ring"), a)
    job = drill.add_to(b)
    assert drill.run(claim_lane(drill.keys)) is None
    assert drill.ring() == [b]
    assert serve(drill).id == job


def test_pause(drill: Drill) -> None:
    a, b = drill.group(), drill.group()
    for group in (a, a, b, b):
        drill.add_to(group)
    drill.run(pause_lane(drill.keys, a))
    assert [serve(drill).group, serve(drill).group] == [b, b]
    assert drill.run(claim_lane(drill.keys)) is None
    assert len(drill.lane(a)) == 2
    drill.raw("DEL", drill.keys.wake)
    drill.run(resume_lane(drill.keys, a))
    assert drill.raw("LLEN", drill.keys.wake) == 1
    assert serve(drill).group == a


def test_resume_of_an_empty_lane_does_not_ring(drill: Drill) -> None:
    group = drill.group()
    drill.run(pause_lane(drill.keys, group))
    drill.run(resume_lane(drill.keys, group))
    assert drill.raw("KEYS", "*") == []


def test_limit(drill: Drill) -> None:
    a = drill.group()
    first, second = drill.add_to(a), drill.add_to(a)
    drill.run(limit_lane(drill.keys, a, 1))
    taken = serve(drill)
    assert taken.id == first
    assert drill.run(claim_lane(drill.keys)) is None
    assert drill.ring() == []
    finish(drill, taken)
    assert serve(drill).id == second


def test_limit_moves_the_lane_into_and_out_of_the_ring(drill: Drill) -> None:
    a = drill.group()
    drill.add_to(a), drill.add_to(a)
    serve(drill)
    drill.run(limit_lane(drill.keys, a, 1))
    assert drill.ring() == []
    drill.run(limit_lane(drill.keys, a, 2))
    assert drill.ring() == [a]
    for number in (0, -1):
        with pytest.raises(ValueError, match="is not 1 or more"):
            drill.run(limit_lane(drill.keys, a, number))


def test_a_lane_at_its_limit_stays_out_of_the_ring(drill: Drill) -> None:
    a = drill.group()
    drill.run(limit_lane(drill.keys, a, 1))
    drill.add_to(a)
    serve(drill)
    drill.raw("DEL", drill.keys.wake)
    drill.add_to(a)
    assert (drill.ring(), drill.raw("LLEN", drill.keys.wake)) == ([], 0)


def test_lane_depth(drill: Drill) -> None:
    a, b = drill.group(), drill.group()
    for group in (a, a, b):
        drill.add_to(group)
    assert drill.run(lane_counts(drill.keys, [a, b])) == {a: 2, b: 1}


def test_lane_claims_of_a_paused_queue_are_empty(drill: Drill) -> None:
    group = drill.group()
    job = drill.add_to(group)
    drill.run(pause(drill.keys))
    assert drill.run(claim_lane(drill.keys)) is None
    assert drill.run(claim_lane_weighted(drill.keys)) == []
    assert drill.run(claim_lane_batch(drill.keys)) == []
    assert (drill.lane(group), drill.ring()) == ([job], [group])


def test_complete_out_of_the_lane(drill: Drill) -> None:
    """Its lease ran out, nobody claimed it since: the first worker may still settle it."""
    group = drill.group()
    job = drill.add_to(group)
    serve(drill, lease_ms=0)
    assert drill.run(reap(drill.keys)) == 1
    assert (drill.lane(group), drill.ring(), drill.in_flight(group)) == ([job], [group], None)
    assert drill.run(complete(drill.keys, job, 1)) is Settled.DONE
    assert (drill.lane(group), drill.ring(), drill.in_flight(group)) == ([], [], None)


def test_retry_returns_to_the_lane(drill: Drill) -> None:
    group = drill.group()
    job = drill.add_to(group)
    serve(drill)
    assert drill.run(retry(drill.keys, job, 1, "x", delay_ms=0)) is Retried.SCHEDULED
    assert (drill.in_flight(group), drill.ring()) == (None, [])
    assert drill.run(promote(drill.keys)) == 1
    assert (drill.lane(group), drill.ring(), drill.members("pending")) == ([job], [group], [])
    assert drill.field(job, "state") == b"pending"


def test_death_of_a_lane_job_makes_room(drill: Drill) -> None:
    group = drill.group()
    drill.run(limit_lane(drill.keys, group, 1))
    first, second = drill.add_to(group), drill.add_to(group)
    serve(drill)
    assert drill.ring() == []
    assert drill.run(retry(drill.keys, first, 1, "x", delay_ms=0, attempts=1)) is Retried.DEAD
    assert (drill.ring(), drill.in_flight(group), drill.lane(group)) == ([group], None, [second])


def test_reassign(drill: Drill) -> None:
    source, target = drill.group(), drill.group()
    job = drill.add_to(source)
    assert drill.run(reassign(drill.keys, job, target)) is Reassigned.MOVED
    assert (drill.lane(source), drill.field(job, "group")) == ([], target.encode())
    assert drill.raw("ZSCORE", drill.keys.lane(target), job) == b"0"
    assert drill.ring() == [target]
    assert drill.run(reassign(drill.keys, job, target)) is Reassigned.ALREADY_THERE
    taken = serve(drill)
    assert (drill.in_flight(target), drill.in_flight(source)) == (b"1", None)
    assert drill.run(reassign(drill.keys, job, source)) is Reassigned.NOT_WAITING
    finish(drill, taken)
    assert (drill.in_flight(target), drill.in_flight(source)) == (None, None)
    assert drill.run(reassign(drill.keys, job, source)) is Reassigned.NOT_FOUND


def test_lane_drain(drill: Drill) -> None:
    a, b = drill.group(), drill.group()
    first, second, third = (drill.add_to(a) for _ in range(3))
    other = drill.add_to(b)
    drill.raw("ZADD", drill.keys.part("repeat"), 1, "nightly")
    assert serve(drill).id == first
    drill.run(add_log(drill.keys, second, "line"))
    assert drill.run(drain_lane(drill.keys, a)) == 2
    assert (drill.row(second), drill.row(third)) == ({}, {})
    assert drill.raw("EXISTS", drill.keys.sub(second, "logs"), drill.keys.lane(a)) == 0
    assert (drill.ring(), drill.lane(b)) == ([b], [other])
    assert (drill.members("active"), drill.in_flight(a)) == ([first], b"1")
    assert drill.raw("EXISTS", drill.keys.part("repeat")) == 1
    assert drill.run(drain_lane(drill.keys, a)) == 0


@pytest.mark.parametrize("paused", [False, True])
def test_reap_group(drill: Drill, paused: bool) -> None:
    g, h = drill.group(), drill.group()
    of_g, of_h = drill.add_to(g), drill.add_to(h)
    serve(drill, lease_ms=0), serve(drill, lease_ms=0)
    if paused:
        drill.run(pause_lane(drill.keys, g))
    drill.raw("DEL", drill.keys.wake)
    assert drill.run(reap_group(drill.keys, drill.group())) == 0
    assert drill.run(reap_group(drill.keys, g)) == 1
    assert (drill.lane(g), drill.members("active"), drill.members("pending")) == ([of_g], [of_h], [])
    assert (drill.in_flight(g), drill.in_flight(h)) == (None, b"1")
    assert drill.ring() == ([] if paused else [g])
    assert drill.raw("LLEN", drill.keys.wake) == (0 if paused else 1)


def test_reap_group_looks_at_the_first_overdue_only(drill: Drill) -> None:
    crowd, wanted = drill.group(), drill.group()
    for group in (crowd, crowd, wanted):
        drill.add_to(group)
    drill.run(limit_lane(drill.keys, wanted, 1))
    drill.run(claim_lane_batch(drill.keys, -1_000)), drill.run(claim_lane_batch(drill.keys, 0))
    assert drill.run(reap_group(drill.keys, wanted, limit=2)) == 0
    assert drill.run(reap_group(drill.keys, wanted, limit=3)) == 1


def test_stalled_group(drill: Drill) -> None:
    group = drill.group()
    job = drill.add_to(group)
    serve(drill, lease_ms=0)
    assert drill.run(sweep_stalled(drill.keys, max_stalled=2)).recovered == (job,)
    assert (drill.lane(group), drill.members("pending"), drill.in_flight(group)) == ([job], [], None)
    assert serve(drill).token == 2


def test_stalled_death_leaves_the_lane_out_of_the_ring(drill: Drill) -> None:
    group = drill.group()
    drill.run(limit_lane(drill.keys, group, 1))
    job, waiting = drill.add_to(group), drill.add_to(group)
    serve(drill, lease_ms=0)
    assert drill.run(sweep_stalled(drill.keys)).dead == (job,)
    assert (drill.lane(group), drill.ring(), drill.in_flight(group)) == ([waiting], [], None)


def test_obliterate_grouped(drill: Drill) -> None:
    job = drill.add_to(drill.group())
    drill.run(add_log(drill.keys, job, "line"))
    drill.run(pause(drill.keys))
    assert drill.run(obliterate(drill.keys)) is True
    assert drill.raw("KEYS", "*") == []


def test_weighted_proportion(drill: Drill) -> None:
    heavy, light = drill.group(), drill.group()
    for _ in range(60):
        drill.add_to(heavy), drill.add_to(light)
    drill.run(weigh_lane(drill.keys, heavy, 3))
    served: Counter[str | None] = Counter()
    for _ in range(20):
        taken = drill.run(claim_lane_weighted(drill.keys))
        served.update(job.group for job in taken)
    assert served == {heavy: 30, light: 10}
    assert (drill.in_flight(heavy), drill.in_flight(light)) == (b"30", b"10")


def test_weighted_claim_stays_within_limit_and_depth(drill: Drill) -> None:
    group = drill.group()
    jobs = [drill.add_to(group) for _ in range(4)]
    drill.run(weigh_lane(drill.keys, group, 10))
    drill.run(limit_lane(drill.keys, group, 3))
    assert [job.id for job in drill.run(claim_lane_weighted(drill.keys))] == jobs[:3]
    drill.raw("RPUSH", drill.keys.part("ring"), group)
    assert drill.run(claim_lane_weighted(drill.keys)) == []
    assert (drill.ring(), drill.lane(group)) == ([], jobs[3:])


def test_starvation_drill(drill: Drill) -> None:
    heavy = drill.group()
    for _ in range(100):
        drill.add_to(heavy)
    drill.run(weigh_lane(drill.keys, heavy, 10))
    light = [drill.group() for _ in range(8)]
    for group in light:
        drill.add_to(group)
    turns = [drill.run(claim_lane_weighted(drill.keys)) for _ in range(9)]
    assert [taken[0].group for taken in turns] == [heavy, *light]
    assert [len(taken) for taken in turns] == [10] + [1] * 8


def test_grouped_batch_affinity(drill: Drill) -> None:
    a, b = drill.group(), drill.group()
    of_a = [drill.add_to(a) for _ in range(3)]
    of_b = [drill.add_to(b) for _ in range(2)]
    assert [(job.id, job.group) for job in drill.run(claim_lane_batch(drill.keys))] == [(job, a) for job in of_a]
    assert drill.ring() == [b]
    assert [(job.id, job.group) for job in drill.run(claim_lane_batch(drill.keys))] == [(job, b) for job in of_b]
    assert drill.in_flight(a) == b"3"


def test_grouped_batch_ceiling(drill: Drill) -> None:
    a = drill.group()
    jobs = [drill.add_to(a) for _ in range(5)]
    drill.run(limit_lane(drill.keys, a, 2))
    taken = drill.run(claim_lane_batch(drill.keys))
    assert [job.id for job in taken] == jobs[:2]
    assert drill.run(claim_lane_batch(drill.keys)) == []
    finish(drill, taken[0])
    assert [job.id for job in drill.run(claim_lane_batch(drill.keys))] == jobs[2:3]


def test_grouped_batch_fairness(drill: Drill) -> None:
    heavy, light = drill.group(), drill.group()
    for _ in range(50):
        drill.add_to(heavy)
    drill.run(limit_lane(drill.keys, heavy, 5))
    job = drill.add_to(light)
    assert len(drill.run(claim_lane_batch(drill.keys))) == 5
    assert [taken.id for taken in drill.run(claim_lane_batch(drill.keys))] == [job]
