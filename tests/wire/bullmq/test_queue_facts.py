"""Workers, schedulers and limits of a queue."""

import base64

import pytest

from emqtop.wire.bullmq.limits import limits
from emqtop.wire.bullmq.queue_facts import about
from emqtop.wire.bullmq.schedulers import schedulers
from emqtop.wire.bullmq.workers import workers
from emqtop.wire.replies import FAR_MS
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull

NAME = base64.b64encode(b"{e:mails}").decode()


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ((f"emq:{NAME}",), [None]),
        ((f"emq:{NAME}:w:mailer:1",), [b"mailer:1"]),
        (("emq:{e:mails}:w:pay",), [b"pay"]),
        ((f"emq:{NAME}:qe", "emq:{e:mails}x", "emq:other", f"bull:{NAME}", "emqtop"), []),
        (("emq:{e:mails}", f"emq:{NAME}:w:a"), [None, b"a"]),
    ],
)
def test_workers_are_told_by_the_names_of_connections(
    valkey: Hand, names: tuple[str, ...], found: list[bytes | None]
) -> None:
    bull = Bull(valkey, "emq", "{e:mails}")
    hands = [Hand(valkey.url) for _ in names]
    for hand, name in zip(hands, names, strict=True):
        hand("CLIENT", "SETNAME", name)
    read = bull.ask(workers(bull.keys))
    assert read is not None
    assert sorted((one.name for one in read), key=str) == sorted(found, key=str)
    for hand in hands:
        hand.link.close()


def test_a_python_worker_shows_two_connections_and_counts_once(valkey: Hand) -> None:
    bull = Bull(valkey)
    hands = [Hand(valkey.url) for _ in range(4)]
    for hand in hands:
        hand("CLIENT", "SETINFO", "lib-name", "redis-py")
        hand("CLIENT", "SETNAME", "bull:mail:w:py")
    assert len(bull.ask(workers(bull.keys)) or ()) == 2
    for hand in hands:
        hand.link.close()


def test_what_the_server_withholds_is_unknown_not_none(valkey: Hand) -> None:
    bull = Bull(valkey)
    valkey("ACL", "SETUSER", "looker", "on", ">pw", "~*", "+@all", "-client|list")
    looker = Hand(valkey.url)
    looker("AUTH", "looker", "pw")
    assert looker.link.run(workers(bull.keys)) is None
    looker.link.close()
    valkey("ACL", "DELUSER", "looker")


def test_schedulers_tell_their_next_run_and_a_series_that_has_ended_unseen(valkey: Hand) -> None:
    bull = Bull(valkey)
    for id_, next_ms, fields in (
        ("nightly", 50, ("name", "report", "pattern", "0 3 * * *", "tz", "UTC", "ic", "7")),
        ("a:b", 60, ("name", "beat", "every", "5000", "limit", "9", "ic", "1")),
        ("dead", 40, ("name", "x", "every", "1", "ic", "3")),
    ):
        bull.put("ZADD", "repeat", next_ms, id_)
        bull.put("HSET", f"repeat:{id_}", *fields)
    bull.delayed("repeat:nightly:50", due_ms=50)
    bull.waiting("repeat:a:b:60")
    read = bull.ask(schedulers(bull.keys))
    assert read.total == 3
    assert [
        (one.id, one.next_ms, one.pattern, one.every_ms, one.zone, one.runs, one.limit, one.next_lies)
        for one in read.schedulers
    ] == [
        (b"dead", 40, None, 1, None, 3, None, None),
        (b"nightly", 50, b"0 3 * * *", None, b"UTC", 7, None, "schedule"),
        (b"a:b", 60, None, 5_000, None, 1, 9, "pending"),
    ]


def test_a_next_run_without_end_is_bounded(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.put("ZADD", "repeat", "inf", "never")
    (one,) = bull.ask(schedulers(bull.keys)).schedulers
    assert (one.id, one.next_ms, one.next_lies) == (b"never", FAR_MS, None)
    assert dict(bull.ask(about(bull.keys)))["schedulers"] == "1, none runs any more"


def test_limits_and_minutes(valkey: Hand) -> None:
    bull = Bull(valkey)
    none = bull.ask(limits(bull.keys))
    assert (none.concurrency, none.most, none.started, none.window_left_ms, none.check_ms) == (None,) * 5
    bull.put("HSET", "meta", "concurrency", 4, "max", 10, "duration", 1000)
    bull.put("SET", "limiter", 3, "PX", 60_000)
    bull.put("SET", "stalled-check", 1, "PX", 30_000)
    bull.put("RPUSH", "metrics:completed:data", 5, 4)
    read = bull.ask(limits(bull.keys))
    assert (read.concurrency, read.most, read.window_ms, read.started) == (4, 10, 1000, 3)
    assert read.window_left_ms is not None
    assert read.check_ms is not None
    assert 30_000 >= read.check_ms > 29_000 < read.window_left_ms <= 60_000
    assert (read.completed, read.failed) == ((5, 4), ())


def test_a_queue_in_a_few_words(valkey: Hand) -> None:
    bull = Bull(valkey, version="5.81.5")
    assert bull.ask(about(bull.keys)) == (
        ("workers", "none"),
        ("stall checks", "none"),
        ("layout", "5 (meta.version is 5)"),
    )
    bull.put("HSET", "meta", "concurrency", 4, "max", 10, "duration", 1000)
    bull.put("SET", "limiter", 3, "PX", 60_000)
    bull.put("SET", "stalled-check", 1, "PX", 12_000)
    bull.put("RPUSH", "metrics:completed:data", 5, 4)
    bull.put("ZADD", "repeat", 1, "dead", 2_000_000_000_000, "late")
    bull.delayed("repeat:late:2000000000000", due_ms=2_000_000_000_000)
    told = dict(bull.ask(about(bull.keys)))
    assert (told["at once"], told["rate"], told["last minute"]) == (
        "4",
        "10 each 1.0s, 3 in this one",
        "5 done, 0 failed",
    )
    assert told["schedulers"].startswith("2, next at ")
    assert told["schedulers"].endswith(", 1 ended unseen")
    bull.put("SET", "limiter", 2**53 - 1, "PX", 60_000)
    assert "stopped by hand" in dict(bull.ask(about(bull.keys)))


def test_a_layout_that_is_only_looked_at_says_so(valkey: Hand) -> None:
    bull = Bull(valkey, version="4.0.0")
    assert bull.ask(about(bull.keys))[0] == ("layout", "4 or older (meta.version is 4), read-only")
