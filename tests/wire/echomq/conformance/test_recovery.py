"""Leases and sweeps on a real server: the conformance scenarios of echomq.md 9 by name."""

import pytest

from emqtop.wire.echomq.lifecycle import claim_batch
from emqtop.wire.echomq.recovery import Swept, extend, extend_many, reap, sweep_stalled
from emqtop.wire.echomq.refusals import StaleToken
from tests.wire.conftest import Drill


def test_lock_extend(drill: Drill) -> None:
    job = drill.add()
    drill.take(lease_ms=50)
    assert drill.run(extend(drill.keys, job, 1, 60_000)) is True
    drill.outlast(120)
    assert drill.run(reap(drill.keys)) == 0
    assert drill.members("active") == [job]
    with pytest.raises(StaleToken) as stale:
        drill.run(extend(drill.keys, job, 2, 60_000))
    assert stale.value.said == "EMQSTALE extend token mismatch"
    assert drill.run(extend(drill.keys, drill.minter.mint(), 1, 60_000)) is False


def test_extend_locks_batch(drill: Drill) -> None:
    held, stale, gone = drill.add(), drill.add(), drill.minter.mint()
    drill.run(claim_batch(drill.keys, 0, 2))
    assert drill.run(extend_many(drill.keys, [(held, 1), (stale, 2), (gone, 1)], 60_000)) == (stale, gone)
    assert drill.run(reap(drill.keys)) == 1
    assert (drill.members("active"), drill.members("pending")) == ([held], [stale])
    assert drill.run(extend_many(drill.keys, [], 60_000)) == ()


def test_stalled(drill: Drill) -> None:
    job = drill.add()
    drill.take(lease_ms=0)
    assert drill.run(sweep_stalled(drill.keys, max_stalled=2)) == Swept((job,), ())
    assert (drill.field(job, "stalled"), drill.field(job, "state")) == (b"1", b"pending")
    assert drill.members("pending") == [job]
    assert drill.take(lease_ms=0).token == 2
    assert drill.run(sweep_stalled(drill.keys, max_stalled=2)) == Swept((), (job,))
    assert (drill.field(job, "state"), drill.field(job, "last_error")) == (b"dead", b"stalled")
    assert (drill.members("dead"), drill.members("active"), drill.members("pending")) == ([job], [], [])
    assert drill.raw("HGET", drill.keys.part("metrics:failed"), "count") == b"1"


def test_sweeps_leave_live_leases(drill: Drill) -> None:
    job = drill.add()
    drill.take(lease_ms=60_000)
    assert (drill.run(reap(drill.keys)), drill.run(sweep_stalled(drill.keys))) == (0, Swept((), ()))
    assert drill.members("active") == [job]


def test_reap_takes_a_hundred_oldest_deadlines_first(drill: Drill) -> None:
    jobs = [drill.add() for _ in range(103)]
    drill.run(claim_batch(drill.keys, 0, 103))
    for at, job in enumerate(jobs):
        drill.raw("ZADD", drill.keys.active, 1_000 - at, job)
    assert (drill.run(reap(drill.keys)), drill.members("active")) == (100, jobs[2::-1])
    assert (drill.run(reap(drill.keys)), drill.run(reap(drill.keys))) == (3, 0)


def test_a_ghost_is_swept_like_any_other(drill: Drill) -> None:
    ghost = drill.minter.mint()
    drill.raw("ZADD", drill.keys.active, 1, ghost)
    assert drill.run(reap(drill.keys)) == 1
    assert (drill.members("pending"), drill.row(ghost)) == ([ghost], {"state": b"pending"})
