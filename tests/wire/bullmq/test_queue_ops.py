"""Acts on a whole BullMQ queue, and the evidence that they go by."""

import pytest

from emqtop.wire.bullmq import operator
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.layout import layout
from emqtop.wire.verdicts import QueueActRefused
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull

EVIDENCE: dict[str, tuple[list[tuple[str | int, ...]], str]] = {
    "version 6": ([("HSET", "meta", "version", "bullmq:6.7.0")], "6"),
    "version 7": ([("HSET", "meta", "version", "bullmq:7.0.0")], "not known here"),
    "version 5": ([("HSET", "meta", "version", "bullmq:5.81.5")], "5"),
    "version 4": ([("HSET", "meta", "version", "bullmq:4.18.3")], "4 or older"),
    "the list goes before the version": (
        [("HSET", "meta", "version", "bullmq:6.7.0"), ("LPUSH", "paused", "1")],
        "5",
    ),
    "the list": ([("LPUSH", "paused", "1")], "5"),
    "wake-up marks": (
        [("HSET", "meta", "version", "bullmq:5.81.5"), ("LPUSH", "wait", "0:1795962010674")],
        "4 or older",
    ),
    "an id that is no mark": ([("LPUSH", "wait", "0:custom")], "unknown"),
    "another library": ([("HSET", "meta", "version", "bullmq-pro:7.1.0")], "not known here"),
    "an EchoMQ queue": ([("ZADD", "active", 1, "x")], "not known here"),
    "an id like a place": ([("HSET", "completed", "data", "{}")], "not known here"),
    "no hash": ([("SET", "meta", "x")], "not known here"),
    "nothing": ([], "unknown"),
}


@pytest.mark.parametrize("case", EVIDENCE)
def test_layout(valkey: Hand, case: str) -> None:
    writes, generation = EVIDENCE[case]
    bull = Bull(valkey)
    for verb, part, *rest in writes:
        bull.put(str(verb), str(part), *rest)
    assert bull.ask(layout(bull.keys)).generation == generation


def test_layout_6_is_paused_by_its_flag_alone(valkey: Hand) -> None:
    bull = Bull(valkey, version="6.7.0")
    bull.waiting("1")
    bull.put("ZADD", "marker", 0, "0")
    assert bull.ask(operator.pause(bull.keys)) is True
    assert bull.ask(operator.pause(bull.keys)) is False
    assert (bull.places("1"), bull.put("HGET", "meta", "paused")) == (["wait"], b"1")
    assert bull.put("EXISTS", "marker") == 0
    assert [event[b"event"] for event in bull.events()] == [b"paused"]
    assert bull.ask(operator.resume(bull.keys)) is True
    assert bull.ask(operator.resume(bull.keys)) is False
    assert bull.put("ZRANGE", "marker", 0, -1) == [b"0"]


@pytest.mark.parametrize("version", ["5.81.5", None])
def test_layout_5_is_paused_as_its_own_script_does(valkey: Hand, version: str | None) -> None:
    bull = Bull(valkey, version=version)
    bull.waiting("1", "2")
    assert bull.ask(operator.pause(bull.keys)) is True
    assert (bull.places("1"), bull.put("HGET", "meta", "paused")) == (["paused"], b"1")
    bull.row("3")
    bull.put("LPUSH", "paused", "3")
    assert bull.ask(operator.resume(bull.keys)) is True
    assert bull.put("LRANGE", "wait", 0, -1) == [b"3", b"2", b"1"]


def test_an_empty_queue_of_layout_5_is_paused_too(valkey: Hand) -> None:
    bull = Bull(valkey, version="5.81.5")
    assert bull.ask(operator.pause(bull.keys)) is True
    assert bull.put("HGET", "meta", "paused") == b"1"


def test_left_overs_are_merged_before_a_pause(valkey: Hand) -> None:
    bull = Bull(valkey, version="5.81.5")
    bull.waiting("1")
    bull.put("LPUSH", "paused", *(f"old{n}" for n in range(7_500)))
    assert bull.ask(operator.pause(bull.keys)) is True
    assert (bull.put("LLEN", "paused"), bull.put("EXISTS", "wait")) == (7_501, 0)


def test_resume_merges_everything_whatever_its_number(valkey: Hand) -> None:
    bull = Bull(valkey, version="5.81.5")
    bull.waiting("1")
    bull.put("LPUSH", "paused", *(f"old{n}" for n in range(15_000)))
    bull.put("HSET", "meta", "paused", "1")
    assert bull.ask(operator.resume(bull.keys)) is True
    assert (bull.put("LLEN", "wait"), bull.put("EXISTS", "paused")) == (15_001, 0)


@pytest.mark.parametrize("first", ["pause by 6", "pause by 5"])
@pytest.mark.parametrize("version", ["5.81.5", "6.7.0"])
def test_no_sequence_of_pause_add_resume_loses_a_job(valkey: Hand, version: str, first: str) -> None:
    bull = Bull(valkey, version=version)
    bull.waiting("a", "b")
    if first == "pause by 6":
        bull.put("HSET", "meta", "paused", "1")
    else:
        bull.put("HSET", "meta", "paused", "1")
        bull.put("RENAME", "wait", bull.keys.part("paused"))
    bull.put("LPUSH", "paused", "c")
    bull.put("LPUSH", "wait", "d")
    bull.ask(operator.pause(bull.keys))
    bull.ask(operator.resume(bull.keys))
    assert sorted(bull.put("LRANGE", "wait", 0, -1)) == [b"a", b"b", b"c", b"d"]  # type: ignore[arg-type]
    assert bull.put("EXISTS", "paused") == 0


def test_limits_are_written_whole_and_wake_a_worker(valkey: Hand) -> None:
    bull = Bull(valkey, version="6.7.0")
    bull.waiting("1")
    assert bull.ask(operator.set_concurrency(bull.keys, 3)) is True
    assert bull.put("ZRANGE", "marker", 0, -1) == [b"0"]
    assert bull.ask(operator.set_concurrency(bull.keys, 3)) is False
    assert bull.ask(operator.set_rate_limit(bull.keys, 10, 1000)) is True
    assert bull.put("HMGET", "meta", "concurrency", "max", "duration") == [b"3", b"10", b"1000"]
    assert bull.ask(operator.set_concurrency(bull.keys, None)) is True
    assert bull.ask(operator.set_rate_limit(bull.keys, None, None)) is True
    assert bull.ask(operator.set_rate_limit(bull.keys, None, None)) is False
    assert bull.put("HMGET", "meta", "concurrency", "max", "duration") == [None] * 3


@pytest.mark.parametrize("limit", [(0, 1), (1, 0), (None, 1), (1, None)])
def test_limits_that_would_break_every_claim_are_refused(limit: tuple[int | None, int | None]) -> None:
    with pytest.raises(ValueError, match="rate limit"):
        next(operator.set_rate_limit(QueueKeys("bull", "mail"), *limit))
    with pytest.raises(ValueError, match="pause it"):
        next(operator.set_concurrency(QueueKeys("bull", "mail"), 0))


def test_a_kick_wakes_and_nothing_else(valkey: Hand) -> None:
    bull = Bull(valkey, version="5.81.5")
    bull.waiting("1")
    assert bull.ask(operator.kick(bull.keys)) is True
    assert bull.put("ZRANGE", "marker", 0, -1) == [b"0"]
    assert bull.events() == []
    bull.put("HSET", "meta", "paused", "1")
    assert bull.ask(operator.kick(bull.keys)) is False
    assert bull.put("HGET", "meta", "paused") == b"1"


def test_a_series_is_stopped(valkey: Hand) -> None:
    bull = Bull(valkey, version="6.7.0")
    bull.put("ZADD", "repeat", 1795962010674, "nightly")
    bull.put("HSET", "repeat:nightly", "every", 60_000, "ic", 1)
    bull.delayed("repeat:nightly:1795962010674")
    assert bull.ask(operator.stop_scheduler(bull.keys, "nightly")) is True
    assert bull.ask(operator.stop_scheduler(bull.keys, "nightly")) is False
    assert bull.places("repeat:nightly:1795962010674") == []


def test_a_repeatable_of_old_is_left_to_its_application(valkey: Hand) -> None:
    bull = Bull(valkey, version="5.81.5")
    bull.put("ZADD", "repeat", 1795962010674, "6e2240a5")
    bull.put("HSET", "repeat:6e2240a5", "pattern", "0 0 * * *")
    with pytest.raises(QueueActRefused, match="only its application"):
        bull.ask(operator.stop_scheduler(bull.keys, "6e2240a5"))
    assert bull.put("ZCARD", "repeat") == 1


@pytest.mark.parametrize("act", [operator.pause, operator.resume, operator.kick], ids=lambda act: act.__name__)
def test_a_layout_that_is_only_looked_at_refuses(valkey: Hand, act: object) -> None:
    bull = Bull(valkey, version="4.0.0")
    bull.put("HSET", "meta", "paused", "1")
    with pytest.raises(QueueActRefused, match="read-only"):
        bull.ask(act(bull.keys))  # type: ignore[operator]


def test_there_are_no_lanes(valkey: Hand) -> None:
    with pytest.raises(QueueActRefused, match="no lanes"):
        valkey.link.run(operator.pause(QueueKeys("bull", "mail"), "g"))
