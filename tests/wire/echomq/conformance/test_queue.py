"""What is asked of and done to a whole queue, on a real server: the conformance scenarios of echomq.md 9 by name."""

import pytest

from emqtop.wire.echomq.lifecycle import Settled, claim, complete, schedule_in
from emqtop.wire.echomq.mutation import add_log, remove
from emqtop.wire.echomq.queue_ops import (
    UnknownState,
    check_ceiling,
    counts,
    drain,
    obliterate,
    pause,
    rate_ttl,
    resume,
    state,
)
from emqtop.wire.echomq.refusals import AtCeiling, WrongState
from emqtop.wire.echomq.repeat import register_repeat
from tests.wire.conftest import Drill

SETS = ("pending", "active", "schedule", "dead")


def test_counts(drill: Drill) -> None:
    for _ in range(4):
        drill.add()
    drill.take()
    drill.run(schedule_in(drill.keys, drill.minter.mint(), b"x", 60_000))
    assert drill.run(counts(drill.keys, SETS)) == {"pending": 3, "active": 1, "schedule": 1, "dead": 0}
    with pytest.raises(UnknownState, match="wait"):
        drill.run(counts(drill.keys, ("pending", "wait")))


def test_state(drill: Drill) -> None:
    claimed = drill.add()
    drill.take()
    scheduled, missing = drill.minter.mint(), drill.minter.mint()
    drill.run(schedule_in(drill.keys, scheduled, b"x", 60_000))
    held, laned = drill.minter.mint(), drill.add_to(drill.group())
    drill.raw("HSET", drill.keys.row(held), "state", "awaiting_children")
    waiting = drill.add()
    found = [drill.run(state(drill.keys, job)) for job in (claimed, scheduled, missing, held, laned, waiting)]
    assert found == ["active", "scheduled", "absent", "awaiting_children", "unknown", "pending"]
    assert drill.field(claimed, "attempts") == b"1"


def test_unknown_state(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    drill.raw("ZREM", drill.keys.active, job)
    assert drill.run(state(drill.keys, job)) == "unknown"
    assert drill.field(job, "state") == b"active"


def test_metrics(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    assert drill.run(counts(drill.keys, ("completed", "failed"))) == {"completed": 0, "failed": 0}
    assert drill.run(complete(drill.keys, job, 1)) is Settled.DONE
    assert drill.run(counts(drill.keys, ("completed", "failed"))) == {"completed": 1, "failed": 0}
    assert drill.raw("LLEN", drill.keys.part("metrics:completed:data")) == 0


def test_rate(drill: Drill) -> None:
    drill.run(check_ceiling(drill.keys))
    drill.raw("HSET", drill.keys.meta, "concurrency", 1)
    drill.run(check_ceiling(drill.keys))
    drill.add()
    drill.take()
    with pytest.raises(AtCeiling) as full:
        drill.run(check_ceiling(drill.keys))
    assert full.value.said == "EMQRATE at concurrency ceiling"


def test_rate_consult(drill: Drill) -> None:
    drill.raw("HSET", drill.keys.meta, "concurrency", 2)
    for _ in range(4):
        drill.add()
    skipped = 0
    for _ in range(4):
        try:
            drill.run(check_ceiling(drill.keys))
        except AtCeiling:
            skipped += 1
        else:
            drill.take()
    assert (skipped, len(drill.members("active")), len(drill.members("pending"))) == (2, 2, 2)


@pytest.mark.parametrize(
    ("used", "limit", "configured", "closed"),
    [
        (3, 3, None, True),
        (2, 3, None, False),
        (3, 0, None, False),
        (3, 0, 3, True),
        (3, 0, 4, False),
        (None, 3, None, False),
        (0, 5, 1, False),
    ],
)
def test_rate_ttl(drill: Drill, used: int | None, limit: int, configured: int | None, closed: bool) -> None:
    if used is not None:
        drill.raw("SET", drill.keys.part("limiter"), used, "PX", 50_000)
    if configured is not None:
        drill.raw("HSET", drill.keys.meta, "max", configured)
    left = drill.run(rate_ttl(drill.keys, limit))
    assert 0 < left <= 50_000 if closed else left == 0


def test_a_limiter_without_an_end_keeps_nothing_closed(drill: Drill) -> None:
    drill.raw("SET", drill.keys.part("limiter"), 9)
    assert drill.run(rate_ttl(drill.keys, 3)) == 0


def test_queue_pause(drill: Drill) -> None:
    head = drill.add()
    drill.run(pause(drill.keys))
    drill.run(pause(drill.keys))
    assert drill.raw("HGETALL", drill.keys.meta) == [b"paused", b"1"]
    assert drill.run(claim(drill.keys)) is None
    assert drill.run(counts(drill.keys, ("pending",))) == {"pending": 1}
    drill.run(resume(drill.keys))
    drill.run(resume(drill.keys))
    taken = drill.take()
    assert (taken.id, taken.token) == (head, 1)


def test_any_value_pauses(drill: Drill) -> None:
    drill.add()
    drill.raw("HSET", drill.keys.meta, "paused", "0")
    assert drill.run(claim(drill.keys)) is None


def test_drain(drill: Drill) -> None:
    running, *rest = (drill.add() for _ in range(4))
    drill.take()
    drill.run(add_log(drill.keys, rest[0], "line"))
    laned = drill.add_to(drill.group())
    later = drill.minter.mint()
    drill.run(schedule_in(drill.keys, later, b"x", 60_000))
    assert drill.run(drain(drill.keys)) == 3
    assert drill.run(counts(drill.keys, SETS)) == {"pending": 0, "active": 1, "schedule": 1, "dead": 0}
    assert drill.raw("EXISTS", drill.keys.row(rest[0]), drill.keys.sub(rest[0], "logs")) == 0
    drill.add()
    assert drill.run(drain(drill.keys, scheduled=True)) == 2
    assert drill.run(counts(drill.keys, SETS)) == {"pending": 0, "active": 1, "schedule": 0, "dead": 0}
    assert (drill.row(later), drill.row(laned) != {}, drill.row(running) != {}) == ({}, True, True)


def test_obliterate(drill: Drill) -> None:
    job = drill.add()
    with pytest.raises(WrongState) as refused:
        drill.run(obliterate(drill.keys))
    assert refused.value.said == "EMQSTATE not paused"
    assert drill.members("pending") == [job]
    drill.run(register_repeat(drill.keys, "a:b", 1_000, b"x", first_ms=1))
    drill.run(pause(drill.keys))
    assert drill.run(obliterate(drill.keys)) is True
    assert drill.run(counts(drill.keys, SETS)) == dict.fromkeys(SETS, 0)
    assert drill.raw("KEYS", "*") == []


def test_obliterate_with_active_jobs(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    drill.raw("SET", drill.keys.sub(job, "lock"), 1)
    drill.run(pause(drill.keys))
    with pytest.raises(WrongState) as refused:
        drill.run(obliterate(drill.keys))
    assert refused.value.said == "EMQSTATE active jobs present"
    assert drill.members("active") == [job]
    assert drill.run(obliterate(drill.keys, force=True)) is True
    assert drill.raw("KEYS", "*") == []


def test_obliterate_goes_by_its_budget(drill: Drill) -> None:
    group = drill.group()
    for _ in range(3):
        drill.add(), drill.add_to(group)
    drill.run(pause(drill.keys))
    steps = []
    while not steps or not steps[-1]:
        steps.append(drill.run(obliterate(drill.keys, budget=2)))
        assert len(steps) < 10
    assert steps == [False, False, False, True]
    assert drill.raw("KEYS", "*") == []
    for budget in (0, 1001):
        with pytest.raises(ValueError, match="is not 1 to 1000"):
            drill.run(obliterate(drill.keys, budget=budget))


def test_dedup(drill: Drill) -> None:
    job = drill.add()
    dedup = drill.keys.part("de:order-7")
    assert drill.raw("GET", dedup) is None
    drill.raw("SET", dedup, job)
    assert drill.raw("GET", dedup) == job.encode()
    assert drill.run(remove(drill.keys, job, "order-7")) is True
    assert drill.raw("GET", dedup) is None
