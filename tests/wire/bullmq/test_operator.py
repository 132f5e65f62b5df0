"""Acts on BullMQ jobs: what moves, in which steps, and that nothing is ever in two places."""

import pytest

from emqtop.wire.bullmq import operator
from emqtop.wire.resp import ReplyError
from tests.conftest import Hand
from tests.wire.bullmq.acting import act, dead, reasons
from tests.wire.bullmq.writing import Bull, Seen


def test_reap_takes_back_what_no_lock_holds(bull: Bull) -> None:
    bull.active("1", atm=1, stc=0)
    bull.active("2", "worker:1")
    bull.put("SADD", "stalled", "1", "2")
    bull.waiting("3")
    (first, second) = act(bull, operator.reap, Seen("1", "active"), Seen("2", "active"))
    assert first == ("done", "", "")
    assert second[:2] == ("lease-live", "lease")
    assert 59_000 <= int(second[2]) <= 60_000
    assert (bull.places("1"), bull.places("2")) == (["wait"], ["active"])
    assert bull.put("LRANGE", "wait", -1, -1) == [b"1"]
    assert [bull.field("1", name) for name in ("atm", "ats", "stc")] == [b"1", b"1", b"0"]
    assert bull.put("SMEMBERS", "stalled") in ([b"2"], {b"2"})
    assert bull.put("EXISTS", "1:lock") == 0
    assert bull.put("GET", "2:lock") == b"worker:1"
    assert bull.put("ZRANGE", "marker", 0, -1) == [b"0"]
    assert bull.events()[-1] == {b"event": b"waiting", b"jobId": b"1", b"prev": b"active"}


def test_reap_of_a_prioritized_job_wakes_a_worker(bull: Bull) -> None:
    bull.active("1", priority=3)
    assert reasons(bull, operator.reap, Seen("1", "active")) == ["done"]
    assert bull.put("ZRANGE", "prioritized", 0, -1, "WITHSCORES") in (
        [b"1", b"%d" % (3 * 2**32)],
        [[b"1", 3.0 * 2**32]],
    )
    assert bull.put("ZRANGE", "marker", 0, -1) == [b"0"]


def test_a_forced_reap_takes_the_lock_from_its_holder(bull: Bull) -> None:
    bull.active("1", "worker:1")
    assert reasons(bull, operator.reap, Seen("1", "active"), force=True) == ["done"]
    assert bull.places("1") == ["wait"]
    assert bull.put("EXISTS", "1:lock") == 0


def test_a_lock_without_an_end_is_a_live_one(bull: Bull) -> None:
    bull.active("1")
    bull.put("SET", "1:lock", "foreign")
    assert act(bull, operator.reap, Seen("1", "active")) == [("lease-live", "lease", "")]


def test_a_lock_that_was_renewed_meanwhile_is_named_so(bull: Bull) -> None:
    bull.active("1", "worker:1")
    assert reasons(bull, operator.reap, Seen("1", "active", deadline_ms=1)) == ["renewed"]


def test_promote_keeps_the_priority(bull: Bull) -> None:
    bull.delayed("1")
    bull.delayed("2", priority=4)
    assert reasons(bull, operator.promote, Seen("1", "schedule"), Seen("2", "schedule"), early=True) == ["done"] * 2
    assert (bull.places("1"), bull.places("2")) == (["wait"], ["prioritized"])
    assert bull.field("1", "delay") == b"0"


def test_promote_takes_only_what_is_due_unless_told(bull: Bull) -> None:
    bull.delayed("1")
    bull.delayed("2", due_ms=5)
    (early, due) = act(bull, operator.promote, Seen("1", "schedule"), Seen("2", "schedule"))
    assert early[:2] == ("moved", "due")
    assert due[0] == "done"
    assert bull.places("1") == ["delayed"]


@pytest.mark.parametrize(("afresh", "attempts"), [(False, b"3"), (True, None)])
def test_requeue_keeps_attempts_or_starts_afresh(bull: Bull, afresh: bool, attempts: bytes | None) -> None:
    bull.failed("1", atm=3, ats=3, stacktrace='["x"]')
    assert reasons(bull, operator.requeue, Seen("1", "dead", attempts=3), afresh=afresh) == ["done"]
    assert bull.places("1") == ["wait"]
    assert [bull.field("1", name) for name in ("atm", "ats", "failedReason", "stacktrace")] == [
        attempts,
        attempts,
        None,
        b'["x"]',
    ]


def test_requeue_of_a_job_to_a_due_time_is_refused(bull: Bull) -> None:
    bull.failed("1")
    assert reasons(bull, operator.requeue, Seen("1", "dead"), due_ms=5) == ["not-supported"]
    assert bull.places("1") == ["failed"]


def test_a_completed_job_runs_again(bull: Bull) -> None:
    bull.row("1", returnvalue="1", atm=1, ats=1)
    bull.put("ZADD", "completed", 9, "1")
    assert reasons(bull, operator.rerun, Seen("1", "done")) == ["done"]
    assert (bull.places("1"), bull.field("1", "returnvalue")) == (["wait"], None)


def test_remove_deletes_everything_beside_the_row(bull: Bull) -> None:
    bull.failed("1", deid="d")
    bull.put("SET", "de:d", "1")
    bull.put("RPUSH", "1:logs", "x")
    assert reasons(bull, operator.remove, Seen("1", "dead")) == ["done"]
    assert bull.places("1") == []
    assert [bull.put("EXISTS", part) for part in ("1", "1:logs", "de:d")] == [0, 0, 0]


def test_remove_respects_a_live_lock_unless_forced(bull: Bull) -> None:
    bull.active("1", "worker:1")
    assert reasons(bull, operator.remove, Seen("1", "active")) == ["lease-live"]
    assert bull.places("1") == ["active"]
    assert reasons(bull, operator.remove, Seen("1", "active"), force=True) == ["done"]
    assert bull.put("EXISTS", "1") == 0


def test_dead_letter_of_a_lapsed_job(bull: Bull) -> None:
    bull.active("1", opts='{"attempts": 1, "removeOnFail": true}')
    assert reasons(bull, dead, Seen("1", "active")) == ["done"]
    assert bull.places("1") == ["failed"]
    assert [bull.field("1", name) for name in ("failedReason", "atm", "ats")] == [b"given up", b"1", b"1"]
    assert [event[b"event"] for event in bull.events()][-3:] == [b"failed", b"retries-exhausted", b"drained"]
    assert bull.put("EXISTS", "1:lock") == 0


def test_dead_letter_of_a_running_job_is_refused_and_names_its_worker(bull: Bull) -> None:
    bull.active("1", "0f3a:7", pb="mailer")
    for force in (False, True):
        ((reason, _, note),) = act(bull, dead, Seen("1", "active"), force=force)
        assert (reason, note) == ("lease-live", "worker mailer runs it and cannot be recalled; its lock has 60 s left")
    assert bull.places("1") == ["active"]
    assert bull.field("1", "failedReason") is None


def test_dead_letter_of_a_job_that_waits_leaves_the_others_in_their_order(bull: Bull) -> None:
    bull.waiting("1", "2", "3")
    bull.prioritized("p", 5)
    bull.prioritized("q", 5)
    bull.delayed("d", priority=2)
    seen = [Seen("2", "pending"), Seen("p", "pending"), Seen("d", "schedule")]
    assert reasons(bull, dead, *seen) == ["done"] * 3
    assert [bull.places(job) for job in ("2", "p", "d")] == [["failed"]] * 3
    assert bull.put("LRANGE", "wait", 0, -1) == [b"3", b"1"]
    assert bull.put("ZRANGE", "prioritized", 0, -1) == [b"q"]
    assert bull.put("LLEN", "active") == 0
    assert (bull.field("p", "priority"), bull.field("p", "failedReason")) == (b"5", b"given up")


@pytest.mark.parametrize(
    "write",
    [
        ("HSET", "meta", "paused", "1"),
        ("HSET", "meta", "concurrency", "2"),
        ("HSET", "meta", "max", "1", "duration", "1000"),
        ("SET", "limiter", "9", "PX", "60000"),
        ("LPUSH", "paused", "left-over"),
    ],
    ids=lambda write: write[1] + " " + write[2],
)
def test_what_cannot_be_claimed_now_fails_at_its_next_claim(bull: Bull, write: tuple[str, ...]) -> None:
    bull.waiting("1", "2")
    bull.delayed("d")
    bull.put(*write)
    assert reasons(bull, dead, Seen("1", "pending"), Seen("d", "schedule")) == ["deferred"] * 2
    assert (bull.places("1"), bull.places("d")) == (["wait"], ["delayed"])
    assert (bull.field("1", "defa"), bull.field("d", "defa")) == (b"given up",) * 2
    assert bull.put("EXISTS", "1:lock", bull.keys.sub(b"d", "lock")) == 0


def test_workers_that_do_not_know_deferred_failures_get_none(valkey: Hand) -> None:
    bull = Bull(valkey, version="5.40.0")
    bull.waiting("1")
    bull.put("HSET", "meta", "paused", "1")
    assert reasons(bull, dead, Seen("1", "pending")) == ["paused"]
    assert bull.field("1", "defa") is None


def test_extend_is_compare_and_set(bull: Bull) -> None:
    bull.active("1", "worker:1", 10_000)
    bull.active("2")
    bull.put("SADD", "stalled", "1")
    verdicts = act(
        bull, lambda keys, jobs: operator.extend(keys, jobs, 60_000), Seen("1", "active"), Seen("2", "active")
    )
    assert verdicts[0][:2] == ("done", "lease")
    assert verdicts[1] == ("not-supported", "", "no worker holds a lock on it")
    assert 60_000 < int(bull.put("PTTL", "1:lock")) <= 70_000  # type: ignore[arg-type]
    assert bull.put("GET", "1:lock") == b"worker:1"
    assert bull.put("EXISTS", "stalled") == 0


def test_the_token_that_opens_every_lock_is_never_sent(bull: Bull) -> None:
    bull.active("1", "0")
    before = bull.put("PTTL", "1:lock")
    assert reasons(bull, lambda keys, jobs: operator.extend(keys, jobs, 60_000), Seen("1", "active")) == [
        "not-supported"
    ]
    assert bull.put("PTTL", "1:lock") <= before  # type: ignore[operator]


def test_order_is_changed_by_priority(bull: Bull) -> None:
    bull.waiting("1", "2")
    bull.prioritized("p", 5)
    change = operator.change_priority
    assert reasons(bull, lambda k, j: change(k, j, 3), Seen("1", "pending")) == ["done"]
    assert reasons(bull, lambda k, j: change(k, j, 0, first=True), Seen("p", "pending")) == ["done"]
    assert bull.put("LRANGE", "wait", 0, -1) == [b"2", b"p"]
    assert bull.places("1") == ["prioritized"]
    with pytest.raises(ValueError, match="2097151"):
        bull.ask(change(bull.keys, [Seen("1", "pending")], 2**21))


def test_delay_counts_from_now(bull: Bull) -> None:
    bull.delayed("1")
    assert reasons(bull, lambda k, j: operator.change_delay(k, j, 60_000), Seen("1", "schedule")) == ["done"]
    seconds, _ = bull.valkey("TIME")  # type: ignore[misc]
    due = int(float(bull.put("ZSCORE", "delayed", "1"))) // 4096  # type: ignore[arg-type]
    assert abs(due - int(seconds) * 1000 - 60_000) < 5_000


def test_a_deduplication_id_is_freed(bull: Bull) -> None:
    bull.waiting("1")
    bull.put("HSET", "1", "deid", "d")
    bull.put("SET", "de:d", "1")
    assert reasons(bull, operator.free_deduplication, Seen("1", "pending")) == ["done"]
    assert bull.put("EXISTS", "de:d") == 0
    bull.put("SET", "de:d", "2")
    bull.waiting("2")
    for job, reason in (("1", "moved"), ("2", "not-supported")):
        (verdict,) = bull.ask(operator.free_deduplication(bull.keys, [Seen(job, "pending")]))
        assert (verdict.reason, "deduplication id" in verdict.note) == (reason, True)
    assert bull.put("GET", "de:d") == b"2"


def test_many_jobs_go_in_small_transactions(bull: Bull) -> None:
    jobs = [Seen(str(n), "dead") for n in range(operator.BATCH)]
    for job in jobs:
        bull.failed(job.id)
    assert reasons(bull, operator.requeue, *jobs) == ["done"] * operator.BATCH
    assert bull.put("LLEN", "wait") == operator.BATCH
    with pytest.raises(ValueError, match="100"):
        bull.ask(operator.requeue(bull.keys, [*jobs, jobs[0]]))


def test_a_change_between_look_and_act_stops_the_act(bull: Bull, server: object) -> None:
    bull.failed("1")
    bull.failed("2")
    other = Hand(bull.valkey.url)
    talk = operator.requeue(bull.keys, [Seen("1", "dead", attempts=1), Seen("2", "dead", attempts=1)])
    looked, interfered = 0, False

    def meddled():  # type: ignore[no-untyped-def]
        nonlocal looked, interfered
        ask = next(talk)
        try:
            while True:
                if b"MULTI" in ask.payload and not interfered:
                    interfered = True
                    other("HINCRBY", bull.keys.row(b"1"), "atm", 1)
                looked += b"$5\r\nWATCH" in ask.payload
                ask = talk.send((yield ask))
        except StopIteration as end:
            return end.value

    verdicts = bull.ask(meddled())
    other.link.close()
    assert [(v.reason, v.kind, v.note) for v in verdicts] == [("moved", "token", "2"), ("done", "", "")]
    assert (bull.places("1"), bull.places("2")) == (["failed"], ["wait"])
    assert looked == 3


def test_a_right_that_is_missing_is_the_servers_error(bull: Bull) -> None:
    bull.failed("1")
    bull.valkey("ACL", "SETUSER", "looker", "on", ">pw", "~*", "+@all", "-eval", "-evalsha")
    looker = Hand(bull.valkey.url)
    looker("AUTH", "looker", "pw")
    with pytest.raises(ReplyError, match="NOPERM"):
        looker.link.run(operator.requeue(bull.keys, [Seen("1", "dead")]))
    assert looker("PING") in {b"PONG", "PONG"}
    looker.link.close()
    bull.valkey("ACL", "DELUSER", "looker")
    assert bull.places("1") == ["failed"]


def test_foreseeing_says_the_same_and_writes_nothing(bull: Bull) -> None:
    bull.failed("1")
    bull.active("2", "w:1")
    bull.waiting("3")
    bull.put("HSET", "meta", "concurrency", "1")
    before = bull.valkey("DBSIZE"), bull.places("1"), bull.places("3")
    for verb, seen, reason in (
        ("requeue", Seen("1", "dead"), "done"),
        ("reap", Seen("2", "active"), "lease-live"),
        ("dead-letter", Seen("3", "pending"), "deferred"),
        ("remove", Seen("9", "dead"), "gone"),
    ):
        (verdict,) = bull.ask(operator.foresee(bull.keys, verb, [seen]))
        assert verdict.reason == reason
    assert (bull.valkey("DBSIZE"), bull.places("1"), bull.places("3")) == before
