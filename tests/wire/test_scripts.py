"""The loader of the scripts: what is sent when, on a real server."""

import hashlib

import pytest

from emqtop.resources import folder
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lifecycle import claim, complete, enqueue, enqueue_many
from emqtop.wire.resp import ReplyError
from emqtop.wire.scripts import Call, call, call_many, names, script
from tests.wire.conftest import Drill
from tests.wire.echomq.every_verb import Exchange, commands, every_verb, recorded


def words(log: list[Exchange]) -> list[list[bytes]]:
    """The commands' names, one list per write."""
    return [[command[0] for command in commands(exchange.ask.payload)] for exchange in log]


def test_the_body_is_sent_once(drill: Drill) -> None:
    drill.raw("SCRIPT", "FLUSH")
    log: list[Exchange] = []
    for _ in range(3):
        drill.run(recorded(enqueue(drill.keys, drill.minter.mint(), b"x"), log))
    assert words(log) == [[b"EVALSHA"], [b"EVAL"], [b"EVALSHA"], [b"EVALSHA"]]
    assert len(drill.members("pending")) == 3


def test_the_body_is_sent_once_in_a_pipeline(drill: Drill) -> None:
    drill.raw("SCRIPT", "FLUSH")
    log: list[Exchange] = []
    jobs = [(drill.minter.mint(), b"x") for _ in range(4)]
    assert drill.run(recorded(enqueue_many(drill.keys, jobs), log)) == [True] * 4
    assert words(log) == [[b"EVALSHA"] * 4, [b"EVAL", *[b"EVALSHA"] * 3]]
    assert drill.members("pending") == [job for job, _ in jobs]


def test_only_what_the_server_did_not_know_is_sent_again(drill: Drill) -> None:
    drill.raw("SCRIPT", "FLUSH")
    first, second = drill.add(), drill.minter.mint()
    log: list[Exchange] = []
    enqueued = Call(script("enqueue"), (drill.keys.row(second), drill.keys.pending), (second, b"x"))
    counted = Call(script("lane_counts"), (drill.keys.base,), (drill.keys.base,))
    paused = Call(script("queue_pause"), (drill.keys.meta,), ())
    calls = [counted, enqueued, paused, counted]
    assert drill.run(recorded(call_many(calls), log)) == [[], 1, 1, []]
    assert words(log) == [[b"EVALSHA"] * 4, [b"EVAL", b"EVAL", b"EVALSHA"]]
    assert drill.members("pending") == [first, second]


def test_a_flush_between_two_calls_costs_one_more_trip(drill: Drill) -> None:
    job = drill.add()
    log: list[Exchange] = []
    drill.run(claim(drill.keys, 60_000))
    drill.run(complete(drill.keys, job, 1))
    for _ in range(2):
        drill.raw("SCRIPT", "FLUSH")
        other = drill.add()
        drill.run(recorded(claim(drill.keys, 60_000), log))
        drill.run(complete(drill.keys, other, 1))
    assert words(log) == [[b"EVALSHA"], [b"EVAL"]] * 2


def test_a_refusal_is_not_sent_again(drill: Drill) -> None:
    log: list[Exchange] = []
    drill.raw("SET", drill.keys.pending, "no set")
    job = drill.minter.mint()
    with pytest.raises(ReplyError) as error:
        drill.run(recorded(enqueue(drill.keys, job, b"x"), log))
    assert error.value.word == "WRONGTYPE"
    assert words(log)[-1] in ([b"EVALSHA"], [b"EVAL"])
    assert len(log) <= 2


def test_each_verb_is_one_round_trip_once_its_script_is_known(drill: Drill) -> None:
    for warm in (True, False):
        drill.raw("FLUSHALL")
        for step in every_verb(QueueKeys("emq", "trips.q"), Minter(6)):
            log: list[Exchange] = []
            drill.run(recorded(step.talk, log))
            if not warm:
                assert len(log) == step.trips, words(log)
                assert all(b"EVAL" not in names for names in words(log))


def test_no_call_at_all_asks_nothing(drill: Drill) -> None:
    log: list[Exchange] = []
    assert drill.run(recorded(call_many([]), log)) == []
    assert log == []


def test_a_body_is_its_file_with_its_fragments_each_once() -> None:
    body = script("complete").body.decode()
    for function in ("ring_in", "ring_out", "lane_of", "lane_out", "leave", "flow_done", "flow_died"):
        assert body.count(f"local function {function}(") == 1
    assert body.index("local function ring_in(") < body.index("local function lane_in(") < body.index("function leave(")
    assert "--@include" not in body
    assert script("complete").sha == hashlib.sha1(body.encode()).hexdigest()


def test_every_file_is_a_verb() -> None:
    files = {path.stem.rpartition("-")[0] for path in folder("lua").glob("*.lua")}
    assert set(names()) == files
    assert script("enqueue_grouped").keys == 7


def test_a_call_gives_as_many_keys_as_the_script_declares() -> None:
    with pytest.raises(ValueError, match="claim declares 2 keys, got 1"):
        next(call("claim", [b"pending"]))
    with pytest.raises(KeyError):
        script("nonesuch")
