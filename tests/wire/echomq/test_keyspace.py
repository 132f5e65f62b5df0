"""The keys of a queue, and the gate before them (echomq.md 1)."""

import pytest

from emqtop.wire.echomq.branded_id import BadId
from emqtop.wire.echomq.keyspace import VERSION, QueueKeys

JOB, GROUP = "JOB0KHTOWnGLuC", "PRT0KHTOWnGLuC"
KEYS = QueueKeys("emq", "orders")


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        (KEYS.base, b"emq:{orders}:"),
        (KEYS.pending, b"emq:{orders}:pending"),
        (KEYS.active, b"emq:{orders}:active"),
        (KEYS.schedule, b"emq:{orders}:schedule"),
        (KEYS.dead, b"emq:{orders}:dead"),
        (KEYS.meta, b"emq:{orders}:meta"),
        (KEYS.wake, b"emq:{orders}:wake"),
        (KEYS.events, b"emq:{orders}:events"),
        (KEYS.outbox, b"emq:{orders}:flow:outbox"),
        (KEYS.part("metrics:completed"), b"emq:{orders}:metrics:completed"),
        (KEYS.part("repeat:daily:berlin"), b"emq:{orders}:repeat:daily:berlin"),
        (KEYS.row(JOB), b"emq:{orders}:job:JOB0KHTOWnGLuC"),
        (KEYS.sub(JOB, "logs"), b"emq:{orders}:job:JOB0KHTOWnGLuC:logs"),
        (KEYS.lane(GROUP), b"emq:{orders}:g:PRT0KHTOWnGLuC:pending"),
        (KEYS.found_row(b"\xff{x}"), b"emq:{orders}:job:\xff{x}"),
        (KEYS.found_lane(b"acme"), b"emq:{orders}:g:acme:pending"),
        (QueueKeys("emq", "naïve").base, "emq:{naïve}:".encode()),
        (QueueKeys("emq", "raw\udcff").pending, b"emq:{raw\xff}:pending"),
        (QueueKeys("shop", "a.b_c-d").dead, b"shop:{a.b_c-d}:dead"),
        (VERSION, b"{emq}:version"),
    ],
)
def test_keys(key: bytes, wanted: bytes) -> None:
    assert key == wanted


@pytest.mark.parametrize("text", ["", "7", "ORD0KHTOWnGLuC", "JOBzzzzzzzzzzz", "JOB0KHTOWnGLuC:lock", "*"])
def test_no_key_is_made_of_what_is_no_job(text: str) -> None:
    for make in (KEYS.row, lambda job: KEYS.sub(job, "lock")):
        with pytest.raises(BadId):
            make(text)


def test_no_lane_is_made_of_what_is_no_group() -> None:
    with pytest.raises(BadId):
        KEYS.lane("acme")


@pytest.mark.parametrize(
    ("queue", "wanted"), [("orders", b"emq:{orders}:g:*"), ("a*[b]?\\", rb"emq:{a\*\[b\]\?\\}:g:*")]
)
def test_a_glob_takes_the_name_for_itself(queue: str, wanted: bytes) -> None:
    assert QueueKeys("emq", queue).glob(b"g:*") == wanted


def test_the_group_of_a_lane() -> None:
    assert KEYS.group_of(KEYS.lane(GROUP)) == GROUP.encode()
