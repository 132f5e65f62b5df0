"""Which jobs a condition chooses, for looking and for acting, and how the dead are grouped by error."""

import pytest

from emqtop.cli.console import Exit
from tests.cli.conftest import Cli, Stock


@pytest.fixture
def dead(stock: Stock) -> list[str]:
    """Six dead jobs beside the one of the stock, with two kinds of errors."""
    jobs = [stock.mint() for _ in range(6)]
    for number, job in enumerate(jobs):
        error = f"timeout after {number} ms" if number % 2 else f"no such user u{number}@example.com"
        row = ("state", "dead", "attempts", number, "payload", f'{{"n": {number}}}', "last_error", error)
        stock.valkey("HSET", stock.keys.row(job), *row)
        stock.valkey("ZADD", stock.keys.dead, 0, job)
    return jobs


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        ("error~timeout", [1, 3, 5]),
        ("attempts>=4", [4, 5]),
        ("payload~'\"n\": 2'", [2]),
        ("error~timeout attempts>2", [3, 5]),
        ("not error~timeout not error~boom", [0, 2, 4]),
        ("id={3}", [3]),
        ("age>1d", []),
    ],
)
def test_only_jobs_that_the_condition_fits(cli: Cli, dead: list[str], where: str, chosen: list[int]) -> None:
    document = cli("jobs", "orders", "dead", "--where", where.replace("{3}", dead[3]), "--json").document
    assert [job["id"] for job in document["jobs"]] == [dead[number] for number in chosen]
    assert (document["total"], document["next"]) == (7, None)


def test_a_search_goes_on_where_it_ended(cli: Cli, dead: list[str]) -> None:
    seen, after = [], ()
    for _ in range(3):
        ran = cli("jobs", "orders", "dead", "--where", "error~timeout", "--limit", "1", "--json", *after)
        seen += [job["id"] for job in ran.document["jobs"]]
        after = ("--after", str(ran.document["next"]))
    assert seen == [dead[1], dead[3], dead[5]]


def test_a_search_is_bounded_and_says_so(cli: Cli, stock: Stock) -> None:
    for _ in range(600):
        stock.add(b"x")
    ran = cli("jobs", "orders", "pending", "--where", "attempts>5", "--look-at", "1", "--json")
    assert ran.document["jobs"] == []
    assert ran.err == f"emqtop: looked at 500 of 602 jobs; go on with --after {ran.document['next']}\n"
    rest = cli("jobs", "orders", "pending", "--where", "attempts>5", "--after", ran.document["next"], "--json")
    assert (rest.document["jobs"], rest.document["next"], rest.err) == ([], None, "")


def test_requeue_takes_what_the_condition_fits(cli: Cli, stock: Stock, dead: list[str]) -> None:
    ran = cli("requeue", "orders", "--where", "error~timeout", "--limit", "2", "--yes", "--json")
    assert (ran.code, ran.document["matched"], ran.document["moved"]) == (Exit.DONE, 2, 2)
    assert [stock.place(job) for job in dead] == ["dead", "pending", "dead", "pending", "dead", "dead"]


def test_errors_are_grouped(cli: Cli, stock: Stock, dead: list[str]) -> None:
    document = cli("errors", "orders", "--json").document
    assert (document["queue"], document["total"], document["looked_at"], document["rest"]) == ("orders", 7, 7, 0)
    groups = [(group["error"], group["count"]) for group in document["groups"]]
    assert sorted(groups) == [("boom ␛[<n>J", 1), ("no such user u<n>@example.com", 3), ("timeout after <n> ms", 3)]
    timeouts = next(group for group in document["groups"] if group["error"].startswith("timeout"))
    number = dead.index(timeouts["sample_id"])
    assert (number % 2, timeouts["sample"]) == (1, f"timeout after {number} ms")
    plain = cli("errors", "orders").out.splitlines()
    assert plain[0].split() == ["JOBS", "OLDEST", "NEWEST", "SAMPLE", "ERROR"]
    assert len(plain) == 4
