"""Changes to one job, on a real server: the conformance scenarios of echomq.md 9 by name."""

import json

import pytest

from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.echomq.lifecycle import Retried, retry
from emqtop.wire.echomq.locks import beat, track, untrack
from emqtop.wire.echomq.mutation import add_log, get_logs, remove, reprocess, update_data, update_progress
from emqtop.wire.echomq.queue_ops import state
from emqtop.wire.echomq.refusals import JobLocked, WrongState
from emqtop.wire.resp import Ask, Conversation, Reply, ask_one
from tests.wire.conftest import Drill


def test_update_data(drill: Drill) -> None:
    job = drill.add(b"old")
    assert drill.run(update_data(drill.keys, job, b"new")) is True
    assert drill.take().payload == b"new"
    missing = drill.minter.mint()
    assert drill.run(update_data(drill.keys, missing, b"new")) is False
    assert drill.row(missing) == {}


def next_push() -> Conversation[Reply]:
    """Wait for one more reply without asking anything."""
    (reply,) = yield Ask(b"", 1)
    return reply


def test_update_progress(drill: Drill) -> None:
    job = drill.add()
    with BareLink(parse_address(drill.raw.url)) as listener:
        listener.run(ask_one("SUBSCRIBE", drill.keys.events))
        assert drill.run(update_progress(drill.keys, job, "50")) is True
        message = listener.run(next_push())
    assert drill.field(job, "progress") == b"50"
    assert isinstance(message, list)
    assert message[:2] == [b"message", drill.keys.events]
    assert isinstance(message[2], bytes)
    assert json.loads(message[2]) == {"event": "progress", "job": job, "progress": "50"}
    assert b'"event":"progress"' in message[2]
    assert b'"progress":"50"' in message[2]
    assert drill.run(update_progress(drill.keys, drill.minter.mint(), "50")) is False


def test_job_logs(drill: Drill) -> None:
    job, missing = drill.add(), drill.minter.mint()
    lengths = [drill.run(add_log(drill.keys, job, f"line-{at}", keep)) for at, keep in ((1, None), (2, 0), (3, 2))]
    assert lengths == [1, 2, 2]
    assert drill.run(get_logs(drill.keys, job)) == [b"line-2", b"line-3"]
    assert drill.run(add_log(drill.keys, missing, "line")) is None
    assert drill.run(get_logs(drill.keys, missing)) is None
    assert drill.run(get_logs(drill.keys, drill.add())) == []


def test_remove_job(drill: Drill) -> None:
    job, locked = drill.add(), drill.add()
    drill.raw("SET", drill.keys.part("de:once"), job)
    drill.run(add_log(drill.keys, job, "line"))
    assert drill.run(remove(drill.keys, job, "once")) is True
    assert drill.run(state(drill.keys, job)) == "absent"
    assert drill.raw("EXISTS", drill.keys.part("de:once"), drill.keys.sub(job, "logs")) == 0
    assert drill.run(remove(drill.keys, job)) is False
    drill.raw("SET", drill.keys.sub(locked, "lock"), 1)
    with pytest.raises(JobLocked) as refused:
        drill.run(remove(drill.keys, locked))
    assert refused.value.said == "EMQLOCK job is locked"
    assert drill.run(state(drill.keys, locked)) == "pending"


def test_dedup_release(drill: Drill) -> None:
    job, other = drill.add(), drill.add()
    drill.raw("SET", drill.keys.part("de:once"), other)
    assert drill.run(remove(drill.keys, job, "once")) is True
    assert drill.raw("GET", drill.keys.part("de:once")) == other.encode()


def test_native_lock_refuses(drill: Drill) -> None:
    job = drill.add()
    drill.raw("HSET", drill.keys.row(job), "lock", "x")
    with pytest.raises(JobLocked):
        drill.run(remove(drill.keys, job))
    assert drill.run(state(drill.keys, job)) == "pending"
    drill.raw("HPEXPIREAT", drill.keys.row(job), 1, "FIELDS", 1, "lock")
    assert drill.run(remove(drill.keys, job)) is True


def test_native_lock_field(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    drill.run(track(drill.keys, job, 1, ttl_ms=20))
    life = drill.raw("HPTTL", drill.keys.row(job), "FIELDS", 1, "lock")
    assert isinstance(life, list)
    assert 0 <= int(str(life[0])) <= 20
    drill.outlast(30)
    assert drill.row(job) == {"state": b"active", "attempts": b"1", "payload": b"work"}
    assert drill.raw("EXISTS", drill.keys.sub(job, "lock")) == 0


def test_lock_plane(drill: Drill) -> None:
    held, lost = drill.add(), drill.add()
    drill.take(), drill.take()
    for job in (held, lost):
        drill.run(track(drill.keys, job, 1, ttl_ms=50_000))
    assert (drill.raw("GET", drill.keys.sub(held, "lock")), drill.field(held, "lock")) == (b"1", b"1")
    drill.raw("HSET", drill.keys.row(lost), "attempts", 2)
    assert drill.run(beat(drill.keys, [(held, 1), (lost, 1)], lease_ms=90_000, ttl_ms=180_000)) == (lost,)
    lives = [drill.raw("PTTL", drill.keys.sub(job, "lock")) for job in (held, lost)]
    assert [isinstance(life, int) and life > 50_000 for life in lives] == [True, False]
    drill.run(untrack(drill.keys, held))
    assert (drill.raw("EXISTS", drill.keys.sub(held, "lock")), drill.field(held, "lock")) == (0, None)


def test_reprocess_job(drill: Drill) -> None:
    job = drill.add()
    drill.take()
    with pytest.raises(WrongState) as refused:
        drill.run(reprocess(drill.keys, job))
    assert refused.value.said == "EMQSTATE not dead"
    assert drill.run(retry(drill.keys, job, 1, "x", delay_ms=0, attempts=1)) is Retried.DEAD
    assert drill.run(reprocess(drill.keys, job)) is True
    assert drill.row(job) == {"state": b"pending", "attempts": b"1", "payload": b"work"}
    assert (drill.members("pending"), drill.members("dead")) == ([job], [])
    assert drill.take().token == 2
    assert drill.run(reprocess(drill.keys, drill.minter.mint())) is False


def test_reprocess_of_a_live_job(drill: Drill) -> None:
    job = drill.add()
    with pytest.raises(WrongState):
        drill.run(reprocess(drill.keys, job))
    assert drill.run(state(drill.keys, job)) == "pending"
