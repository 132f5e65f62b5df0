"""ls, jobs, job and lanes against a real server."""

import json
import os

import pytest

from emqtop.cli.console import Exit
from tests.cli.conftest import Cli, Stock, python
from tests.conftest import Hand
from tests.corpus import HOSTILE, NAMES, unsafe


def test_ls_counts_every_location(cli: Cli, stock: Stock) -> None:
    ran = cli("ls", "--json")
    assert (ran.code, ran.err) == (Exit.DONE, "")
    document = ran.document
    (queue,) = document["queues"]
    assert document["clock"] == "server"
    assert document["server"]["kind"] in {"valkey", "redis"}
    assert document["server"]["url"] == stock.valkey.url
    assert -60_000 < queue.pop("next_lease_ms") <= 0
    assert 0 <= queue.pop("oldest_pending_ms") < 60_000
    assert queue == {
        "family": "echomq",
        "prefix": "emq",
        "name": "orders",
        "pending": 2,
        "lanes": 1,
        "active": 2,
        "schedule": 1,
        "dead": 1,
        "held": 0,
        "completed": 0,
        "failed": 1,
        "overdue": 1,
        "due": 0,
        "paused": False,
        "error": None,
    }


def test_ls_without_queues(cli: Cli) -> None:
    assert cli("ls", "--json").document["queues"] == []


def test_a_queue_that_cannot_be_read_is_an_error_on_its_row(cli: Cli, stock: Stock) -> None:
    stock.valkey("SET", "emq:{broken}:pending", "no set")
    ran = cli("ls", "--json")
    rows = {queue["name"]: queue for queue in ran.document["queues"]}
    assert ran.code == Exit.DONE
    assert rows["broken"]["error"].startswith("pending: WRONGTYPE ")
    assert rows["orders"]["error"] is None
    assert rows["orders"]["pending"] == 2


@pytest.mark.parametrize("raw", NAMES)
def test_any_name_is_listed_exactly_and_can_be_given_back(cli: Cli, valkey: Hand, raw: bytes) -> None:
    name = os.fsdecode(raw)
    stock = Stock(valkey, name)
    ran = cli("ls", "--json")
    (queue,) = ran.document["queues"]
    page = cli("jobs", "--json", "--", name, "pending")
    assert page.code == Exit.DONE
    assert [job["id"] for job in page.document["jobs"]] == [stock.pending, stock.grouped]
    assert cli("jobs", "--json", "--", queue["name"], "pending").document == page.document
    assert unsafe(cli("ls").out.replace("\n", "")) == set()


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_values_come_out_harmless(cli: Cli, stock: Stock, value: bytes) -> None:
    row = stock.keys.row(stock.dead)
    stock.valkey("HSET", row, "last_error", value, "payload", value, b"odd" + value[:40], value)
    stock.valkey("RPUSH", stock.keys.sub(stock.dead, "logs"), value)
    for command in (("jobs", "orders", "dead"), ("job", "orders", stock.dead)):
        plain, asked = cli(*command), cli(*command, "--json")
        assert (plain.code, asked.code) == (Exit.DONE, Exit.DONE)
        assert unsafe(plain.out.replace("\n", "")) == set()
        assert unsafe("".join(str(each) for each in asked.document.values())) == set()
        assert all(" " <= sign <= "~" for sign in asked.out.removesuffix("\n"))


@pytest.mark.parametrize(
    ("location", "attribute", "state", "attempts"),
    [("pending", "pending", "pending", 0), ("schedule", "schedule", "scheduled", 0), ("dead", "dead", "dead", 1)],
)
def test_jobs_of_a_location(cli: Cli, stock: Stock, location: str, attribute: str, state: str, attempts: int) -> None:
    document = cli("jobs", "orders", location, "--limit", "1", "--json").document
    assert (document["queue"], document["location"]) == ("orders", location)
    (job,) = document["jobs"]
    assert (job["id"], job["state"], job["attempts"]) == (getattr(stock, attribute), state, attempts)


def test_active_jobs_come_by_deadline_with_the_time_left(cli: Cli, stock: Stock) -> None:
    document = cli("jobs", "orders", "active", "--json").document
    late, busy = document["jobs"]
    assert (document["total"], document["next"]) == (2, None)
    assert (late["id"], busy["id"]) == (stock.overdue, stock.active)
    assert late["lease_ms"] <= 0 < busy["lease_ms"] <= 60_000
    assert (late["payload"], late["payload_bytes"], late["odd"]) == ("late", 4, [])


def test_pages_go_on_at_the_cursor(cli: Cli, stock: Stock) -> None:
    added = [stock.add(b"x") for _ in range(4)]
    seen, after = [], ()
    for _ in range(10):
        document = cli("jobs", "orders", "pending", "--limit", "2", "--json", *after).document
        seen += [job["id"] for job in document["jobs"]]
        if document["next"] is None:
            break
        after = ("--after", document["next"])
    assert seen == [stock.pending, *added, stock.grouped]


def test_a_lane_alone(cli: Cli, stock: Stock) -> None:
    document = cli("jobs", "orders", "pending", "--lane", stock.group, "--json").document
    assert [(job["id"], job["group"]) for job in document["jobs"]] == [(stock.grouped, stock.group)]


def test_one_job(cli: Cli, stock: Stock) -> None:
    document = cli("job", "orders", stock.dead, "--json").document
    assert (document["id"], document["location"], document["state"]) == (stock.dead, "dead", "dead")
    assert document["row"]["last_error"] == document["last_error"] == "boom ␛[2J"
    assert document["row"]["payload"] == "bad"
    assert (document["logs"], document["parent"], document["waiting_for"]) == ([], None, None)


@pytest.mark.parametrize("size", [0, 5, 3_000_000])
def test_the_bytes_of_a_field_are_fetched_once(stock: Stock, size: int) -> None:
    value = (bytes(range(256)) * (size // 256 + 1))[:size]
    stock.valkey("HSET", stock.keys.row(stock.dead), "payload", value)
    stock.valkey("CONFIG", "RESETSTAT")
    done = python("job", "orders", stock.dead, "--raw", "payload", "--url", stock.valkey.url)
    assert (done.returncode, done.stdout, done.stderr) == (Exit.DONE, value, b"")
    stats = stock.valkey("INFO", "stats")
    assert isinstance(stats, bytes)
    sent = int(stats.partition(b"total_net_output_bytes:")[2].split()[0])
    assert size <= sent < size + 50_000


@pytest.mark.parametrize("argv", [("--json",), ("--raw", "payload"), ()])
def test_an_absent_job_is_gone(cli: Cli, stock: Stock, argv: tuple[str, ...]) -> None:
    absent = stock.mint()
    ran = cli("job", "orders", absent, *argv)
    assert (ran.code, ran.out, ran.err) == (Exit.FINDINGS, "", f"emqtop: gone: no job {absent} in orders\n")


def test_an_absent_field(cli: Cli, stock: Stock) -> None:
    ran = cli("job", "orders", stock.dead, "--raw", "nope")
    assert (ran.code, ran.out, ran.err) == (Exit.FINDINGS, "", f"emqtop: no field nope in the row of {stock.dead}\n")


def test_lanes(cli: Cli, stock: Stock) -> None:
    assert cli("lanes", "orders", "--json").document == {
        "queue": "orders",
        "lanes": [
            {
                "group": stock.group,
                "pending": 1,
                "active": 0,
                "limit": None,
                "weight": None,
                "paused": False,
                "in_ring": True,
            }
        ],
    }


def test_two_prefixes_make_a_name_ambiguous(cli: Cli, stock: Stock, valkey: Hand) -> None:
    valkey("COPY", "emq:{orders}:pending", "other:{orders}:pending")
    both = ("--prefix", "emq", "--prefix", "other")
    ran = cli("jobs", "orders", "pending", *both)
    assert ran.code == Exit.USAGE
    assert "--family echomq --prefix emq" in ran.err
    assert "--family echomq --prefix other" in ran.err
    assert cli("jobs", "orders", "pending", "--prefix", "other", "--json").document["total"] == 1
    assert len(cli("ls", *both, "--json").document["queues"]) == 2


def test_plain_tables_for_people(cli: Cli, stock: Stock) -> None:
    head, line = cli("ls").out.splitlines()
    shown = dict(zip(head.split(), line.split(), strict=False))
    assert (shown["S"], shown["QUEUE"], shown["PEND"], shown["ACTIVE"], shown["LATE"]) == ("!", "orders", "2", "2", "1")
    assert stock.dead in cli("jobs", "orders", "dead").out
    assert stock.group in cli("lanes", "orders").out


def test_watching_prints_a_document_a_line(cli: Cli, stock: Stock) -> None:
    ran = cli("ls", "--watch", "--every", "10ms", "--seconds", "50ms", "--json")
    documents = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == Exit.DONE
    assert len(documents) >= 2
    assert {queue["name"] for document in documents for queue in document["queues"]} == {"orders"}
    assert documents[-1]["reading"]["mode"] == "tracking"
    assert documents[-1]["reading"]["commands"] < documents[0]["reading"]["commands"]


def test_looking_never_writes(cli: Cli, stock: Stock) -> None:
    before = stock.valkey("INFO", "commandstats")
    stock.valkey("CONFIG", "RESETSTAT")
    for argv in (("ls",), ("jobs", "orders", "active"), ("job", "orders", stock.dead), ("lanes", "orders")):
        assert cli(*argv).code == Exit.DONE
    stats = stock.valkey("INFO", "commandstats")
    assert isinstance(before, bytes)
    assert isinstance(stats, bytes)
    used = {line.split(":")[0].removeprefix("cmdstat_") for line in stats.decode().splitlines() if ":" in line}
    readers = stock.valkey("COMMAND", "LIST", "FILTERBY", "ACLCAT", "write")
    assert isinstance(readers, list)
    assert used & {name.decode() for name in readers if isinstance(name, bytes)} == set()
