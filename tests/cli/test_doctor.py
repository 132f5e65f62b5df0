"""`doctor` and `check` on a real server: what they say, and with which code."""

import time

import pytest

from emqtop.cli.console import Exit
from emqtop.wire.echomq import lanes, lifecycle
from tests.cli.conftest import Cli, Stock
from tests.conftest import Hand
from tests.servers.users import withheld


def kinds(document: dict[str, object]) -> dict[tuple[str, str | None], str | None]:
    """Findings by kind and lane, with the act that helps."""
    findings = document["findings"]
    assert isinstance(findings, list)
    return {(finding["kind"], finding["lane"]): finding["act"] for finding in findings}


def test_an_empty_server_is_well(cli: Cli) -> None:
    ran = cli("doctor", "--between", "10ms")
    assert (ran.code, ran.err) == (Exit.DONE, "")
    assert ran.out == "nothing is wrong, as far as two looks tell (queues: 0)\n"


def test_what_holds_a_queue_up_is_found_with_the_act_that_helps(cli: Cli, stock: Stock) -> None:
    valkey, keys = stock.valkey, stock.keys
    valkey("DEL", keys.active)
    valkey("ZADD", keys.active, 1, stock.overdue)
    valkey("ZADD", keys.schedule, 1, stock.schedule)
    valkey("LREM", keys.part("ring"), 0, stock.group)
    ran = cli("doctor", "--between", "10ms", "--json")
    assert (ran.code, ran.err) == (Exit.FINDINGS, "")
    assert kinds(ran.document) == {
        ("overdue", None): "emqtop reap orders",
        ("due", None): "emqtop promote orders",
        ("lane-left-out", stock.group): f"emqtop resume --lane {stock.group} orders",
    }
    plain = cli("doctor", "orders", "--between", "10ms").out.splitlines()
    assert plain[0].startswith("orders  overdue: 1 active past their lease, the first for ")
    assert plain[1] == "    emqtop reap orders"


@pytest.mark.parametrize("names", [(), ("orders",)], ids=["all", "named"])
def test_a_lane_that_no_book_names_is_found(cli: Cli, stock: Stock, names: tuple[str, ...]) -> None:
    stock.valkey("LREM", stock.keys.part("ring"), 0, stock.group)
    for at in range(0, 5_000, 1_000):
        stock.valkey("MSET", *(part for number in range(at, at + 1_000) for part in (f"filler:{number}", "")))
    found = kinds(cli("doctor", *names, "--between", "10ms", "--json").document)
    assert ("lane-left-out", stock.group) in found


def test_a_server_that_throws_keys_out_is_found_too(cli: Cli, stock: Stock) -> None:
    stock.valkey("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        ran, named = cli("doctor", "--between", "10ms", "--json"), cli("doctor", "orders", "--between", "10ms")
    finally:
        stock.valkey("CONFIG", "SET", "maxmemory-policy", "noeviction")
    (finding,) = ran.document["findings"]
    assert (ran.code, ran.err) == (Exit.FINDINGS, "")
    assert finding == {
        "family": None,
        "prefix": None,
        "queue": None,
        "lane": None,
        "kind": "evicts",
        "evidence": {},
        "says": "maxmemory-policy allkeys-lru: jobs vanish when memory is full, though no limit is set",
        "act": None,
    }
    assert named.out == f"(server)  evicts: {finding['says']}\n    (set maxmemory-policy to noeviction)\n"


def test_due_jobs_that_somebody_promotes_are_no_finding(
    cli: Cli, stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stock.valkey("ZADD", stock.keys.schedule, 1, stock.schedule)

    def promote(_seconds: float) -> None:
        stock.valkey("ZADD", stock.keys.schedule, 2, stock.schedule)

    monkeypatch.setattr(time, "sleep", promote)
    assert cli("doctor", "--between", "10ms", "--json").document == {"findings": []}


def test_a_lane_whose_counter_leaked_is_told_from_one_that_is_full(cli: Cli, stock: Stock) -> None:
    run, group = stock.valkey.link.run, stock.group
    run(lanes.limit_lane(stock.keys, group, 1))
    run(lanes.enqueue_grouped(stock.keys, group, stock.mint(), b""))
    claim = run(lanes.claim_lane(stock.keys, 60_000))
    assert claim is not None
    assert cli("doctor", "--between", "10ms", "--json").document == {"findings": []}
    stock.valkey("ZREM", stock.keys.active, claim.id)
    (finding,) = cli("doctor", "--between", "10ms", "--json").document["findings"]
    assert (finding["kind"], finding["lane"], finding["evidence"]) == (
        "lane-leaked",
        group,
        {"pending": 1, "counted": 1, "limit": 1, "leaked": 1},
    )
    assert cli(*finding["act"].split()[1:]).code == Exit.DONE
    assert cli("doctor", "--between", "10ms", "--json").document == {"findings": []}


@pytest.mark.parametrize("lane", [False, True], ids=["queue", "lane"])
def test_the_act_helps(cli: Cli, stock: Stock, lane: bool) -> None:
    if lane:
        stock.valkey("LREM", stock.keys.part("ring"), 0, stock.group)
    else:
        stock.pause()
    found = kinds(cli("doctor", "orders", "--between", "10ms", "--json").document)
    ((kind, _), act), *others = found.items()
    assert (kind, others) == ("lane-left-out" if lane else "paused", [])
    assert act is not None
    assert cli(*act.split()[1:]).code == Exit.DONE
    after = cli("doctor", "orders", "--between", "10ms", "--json")
    assert (after.code, after.document) == (Exit.DONE, {"findings": []})


def test_a_queue_that_is_not_named_is_not_spoken_of(cli: Cli, stock: Stock, valkey: Hand) -> None:
    stock.pause()
    quiet = Stock(valkey, "quiet")
    assert cli("doctor", "quiet", "--between", "10ms", "--json").document == {"findings": []}
    valkey.link.run(lifecycle.claim(quiet.keys, 60_000))
    assert cli("doctor", "nope", "--between", "10ms").code == Exit.USAGE


@pytest.mark.parametrize("part", ["pending", "ring"])
def test_a_key_of_another_type_is_found_by_its_name(cli: Cli, stock: Stock, part: str) -> None:
    stock.valkey("DEL", stock.keys.part(part))
    stock.valkey("SET", stock.keys.part(part), "text")
    ran = cli("doctor", "--between", "10ms", "--json")
    (finding,) = (each for each in ran.document["findings"] if each["kind"] == "unreadable")
    assert finding["says"].startswith(f"it cannot be read whole: {part}: WRONGTYPE ")
    assert (ran.code, finding["act"]) == (Exit.FINDINGS, None)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 0, "OK: 1 queue"),
        (("--max-pending", "2", "--max-dead", "1"), 0, "OK: 1 queue | pending=2 dead=1"),
        (("--max-pending", "1"), 2, "CRITICAL: orders pending 2 (critical) | pending=2"),
        (("--max-pending", "1,5"), 1, "WARNING: orders pending 2 (warning) | pending=2"),
        (
            ("--max-pending", "1,5", "--max-dead", "0"),
            2,
            "CRITICAL: orders dead 1 (critical), orders pending 2 (warning) | pending=2 dead=1",
        ),
        (("orders", "--max-schedule", "0"), 2, "CRITICAL: orders schedule 1 (critical) | schedule=1"),
        (("--max-age", "9h"), 0, None),
        (("--max-lease-late", "9h"), 0, None),
        (("nope",), 3, "UNKNOWN: no queue named 'nope'"),
        (("--max-pending", "x"), 3, "UNKNOWN: argument --max-pending: 'x' is neither N nor WARN,CRIT in whole numbers"),
        (("--max-pending", "5,1"), 3, "UNKNOWN: argument --max-pending: wanted CRIT or WARN,CRIT, the smaller first"),
        (("--url", "redis://127.0.0.1:1"), 3, "UNKNOWN: The server cannot be reached"),
    ],
)
def test_check_is_one_line_and_a_code(
    cli: Cli, stock: Stock, options: tuple[str, ...], code: int, said: str | None
) -> None:
    ran = cli("check", *options)
    assert (ran.code, ran.err, ran.out.count("\n")) == (code, "", 1)
    if said is not None:
        assert ran.out.startswith(said) if code == 3 else ran.out == f"{said}\n"


def test_check_tells_what_it_cannot_know(cli: Cli, stock: Stock) -> None:
    stock.valkey("SET", stock.keys.part("ring"), "text", "EX", 60)
    ran = cli("check", "--max-dead", "5")
    assert ran.code == 3
    assert ran.out.startswith("UNKNOWN: orders cannot be read whole: ring: WRONGTYPE ")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 3, "UNKNOWN: not every queue was found; SCAN is withheld: only queues asked for by name are shown\n"),
        (("orders",), 0, "OK: 1 queue\n"),
        (("orders", "--max-dead", "0"), 2, "CRITICAL: orders dead 1 (critical) | dead=1\n"),
    ],
    ids=["all", "named", "found"],
)
def test_check_calls_nothing_well_that_it_could_not_look_for(
    cli: Cli, stock: Stock, options: tuple[str, ...], code: int, said: str
) -> None:
    with withheld(stock.valkey, "-scan"):
        ran = cli("check", *options)
    assert (ran.code, ran.out, ran.err) == (code, said, "")


def test_check_as_a_document(cli: Cli, stock: Stock) -> None:
    ran = cli("check", "--max-dead", "0", "--json")
    assert (ran.code, ran.document) == (
        2,
        {
            "status": "critical",
            "code": 2,
            "queues": 1,
            "breaches": [
                {
                    "family": "echomq",
                    "prefix": "emq",
                    "queue": "orders",
                    "measure": "dead",
                    "value": 1,
                    "status": "critical",
                    "error": None,
                }
            ],
        },
    )


def test_check_as_a_document_where_nothing_is_known(cli: Cli) -> None:
    ran = cli("check", "--url", "redis://ops:S3cret@127.0.0.1:1", "--json")
    assert (ran.code, ran.err) == (3, "")
    assert (ran.document["status"], ran.document["code"]) == ("unknown", 3)
    assert "S3cret" not in ran.out
