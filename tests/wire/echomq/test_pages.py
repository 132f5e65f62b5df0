"""Pages of jobs on a real server: order, cursors under change, what is odd, and what a page costs."""

import pytest

from emqtop.wire.cursor import BadCursor
from emqtop.wire.echomq.branded_id import BadId
from emqtop.wire.echomq.reads import detail, lanes, page
from emqtop.wire.readings import JobReading, PageReading
from emqtop.wire.resp import ReplyError
from tests.conftest import Hand
from tests.wire.echomq.shelf import MINTED_MS, Shelf, group_id, job_id


@pytest.fixture
def shelf(valkey: Hand) -> Shelf:
    return Shelf(valkey)


def numbers(reading: PageReading) -> list[int]:
    known = {job_id(number).encode(): number for number in range(1_000)}
    return [known[job.id] for job in reading.jobs]


def walk(shelf: Shelf, location: str, limit: int, **how: str) -> list[list[int]]:
    pages, after = [], None
    while True:
        reading = shelf.run(page(shelf.keys, location, limit=limit, after=after, **how))
        pages.append(numbers(reading))
        if reading.next is None:
            return pages
        after = reading.next


def test_a_line_says_what_the_row_says(shelf: Shelf) -> None:
    shelf.put("dead", 1, attempts="3", last_error="boom" * 2_000, payload=b"\xff\x00x", group=group_id(1))
    (job,) = shelf.run(page(shelf.keys, "dead", payload_bytes=2)).jobs
    assert job == JobReading(
        id=job_id(1).encode(),
        state=b"dead",
        attempts=3,
        minted_ms=MINTED_MS + 1,
        group=group_id(1).encode(),
        last_error=(b"boom" * 2_000)[:4_096],
        payload_bytes=3,
        payload=b"\xff\x00",
    )


def test_active_stands_by_deadline_and_schedule_by_due_time(shelf: Shelf) -> None:
    for number, score in ((1, 3_000), (2, 1_000), (3, 2_000)):
        shelf.put("active", number, score=score)
        shelf.put("schedule", 10 + number, score=score)
    active = shelf.run(page(shelf.keys, "active")).jobs
    schedule = shelf.run(page(shelf.keys, "schedule")).jobs
    assert [(job.id, job.deadline_ms, job.due_ms) for job in active] == [
        (job_id(2).encode(), 1_000, None),
        (job_id(3).encode(), 2_000, None),
        (job_id(1).encode(), 3_000, None),
    ]
    assert [(job.id, job.deadline_ms, job.due_ms) for job in schedule] == [
        (job_id(12).encode(), None, 1_000),
        (job_id(13).encode(), None, 2_000),
        (job_id(11).encode(), None, 3_000),
    ]


@pytest.mark.parametrize(
    ("score", "wanted"),
    [("1e15", 10**15), ("inf", 2**53), ("-inf", -(2**53)), ("884541351600000", 884541351600000), ("1000.7", 1_000)],
)
def test_a_deadline_far_away_is_carried(shelf: Shelf, score: str, wanted: int) -> None:
    shelf.put("active", 1, score=float(score))
    assert shelf.run(page(shelf.keys, "active")).jobs[0].deadline_ms == wanted


def test_pending_lists_the_flat_set_then_lane_by_lane(shelf: Shelf) -> None:
    shelf.put("pending", 7, 8, 9)
    shelf.put("pending", 4, 5, 6, group=group_id(1))
    shelf.put("pending", 1, 2, 3, group=group_id(2))
    reading = shelf.run(page(shelf.keys, "pending"))
    assert numbers(reading) == [7, 8, 9, 4, 5, 6, 1, 2, 3]
    lanes = [None] * 3 + [group_id(1).encode()] * 3 + [group_id(2).encode()] * 3
    assert [job.group for job in reading.jobs] == lanes
    assert (reading.total, reading.start, reading.next) == (9, 0, None)
    assert {job.odd for job in reading.jobs} == {()}


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 8, 9, 10])
def test_pages_of_pending_join_without_gap_or_repeat(shelf: Shelf, limit: int) -> None:
    shelf.put("pending", 1, 2, 3)
    for lane in range(12):
        shelf.put("pending", *range(10 + 10 * lane, 10 + 10 * lane + lane % 3), group=group_id(lane))
    pages = walk(shelf, "pending", limit)
    flat = [1, 2, 3] + [10 * lane + 10 + at for lane in range(12) for at in range(lane % 3)]
    assert [number for part in pages for number in part] == flat
    assert {len(part) for part in pages[:-1]} <= {limit}


@pytest.mark.parametrize(
    ("start", "wanted"), [(0, [1, 2, 3, 4]), (2, [3, 4, 5, 6]), (3, [4, 5, 6, 7]), (5, [6, 7, 8]), (8, []), (99, [])]
)
def test_a_rank_counts_through_the_lanes(shelf: Shelf, start: int, wanted: list[int]) -> None:
    shelf.put("pending", 1, 2)
    shelf.put("pending", 3, 4, group=group_id(1))
    shelf.put("pending", 5, 6, 7, 8, group=group_id(2))
    reading = shelf.run(page(shelf.keys, "pending", start=start, limit=4))
    assert numbers(reading) == wanted
    assert (reading.start, reading.total) == (min(start, 8), 8)


def test_one_lane_alone(shelf: Shelf) -> None:
    shelf.put("pending", 1)
    shelf.put("pending", 3, 4, 5, group=group_id(1))
    assert walk(shelf, "pending", 2, lane=group_id(1)) == [[3, 4], [5]]
    assert shelf.run(page(shelf.keys, "pending", lane=group_id(9))).total == 0


@pytest.mark.parametrize("book", ["ring", "paused", "gactive", "glimit", "gweight", "swept", "known"])
def test_a_lane_is_found_by_any_trace(shelf: Shelf, book: str) -> None:
    shelf.put("pending", 1, group=group_id(1))
    part, group = shelf.keys.part, group_id(1)
    if book == "known":
        for number in range(600):
            shelf.hand("SET", f"filler:{number}", "")
    if book != "ring":
        shelf.hand("DEL", part("ring"))
    if book == "paused":
        shelf.hand("SADD", part("paused"), group)
    elif book.startswith("g"):
        shelf.hand("HSET", part(book), group, 5)
    known = [group.encode()] if book == "known" else []
    assert shelf.run(page(shelf.keys, "pending", known_groups=known)).total == 1


def test_a_page_does_not_slide_when_rows_before_it_vanish(shelf: Shelf) -> None:
    shelf.put("dead", *range(20))
    first = shelf.run(page(shelf.keys, "dead", limit=5))
    for number in (0, 1, 2):
        shelf.hand("ZREM", shelf.keys.dead, job_id(number))
    second = shelf.run(page(shelf.keys, "dead", limit=5, after=first.next))
    assert numbers(second) == [5, 6, 7, 8, 9]
    assert (second.start, second.total) == (2, 17)


@pytest.mark.parametrize("location", ["pending", "active", "schedule", "dead"])
@pytest.mark.parametrize("vanished", [[4], [3, 4], [0, 1, 2, 3, 4], [4, 5]])
def test_no_row_is_passed_over_when_the_anchor_itself_vanishes(
    shelf: Shelf, location: str, vanished: list[int]
) -> None:
    for number in range(20):
        shelf.put(location, number, score=1_000 + number if location in {"active", "schedule"} else 0)
    first = shelf.run(page(shelf.keys, location, limit=5))
    for number in vanished:
        shelf.hand("ZREM", shelf.keys.part(location), job_id(number))
    second = shelf.run(page(shelf.keys, location, limit=5, after=first.next))
    assert numbers(second) == [number for number in range(5, 20) if number not in vanished][:5]


def test_an_anchor_whose_lease_was_renewed_does_not_carry_the_page_along(shelf: Shelf) -> None:
    for number in range(20):
        shelf.put("active", number, score=1_000 + number)
    first = shelf.run(page(shelf.keys, "active", limit=5))
    shelf.hand("ZADD", shelf.keys.active, 9_000, job_id(4))
    assert numbers(shelf.run(page(shelf.keys, "active", limit=5, after=first.next))) == [5, 6, 7, 8, 9]


def test_a_cursor_in_a_lane_that_emptied_goes_on_behind_it(shelf: Shelf) -> None:
    for lane in (1, 2, 3):
        shelf.put("pending", 10 * lane, 10 * lane + 1, group=group_id(lane))
    first = shelf.run(page(shelf.keys, "pending", limit=3))
    shelf.hand("DEL", shelf.keys.lane(group_id(2)), shelf.keys.part("ring"))
    assert numbers(shelf.run(page(shelf.keys, "pending", limit=9, after=first.next))) == [30, 31]


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_held_rows_are_found_among_all_rows(shelf: Shelf, limit: int) -> None:
    shelf.put("pending", *range(300))
    for number in range(500, 525):
        shelf.row(number, state="awaiting_children")
    shelf.hand("HSET", shelf.keys.base + b"job:odd", "state", "awaiting_children")
    Shelf(shelf.hand, "order?").row(900, state="awaiting_children")
    pages = walk(shelf, "held", limit)
    assert sorted(number for part in pages for number in part) == list(range(500, 525))
    assert max(map(len, pages)) <= limit


def test_a_short_held_page_counts_all_that_was_met(shelf: Shelf) -> None:
    for number in range(1, 6):
        shelf.row(number, state="awaiting_children")
    reading = shelf.run(page(shelf.keys, "held", limit=2))
    assert (reading.total, len(reading.jobs)) == (5, 2)
    following = shelf.run(page(shelf.keys, "held", limit=2, after=reading.next))
    assert (following.total, following.start, len(following.jobs)) == (5, 2, 2)


def test_held_pages_end_before_the_scan_grows_long(shelf: Shelf) -> None:
    for at in range(0, 30_000, 1_000):
        shelf.hand("MSET", *(part for number in range(at, at + 1_000) for part in (f"filler:{number}", "")))
    trips, _, reading = shelf.trips(page(shelf.keys, "held"))
    assert trips == 80
    assert (reading.jobs, reading.total, reading.next is None) == ((), 0, False)
    assert shelf.run(page(shelf.keys, "held", after=reading.next)).next is None


def test_done_jobs_have_no_row(shelf: Shelf) -> None:
    reading = shelf.run(page(shelf.keys, "done"))
    assert (reading.total, reading.jobs, reading.next) == (0, (), None)
    assert abs(reading.at_ms - int(shelf.hand("TIME")[0]) * 1_000) < 2_000  # type: ignore[index,arg-type]


def odd_of(shelf: Shelf, location: str) -> tuple[str, ...]:
    (job,) = shelf.run(page(shelf.keys, location)).jobs
    return job.odd


@pytest.mark.parametrize("location", ["pending", "active", "schedule", "dead"])
def test_what_is_odd(shelf: Shelf, location: str) -> None:
    keys, member = shelf.keys, job_id(1)
    row = keys.row(member)
    shelf.put(location, 1)
    assert odd_of(shelf, location) == ()
    shelf.hand("HSET", row, "payload", "")
    assert odd_of(shelf, location) == ()
    shelf.hand("HDEL", row, "payload")
    assert odd_of(shelf, location) == ("no-payload",)
    shelf.hand("HSET", row, "state", "awaiting_children", "payload", "x")
    assert odd_of(shelf, location) == ("state-differs",)
    shelf.hand("HDEL", row, "state")
    assert odd_of(shelf, location) == ("state-differs",)
    other = "dead" if location != "dead" else "active"
    shelf.hand("ZADD", keys.part(other), 5, member)
    shelf.hand("DEL", row)
    assert odd_of(shelf, location) == ("no-row", "second-location")


def test_a_second_place_in_a_lane_is_seen_from_every_set(shelf: Shelf) -> None:
    for location in ("pending", "active", "schedule", "dead"):
        shelf.hand("FLUSHALL")
        shelf.put(location, 1, group=None)
        shelf.hand("HSET", shelf.keys.row(job_id(1)), "group", group_id(1))
        assert odd_of(shelf, location) == ()
        shelf.hand("ZADD", shelf.keys.lane(group_id(1)), 0, job_id(1))
        odds = [job.odd for job in shelf.run(page(shelf.keys, location, limit=1)).jobs]
        assert odds == [("second-location",)]


def test_a_job_in_a_lane_that_its_row_does_not_name(shelf: Shelf) -> None:
    shelf.put("pending", 1, group=group_id(1))
    shelf.hand("HSET", shelf.keys.row(job_id(1)), "group", group_id(2))
    (job,) = shelf.run(page(shelf.keys, "pending")).jobs
    assert (job.group, job.odd) == (group_id(1).encode(), ("state-differs",))
    shelf.hand("ZADD", shelf.keys.lane(group_id(2)), 0, job_id(1))
    (job,) = shelf.run(page(shelf.keys, "pending", lane=group_id(1))).jobs
    assert job.odd == ("state-differs", "second-location")


@pytest.mark.parametrize(
    ("member", "wanted"),
    [(b"\xff\xfe", None), (b"", None), (b"a:b c\n", None), (b"USR0KHTOWnGLuC", 1_769_526_697_641)],
)
def test_foreign_members_are_shown_as_they_stand(shelf: Shelf, member: bytes, wanted: int | None) -> None:
    shelf.hand("ZADD", shelf.keys.dead, 0, member)
    (job,) = shelf.run(page(shelf.keys, "dead")).jobs
    assert (job.id, job.minted_ms, job.state, job.payload_bytes, job.odd) == (member, wanted, None, None, ("no-row",))


def test_rows_of_another_type_and_numbers_that_are_none(shelf: Shelf) -> None:
    shelf.put("pending", 1, attempts="many", payload="x")
    shelf.hand("ZADD", shelf.keys.pending, 0, job_id(2))
    shelf.hand("SET", shelf.keys.row(job_id(2)), "a string")
    first, second = shelf.run(page(shelf.keys, "pending")).jobs
    assert (first.attempts, first.odd) == (None, ())
    assert (second.state, second.odd) == (None, ("no-payload", "state-differs"))


@pytest.mark.parametrize("location", ["pending", "active", "schedule", "dead"])
def test_a_location_of_the_wrong_type_is_said_in_the_servers_words(shelf: Shelf, location: str) -> None:
    shelf.hand("SET", shelf.keys.part(location), "x")
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        shelf.run(page(shelf.keys, location))


def test_another_set_of_the_wrong_type_harms_nothing(shelf: Shelf) -> None:
    shelf.put("pending", 1)
    for name in ("dead", "ring", "paused", "gactive", "glimit", "gweight"):
        shelf.hand("SET", shelf.keys.part(name), "x")
    assert numbers(shelf.run(page(shelf.keys, "pending"))) == [1]


def test_a_bad_cursor_or_lane_is_refused_before_anything_is_sent(shelf: Shelf) -> None:
    with pytest.raises(BadCursor):
        next(page(shelf.keys, "dead", after="nonsense"))
    with pytest.raises(BadId):
        next(page(shelf.keys, "pending", lane="nonsense"))


def test_a_name_full_of_pattern_signs_is_no_pattern(valkey: Hand) -> None:
    odd, plain = Shelf(valkey, "o[a]*?\\"), Shelf(valkey, "oaXY")
    odd.put("pending", 1, group=group_id(1))
    odd.hand("DEL", odd.keys.part("ring"))
    plain.put("pending", 2, group=group_id(2))
    assert numbers(odd.run(page(odd.keys, "pending"))) == [1]


LARGE = b"x" * 5_000_000


def test_a_page_of_large_payloads_moves_none_of_them(shelf: Shelf) -> None:
    shelf.put("dead", *range(10), payload=LARGE)
    trips, received, reading = shelf.trips(page(shelf.keys, "dead"))
    assert trips == 2
    assert received < 10 * 100
    assert {job.payload_bytes for job in reading.jobs} == {len(LARGE)}


@pytest.mark.parametrize(("size", "moved"), [(65_536, True), (65_537, False)])
def test_payloads_are_brought_up_to_64_kb_when_asked_for(shelf: Shelf, size: int, moved: bool) -> None:
    shelf.put("dead", 1, payload=b"x" * size)
    trips, received, reading = shelf.trips(page(shelf.keys, "dead", payload_bytes=256))
    assert (trips, received >= size) == (3 if moved else 2, moved)
    assert reading.jobs[0].payload == (b"x" * 256 if moved else None)


@pytest.mark.parametrize("location", ["pending", "active", "schedule", "dead"])
def test_a_page_deep_in_a_set_takes_two_round_trips(shelf: Shelf, location: str) -> None:
    shelf.put(location, *range(300))
    first = shelf.run(page(shelf.keys, location, start=100, limit=100))
    trips, _, reading = shelf.trips(page(shelf.keys, location, limit=100, after=first.next))
    assert (trips, numbers(reading)) == (2, list(range(200, 300)))


def test_rows_that_name_a_lane_take_one_trip_more(shelf: Shelf) -> None:
    shelf.put("dead", *range(3), group=group_id(1))
    assert shelf.trips(page(shelf.keys, "dead"))[0] == 3


def test_pages_within_a_lane_take_two_trips_and_across_lanes_three(shelf: Shelf) -> None:
    for lane in range(5):
        shelf.put("pending", *range(10 * lane, 10 * lane + 10), group=group_id(lane))
    first = shelf.trips(page(shelf.keys, "pending", limit=5))
    within = shelf.trips(page(shelf.keys, "pending", limit=5, after=first[2].next))
    across = shelf.trips(page(shelf.keys, "pending", limit=20))
    assert (first[0], within[0], across[0]) == (3, 2, 3)
    assert numbers(within[2]) == [5, 6, 7, 8, 9]


def test_both_protocols_say_the_same(shelf: Shelf) -> None:
    for location in ("pending", "active", "schedule", "dead"):
        shelf.put(location, 1, 2, score=1_500, group=group_id(1))
    shelf.hand("HSET", shelf.keys.part("glimit"), group_id(1), 4)
    shelf.hand("SADD", shelf.keys.part("paused"), group_id(2))

    def look() -> list[object]:
        pages = [shelf.run(page(shelf.keys, place, payload_bytes=9)) for place in ("pending", "active", "dead")]
        job = shelf.run(detail(shelf.keys, job_id(1)))
        assert job is not None
        return [[reading.jobs for reading in pages], job.job, job.fields, job.location, shelf.run(lanes(shelf.keys))]

    before = look()
    shelf.hand("HELLO", 3)
    assert look() == before
