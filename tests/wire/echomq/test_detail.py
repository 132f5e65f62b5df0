"""One job whole on a real server, and what it costs to look."""

import pytest

from emqtop.wire.echomq.branded_id import BadId
from emqtop.wire.echomq.reads import detail, field_part
from emqtop.wire.readings import DetailReading, JobReading
from tests.conftest import Hand
from tests.wire.echomq.shelf import MINTED_MS, Shelf, group_id, job_id


@pytest.fixture
def shelf(valkey: Hand) -> Shelf:
    return Shelf(valkey)


def look(shelf: Shelf, number: int = 1) -> DetailReading:
    reading = shelf.run(detail(shelf.keys, job_id(number)))
    assert reading is not None
    return reading


def test_everything_that_is_stored(shelf: Shelf) -> None:
    shelf.put(
        "active", 1, score=5_000, attempts="2", payload=b"\xffx", progress="50", parent=job_id(9), parent_queue="up"
    )
    row = shelf.keys.row(job_id(1))
    shelf.hand("RPUSH", row + b":logs", *(f"line {at}" for at in range(150)))
    shelf.hand("SET", row + b":lock", "2", "PX", 60_000)
    shelf.hand("SET", row + b":dependencies", 3)
    shelf.hand("HSET", row + b":processed", job_id(20), "x" * 100_000, job_id(19), "")
    shelf.hand("HSET", row + b":failed", job_id(21), "boom")
    shelf.hand("HSET", row + b":unsuccessful", job_id(22), "boom")
    reading = look(shelf)
    assert reading.job == JobReading(
        id=job_id(1).encode(),
        state=b"active",
        attempts=2,
        minted_ms=MINTED_MS + 1,
        deadline_ms=5_000,
        payload_bytes=2,
        payload=b"\xffx",
    )
    assert reading.location == "active"
    assert sorted(reading.fields) == [
        (b"attempts", b"2", 1),
        (b"parent", job_id(9).encode(), 14),
        (b"parent_queue", b"up", 2),
        (b"payload", b"\xffx", 2),
        (b"progress", b"50", 2),
        (b"state", b"active", 6),
    ]
    assert reading.logs == tuple(b"line %d" % at for at in range(50, 150))
    assert (reading.log_total, reading.waiting_for) == (150, 3)
    assert (reading.parent, reading.parent_queue) == (job_id(9).encode(), b"up")
    assert reading.children == tuple(
        (job_id(number).encode(), word) for number, word in ((19, "done"), (20, "done"), (21, "failed"), (22, "failed"))
    )
    assert reading.lock_ms is not None
    assert 50_000 < reading.lock_ms <= 60_000


@pytest.mark.parametrize("location", ["pending", "active", "schedule", "dead"])
@pytest.mark.parametrize("group", [None, group_id(1)])
def test_where_it_lies(shelf: Shelf, location: str, group: str | None) -> None:
    shelf.put(location, 1, group=group)
    reading = look(shelf)
    assert (reading.location, reading.job.odd) == (location, ())
    assert reading.job.group == (None if group is None else group.encode())


def test_a_held_parent_and_an_orphan_lie_in_no_set(shelf: Shelf) -> None:
    shelf.row(1, state="awaiting_children")
    shelf.row(2, state="active")
    assert (look(shelf, 1).location, look(shelf, 1).job.odd) == ("held", ())
    assert (look(shelf, 2).location, look(shelf, 2).job.odd) == (None, ("state-differs",))


@pytest.mark.parametrize("location", ["pending", "active", "schedule", "dead"])
def test_a_ghost_has_a_place_but_no_row(shelf: Shelf, location: str) -> None:
    shelf.hand("ZADD", shelf.keys.part(location), 7, job_id(1))
    reading = look(shelf)
    assert (reading.location, reading.job.odd, reading.fields) == (location, ("no-row",), ())


def test_a_ghost_in_a_lane_is_found_there(shelf: Shelf) -> None:
    shelf.put("pending", 1, group=group_id(1))
    shelf.hand("DEL", shelf.keys.row(job_id(1)))
    reading = look(shelf)
    assert (reading.location, reading.job.group, reading.job.odd) == ("pending", group_id(1).encode(), ("no-row",))


def test_two_places_are_named_the_first_counts(shelf: Shelf) -> None:
    shelf.put("active", 1, score=5, group=group_id(1))
    shelf.hand("ZADD", shelf.keys.lane(group_id(1)), 0, job_id(1))
    assert (look(shelf).location, look(shelf).job.odd) == ("active", ("second-location",))
    shelf.hand("ZADD", shelf.keys.pending, 0, job_id(1))
    assert (look(shelf).location, look(shelf).job.odd) == ("pending", ("state-differs", "second-location"))


def test_nothing_of_a_completed_job_is_a_job(shelf: Shelf) -> None:
    shelf.hand("RPUSH", shelf.keys.row(job_id(1)) + b":logs", "left over")
    assert shelf.run(detail(shelf.keys, job_id(1))) is None


def test_a_row_of_another_type_is_shown_as_one_without_fields(shelf: Shelf) -> None:
    shelf.hand("SET", shelf.keys.row(job_id(1)), "x")
    assert (look(shelf).fields, look(shelf).job.odd) == ((), ("no-payload",))


def test_subkeys_of_another_type_are_nothing(shelf: Shelf) -> None:
    shelf.put("dead", 1)
    for name in ("logs", "dependencies", "processed", "failed", "unsuccessful"):
        shelf.hand("ZADD", shelf.keys.sub(job_id(1), name), 0, "x")
    reading = look(shelf)
    assert (reading.logs, reading.log_total, reading.waiting_for, reading.children) == ((), 0, None, ())


@pytest.mark.parametrize(("size", "read"), [(65_536, 65_536), (65_537, 0)])
def test_a_value_above_64_kb_is_measured_and_not_moved(shelf: Shelf, size: int, read: int) -> None:
    shelf.put("dead", 1, payload=b"x" * size, last_error="e" * 5_000)
    trips, received, reading = shelf.trips(detail(shelf.keys, job_id(1)))
    assert reading is not None
    assert {name: (len(value), full) for name, value, full in reading.fields}[b"payload"] == (read, size)
    assert reading.job.payload_bytes == size
    assert reading.job.payload == (b"x" * 256 if read else None)
    assert len(reading.job.last_error or b"") == 4_096
    assert trips == 3
    assert (received > 65_536) is bool(read)


def test_a_giant_error_is_told_by_its_beginning(shelf: Shelf) -> None:
    shelf.put("dead", 1, last_error="e" * 100_000)
    reading = look(shelf)
    assert reading.job.last_error == b"e" * 4_096
    assert {name: (value, size) for name, value, size in reading.fields}[b"last_error"] == (b"", 100_000)


@pytest.mark.parametrize("there", [True, False])
def test_looking_takes_three_trips_at_most(shelf: Shelf, there: bool) -> None:
    if there:
        shelf.put("pending", 1, group=group_id(1))
    shelf.put("pending", 2, group=group_id(2))
    assert shelf.trips(detail(shelf.keys, job_id(1)))[0] == 3


@pytest.mark.parametrize("name", ["x", "USR0KHTOWnGLuC", "JOBzzzzzzzzzzz", "JOB0NgWEfAEJf\n", ""])
def test_a_bad_id_is_refused_before_anything_is_sent(shelf: Shelf, name: str) -> None:
    with pytest.raises(BadId):
        next(detail(shelf.keys, name))
    with pytest.raises(BadId):
        next(field_part(shelf.keys, name, "payload", 0, 1))


@pytest.mark.parametrize(
    ("name", "start", "length", "wanted"),
    [("payload", 0, 3, b"abc"), ("payload", 2, 99, b"cdef"), ("payload", 9, 3, b""), ("none", 0, 3, b"")],
)
def test_part_of_a_field(shelf: Shelf, name: str, start: int, length: int, wanted: bytes) -> None:
    shelf.put("dead", 1, payload="abcdef")
    assert shelf.run(field_part(shelf.keys, job_id(1), name, start, length)) == wanted
