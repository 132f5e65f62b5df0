"""Workers and repeats of a queue, as far as its keys and its server tell of them."""

import threading
import time

import pytest

from emqtop.meaning.teams import team_of
from emqtop.meaning.timetables import timetable_of
from emqtop.model.queue import Family
from emqtop.model.team import Team, Tie
from emqtop.model.timetable import NextRun
from emqtop.wire.connections import LISTING
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.repeat import register_repeat
from emqtop.wire.echomq.timetable import MOST, timetable
from emqtop.wire.echomq.workers import MOST_UNTOLD, team
from emqtop.wire.resp import Ask, ReplyError
from tests.conftest import Hand

KEYS = QueueKeys("emq", "or:ders")


def named(valkey: Hand, *names: str) -> list[Hand]:
    hands = [Hand(valkey.url) for _ in names]
    for hand, name in zip(hands, names, strict=True):
        if name:
            hand("CLIENT", "SETNAME", name)
    return hands


def block(hands: list[Hand], valkey: Hand) -> list[threading.Thread]:
    """Let each wait in BLPOP, and wait until the server knows."""
    threads = [threading.Thread(target=hand, args=("BLPOP", f"k{at}", 20)) for at, hand in enumerate(hands)]
    for thread in threads:
        thread.start()
    while bytes(valkey("CLIENT", "LIST")).count(b" cmd=blpop ") < len(hands):  # type: ignore[arg-type]
        time.sleep(0.005)
    return threads


def test_workers_are_told_by_names_and_waits(valkey: Hand) -> None:
    others = named(
        valkey, "emq:{or:ders}", "emq:{or:ders}:w:ada", "emq:{or:ders}:pump", "emq:{or:dersx}", "emq:or:ders"
    )
    waiting = named(valkey, "emq:{or:ders}:w:bob", "emq:{other}:w:x", "my_consumer", "")
    threads = block(waiting, valkey)
    found = team_of(valkey.link.run(team(KEYS)))
    assert [(one.tie, one.name, one.waits, one.holds) for one in found.workers] == [
        (Tie.NAME, None, False, None),
        (Tie.NAME, "ada", False, None),
        (Tie.NAME, "pump", False, None),
        (Tie.NAME, "bob", True, None),
        (Tie.WAIT, "my_consumer", True, None),
        (Tie.WAIT, None, True, None),
    ]
    assert (found.connected, found.unlisted, found.withheld) == (4, 0, False)
    valkey.link.run(_wake(len(waiting)))
    for thread in threads:
        thread.join()
    for hand in others + waiting:
        hand.link.close()


def test_a_crowd_of_unknown_waiters_is_listed_in_part(valkey: Hand) -> None:
    crowd = named(valkey, *[""] * (MOST_UNTOLD + 7))
    threads = block(crowd, valkey)
    found = team_of(valkey.link.run(team(KEYS)))
    assert (len(found.workers), found.unlisted) == (MOST_UNTOLD, 7)
    valkey.link.run(_wake(len(crowd)))
    for thread in threads:
        thread.join()
    for hand in crowd:
        hand.link.close()


def _wake(waiters: int):  # type: ignore[no-untyped-def]
    for at in range(waiters):
        yield Ask(b"*3\r\n$5\r\nLPUSH\r\n$%d\r\nk%d\r\n$1\r\n1\r\n" % (len(f"k{at}"), at), 1)


def test_the_listing_is_one_command_and_may_be_withheld(valkey: Hand) -> None:
    asks = team(KEYS)
    first = next(asks)
    assert (first.payload, first.replies) == (LISTING, 1)
    with pytest.raises(StopIteration) as end:
        asks.send([ReplyError("NOPERM this user has no permissions to run the 'client|list' command")])
    assert team_of(end.value.value) == Team(withheld=True)


def test_repeats(valkey: Hand) -> None:
    valkey.link.run(register_repeat(KEYS, "a:b", 5_000, b"x" * 70_000, first_ms=2_000))
    valkey.link.run(register_repeat(KEYS, "beat", 1_000, b"{}", first_ms=1_000))
    valkey("ZADD", KEYS.part("repeat"), 3_000, "ghost")
    read = valkey.link.run(timetable(KEYS))
    found = timetable_of(Family.ECHOMQ, read)
    assert found.total == 3
    assert [(one.id, one.next_ms, one.every_ms, one.payload_bytes, one.next_run) for one in found.schedulers] == [
        ("beat", 1_000, 1_000, 2, NextRun.REGISTERED),
        ("a:b", 2_000, 5_000, 70_000, NextRun.REGISTERED),
        ("ghost", 3_000, None, 0, NextRun.NO_RECORD),
    ]


def test_repeats_are_read_in_part_where_there_are_many(valkey: Hand) -> None:
    valkey("ZADD", KEYS.part("repeat"), *[part for at in range(MOST + 5) for part in (at, f"r{at:04d}")])
    read = valkey.link.run(timetable(KEYS))
    assert (read.total, len(read.schedulers), read.schedulers[0].id) == (MOST + 5, MOST, b"r0000")
    valkey("SET", QueueKeys("emq", "bad").part("repeat"), 1)
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        valkey.link.run(timetable(QueueKeys("emq", "bad")))
