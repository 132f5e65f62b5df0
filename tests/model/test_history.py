"""Rings of what was."""

import pytest

from emqtop.model.history import DAY_MIN, HOUR_S, QUEUE_BYTES, History, Ring, Series
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.rates import Rates
from emqtop.model.snapshot import Snapshot


def queue_id(name: str) -> QueueId:
    return QueueId(Family.ECHOMQ, "emq", name)


@pytest.mark.parametrize(
    ("puts", "wanted"),
    [
        ([], []),
        ([(7, 1.0)], [1.0]),
        ([(7, 1.0), (8, 2.0)], [1.0, 2.0]),
        ([(7, 1.0), (7, 2.0)], [2.0]),
        ([(7, 1.0), (9, 2.0)], [1.0, None, 2.0]),
        ([(7, None), (8, 2.0)], [None, 2.0]),
        ([(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0), (5, 5.0)], [2.0, 3.0, 4.0, 5.0]),
        ([(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0), (5, 5.0), (5, 6.0), (6, 7.0)], [3.0, 4.0, 6.0, 7.0]),
        ([(1, 1.0), (1_000_000, 2.0)], [None, None, None, 2.0]),
        ([(100, 1.0), (99, 9.0), (101, 2.0)], [1.0, 2.0]),
        ([(100, 1.0), (39, 9.0), (40, 2.0)], [9.0, 2.0]),
    ],
)
def test_ring_of_four(puts: list[tuple[int, float | None]], wanted: list[float | None]) -> None:
    ring = Ring(4)
    for slot, value in puts:
        ring.put(slot, value)
    assert ring.newest(10) == wanted
    assert ring.newest(1) == wanted[-1:]


ORDERS = queue_id("orders")


def test_seconds_and_minutes_of_a_queue() -> None:
    history = History()
    for second in range(120):
        snapshot = Snapshot(
            at_ms=60_000 + second * 1_000, queues=(Queue(ORDERS, pending=second, oldest_pending_ms=60_000),)
        )
        history.add(snapshot, {ORDERS: Rates(done=2.0 if second < 90 else None, growth=1.0)})
    assert history.seconds(ORDERS, Series.PENDING, 3) == [117.0, 118.0, 119.0]
    assert history.minutes(ORDERS, Series.PENDING) == [29.5, 89.5]
    assert history.seconds(ORDERS, Series.DONE, 2) == [None, None]
    assert history.minutes(ORDERS, Series.DONE) == [2.0, 2.0]
    assert history.seconds(ORDERS, Series.OLDEST_MS, 1) == [119_000.0]
    assert history.seconds(ORDERS, Series.FAILED, 1) == [None]
    assert history.seconds(queue_id("other"), Series.DONE) == []


def test_full_rings_take_the_documented_bytes_and_no_more() -> None:
    history = History(most_queues=1)
    for minute in range(DAY_MIN + 10):
        history.add(Snapshot(at_ms=minute * 60_000, queues=(Queue(ORDERS, pending=1),)), {ORDERS: Rates(growth=1.0)})
    assert history.bytes == QUEUE_BYTES == 100_800
    assert len(history.seconds(ORDERS, Series.PENDING)) == HOUR_S


def test_a_still_queue_takes_nothing_unless_it_is_shown() -> None:
    history = History()
    snapshot = Snapshot(at_ms=1_000, queues=(Queue(ORDERS, pending=0),))
    history.add(snapshot, {ORDERS: Rates(0.0, 0.0, 0.0, 0.0)})
    assert history.bytes == 0
    history.add(snapshot, {}, shown={ORDERS})
    assert history.bytes == len(Series) * 2 * 4


def test_room_goes_to_the_shown_then_to_those_that_moved_last() -> None:
    names = ("first", "second", "third")
    queues = {name: Queue(queue_id(name), pending=1) for name in names}
    history = History(most_queues=2)

    def moment(second: int, *moving: str, shown: tuple[str, ...] = ()) -> list[str]:
        snapshot = Snapshot(at_ms=second * 1_000, queues=tuple(queues.values()))
        speeds = {queue_id(name): Rates(done=1.0) for name in moving}
        history.add(snapshot, speeds, shown={queue_id(name) for name in shown})
        return [name for name in names if history.seconds(queue_id(name), Series.PENDING)]

    assert moment(1, "first", "second", "third") == ["first", "second"]
    assert moment(2, "first", "second", "third") == ["first", "second"]
    assert moment(3, "first", "third") == ["first", "third"]
    assert moment(4, "first", "third", shown=("second",)) == ["second", "third"]
    assert moment(9, "first", "third", shown=("second",)) == ["second", "third"]


@pytest.mark.parametrize(
    ("first", "count", "wanted"),
    [
        (10, 4, [1.0, 2.0, None, 4.0]),
        (8, 4, [None, None, 1.0, 2.0]),
        (12, 4, [None, 4.0, None, None]),
        (13, 1, [4.0]),
        (14, 2, [None, None]),
        (0, 2, [None, None]),
    ],
)
def test_points_between_two_slots(first: int, count: int, wanted: list[float | None]) -> None:
    ring = Ring(4)
    for slot, value in ((10, 1.0), (11, 2.0), (13, 4.0)):
        ring.put(slot, value)
    assert ring.between(first, count) == wanted


@pytest.mark.parametrize("first", range(8, 20))
@pytest.mark.parametrize("count", range(1, 7))
def test_points_between_two_slots_of_a_ring_that_turned(first: int, count: int) -> None:
    ring = Ring(4)
    for slot in range(10, 17):
        ring.put(slot, slot)
    assert ring.between(first, count) == [slot if 13 <= slot <= 16 else None for slot in range(first, first + count)]


def test_an_empty_ring_knows_no_slot() -> None:
    assert Ring(4).between(7, 2) == [None, None]


def test_means_of_steps_by_the_second_and_by_the_minute() -> None:
    history = History()
    for second in range(600, 720):
        history.add(Snapshot(at_ms=second * 1_000, queues=(Queue(ORDERS, pending=second),)), {}, {ORDERS})
    assert history.means(ORDERS, Series.PENDING, 590, 10, 3) == [None, 604.5, 614.5]
    assert history.means(ORDERS, Series.PENDING, 0, 600, 7) == [None, 659.5, None, None, None, None, None]
    assert history.means(queue_id("other"), Series.PENDING, 600, 10, 2) == [None, None]


def test_means_follow_until_their_last_step_is_over() -> None:
    history, told = History(), []
    for second in range(600, 632):
        history.add(Snapshot(at_ms=second * 1_000, queues=(Queue(ORDERS, pending=second),)), {}, {ORDERS})
        told.append(history.means(ORDERS, Series.PENDING, 600, 10, 2))
    assert told[5] == [602.5, None]
    assert told[15] == [604.5, 612.5]
    assert told[19:] == [[604.5, 614.5]] * 13
    assert history.means(ORDERS, Series.PENDING, 610, 10, 2) == [614.5, 624.5]
