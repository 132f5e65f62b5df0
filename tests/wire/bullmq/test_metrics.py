"""Jobs by the minute, as workers count them."""

import pytest

from emqtop.meaning.metrics import metrics_of
from emqtop.model.metrics import Metric, Metrics
from emqtop.wire.bullmq.metrics import MOST_MINUTES, metrics
from emqtop.wire.resp import ReplyError
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull

MINUTE = 60_000
T = 29_000_000


def test_points_are_of_the_minutes_before_the_one_that_was_last_counted(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.put("HSET", "metrics:completed", "count", 110, "prevTS", T * MINUTE + 17, "prevCount", 100)
    bull.put("RPUSH", "metrics:completed:data", 7, 0, 3)
    found = metrics_of(bull.ask(metrics(bull.keys)))
    # Workers count both or neither: none has failed.
    assert found == Metrics(Metric(110, T, (10, 7, 0, 3), 3), Metric(0, T, (0, 0, 0, 0), 3))
    assert found.completed.between(T - 4, 7) == [None, 3, 0, 7, 10, 0, 0]
    assert found.has_minutes
    assert Metric(3).between(T, 2) == [None, None]


def test_without_metrics_nothing_is_known(valkey: Hand) -> None:
    bull = Bull(valkey)
    assert metrics_of(bull.ask(metrics(bull.keys))) == Metrics()
    assert not Metrics().has_minutes


def test_only_so_many_minutes_are_read(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.put("HSET", "metrics:failed", "count", 1, "prevTS", T * MINUTE, "prevCount", 0)
    bull.put("RPUSH", "metrics:failed:data", *range(MOST_MINUTES + 100))
    read = bull.ask(metrics(bull.keys)).failed
    assert (len(read.points), read.kept) == (MOST_MINUTES, MOST_MINUTES + 100)


def test_foreign_writes(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.put("HSET", "metrics:completed", "count", "x", "prevTS", "y", "prevCount", "z")
    bull.put("RPUSH", "metrics:completed:data", "a", "")
    assert metrics_of(bull.ask(metrics(bull.keys))) == Metrics()
    bull.put("SET", "metrics:failed", "1")
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        bull.ask(metrics(bull.keys))
