"""Readings of either family as the domain's pages, jobs and lanes."""

import pytest

from emqtop.model.job import Job, Odd
from emqtop.model.queue import Family, Lane, Location, QueueId
from emqtop.sampling.pages import detail, field_part, lanes, page
from emqtop.sampling.source import PageRequest
from emqtop.wire.echomq.branded_id import BadId
from emqtop.wire.errors import Refused
from tests.conftest import Hand
from tests.wire.echomq.shelf import MINTED_MS, Shelf, group_id, job_id

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
MAILS = QueueId(Family.BULLMQ, "bull", "mails")


@pytest.fixture
def shelf(valkey: Hand) -> Shelf:
    return Shelf(valkey)


def test_a_page_of_an_echomq_queue(shelf: Shelf) -> None:
    shelf.put("active", 1, score=5_000, attempts="2", payload="abc", last_error="b\udcffm", group=group_id(1))
    shelf.hand("ZADD", shelf.keys.active, 9_000, b"\xff")
    request = PageRequest(ORDERS, Location.ACTIVE, limit=5, payload=True, payload_bytes=2)
    found = shelf.run(page(request))
    assert found.jobs == (
        Job(
            job_id(1),
            state="active",
            attempts=2,
            minted_ms=MINTED_MS + 1,
            deadline_ms=5_000,
            group=group_id(1),
            last_error="b\udcffm",
            payload_bytes=3,
            payload=b"ab",
        ),
        Job("\udcff", deadline_ms=9_000, odd=(Odd.NO_ROW,)),
    )
    assert (found.queue, found.location, found.total, found.start, found.next) == (ORDERS, Location.ACTIVE, 2, 0, None)


def test_a_page_of_a_bullmq_queue(valkey: Hand) -> None:
    valkey("HSET", "bull:mails:7", "data", '{"to":"ann"}', "atm", "2", "timestamp", "1790000000000")
    valkey("RPUSH", "bull:mails:wait", "7")
    (job,) = valkey.link.run(page(PageRequest(MAILS, Location.PENDING, payload=True))).jobs
    assert (job.id, job.payload_bytes, job.payload, job.minted_ms) == ("7", 12, b'{"to":"ann"}', 1790000000000)
    found = valkey.link.run(detail(MAILS, "7"))
    assert found is not None
    assert (found.queue, found.location) == (MAILS, Location.PENDING)
    assert valkey.link.run(field_part(MAILS, "7", "data", 2, 2)) == b"to"
    assert valkey.link.run(lanes(MAILS)) == ()


def test_one_job(shelf: Shelf) -> None:
    shelf.put("dead", 1, payload=b"\xff", parent=job_id(2))
    shelf.hand("HSET", shelf.keys.sub(job_id(1), "processed"), job_id(3), "")
    found = shelf.run(detail(ORDERS, job_id(1)))
    assert found is not None
    assert (found.location, found.parent, found.children) == (Location.DEAD, job_id(2), ((job_id(3), "done"),))
    assert ("payload", b"\xff", 1) in found.fields
    assert shelf.run(detail(ORDERS, job_id(9))) is None
    assert shelf.run(field_part(ORDERS, job_id(1), "payload", 0, 9)) == b"\xff"


def test_lanes_stand_by_backlog_then_by_name(shelf: Shelf) -> None:
    shelf.put("pending", 1, group=group_id(1))
    shelf.put("pending", 2, 3, group=group_id(3))
    shelf.put("pending", 4, group=group_id(2))
    found = shelf.run(lanes(ORDERS))
    assert [lane.group for lane in found] == [group_id(3), group_id(1), group_id(2)]
    assert found[0] == Lane(group_id(3), 2, 0, None, None, paused=False, in_ring=True)


def test_known_lanes_are_listed_though_they_left_the_books(shelf: Shelf) -> None:
    for number in range(600):
        shelf.hand("SET", f"filler:{number}", "")
    shelf.put("pending", 1, group=group_id(1))
    shelf.hand("DEL", shelf.keys.part("ring"))
    assert shelf.run(page(PageRequest(ORDERS, Location.PENDING), [group_id(1)])).total == 1


def test_a_refusal_is_said_in_the_servers_words(shelf: Shelf) -> None:
    shelf.hand("SET", shelf.keys.dead, "x")
    with pytest.raises(Refused, match="WRONGTYPE"):
        shelf.run(page(PageRequest(ORDERS, Location.DEAD)))


def test_a_bad_id_is_named_before_anything_is_sent() -> None:
    with pytest.raises(BadId, match="'x'"):
        next(detail(ORDERS, "x"))
    with pytest.raises(BadId, match="'x'"):
        next(page(PageRequest(ORDERS, Location.PENDING, lane="x")))
