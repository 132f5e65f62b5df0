"""Jobs that move between the looks of a page: nothing odd is said of them, and what is odd stays so."""

from collections.abc import Callable

import pytest

from emqtop.model.actions import Seen
from emqtop.model.queue import Location
from emqtop.wire.echomq.foresight import foresee
from emqtop.wire.echomq.locate import locate
from emqtop.wire.echomq.reads import detail, page
from emqtop.wire.moment import AT_ONCE, at_one_moment
from emqtop.wire.resp import Conversation, ReplyError, pack
from tests.conftest import Hand
from tests.wire.echomq.every_verb import Exchange, commands, recorded
from tests.wire.echomq.shelf import Shelf, T, group_id, job_id

JOB, LANE = job_id(1), group_id(1)


@pytest.fixture
def shelf(valkey: Hand) -> Shelf:
    return Shelf(valkey)


def while_moving(shelf: Shelf, talk: Conversation[T], moves: dict[int, Callable[[], None]]) -> tuple[T, int]:
    """The result of a conversation, and its writes; before the write of this number, from 1, something moves."""
    writes = 0
    try:
        ask = next(talk)
        while True:
            writes += 1
            moves.get(writes, lambda: None)()
            ask = talk.send(shelf.run(_passed_on(ask)))
    except StopIteration as end:
        return end.value, writes


def _passed_on(ask):  # type: ignore[no-untyped-def]
    return (yield ask)


def completed(shelf: Shelf, place: str) -> None:
    shelf.hand("ZREM", place, JOB)
    shelf.hand("DEL", shelf.keys.row(JOB))


def moved(shelf: Shelf, place: str, to: str) -> None:
    shelf.hand("ZREM", place, JOB)
    shelf.put(to, 1, score=7)


PLACES = ("pending", "lane", "active", "schedule", "dead")


@pytest.mark.parametrize(
    ("place", "to"), [(place, to) for place in PLACES for to in ("gone", *PLACES) if to not in {place, "lane"}]
)
def test_a_job_that_moves_on_is_not_odd(shelf: Shelf, place: str, to: str) -> None:
    key = shelf.keys.lane(LANE).decode() if place == "lane" else shelf.keys.part(place).decode()
    location = "pending" if place == "lane" else place
    shelf.put(location, 1, group=LANE if place == "lane" else None)
    quiet, writes = while_moving(shelf, page(shelf.keys, location), {})
    move = (lambda: completed(shelf, key)) if to == "gone" else (lambda: moved(shelf, key, to))
    torn, more = while_moving(shelf, page(shelf.keys, location), {writes: move})
    assert [(job.id, job.odd) for job in (*quiet.jobs, *torn.jobs)] == [(JOB.encode(), ())] * 2
    # Of a row that is gone it is asked first whether its payload is only empty.
    assert more == writes + (2 if to == "gone" else 1)


def test_a_job_that_moves_after_all_seemed_well_costs_nothing(shelf: Shelf) -> None:
    shelf.put("active", 1)
    reading, writes = while_moving(shelf, page(shelf.keys, "active"), {3: lambda: completed(shelf, "x")})
    assert ([job.odd for job in reading.jobs], writes) == ([()], 2)


def test_a_job_that_leaves_while_it_is_looked_at_again_is_not_odd(shelf: Shelf) -> None:
    shelf.put("active", 1)
    shelf.hand("HSET", shelf.keys.row(JOB), "state", "dead")
    key = shelf.keys.part("active").decode()
    for before, odd in ((9, ("state-differs",)), (3, ())):
        reading, writes = while_moving(shelf, page(shelf.keys, "active"), {before: lambda: moved(shelf, key, "dead")})
        assert ([job.odd for job in reading.jobs], writes) == ([odd], 3)


def test_what_is_odd_is_so_at_one_moment(shelf: Shelf) -> None:
    shelf.put("dead", 1, 2)
    shelf.hand("ZADD", shelf.keys.part("active"), 1, JOB)
    log: list[Exchange] = []
    reading = shelf.run(recorded(page(shelf.keys, "dead"), log))
    assert [job.odd for job in reading.jobs] == [("second-location",), ()]
    words = [command[0] for command in commands(log[-1].ask.payload)]
    assert (len(log), words[0], words[-1]) == (3, b"MULTI", b"EXEC")
    assert set(words[1:-1]) == {b"ZSCORE", b"HMGET", b"EXISTS", b"HEXISTS"}


def test_a_located_job_that_moves_is_not_odd(shelf: Shelf) -> None:
    shelf.put("active", 1)
    key = shelf.keys.part("active").decode()
    found, _ = while_moving(shelf, locate(shelf.keys, [JOB]), {3: lambda: moved(shelf, key, "dead")})
    assert [(place, line.odd) for place, line in found] == [("active", ())]


def test_a_job_that_is_claimed_while_its_detail_is_read_is_not_odd(shelf: Shelf) -> None:
    shelf.put("pending", 1, group=LANE)
    key = shelf.keys.lane(LANE).decode()
    whole, writes = while_moving(shelf, detail(shelf.keys, JOB), {})
    torn, more = while_moving(shelf, detail(shelf.keys, JOB), {2: lambda: moved(shelf, key, "active")})
    assert whole is not None
    assert torn is not None
    assert (whole.job.odd, torn.job.odd, more) == ((), (), writes + 1)


def test_nothing_odd_is_foreseen_of_a_job_that_is_claimed_meanwhile(shelf: Shelf) -> None:
    shelf.put("pending", 1, group=LANE)
    key, seen = shelf.keys.lane(LANE).decode(), [Seen(JOB, Location.PENDING)]
    moves = {2: lambda: moved(shelf, key, "active")}
    (quiet,), writes = while_moving(shelf, foresee(shelf.keys, "dead-letter", seen), {})
    (torn,), more = while_moving(shelf, foresee(shelf.keys, "dead-letter", seen), moves)
    assert (quiet.reason, torn.reason, torn.note, more) == ("done", "moved", "active", writes + 1)


def test_many_reads_of_a_moment_are_several_transactions_in_one_write(valkey: Hand) -> None:
    valkey("SET", "k", "v")
    log: list[Exchange] = []
    groups = [[pack("GET", "k"), pack("STRLEN", "k")]] * AT_ONCE
    answers = valkey.link.run(recorded(at_one_moment(groups, b"k"), log))
    assert answers == [[b"v", 1]] * AT_ONCE
    words = [command[0] for command in commands(log[0].ask.payload)]
    assert (len(log), words.count(b"MULTI"), words.count(b"EXEC")) == (1, 2, 2)
    assert valkey.link.run(at_one_moment([], b"k")) == []


def test_a_refused_read_ends_its_transaction_and_a_withheld_multi_leaves_a_pipeline() -> None:
    talk = at_one_moment([[pack("GET", "a")], [pack("GET", "b")]], b"a")
    next(talk)
    with pytest.raises(StopIteration) as end:
        talk.send([b"OK", b"QUEUED", ReplyError("NOPERM no"), ReplyError("EXECABORT dropped")])
    assert end.value.value == [None, None]
    talk = at_one_moment([[pack("GET", "a")], [pack("GET", "b")]], b"a")
    next(talk)
    with pytest.raises(StopIteration) as end:
        talk.send([ReplyError("NOPERM no"), b"1", b"2", ReplyError("NOPERM no")])
    assert end.value.value == [[b"1"], [b"2"]]
