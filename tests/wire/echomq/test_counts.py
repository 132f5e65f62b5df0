"""The numbers of an EchoMQ queue: exact, in one round trip, and never a raise."""

from dataclasses import replace

import pytest

from emqtop.wire.echomq.counts import CountsReader
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.numbers import Counts
from emqtop.wire.resp import Arg, Ask, Burst
from tests.conftest import Hand

NOW = 1_790_000_000_000
OLD, YOUNG, GROUP, OTHER = "JOB0KHTOWnGLuC", "JOB0NgWEfAEJfs", "PRT0NgWEfAEJfs", "PRT0KHTOWnGLuC"
OLD_MS = 1_769_526_697_641
LANE = ("ZADD", f"g:{GROUP}:pending", 0, OLD)
EMPTY = Counts(0, 0, 0, 0, 0, None, 0, 0, 0, 0, False)


def read(reader: CountsReader, now_ms: int = NOW) -> Burst[Counts]:
    request, replies = reader.ask(now_ms)
    (first,) = yield [Ask(request, replies)]
    more = reader.follow_up(first, now_ms)
    if isinstance(more, Counts):
        return more
    (second,) = (yield [Ask(more.request, more.replies)]) if more.replies else [[]]
    counts = more.decode(second)
    return counts if reader.settled else (yield from read(reader, now_ms))


def fill(valkey: Hand, *writes: tuple[Arg, ...]) -> CountsReader:
    for verb, part, *rest in writes:
        valkey(verb, f"emq:{{q}}:{part}", *rest)
    return CountsReader(QueueKeys("emq", "q"))


@pytest.mark.parametrize(
    ("writes", "changes"),
    [
        ([], {}),
        ([("ZADD", "pending", 0, YOUNG, 0, OLD)], {"pending": 2, "oldest_pending_ms": OLD_MS}),
        ([("ZADD", "active", NOW + 1, OLD)], {"active": 1, "next_deadline_ms": NOW + 1}),
        ([("ZADD", "active", NOW, OLD, NOW - 9, YOUNG)], {"active": 2, "overdue": 2, "next_deadline_ms": NOW - 9}),
        ([("ZADD", "schedule", NOW - 1, OLD, NOW + 5, YOUNG)], {"schedule": 2, "due": 1, "next_due_ms": NOW - 1}),
        ([("ZADD", "dead", 0, OLD)], {"dead": 1}),
        ([("HSET", "meta", "paused", "")], {"paused": True}),
        ([("HSET", "meta", "concurrency", 4)], {}),
        ([("HSET", "metrics:completed", "count", 7)], {"completed": 7}),
        ([("HSET", "metrics:failed", "count", 2)], {"failed": 2}),
        ([("HSET", "metrics:completed", "count", "many")], {"completed": None}),
        ([LANE, ("RPUSH", "ring", GROUP)], {"pending": 1, "lanes": 1, "oldest_pending_ms": OLD_MS}),
        (
            [
                ("ZADD", "pending", 0, YOUNG),
                ("ZADD", f"g:{GROUP}:pending", 0, OLD, 0, "JOB0NgWEfAEJft"),
                ("SADD", "paused", GROUP),
                ("HSET", "gactive", OTHER, 1),
            ],
            {"pending": 3, "lanes": 2, "oldest_pending_ms": OLD_MS},
        ),
        ([LANE, ("HSET", "glimit", GROUP, 1)], {"pending": 1, "lanes": 1, "oldest_pending_ms": OLD_MS}),
        ([("ZADD", "active", 1e15, OLD)], {"active": 1, "next_deadline_ms": 10**15}),
        ([("ZADD", "active", "inf", OLD)], {"active": 1, "next_deadline_ms": 2**53}),
        ([("ZADD", "active", "-inf", OLD, 0, YOUNG)], {"active": 2, "overdue": 2, "next_deadline_ms": -(2**53)}),
        ([("ZADD", "active", 0.5, b"\xff\x00")], {"active": 1, "overdue": 1, "next_deadline_ms": 0}),
        ([("ZADD", "pending", 0, b"\xff\x00 no id")], {"pending": 1}),
    ],
)
def test_numbers(valkey: Hand, writes: list[tuple[Arg, ...]], changes: dict[str, object]) -> None:
    reader = fill(valkey, *writes)
    for _ in range(2):  # what it learned must not change what it tells
        assert valkey.link.hold(read(reader)) == replace(EMPTY, **changes)  # type: ignore[arg-type]


WRONG = "WRONGTYPE Operation against a key holding the wrong kind of value"


@pytest.mark.parametrize(
    ("part", "unknown"),
    [("pending", "pending"), ("active", "active"), ("dead", "dead"), ("schedule", "schedule"), ("meta", "paused")],
)
def test_a_key_of_the_wrong_type_is_said_beside_what_is_known(valkey: Hand, part: str, unknown: str) -> None:
    counts = valkey.link.hold(read(fill(valkey, ("SET", part, "x"), ("HSET", "metrics:failed", "count", 3))))
    assert counts.error == f"{part}: {WRONG}"
    assert getattr(counts, unknown) is None
    assert counts.failed == 3


def test_a_lane_of_the_wrong_type_is_said(valkey: Hand) -> None:
    reader = fill(valkey, ("RPUSH", "ring", GROUP), ("SET", f"g:{GROUP}:pending", "x"), ("ZADD", "pending", 0, OLD))
    for _ in range(2):
        counts = valkey.link.hold(read(reader))
        assert counts.error == f"g:{GROUP}:pending: {WRONG}"
        assert (counts.pending, counts.lanes) == (1, 0)


@pytest.mark.parametrize("part", ["ring", "paused", "gactive", "glimit", "gweight"])
def test_a_book_of_the_lanes_of_the_wrong_type_is_said_each_time(valkey: Hand, part: str) -> None:
    book = ("RPUSH", "ring", GROUP) if part != "ring" else ("SADD", "paused", GROUP)
    reader = fill(valkey, book, ("SET", part, "x"), ("ZADD", f"g:{GROUP}:pending", 0, OLD))
    for _ in range(2):
        counts = valkey.link.hold(read(reader))
        assert (counts.error, counts.pending) == (f"{part}: {WRONG}", 1)


def trips(valkey: Hand, reader: CountsReader, now_ms: int = NOW) -> tuple[int, int]:
    trips, commands = valkey.link.round_trips, valkey.link.commands
    valkey.link.hold(read(reader, now_ms))
    return valkey.link.round_trips - trips, valkey.link.commands - commands


def test_an_idle_queue_costs_eleven_commands_in_one_trip(valkey: Hand) -> None:
    reader = fill(valkey, ("ZADD", "pending", 0, OLD), ("ZADD", "active", NOW + 1, YOUNG))
    assert [trips(valkey, reader) for _ in range(2)] == [(1, 11), (1, 11)]


def test_overdue_leases_cost_a_second_trip_once(valkey: Hand) -> None:
    reader = fill(valkey, ("ZADD", "active", NOW, OLD))
    assert [trips(valkey, reader) for _ in range(2)] == [(2, 13), (1, 13)]
    valkey("DEL", "emq:{q}:active")
    assert [trips(valkey, reader) for _ in range(2)] == [(1, 13), (1, 11)]


def test_the_first_lane_costs_two_more_trips_once(valkey: Hand) -> None:
    reader = fill(valkey, ("RPUSH", "ring", GROUP), ("ZADD", f"g:{GROUP}:pending", 0, OLD))
    assert [trips(valkey, reader) for _ in range(3)] == [(3, 34), (1, 18), (1, 18)]


def test_another_lane_costs_one_more_trip_once(valkey: Hand) -> None:
    reader = fill(valkey, ("RPUSH", "ring", GROUP))
    trips(valkey, reader)
    valkey("RPUSH", "emq:{q}:ring", OTHER)
    assert [trips(valkey, reader) for _ in range(2)] == [(2, 20), (1, 20)]


def test_a_lane_that_stands_in_no_list_is_counted_once_a_sweep_met_it(valkey: Hand) -> None:
    reader = fill(valkey, ("ZADD", f"g:{GROUP}:pending", 0, OLD))
    assert valkey.link.hold(read(reader)).pending == 0
    reader.know([GROUP.encode()])
    assert valkey.link.hold(read(reader)).pending == 1
    valkey("DEL", f"emq:{{q}}:g:{GROUP}:pending")
    valkey.link.hold(read(reader))
    assert reader.known_lanes == ()
