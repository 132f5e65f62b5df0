"""One BullMQ job whole: where it lies, its row, logs and family."""

import json

import pytest

from emqtop.wire.bullmq.detail import detail
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.rows import field_part
from emqtop.wire.readings import DetailReading
from emqtop.wire.resp import ReplyError
from tests.conftest import Hand

KEYS = QueueKeys("bull", "mail")


def look(valkey: Hand, job: str) -> DetailReading | None:
    return valkey.link.run(detail(KEYS, job))


def test_no_such_job(valkey: Hand) -> None:
    assert look(valkey, "1") is None


@pytest.mark.parametrize(
    ("part", "verb", "args", "location"),
    [
        ("wait", "LPUSH", ("1",), "pending"),
        ("paused", "LPUSH", ("1",), "pending"),
        ("prioritized", "ZADD", (1, "1"), "pending"),
        ("active", "LPUSH", ("1",), "active"),
        ("delayed", "ZADD", (1, "1"), "schedule"),
        ("failed", "ZADD", (1, "1"), "dead"),
        ("waiting-children", "ZADD", (1, "1"), "held"),
        ("completed", "ZADD", (1, "1"), "done"),
        ("stalled", "SADD", ("1",), None),
    ],
)
def test_where_it_lies(valkey: Hand, part: str, verb: str, args: tuple[str | int, ...], location: str | None) -> None:
    valkey("HSET", KEYS.row(b"1"), "data", "{}")
    valkey(verb, KEYS.part(part), *args)
    found = look(valkey, "1")
    assert found is not None
    assert (found.location, found.job.odd) == (location, ())


def test_an_id_without_a_row_is_shown_as_such(valkey: Hand) -> None:
    valkey("ZADD", KEYS.part("failed"), 5, "1")
    found = look(valkey, "1")
    assert found is not None
    assert (found.location, found.job.odd, found.fields) == ("dead", ("no-row",), ())


def test_an_id_in_two_places_shows_the_first_that_the_library_looks_into(valkey: Hand) -> None:
    valkey("HSET", KEYS.row(b"1"), "data", "{}")
    valkey("ZADD", KEYS.part("failed"), 5, "1")
    valkey("LPUSH", KEYS.part("wait"), "1", *(str(n) for n in range(2, 400)))
    valkey("RPUSH", KEYS.part("wait"), *(str(n) for n in range(400, 800)))
    found = look(valkey, "1")
    assert found is not None
    assert (found.location, found.job.odd) == ("dead", ("second-location",))


def test_row_logs_lock_and_large_values(valkey: Hand) -> None:
    valkey("HSET", KEYS.row(b"1"), "name", "n", "data", b"\xff" * 200_000, "failedReason", "no", "atm", 2)
    valkey("RPUSH", KEYS.sub(b"1", "logs"), *(f"line {n}" for n in range(150)))
    valkey("LPUSH", KEYS.part("active"), "1")
    valkey("SET", KEYS.sub(b"1", "lock"), "worker:3", "PX", 60_000)
    found = look(valkey, "1")
    assert found is not None
    row = {name: (len(value), size) for name, value, size in found.fields}
    assert row == {b"name": (1, 1), b"data": (65_536, 200_000), b"failedReason": (2, 2), b"atm": (1, 1)}
    assert (found.logs[0], found.logs[-1], found.log_total) == (b"line 50", b"line 149", 150)
    assert found.job.deadline_ms is not None
    assert 0 < found.job.deadline_ms - found.at_ms <= 60_000
    assert found.lock_ms == found.job.deadline_ms - found.at_ms
    assert (found.job.attempts, found.job.last_error, found.job.payload) == (2, b"no", b"\xff" * 4096)


def test_the_family_of_a_flow(valkey: Hand) -> None:
    valkey("HSET", KEYS.row(b"p"), "data", "{}")
    valkey("ZADD", KEYS.part("waiting-children"), 1, "p")
    valkey("SADD", KEYS.sub(b"p", "dependencies"), "bull:mail:w", "bull:k:a:b:c")
    valkey("HSET", KEYS.sub(b"p", "processed"), "bull:mail:d", "1")
    valkey("HSET", KEYS.sub(b"p", "failed"), "bull:mail:i", "ignored")
    valkey("ZADD", KEYS.sub(b"p", "unsuccessful"), 1, "bull:mail:f")
    found = look(valkey, "p")
    assert found is not None
    assert found.waiting_for == 2
    assert set(found.children) == {
        (b"w", "waiting"),
        (b"bull:k:a:b:c", "waiting"),
        (b"d", "done"),
        (b"i", "failed"),
        (b"f", "failed"),
    }


@pytest.mark.parametrize(
    ("fields", "parent", "queue"),
    [
        ({"parent": json.dumps({"id": "a:b:c", "queueKey": "bull:mail"})}, b"a:b:c", None),
        ({"parent": json.dumps({"id": "1", "queueKey": "emq:{a:b}"})}, b"1", b"emq:{a:b}"),
        ({"parentKey": "bull:mail:a:b:c"}, b"a:b:c", None),
        ({"parentKey": "bull:other:a:b:c"}, b"bull:other:a:b:c", None),
        ({"parent": "{", "parentKey": "bull:mail:7"}, b"7", None),
        ({}, None, None),
    ],
)
def test_the_parent(valkey: Hand, fields: dict[str, str], parent: bytes | None, queue: bytes | None) -> None:
    valkey("HSET", KEYS.row(b"c"), "data", "{}", *(part for pair in fields.items() for part in pair))
    found = look(valkey, "c")
    assert found is not None
    assert (found.parent, found.parent_queue) == (parent, queue)


def test_part_of_a_field(valkey: Hand) -> None:
    valkey("HSET", KEYS.row(b"a:b"), "data", "0123456789")
    assert valkey.link.run(field_part(KEYS, "a:b", "data", 3, 4)) == b"3456"
    assert valkey.link.run(field_part(KEYS, "a:b", "data", 9, 100)) == b"9"
    assert valkey.link.run(field_part(KEYS, "a:b", "none", 0, 4)) == b""
    valkey("LPUSH", KEYS.part("wait"), "1")
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        valkey.link.run(field_part(KEYS, "wait", "data", 0, 4))
