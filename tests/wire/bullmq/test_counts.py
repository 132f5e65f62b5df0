"""Counts of BullMQ queues, over keys written as the library writes them."""

from dataclasses import replace

import pytest

from emqtop.wire.bullmq.counts import CountsReader, counts
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.numbers import Counts
from emqtop.wire.replies import FAR_MS
from emqtop.wire.resp import Ask, Reply
from tests.conftest import Hand

KEYS = QueueKeys("emq", "{emails}")
NOW = 1_795_962_010_674
EMPTY = Counts(
    pending=0, lanes=0, active=0, schedule=0, dead=0, held=0, completed=0, failed=0, overdue=0, due=0, paused=False
)

Write = tuple[str | int, ...]


def row(job: str, minted: int = NOW - 5300) -> Write:
    return ("HSET", job, "name", "mail", "data", "{}", "timestamp", minted)


TABLE: dict[str, tuple[list[Write], Counts]] = {
    "nothing": ([], EMPTY),
    "waiting and prioritized are one backlog": (
        [
            ("LPUSH", "wait", "1", "2"),
            ("ZADD", "prioritized", 2 * 2**32 + 1, "3"),
            row("1"),
            row("2", NOW),
            row("3", NOW - 9000),
        ],
        replace(EMPTY, pending=3, oldest_pending_ms=NOW - 9000),
    ),
    "layout 5 pauses by a list": (
        [("LPUSH", "paused", "1", "2"), ("HSET", "meta", "paused", "1"), row("1")],
        replace(EMPTY, pending=2, paused=True, oldest_pending_ms=NOW - 5300),
    ),
    "the list alone holds jobs back too": ([("LPUSH", "paused", "1")], replace(EMPTY, pending=1, paused=True)),
    "layout 6 pauses by a flag, whatever its value": (
        [("LPUSH", "wait", "1"), ("HSET", "meta", "paused", "0")],
        replace(EMPTY, pending=1, paused=True),
    ),
    "a wake-up mark is no job": (
        [("LPUSH", "wait", "1", f"0:{NOW}"), ("LPUSH", "paused", "0:0")],
        replace(EMPTY, pending=1, paused=True),
    ),
    "a job whose id looks like a mark": (
        [("LPUSH", "wait", "0:custom"), row("0:custom")],
        replace(EMPTY, pending=1),
    ),
    "a due time without end, written by a stranger": (
        [("ZADD", "delayed", "inf", "1")],
        replace(EMPTY, schedule=1, next_due_ms=FAR_MS),
    ),
    "a due time before all time": (
        [("ZADD", "delayed", "-inf", "1")],
        replace(EMPTY, schedule=1, due=1, next_due_ms=-FAR_MS),
    ),
    "running with a lock": (
        [("LPUSH", "active", "1", "2"), ("SET", "1:lock", "t:1", "PX", 1_000_000), ("SET", "2:lock", "t:2")],
        replace(EMPTY, active=2),
    ),
    "running without a lock": (
        [("LPUSH", "active", "1", "2"), ("SET", "2:lock", "t:2", "PX", 1_000_000), ("SADD", "stalled", "1", "2")],
        replace(EMPTY, active=2, overdue=1, next_deadline_ms=NOW - 1),
    ),
    "due is what a worker would take": (
        [
            ("ZADD", "delayed", (NOW + 1) * 4096 - 1, "1", (NOW + 1) * 4096, "2", NOW * 4096, "3"),
        ],
        replace(EMPTY, schedule=3, due=2, next_due_ms=NOW),
    ),
    "finished and held": (
        [("ZADD", "completed", NOW, "1", NOW, "2"), ("ZADD", "failed", NOW, "3"), ("ZADD", "waiting-children", 1, "4")],
        replace(EMPTY, completed=2, dead=1, failed=1, held=1),
    ),
    "a job called wait": ([("LPUSH", "wait", "wait")], replace(EMPTY, pending=1)),
}


@pytest.mark.parametrize("case", TABLE)
def test_counts(valkey: Hand, case: str) -> None:
    writes, wanted = TABLE[case]
    for verb, part, *rest in writes:
        valkey(verb, KEYS.part(str(part)), *rest)
    got = valkey.link.run(counts(KEYS, NOW))
    if case == "running with a lock":
        assert got.next_deadline_ms is not None
        assert 0 < got.next_deadline_ms - NOW <= 1_000_000
        got = replace(got, next_deadline_ms=None)
    assert got == wanted


def test_a_key_of_a_wrong_type_is_told_and_hides_only_its_own_number(valkey: Hand) -> None:
    valkey("SET", KEYS.part("wait"), "x")
    valkey("ZADD", KEYS.part("failed"), 1, "1")
    got = valkey.link.run(counts(KEYS, NOW))
    assert (got.pending, got.dead, got.active) == (None, 1, 0)
    assert got.error == "wait: WRONGTYPE Operation against a key holding the wrong kind of value"


def test_a_quiet_queue_costs_one_round_trip(valkey: Hand) -> None:
    reader = CountsReader(KEYS)
    assert reader.follow_up(ask(valkey, *reader.ask(NOW)), NOW).replies == 0


def test_a_queue_whose_ids_stay_costs_one_round_trip_from_its_second_look_on(valkey: Hand) -> None:
    valkey("LPUSH", KEYS.part("active"), "1", "2")
    valkey("LPUSH", KEYS.part("wait"), "3")
    valkey("HSET", KEYS.row(b"3"), "timestamp", NOW)
    reader = CountsReader(KEYS)

    def look() -> tuple[int, Counts]:
        second = reader.follow_up(ask(valkey, *reader.ask(NOW)), NOW)
        return second.replies, second.decode(ask(valkey, second.request, second.replies))

    (asked, first), (again, same) = look(), look()
    assert (asked, again) == (3, 0)
    assert (
        first == same == replace(EMPTY, active=2, overdue=2, pending=1, next_deadline_ms=NOW - 1, oldest_pending_ms=NOW)
    )
    valkey("SET", KEYS.sub(b"1", "lock"), "t:1", "PX", 60_000)
    valkey("LPUSH", KEYS.part("active"), "9")
    asked, now = look()
    assert (asked, now.active, now.overdue) == (1, 3, 2)
    valkey("DEL", KEYS.part("active"), KEYS.part("wait"))
    assert look() == (0, EMPTY)
    assert reader.ask(NOW)[1] == CountsReader(KEYS).ask(NOW)[1]


def test_locks_asked_for_are_bounded_and_the_total_is_not(valkey: Hand) -> None:
    valkey("RPUSH", KEYS.part("active"), *(str(n) for n in range(50)))
    got = valkey.link.run(counts(KEYS, NOW, most_locks=10))
    assert (got.active, got.overdue) == (50, 10)


def test_looking_writes_nothing(valkey: Hand) -> None:
    valkey("LPUSH", KEYS.part("wait"), "1", "0:0")
    before = valkey("DUMP", KEYS.part("wait"))
    valkey.link.run(counts(KEYS, NOW))
    assert valkey("DUMP", KEYS.part("wait")) == before
    assert valkey("DBSIZE") == 1


def ask(valkey: Hand, request: bytes, replies: int) -> list[Reply]:
    def once():  # type: ignore[no-untyped-def]
        return (yield Ask(request, replies))

    return valkey.link.run(once())  # type: ignore[no-any-return]
