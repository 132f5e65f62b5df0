"""Lanes as the queue's books and a sweep know them."""

import pytest

from emqtop.wire.echomq.reads import lanes
from emqtop.wire.readings import LaneReading
from tests.conftest import Hand
from tests.wire.echomq.shelf import Shelf, group_id


@pytest.fixture
def shelf(valkey: Hand) -> Shelf:
    return Shelf(valkey)


def test_what_is_known_of_each_lane(shelf: Shelf) -> None:
    part = shelf.keys.part
    shelf.put("pending", 1, 2, group=group_id(1))
    shelf.put("pending", 3, group=group_id(2))
    shelf.hand("LREM", part("ring"), 0, group_id(2))
    shelf.hand("SADD", part("paused"), group_id(2), group_id(3))
    shelf.hand("HSET", part("gactive"), group_id(1), 2, group_id(4), "many")
    shelf.hand("HSET", part("glimit"), group_id(1), 5, group_id(5), 1)
    shelf.hand("HSET", part("gweight"), group_id(1), 3, group_id(6), 2)
    wanted = [
        LaneReading(group_id(1).encode(), 2, 2, 5, 3, paused=False, in_ring=True),
        LaneReading(group_id(2).encode(), 1, 0, None, None, paused=True, in_ring=False),
        LaneReading(group_id(3).encode(), 0, 0, None, None, paused=True, in_ring=False),
        LaneReading(group_id(4).encode(), 0, 0, None, None, paused=False, in_ring=False),
        LaneReading(group_id(5).encode(), 0, 0, 1, None, paused=False, in_ring=False),
        LaneReading(group_id(6).encode(), 0, 0, None, 2, paused=False, in_ring=False),
    ]
    assert shelf.run(lanes(shelf.keys)) == wanted


def test_a_lane_in_no_book_is_swept_up_however_it_is_named(shelf: Shelf) -> None:
    for group in (b"a:b", b"\xff", b"with blank"):
        shelf.hand("ZADD", shelf.keys.found_lane(group), 0, "x")
    assert [lane.group for lane in shelf.run(lanes(shelf.keys))] == [b"a:b", b"with blank", b"\xff"]


def test_the_sweep_is_bounded(shelf: Shelf) -> None:
    for at in range(0, 30_000, 1_000):
        shelf.hand("MSET", *(part for number in range(at, at + 1_000) for part in (f"filler:{number}", "")))
    assert shelf.trips(lanes(shelf.keys, sweep_keys=1_000))[0] == 4


def test_many_lanes_are_read_in_few_trips(shelf: Shelf) -> None:
    groups = [group_id(number) for number in range(1_500)]
    for group in groups:
        shelf.hand("HSET", shelf.keys.part("glimit"), group, 1)
    trips, _, found = shelf.trips(lanes(shelf.keys, sweep_keys=250))
    assert [lane.group.decode() for lane in found] == sorted(groups)
    assert trips <= 4


def test_a_queue_without_lanes(shelf: Shelf) -> None:
    shelf.put("pending", 1)
    assert shelf.trips(lanes(shelf.keys))[::2] == (1, [])
