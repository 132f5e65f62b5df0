"""What a look cannot see at once or may not see at all is looked for, or said."""

from collections.abc import Iterator

import pytest

from emqtop.cli.console import Exit
from tests.cli.conftest import Cli, Stock
from tests.conftest import Hand
from tests.servers.users import as_user, user
from tests.wire.echomq.operator.stage import GROUP, Stage, job

ROWS = 2_000
"""More keys than the one step of a sweep that a page takes along."""


@pytest.fixture
def blind(stock: Stock) -> Iterator[str]:
    """The URL of a user who may do everything, but to other keys."""
    stock.valkey("ACL", "SETUSER", "blind", "reset", "on", ">secret", "~other*", "&*", "+@all")
    yield stock.valkey.url.replace("unix://", "unix://blind:secret@")
    stock.valkey("ACL", "DELUSER", "blind")


@pytest.mark.parametrize("options", [(), ("--where", f"group={GROUP}")], ids=["all", "where"])
def test_a_lane_that_no_book_names_is_listed(cli: Cli, valkey: Hand, options: tuple[str, ...]) -> None:
    stage = Stage(valkey)
    for number in range(ROWS):
        stage.put(job(number), "dead")
    stage.put(job(ROWS), "pending")
    stage.put(job(ROWS + 1), "pending", group=GROUP)
    document = cli("jobs", "orders", "pending", "--json", *options).document
    assert document["total"] == 2
    assert (job(ROWS + 1), GROUP) in [(each["id"], each["group"]) for each in document["jobs"]]


@pytest.mark.parametrize("argv", [("job", "orders"), ("jobs", "orders", "dead")], ids=["job", "jobs"])
def test_a_key_that_may_not_be_read_is_no_absent_job(cli: Cli, stock: Stock, blind: str, argv: tuple[str, ...]) -> None:
    ran = cli(*argv, *([stock.dead] if argv[0] == "job" else []), "--json", "--url", blind)
    assert (ran.code, ran.out) == (Exit.FINDINGS, "")
    assert "NOPERM" in ran.err
    assert "gone" not in ran.err


@pytest.mark.parametrize("verb", ["requeue", "remove", "pause"])
def test_an_act_on_what_may_not_be_read_is_not_permitted(cli: Cli, stock: Stock, blind: str, verb: str) -> None:
    named = [] if verb == "pause" else [stock.dead]
    ran = cli(verb, "orders", *named, "--json", "--url", blind)
    (left,) = ran.document["skipped"]
    assert (ran.code, left["id"], left["reason"]) == (Exit.FINDINGS, *(named or ["orders"]), "not-permitted")
    assert left["detail"].startswith("NOPERM")


@pytest.mark.parametrize("part", ["pending", "active", "schedule"])
def test_an_act_beside_a_key_of_the_wrong_type_says_so(cli: Cli, stock: Stock, part: str) -> None:
    stock.valkey("SET", stock.keys.part(part), "text")
    ran = cli("requeue", "orders", stock.dead, "--json")
    (left,) = ran.document["skipped"]
    assert (ran.code, left["id"], left["reason"]) == (Exit.FINDINGS, stock.dead, "not-supported")
    assert left["detail"].startswith("WRONGTYPE")


@pytest.mark.parametrize("part", ["ring", "paused", "gactive", "glimit", "gweight", "lane"])
def test_a_book_of_the_lanes_that_is_of_another_type_is_no_empty_book(cli: Cli, stock: Stock, part: str) -> None:
    part = f"g:{stock.group}:pending" if part == "lane" else part
    stock.valkey("DEL", stock.keys.part(part))
    stock.valkey("SET", stock.keys.part(part), "text")
    ran = cli("lanes", "orders", "--json")
    assert (ran.code, ran.out) == (Exit.FINDINGS, "")
    assert ran.err.startswith(f"emqtop: The server refuses this request: {part}: WRONGTYPE ")
    assert ran.err.count("\n") == 1
    if part.startswith("g:"):
        return
    page = cli("jobs", "orders", "pending", "--json")
    assert (page.code, page.document["jobs"][0]["id"]) == (Exit.DONE, stock.pending)
    assert page.err.startswith(f"emqtop: lanes may be missing: {part}: WRONGTYPE ")


@pytest.mark.parametrize("part", ["ring", "paused", "gactive", "glimit", "gweight"])
def test_a_book_of_the_lanes_that_may_not_be_read_is_no_empty_book(cli: Cli, stock: Stock, part: str) -> None:
    others = {"ring", "paused", "gactive", "glimit", "gweight", "pending", "active", "meta"} - {part}
    rules = (f"~{stock.keys.part(name).decode()}" for name in sorted(others))
    with user(stock.valkey, *rules, "+@all") as (name, password):
        ran = cli("lanes", "orders", "--json", "--url", as_user(stock.valkey.url, name, password))
    assert (ran.code, ran.out) == (Exit.FINDINGS, "")
    assert ran.err.startswith(f"emqtop: The server refuses this request: {part}: NOPERM ")


@pytest.mark.parametrize("queues", [(), ("orders",)], ids=["all", "named"])
def test_a_tail_that_may_not_listen_says_so_once(cli: Cli, stock: Stock, queues: tuple[str, ...]) -> None:
    with user(stock.valkey, "~*", "+@all") as (name, password):
        ran = cli("events", *queues, "--seconds", "1", "--url", as_user(stock.valkey.url, name, password))
    assert (ran.code, ran.out) == (Exit.DONE, "")
    assert ran.err == "emqtop: SUBSCRIBE is withheld: events of EchoMQ queues are not shown\n"
