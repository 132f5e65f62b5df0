"""Pages of BullMQ jobs: order, cursors, leases, and what is wrong with a job."""

import pytest

from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.reads import page
from emqtop.wire.cursor import BadCursor
from emqtop.wire.readings import PageReading
from emqtop.wire.resp import ReplyError
from tests.conftest import Hand

KEYS = QueueKeys("bull", "mail")


class Bull:
    """Writes a queue's keys as the library does."""

    def __init__(self, valkey: Hand) -> None:
        self.valkey = valkey

    def row(self, job: str | bytes, **fields: bytes | str | int) -> None:
        raw = job if isinstance(job, bytes) else job.encode()
        flat = [
            part
            for name, value in ({"name": "n", "data": "{}", "timestamp": 7} | fields).items()
            for part in (name, value)
        ]
        self.valkey("HSET", KEYS.row(raw), *flat)

    def put(self, verb: str, part: str, *args: bytes | str | int) -> None:
        self.valkey(verb, KEYS.part(part), *args)

    def page(self, location: str, **options: object) -> PageReading:
        return self.valkey.link.run(page(KEYS, location, **options))  # type: ignore[arg-type]


@pytest.fixture
def bull(valkey: Hand) -> Bull:
    return Bull(valkey)


def ids(reading: PageReading) -> list[bytes]:
    return [job.id for job in reading.jobs]


def test_pending_is_listed_as_it_is_served(bull: Bull) -> None:
    bull.put("LPUSH", "wait", "1", "2", "3")
    bull.put("RPUSH", "wait", "lifo")
    bull.put("ZADD", "prioritized", 5 * 2**32 + 1, "p5", 2 * 2**32 + 2, "p2")
    bull.put("LPUSH", "paused", "left", "over")
    assert ids(bull.page("pending")) == [b"lifo", b"1", b"2", b"3", b"p2", b"p5", b"left", b"over"]
    bull.put("HSET", "meta", "paused", "1")
    assert ids(bull.page("pending")) == [b"left", b"over", b"lifo", b"1", b"2", b"3", b"p2", b"p5"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_cursors_walk_all_structures_once(bull: Bull, limit: int) -> None:
    bull.put("LPUSH", "wait", "1", "2", "3")
    bull.put("ZADD", "prioritized", 1, "p1", 2, "p2")
    bull.put("LPUSH", "paused", "x", "y")
    walked, after = [], None
    while True:
        reading = bull.page("pending", limit=limit, after=after)
        assert reading.total == 7
        walked += ids(reading)
        if (after := reading.next) is None:
            break
    assert walked == [b"1", b"2", b"3", b"p1", b"p2", b"x", b"y"]


def test_a_cursor_finds_its_place_although_jobs_were_served(bull: Bull) -> None:
    bull.put("LPUSH", "wait", *(str(n) for n in range(10)))
    first = bull.page("pending", limit=4)
    bull.put("RPOP", "wait", 2)
    assert ids(bull.page("pending", limit=2, after=first.next)) == [b"4", b"5"]


def test_a_cursor_whose_job_left_goes_on_with_the_next(bull: Bull) -> None:
    bull.put("ZADD", "failed", *(part for n in range(10) for part in (n, str(n))))
    first = bull.page("dead", limit=4)
    bull.put("ZREM", "failed", "3")
    assert ids(bull.page("dead", limit=2, after=first.next)) == [b"4", b"5"]


@pytest.mark.parametrize("start", [0, 2, 4, 9])
def test_a_page_can_start_at_a_rank(bull: Bull, start: int) -> None:
    bull.put("LPUSH", "wait", "0", "1", "2")
    bull.put("ZADD", "prioritized", 1, "3", 2, "4")
    reading = bull.page("pending", start=start, limit=2)
    assert reading.start == start
    assert ids(reading) == [b"0", b"1", b"2", b"3", b"4"][start : start + 2]


def test_running_jobs_stand_in_order_of_their_leases(bull: Bull) -> None:
    bull.put("LPUSH", "active", "late", "soon", "none", "ever")
    bull.put("SET", "late:lock", "a:1", "PX", 900_000)
    bull.put("SET", "soon:lock", "a:2", "PX", 100_000)
    bull.put("SET", "ever:lock", "a:3")
    reading = bull.page("active")
    assert ids(reading) == [b"none", b"soon", b"late", b"ever"]
    lapsed, soon, late, ever = [job.deadline_ms for job in reading.jobs]
    assert lapsed == reading.at_ms - 1
    assert 0 < soon - reading.at_ms <= 100_000 < late - reading.at_ms <= 900_000
    assert ever is None
    assert ids(bull.page("active", limit=2, after=bull.page("active", limit=1).next)) == [b"soon", b"late"]


def test_scheduled_jobs_tell_their_due_time(bull: Bull) -> None:
    bull.put("ZADD", "delayed", 7356260395732992, "b", 7356260395720705, "a")
    assert [(job.id, job.due_ms) for job in bull.page("schedule").jobs] == [
        (b"a", 1795962010674),
        (b"b", 1795962010677),
    ]


@pytest.mark.parametrize(
    ("fields", "attempts"),
    [({}, 0), ({"atm": 2}, 2), ({"attemptsMade": 3, "atm": 1}, 3), ({"ats": 4, "atm": "x"}, 0)],
)
def test_attempts_made(bull: Bull, fields: dict[str, str | int], attempts: int) -> None:
    bull.put("ZADD", "failed", 1, "1")
    bull.row("1", **fields)
    (job,) = bull.page("dead").jobs
    assert (job.attempts, job.minted_ms, job.state) == (attempts, 7, None)


ODD: dict[str, tuple[str, list[tuple[bytes | str | int, ...]], tuple[str, ...]]] = {
    "whole": ("dead", [("ZADD", "failed", 1, "1"), ("HSET", "1", "data", "{}")], ()),
    "no row": ("dead", [("ZADD", "failed", 1, "1")], ("no-row",)),
    "no payload": ("dead", [("ZADD", "failed", 1, "1"), ("HSET", "1", "name", "x")], ("no-payload",)),
    "a key of the queue": ("pending", [("LPUSH", "wait", "wait")], ("no-row",)),
    "failed and waiting": (
        "dead",
        [("ZADD", "failed", 1, "1"), ("LPUSH", "wait", "1"), ("HSET", "1", "data", "{}")],
        ("second-location",),
    ),
    "waiting and failed": (
        "pending",
        [("ZADD", "failed", 1, "1"), ("LPUSH", "wait", "1"), ("HSET", "1", "data", "{}")],
        ("second-location",),
    ),
    "running and completed": (
        "active",
        [("ZADD", "completed", 1, "1"), ("LPUSH", "active", "1")],
        ("no-row", "second-location"),
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_wrong_with_a_job(bull: Bull, case: str) -> None:
    location, writes, odd = ODD[case]
    for verb, part, *rest in writes:
        bull.put(str(verb), str(part), *rest)
    (job,) = bull.page(location).jobs
    assert job.odd == odd


def test_wake_up_marks_are_left_out(bull: Bull) -> None:
    bull.put("LPUSH", "wait", "1", "0:0", "0:real")
    bull.row("0:real")
    reading = bull.page("pending")
    assert ids(reading) == [b"1", b"0:real"]
    assert reading.total == 2


@pytest.mark.parametrize("job", [b"a:b:c", b"repeat:nightly:7", b"\xff\xfe", b"sp ace", b"{x}", "ünï".encode()])
def test_any_id_is_read(bull: Bull, job: bytes) -> None:
    bull.put("LPUSH", "wait", job)
    bull.row(job, data=b"\xff{")
    (found,) = bull.page("pending", payload_bytes=256).jobs
    assert (found.id, found.payload, found.payload_bytes, found.odd) == (job, b"\xff{", 2, ())


def test_large_values_stay_on_the_server(bull: Bull) -> None:
    bull.put("ZADD", "failed", 1, "1")
    bull.row("1", data="A" * 5_000_000, failedReason="E" * 100_000)
    plain, with_payload = bull.page("dead").jobs[0], bull.page("dead", payload_bytes=256).jobs[0]
    assert (plain.payload, plain.payload_bytes, plain.last_error) == (None, 5_000_000, b"E" * 4096)
    assert with_payload.payload == b"A" * 256


@pytest.mark.parametrize("text", ["", "x", "W10"])
def test_a_bad_cursor_is_refused(bull: Bull, text: str) -> None:
    with pytest.raises(BadCursor):
        bull.page("dead", after=text)


def test_a_key_of_a_wrong_type_is_the_servers_error(bull: Bull) -> None:
    bull.put("SET", "failed", "x")
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        bull.page("dead")
