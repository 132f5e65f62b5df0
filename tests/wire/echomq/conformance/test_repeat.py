"""Repeating jobs on a real server (echomq.md 4.8)."""

from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lifecycle import claim
from emqtop.wire.echomq.repeat import Due, cancel_repeat, due_repeats, fire_repeats, register_repeat
from emqtop.wire.resp import Conversation
from tests.conftest import Hand

KEYS = QueueKeys("emq", "reports.repeat")
REPEAT, RECORD = KEYS.part("repeat"), KEYS.part("repeat:daily:berlin")
NAME = "daily:berlin"
TEMPLATE = b"sums of the day"
minter = Minter(9)


def fire(valkey: Hand, now_ms: int) -> list[str]:
    return valkey.link.run(fire_repeats(KEYS, minter, now_ms))


def test_repeat(valkey: Hand) -> None:
    assert valkey.link.run(register_repeat(KEYS, NAME, 1_000, TEMPLATE, first_ms=5_000))
    first, second = fire(valkey, 5_000), fire(valkey, 6_000)
    assert len(first) == len(second) == 1
    assert first < second
    assert valkey("ZRANGE", KEYS.pending, 0, -1) == [first[0].encode(), second[0].encode()]
    job = valkey.link.run(claim(KEYS))
    assert job is not None
    assert (job.id, job.payload, job.token) == (first[0], TEMPLATE, 1)


def test_register(valkey: Hand) -> None:
    assert valkey.link.run(register_repeat(KEYS, NAME, 1_000, TEMPLATE, first_ms=5_000)) is True
    assert valkey.link.run(register_repeat(KEYS, NAME, 7, b"other", first_ms=7)) is False
    assert valkey("HGETALL", RECORD) == [b"every_ms", b"1000", b"template", TEMPLATE]
    assert valkey("ZRANGE", REPEAT, 0, -1, "WITHSCORES") == [NAME.encode(), b"5000"]


def test_only_what_is_due_fires_and_missed_runs_are_not_caught_up(valkey: Hand) -> None:
    valkey.link.run(register_repeat(KEYS, NAME, 1_000, TEMPLATE, first_ms=5_000))
    assert fire(valkey, 4_999) == []
    assert len(fire(valkey, 60_500)) == 1
    assert valkey("ZSCORE", REPEAT, NAME) == b"61500"
    assert fire(valkey, 61_499) == []


def test_cancel(valkey: Hand) -> None:
    valkey.link.run(register_repeat(KEYS, NAME, 1_000, TEMPLATE, first_ms=5_000))
    assert valkey.link.run(cancel_repeat(KEYS, NAME)) is True
    assert valkey.link.run(cancel_repeat(KEYS, NAME)) is False
    assert valkey("EXISTS", REPEAT, RECORD) == 0
    assert fire(valkey, 9_000) == []


def test_one_that_is_cancelled_while_it_fires_stays_so(valkey: Hand) -> None:
    valkey.link.run(register_repeat(KEYS, NAME, 1_000, TEMPLATE, first_ms=5_000))

    def cancelled_before_its_last_step() -> Conversation[None]:
        firing = fire_repeats(KEYS, minter, 9_000)
        ask = next(firing)
        while TEMPLATE not in ask.payload:
            ask = firing.send((yield ask))
        while TEMPLATE in ask.payload:
            ask = firing.send((yield ask))
        yield from cancel_repeat(KEYS, NAME)
        yield ask

    valkey.link.run(cancelled_before_its_last_step())
    assert valkey("EXISTS", REPEAT, RECORD) == 0
    assert valkey("ZCARD", KEYS.pending) == 1


def test_a_member_without_a_record_is_dropped(valkey: Hand) -> None:
    valkey("ZADD", REPEAT, 5_000, NAME)
    assert valkey.link.run(due_repeats(KEYS, 5_000)) == [Due(NAME, None, b"")]
    assert fire(valkey, 5_000) == []
    assert valkey("EXISTS", REPEAT) == 0
    assert valkey("ZCARD", KEYS.pending) == 0


def test_the_longest_due_come_first(valkey: Hand) -> None:
    for name, first_ms in (("late", 3), ("early", 1), ("later", 9)):
        valkey.link.run(register_repeat(KEYS, name, 10, name.encode(), first_ms=first_ms))
    assert valkey.link.run(due_repeats(KEYS, 5)) == [Due("early", 10, b"early"), Due("late", 10, b"late")]
    assert valkey.link.run(due_repeats(KEYS, 5, limit=1)) == [Due("early", 10, b"early")]
