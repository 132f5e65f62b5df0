"""The book of what was done from here, and taking an act back."""

import re
import time
from datetime import datetime

import pytest

from emqtop.cli.console import Exit
from tests.cli.conftest import Cli, Stock


def test_the_book_names_each_act(cli: Cli, stock: Stock) -> None:
    assert cli("audit", "--json").document == {"entries": []}
    cli("dead-letter", "orders", stock.pending, "--reason", "by hand")
    cli("remove", "orders", stock.active)
    first, second = cli("audit", "--json").document["entries"]
    assert (first["verb"], first["queue"], first["ids"], first["count"]) == (
        "dead-letter",
        "orders",
        [stock.pending],
        1,
    )
    assert (first["server"], first["undo"], first["result"]["moved"]) == (stock.valkey.url, True, 1)
    assert (second["verb"], second["result"]["moved"], second["result"]["reasons"]) == ("remove", 0, {"lease-live": 1})
    assert second["undo"] is False
    assert first["at"][-6] in "+-"
    lines = cli("audit").out.splitlines()
    assert ["moved 1 of 1" in lines[0], "1 lease-live" in lines[1]] == [True, True]


@pytest.mark.parametrize("verb", ["dead-letter", "remove"])
def test_an_act_is_taken_back_once(cli: Cli, stock: Stock, verb: str) -> None:
    reason = ("--reason", "by hand") if verb == "dead-letter" else ()
    assert cli(verb, "orders", stock.schedule, *reason).code == Exit.DONE
    assert stock.place(stock.schedule) != "schedule"
    entry = cli("audit", "--json").document["entries"][0]["id"]
    ran = cli("audit", "--undo", entry, "--json")
    assert (ran.code, ran.document["verb"], ran.document["moved"]) == (Exit.DONE, "undo", 1)
    assert stock.place(stock.schedule) == "schedule"
    again = cli("audit", "--undo", entry)
    assert (again.code, again.out) == (Exit.USAGE, "")
    assert "taken back already" in again.err


def test_an_act_of_another_server_is_not_taken_back_here(cli: Cli, stock: Stock) -> None:
    cli("remove", "orders", stock.dead)
    entry = cli("audit", "--json").document["entries"][0]["id"]
    ran = cli("audit", "--undo", entry, "--url", "redis://127.0.0.1:1")
    assert ran.code == Exit.USAGE
    assert f"was done on {stock.valkey.url}" in ran.err


def test_times_of_the_audit_in_utc(cli: Cli, stock: Stock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        cli("remove", "orders", stock.dead)
        (local,), (utc,) = cli("audit").out.splitlines(), cli("audit", "--utc").out.splitlines()
        job = [cli("job", "orders", stock.pending, *utc).out for utc in ((), ("--utc",))]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert local.split()[1].endswith("+05:45")
    assert utc.split()[1].endswith("+00:00")
    assert datetime.fromisoformat(local.split()[1]) == datetime.fromisoformat(utc.split()[1])
    minted = [datetime.fromisoformat(re.search(r"minted +(\S+)", text)[1]) for text in job]  # type: ignore[index]
    assert minted[0] == minted[1]
    assert [str(moment.utcoffset()) for moment in minted] == ["5:45:00", "0:00:00"]
