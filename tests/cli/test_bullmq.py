"""The command line on queues of the BullMQ family."""

import pytest

from emqtop.cli.console import Exit
from tests.cli.conftest import Cli, Stock
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull


@pytest.fixture(params=[("bull", "mail", "5.81.5"), ("emq", "{emails}", "6.7.0")], ids=["5", "6"])
def bull(request: pytest.FixtureRequest, valkey: Hand) -> Bull:
    queue = Bull(valkey, *request.param)
    queue.waiting("1")
    queue.failed("f:a:b")
    queue.active("lapsed")
    queue.active("held", "0f3a:1")
    queue.delayed("d")
    queue.row("done", returnvalue="1")
    queue.put("ZADD", "completed", 9, "done")
    return queue


def test_ls_shows_it_beside_the_other_family(cli: Cli, bull: Bull, valkey: Hand) -> None:
    Stock(valkey)
    found = {(each["family"], each["prefix"], each["name"]): each for each in cli("ls", "--json").document["queues"]}
    assert ("echomq", "emq", "orders") in found
    read = found["bullmq", bull.keys.prefix, bull.keys.name]
    numbers = {name: read[name] for name in ("pending", "active", "schedule", "dead", "held", "completed", "overdue")}
    assert numbers == {
        "pending": 1,
        "active": 2,
        "schedule": 1,
        "dead": 1,
        "held": 0,
        "completed": 1,
        "overdue": 1,
    }
    assert (read["lanes"], read["due"], read["paused"], read["error"]) == (0, 0, False, None)
    assert -1000 < read["next_lease_ms"] < 0


@pytest.mark.parametrize(
    ("argv", "job", "place"),
    [
        (("reap",), "lapsed", "wait"),
        (("promote",), "d", "wait"),
        (("requeue",), "f:a:b", "wait"),
        (("dead-letter", "--reason", "no"), "1", "failed"),
        (("dead-letter", "--reason", "no"), "d", "failed"),
        (("dead-letter", "--reason", "no"), "lapsed", "failed"),
        (("rerun",), "done", "wait"),
        (("delay", "--to", "5m"), "d", "delayed"),
        (("prioritize", "--to", "3"), "1", "prioritized"),
        (("extend", "--by", "60s"), "held", "active"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else str(value),
)
def test_an_act_moves_one_job_and_says_so(cli: Cli, bull: Bull, argv: tuple[str, ...], job: str, place: str) -> None:
    verb, *options = argv
    before = bull.places(job)
    foreseen = cli(verb, bull.keys.name, job, *options, "--json", "--dry-run")
    assert (foreseen.document["matched"], foreseen.document["skipped"], bull.places(job)) == (1, [], before)
    ran = cli(verb, bull.keys.name, job, *options, "--json")
    assert (ran.code, ran.err) == (Exit.DONE, "")
    assert ran.document == {
        "verb": verb,
        "family": "bullmq",
        "queue": bull.keys.name,
        "matched": 1,
        "moved": 1,
        "deferred": [],
        "skipped": [],
        "unknown": [],
        "stopped": False,
    }
    assert bull.places(job) == [place]


def test_a_running_job_is_left_alone_and_says_why(cli: Cli, bull: Bull) -> None:
    for argv in (("reap",), ("remove",), ("dead-letter", "--reason", "x")):
        ran = cli(argv[0], bull.keys.name, "held", *argv[1:], "--json")
        assert (ran.code, [skip["reason"] for skip in ran.document["skipped"]]) == (Exit.FINDINGS, ["lease-live"])
    assert bull.places("held") == ["active"]


def test_what_fails_at_its_next_claim_is_deferred(cli: Cli, bull: Bull) -> None:
    assert cli("limit", bull.keys.name, "--jobs", "2", "--json").document["moved"] == 1
    assert cli("limit", bull.keys.name, "--jobs", "2", "--json").document["moved"] == 0
    ran = cli("dead-letter", bull.keys.name, "1", "--reason", "no", "--json")
    assert (ran.code, ran.document["moved"], ran.document["deferred"]) == (Exit.DONE, 0, ["1"])


def test_limits_of_a_queue(cli: Cli, bull: Bull) -> None:
    assert cli("rate", bull.keys.name, "--jobs", "10", "--per", "1s", "--json").document["moved"] == 1
    assert bull.put("HMGET", "meta", "max", "duration") == [b"10", b"1000"]
    assert cli("rate", bull.keys.name, "--none", "--json").document["moved"] == 1
    assert cli("wake", bull.keys.name, "--json").document["moved"] == 1
    for argv in (("rate", "--jobs", "3"), ("rate",), ("limit",), ("limit", "--jobs", "3", "--none")):
        assert cli(argv[0], bull.keys.name, *argv[1:]).code == Exit.USAGE


def test_a_series_is_ended(cli: Cli, bull: Bull) -> None:
    bull.put("ZADD", "repeat", 7, "night:ly")
    bull.put("HSET", "repeat:night:ly", "every", 60_000, "ic", 1)
    bull.delayed("repeat:night:ly:7", 7)
    told = [cli("unschedule", bull.keys.name, "night:ly", *more, "--json") for more in (("--dry-run",), (), ())]
    assert [(ran.code, ran.document["matched"], ran.document["moved"]) for ran in told] == [
        (Exit.DONE, 1, 0),
        (Exit.DONE, 1, 1),
        (Exit.DONE, 0, 0),
    ]
    assert bull.places("repeat:night:ly:7") == []
    assert cli("unschedule", bull.keys.name).code == Exit.USAGE


def test_acts_of_the_other_family_are_refused_in_words(cli: Cli, valkey: Hand, bull: Bull) -> None:
    stock = Stock(valkey)
    for argv in (("rerun",), ("free",), ("delay", "--to", "5m"), ("prioritize", "--to", "1")):
        ran = cli(argv[0], "orders", stock.dead, *argv[1:], "--json")
        assert (ran.code, [skip["reason"] for skip in ran.document["skipped"]]) == (Exit.FINDINGS, ["not-supported"])
    whole = cli("obliterate", bull.keys.name, "--yes", "--json")
    assert (whole.code, [skip["reason"] for skip in whole.document["skipped"]]) == (Exit.FINDINGS, ["not-supported"])
    for verb in ("pause", "drain"):
        assert cli(verb, bull.keys.name, "--lane", "GRP00000000000").code == Exit.USAGE


def test_requeue_of_every_dead_job(cli: Cli, bull: Bull) -> None:
    for number in range(30):
        bull.failed(f"more-{number}")
    ran = cli("requeue", bull.keys.name, "--all", "--yes", "--json")
    assert (ran.code, ran.document["moved"]) == (Exit.DONE, 31)
    assert bull.put("ZCARD", "failed") == 0


def test_one_job_whole(cli: Cli, bull: Bull) -> None:
    read = cli("job", bull.keys.name, "f:a:b", "--json").document
    assert (read["location"], read["state"], read["attempts"], read["last_error"]) == ("dead", None, 1, "boom")
    assert read["row"]["failedReason"] == "boom"
    assert "lock      none" in cli("job", bull.keys.name, "lapsed").out
    assert cli("job", bull.keys.name, "absent", "--json").code == Exit.FINDINGS
