"""What acts on BullMQ jobs leave alone: jobs that are not what they seem, paused queues, families, unknown layouts."""

import json
from collections.abc import Callable

import pytest

from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.bullmq import operator
from emqtop.wire.bullmq.places import ALL
from emqtop.wire.resp import ReplyError
from tests.conftest import Hand
from tests.wire.bullmq.acting import Acting, act, dead, reasons
from tests.wire.bullmq.writing import Bull, Seen


@pytest.mark.parametrize("location", ["pending", "active", "schedule", "dead", "held", "done"])
@pytest.mark.parametrize(
    "verb",
    [operator.reap, operator.promote, operator.requeue, operator.rerun, operator.remove, dead],
    ids=lambda verb: verb.__name__,
)
def test_ghosts_doubles_and_orphans_are_never_moved(six: Bull, verb: Acting, location: str) -> None:
    part = next(place for place in ALL if place.location == location)
    put = ("LPUSH",) if part.is_list else ("ZADD",)
    for job in ("ghost", "double", "bare"):
        six.put(*put, part.part, *(() if part.is_list else (9,)), job)
    six.row("double")
    other = "completed" if location != "done" else "failed"
    six.put("ZADD", other, 1, "double")
    six.put("HSET", "bare", "name", "x")
    six.row("orphan")
    six.put("LPUSH", "wait", *(("wait",) if location == "pending" else ()), "x")
    jobs = [Seen(job, location) for job in ("ghost", "double", "bare", "orphan", "none")]
    before = {job: six.places(job) for job in ("ghost", "double", "bare", "orphan", "none")}
    assert reasons(six, verb, *jobs) == ["no-row", "second-location", "no-payload", "state-differs", "gone"]
    assert {job: six.places(job) for job in before} == before
    assert six.put("EXISTS", "ghost") == 0


def test_a_long_backlog_is_searched_for_no_job_that_lies_elsewhere(six: Bull) -> None:
    for at in range(30):
        six.put("LPUSH", "wait", *(f"w{at}-{number}" for number in range(1000)))
    six.active("1")
    six.failed("2")
    six.row("w15-500")
    six.valkey("CONFIG", "RESETSTAT")
    assert reasons(six, operator.reap, Seen("1", "active")) == ["done"]
    assert reasons(six, operator.requeue, Seen("2", "dead")) == ["done"]
    searched = str(six.valkey("INFO", "commandstats")).split("cmdstat_lpos:calls=")[1].split(",")[0]
    # Both in active, and the reap once more in its transaction.
    assert searched == "3"
    assert reasons(six, operator.remove, Seen("w15-500", "pending")) == ["done"]
    assert six.put("LLEN", "wait") == 30_001


def test_an_id_that_is_a_key_of_the_queue_has_no_row(six: Bull) -> None:
    six.put("LPUSH", "wait", "wait")
    assert reasons(six, operator.remove, Seen("wait", "pending")) == ["no-row"]
    assert six.put("LRANGE", "wait", 0, -1) == [b"wait"]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("events", "events is no stream"),
        ("marker", "marker is no sorted set"),
        ("repeat", "repeat is no sorted set"),
        ("pc", "pc is no string"),
        ("limiter", "limiter is no string"),
        ("stalled", "stalled is no set"),
        ("de:d", "its deduplication"),
        ("{}:lock", "its lock"),
        ("{}:dependencies", "its dependencies"),
        ("{}:unsuccessful", "its unsuccessful"),
        ("p:dependencies", "its parent's dependencies"),
    ],
)
def test_nothing_moves_where_a_script_would_stop_half_way(bull: Bull, part: str, said: str) -> None:
    parent = {"parentKey": "bull:mail:p", "parent": json.dumps({"id": "p", "queueKey": "bull:mail"}), "deid": "d"}
    bull.active("1", **parent)
    bull.delayed("2", **parent)
    bull.failed("3", **parent)
    bull.prioritized("4", 2)
    bull.put("HSET", "4", *(word for pair in parent.items() for word in pair))
    seen = {job: Seen(job, at) for job, at in zip("1234", ("active", "schedule", "dead", "pending"), strict=True)}
    acts: list[tuple[Acting, str]] = [(operator.reap, "1"), (operator.promote, "2"), (operator.requeue, "3")]
    acts += [(verb, job) for verb in (dead, operator.remove) for job in "14"]
    for verb, job in acts:
        odd = part.format(job)
        bull.put("DEL", odd)
        bull.put("HSET", odd, "f", "v")
        ((reason, _, note),) = act(bull, verb, seen[job])
        assert (reason, note.startswith((said, "this layout is read-only: " + said))) == ("not-supported", True), note
        assert len(bull.places(job)) == 1
        bull.put("DEL", odd)


ODD_NUMBERS = [
    ("meta", "concurrency", "x", "concurrency of the queue is no number"),
    ("meta", "opts.maxLenEvents", "", "maxLenEvents of the queue is no number"),
    ("pc", "", "x", "pc of the queue is no number"),
    ("pc", "", "9223372036854775807", "pc of the queue is no number"),
    ("1", "atm", "x", "atm of its row is no number"),
    ("1", "ats", "1.5", "ats of its row is no number"),
    ("1", "parent", "{", "what its row tells of its parent cannot be read"),
    ("1", "parent", "[]", "what its row tells of its parent cannot be read"),
    ("1", "parentKey", "x", "what its row tells of its parent cannot be read"),
]


@pytest.mark.parametrize(("part", "field", "value", "said"), ODD_NUMBERS)
@pytest.mark.parametrize("location", ["pending", "active", "schedule", "dead"])
def test_nothing_moves_where_a_script_would_count_in_vain(
    bull: Bull, location: str, part: str, field: str, value: str, said: str
) -> None:
    put = {"pending": bull.waiting, "active": bull.active, "schedule": bull.delayed, "dead": bull.failed}
    put[location]("1")
    bull.put(*(("HSET", part, field) if field else ("SET", part)), value)
    before = bull.places("1")
    fits = {"active": operator.reap, "schedule": operator.promote, "dead": operator.requeue, "pending": dead}
    for verb in (fits[location], operator.remove):
        assert act(bull, verb, Seen("1", location)) == [("not-supported", "", said)]
    assert bull.places("1") == before
    if part == "meta" and field == "concurrency":
        assert bull.ask(operator.set_concurrency(bull.keys, 3)) is True
        assert reasons(bull, operator.remove, Seen("1", location)) == ["done"]


def test_what_moved_on_is_left_where_it_is(bull: Bull) -> None:
    bull.failed("1")
    bull.waiting("2")
    bull.failed("3", atm=2)
    verdicts = act(bull, operator.remove, Seen("1", "active"), Seen("2", "dead"), Seen("3", "dead", attempts=1))
    assert verdicts == [("moved", "location", "dead"), ("moved", "location", "pending"), ("moved", "token", "2")]
    assert act(bull, operator.requeue, Seen("2", "dead")) == [("not-dead", "location", "pending")]
    assert [bull.places(job) for job in "123"] == [["failed"], ["wait"], ["failed"]]


def test_the_next_run_of_a_scheduler_is_guarded(bull: Bull) -> None:
    run = "repeat:night:ly:1795962010674"
    bull.delayed(run, due_ms=1795962010674, rjk="night:ly")
    bull.put("ZADD", "repeat", 1795962010674, "night:ly")
    seen = Seen(run, "schedule")
    assert reasons(bull, operator.remove, seen) == ["scheduler"]
    assert reasons(bull, dead, seen) == ["scheduler"]
    assert bull.places(run) == ["delayed"]
    assert reasons(bull, operator.promote, seen, early=True) == ["done"]


def test_families_are_guarded(bull: Bull) -> None:
    bull.row("p")
    bull.put("ZADD", "waiting-children", 1, "p")
    for child in ("a", "b"):
        parent = json.dumps({"id": "p", "queueKey": "bull:mail"})
        bull.failed(child, parent=parent, parentKey="bull:mail:p")
        bull.put("SADD", "p:dependencies", bull.keys.row(child.encode()))
    assert act(bull, operator.remove, Seen("p", "held")) == [("flow-parent", "children", "2")]
    assert act(bull, operator.promote, Seen("p", "held"), early=True) == [("flow-parent", "children", "2")]
    assert reasons(bull, operator.remove, Seen("a", "dead")) == ["done"]
    assert reasons(bull, operator.remove, Seen("b", "dead")) == ["flow-child"]
    assert (bull.places("p"), bull.places("b")) == (["waiting-children"], ["failed"])


@pytest.mark.parametrize("version", ["5.81.5", None])
def test_nothing_is_pushed_to_wait_of_a_paused_queue_of_layout_5(valkey: Hand, version: str | None) -> None:
    bull = Bull(valkey, version=version)
    bull.put("HSET", "meta", "paused", "1")
    bull.put("LPUSH", "paused", "w")
    bull.active("a")
    bull.failed("f")
    bull.delayed("d")
    assert reasons(bull, operator.reap, Seen("a", "active")) == ["paused"]
    assert reasons(bull, operator.requeue, Seen("f", "dead")) == ["paused"]
    assert reasons(bull, operator.promote, Seen("d", "schedule"), early=True) == ["paused"]
    assert bull.put("EXISTS", "wait") == 0
    assert [bull.places(job) for job in "afd"] == [["active"], ["failed"], ["delayed"]]


def test_a_paused_queue_of_layout_6_takes_jobs_and_wakes_nobody(six: Bull) -> None:
    six.put("HSET", "meta", "paused", "1")
    six.active("a", priority=2)
    six.failed("f")
    assert reasons(six, operator.reap, Seen("a", "active")) == ["done"]
    assert reasons(six, operator.requeue, Seen("f", "dead")) == ["done"]
    assert (six.places("a"), six.places("f")) == (["prioritized"], ["wait"])
    assert six.put("EXISTS", "marker") == 0
    assert six.put("HEXISTS", "meta", "paused") == 1


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (("HSET", "meta", "version", "bullmq:4.18.0"), "4"),
        (("HSET", "meta", "version", "bullmq-pro:7.1.0"), "bullmq-pro"),
        (("LPUSH", "wait", "0:0"), "marks"),
        (("ZADD", "active", 1, "x"), "no list"),
    ],
)
def test_what_cannot_be_told_is_only_looked_at(valkey: Hand, write: tuple[str | int, ...], words: str) -> None:
    bull = Bull(valkey)
    bull.failed("1")
    bull.put(*write)  # type: ignore[arg-type]
    ((reason, _, note),) = act(bull, operator.requeue, Seen("1", "dead"))
    assert reason == "not-supported"
    assert words in note
    assert bull.put("ZRANGE", "failed", 0, -1) == [b"1"]


WITHHELD = ["hget", "hset", "hdel", "hincrby", "zadd", "zrem", "lpush", "rpush", "lrem", "xadd", "incr", "srem", "llen"]


@pytest.mark.parametrize("right", WITHHELD)
def test_nothing_moves_where_a_script_would_be_refused_half_way(
    valkey: Hand, login: Callable[..., str], right: str
) -> None:
    bull = Bull(valkey, version="5.81.5")
    bull.active("1")
    bull.delayed("2")
    bull.failed("3", deid="d")
    bull.waiting("4", "5")
    link = BareLink(parse_address(login("~*", "+@all", f"-{right}")), 5.0)
    refused = []
    acts: list[tuple[Acting, str, str]] = [(operator.reap, "1", "active"), (operator.promote, "2", "schedule")]
    acts += [(operator.requeue, "3", "dead"), (dead, "1", "active"), (dead, "4", "pending")]
    acts += [(operator.remove, "5", "pending")]
    for verb, job, location in acts:
        before = bull.places(job), valkey("DUMP", bull.keys.row(job.encode()))
        try:
            link.run(verb(bull.keys, [Seen(job, location)]))
        except ReplyError as error:
            refused.append(str(error).lower())
            assert (bull.places(job), valkey("DUMP", bull.keys.row(job.encode()))) == before
    link.close()
    assert [error for error in refused if not (error.startswith("noperm") and right in error)] == []
    assert refused
    assert [job for job in "1234" if not bull.places(job)] == []
