"""Where the next run of a scheduler lies, and how the last one ended."""

import pytest

from emqtop.meaning.timetables import timetable_of
from emqtop.model.queue import Family
from emqtop.model.timetable import NextRun
from emqtop.wire.bullmq import schedulers as module
from emqtop.wire.bullmq.schedulers import MOST, schedulers
from emqtop.wire.resp import Ask, ReplyError, drive
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull


def register(bull: Bull, name: str, next_ms: int, *fields: str | int) -> None:
    bull.put("ZADD", "repeat", next_ms, name)
    bull.put("HSET", f"repeat:{name}", "name", "n", "ic", 1, *fields)


@pytest.mark.parametrize(
    ("place", "lies"),
    [
        ("wait", "pending"),
        ("paused", "pending"),
        ("prioritized", "pending"),
        ("active", "active"),
        ("delayed", "schedule"),
        ("failed", None),
        ("row alone", None),
        ("nowhere", None),
    ],
)
def test_where_the_next_run_lies(valkey: Hand, place: str, lies: str | None) -> None:
    bull = Bull(valkey)
    register(bull, "s", 50)
    run = "repeat:s:50"
    if place != "nowhere":
        bull.row(run)
    if place in {"wait", "paused", "active"}:
        bull.put("LPUSH", place, "other", run, "another")
    elif place == "failed":
        bull.failed(run)
    elif place != "row alone":
        bull.put("ZADD", place, 5, run)
    (one,) = bull.ask(schedulers(bull.keys)).schedulers
    assert one.next_lies == lies


def test_how_the_last_run_of_an_interval_ended(valkey: Hand) -> None:
    bull = Bull(valkey)
    for name, row in (("good", {"finishedOn": 700}), ("bad", {"finishedOn": 800, "failedReason": "x"}), ("none", {})):
        register(bull, name, 1_000, "every", 100)
        bull.delayed(f"repeat:{name}:1000")
        if row:
            bull.row(f"repeat:{name}:900", **row)  # type: ignore[arg-type]
    register(bull, "cron", 1_000, "pattern", "* * * * *", "endDate", 5_000)
    found = {one.id: (one.last_ms, one.last_failed) for one in bull.ask(schedulers(bull.keys)).schedulers}
    assert found == {b"good": (700, False), b"bad": (800, True), b"none": (None, False), b"cron": (None, False)}


def test_a_list_that_is_too_long_to_search_is_believed(valkey: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DEPTH", 2)
    bull = Bull(valkey)
    register(bull, "s", 50)
    bull.row("repeat:s:50")
    bull.put("LPUSH", "wait", "a", "repeat:s:50", "b")
    assert bull.ask(schedulers(bull.keys)).schedulers[0].next_lies == "pending"
    bull.put("DEL", "wait")
    assert bull.ask(schedulers(bull.keys)).schedulers[0].next_lies is None


def test_the_reads_are_bounded(valkey: Hand) -> None:
    bull = Bull(valkey)
    for number in range(MOST + 50):
        register(bull, f"s{number}", number, "every", 10)
        bull.row(f"repeat:s{number}:{number}")
    asked: list[Ask] = []

    def answer(ask: Ask) -> list[object]:
        asked.append(ask)
        (replies,) = valkey.link.stream([ask])
        return replies  # type: ignore[return-value]

    read = drive(schedulers(bull.keys), answer)  # type: ignore[arg-type]
    assert (read.total, len(read.schedulers)) == (MOST + 50, MOST)
    assert [ask.replies for ask in asked] == [4, 5 * MOST, MOST + 2 * 20]


def test_as_the_domain_has_it(valkey: Hand) -> None:
    bull = Bull(valkey)
    register(bull, "a\xff", 50, "every", "x", "tz", "UTC", "limit", 3)
    (one,) = timetable_of(Family.BULLMQ, bull.ask(schedulers(bull.keys))).schedulers
    assert (one.id, one.next_ms, one.next_run, one.name) == ("a\xff", 50, NextRun.ENDED, "n")
    assert (one.every_ms, one.zone, one.runs, one.limit, one.ends_ms) == (None, "UTC", 1, 3, None)


def test_refused(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.put("SET", "repeat", 1)
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        bull.ask(schedulers(bull.keys))
