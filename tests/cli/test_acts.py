"""The acts of the command line against a real Valkey: documents, exit codes, and what has to be confirmed."""

import errno
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from emqtop.acting import json_lines
from emqtop.acting.audit import Audit, state_folder
from emqtop.acting.journal import Journal
from emqtop.cli.console import Exit
from emqtop.demo.server import EmbeddedServer
from tests.cli.conftest import Cli, Stock, python
from tests.conftest import Hand


def act(verb: str, **values: object) -> dict[str, object]:
    """The document of an act, with what differs."""
    usual = {"family": "echomq", "queue": "orders", "matched": 1, "moved": 1, "deferred": [], "skipped": []}
    return {"verb": verb, **usual, "unknown": [], "stopped": False, **values}


@pytest.mark.parametrize(
    ("argv", "job", "place"),
    [
        (("reap", "orders"), "overdue", "pending"),
        (("reap", "orders", "{}"), "overdue", "pending"),
        (("reap", "orders", "{}", "--force"), "active", "pending"),
        (("promote", "orders", "{}"), "schedule", "pending"),
        (("promote", "orders", "--all"), "schedule", "pending"),
        (("dead-letter", "orders", "{}", "--reason", "by hand"), "overdue", "dead"),
        (("dead-letter", "orders", "{}", "--reason", "by hand"), "pending", "dead"),
        (("dead-letter", "orders", "{}", "--reason", "by hand"), "schedule", "dead"),
        (("dead-letter", "orders", "{}", "--reason", "by hand"), "grouped", "dead"),
        (("dead-letter", "orders", "{}", "--reason", "by hand", "--force"), "active", "dead"),
        (("requeue", "orders", "{}"), "dead", "pending"),
        (("requeue", "orders", "--all"), "dead", "pending"),
        (("requeue", "orders", "--where", "error~boom"), "dead", "pending"),
        (("remove", "orders", "{}"), "dead", None),
        (("extend", "orders", "{}", "--by", "60s"), "active", "active"),
    ],
)
def test_an_act_moves_one_job_and_says_so(
    cli: Cli, stock: Stock, argv: tuple[str, ...], job: str, place: str | None
) -> None:
    job_id = getattr(stock, job)
    command = [word.format(job_id) for word in argv]
    before = stock.place(job_id)
    assert cli(*command, "--json", "--dry-run").document == act(argv[0], moved=0, dry_run=True)
    assert stock.place(job_id) == before
    ran = cli(*command, "--json")
    assert (ran.code, ran.err, ran.document) == (Exit.DONE, "", act(argv[0]))
    assert stock.place(job_id) == place


def test_a_live_lease_is_respected(cli: Cli, stock: Stock) -> None:
    for command in (("reap",), ("dead-letter", "--reason", "x"), ("remove",)):
        verb, *options = command
        ran = cli(verb, "orders", stock.active, *options, "--json")
        (skip,) = ran.document["skipped"]
        assert ran.code == Exit.FINDINGS
        assert (ran.document["matched"], ran.document["moved"]) == (1, 0)
        assert (skip["id"], skip["reason"]) == (stock.active, "lease-live")
        assert skip["detail"].startswith("lease has ")
    assert stock.place(stock.active) == "active"


def test_a_job_that_is_gone_is_named(cli: Cli, stock: Stock) -> None:
    absent = stock.mint()
    ran = cli("requeue", "orders", absent, "--json")
    assert ran.code == Exit.FINDINGS
    assert [(skip["id"], skip["reason"]) for skip in ran.document["skipped"]] == [(absent, "gone")]


def test_nothing_to_do_is_no_failure(cli: Cli, stock: Stock) -> None:
    cli("reap", "orders")
    ran = cli("reap", "orders", "--json")
    assert (ran.code, ran.document) == (Exit.DONE, act("reap", matched=0, moved=0))


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("reap", "orders", "--force"), "--force wants IDs"),
        (("dead-letter", "orders", "--reason", "x"), "ID missing"),
        (("dead-letter", "orders", "JOB0NgWEfAEJhZ"), "the following arguments are required: --reason"),
        (("dead-letter", "orders", "JOB0NgWEfAEJhZ", "--reason", " "), "--reason is empty"),
        (("requeue", "orders"), "ID, --all or --where missing"),
        (("requeue", "orders", "JOB0NgWEfAEJhZ", "--all"), "IDs and --all, --where or --limit do not go together"),
        (("requeue", "orders", "--where", "(("), "argument --where: "),
        (("remove", "orders"), "ID missing"),
        (("extend", "orders", "JOB0NgWEfAEJhZ"), "the following arguments are required: --by"),
        (("extend", "orders", "JOB0NgWEfAEJhZ", "--by", "60"), "argument --by: '60' is not a duration"),
        (("extend", "orders", "a", "b", "--by", "60s"), "unexpected argument: b"),
        (("extend", "orders", "JOB0NgWEfAEJhZ", "--by", "60s", "--force"), "unrecognized arguments: --force"),
        (("pause",), "QUEUE missing"),
        (("pause", "orders", "--lane", "nope"), "'nope' is not a branded id"),
        (("remove", "orders", "JOB1"), "'JOB1' is not a JOB id"),
        (("remove", "orders", "JOB0NgWEfAEJhZ", "GRP0NgWEfAEJhZ", "--yes"), "'GRP0NgWEfAEJhZ' is not a JOB id"),
        (("reap", "nope"), "no queue named 'nope'"),
    ],
)
def test_what_cannot_be_done_is_refused_before_any_write(
    cli: Cli, stock: Stock, argv: tuple[str, ...], said: str
) -> None:
    ran = cli(*argv)
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert ran.err.startswith(f"emqtop: {said}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("argv", [("remove", "orders", "{0}", "{1}"), ("requeue", "orders", "--all")])
@pytest.mark.parametrize("asked", [(), ("--json",)])
def test_more_than_one_job_wants_yes(cli: Cli, stock: Stock, argv: tuple[str, ...], asked: tuple[str, ...]) -> None:
    for job in (stock.pending, stock.schedule):
        cli("dead-letter", "orders", job, "--reason", "x")
    command = [word.format(stock.dead, stock.pending) for word in argv]
    ran = cli(*command, *asked)
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert ran.err.endswith(" jobs wants --yes\n")
    assert cli(*command, *asked, "--dry-run").code == Exit.DONE
    assert {stock.place(job) for job in (stock.dead, stock.pending, stock.schedule)} == {"dead"}
    assert cli(*command, *asked, "--yes").code == Exit.DONE
    assert stock.place(stock.dead) != "dead"


def test_drain_deletes_what_waits_and_nothing_else(cli: Cli, stock: Stock) -> None:
    refused = cli("drain", "orders", "--json")
    assert (refused.code, refused.err) == (Exit.USAGE, "emqtop: drain of 2 jobs wants --yes\n")
    assert stock.place(stock.pending) == "pending"
    ran = cli("drain", "orders", "--yes", "--json")
    assert (ran.code, ran.document) == (Exit.DONE, act("drain", matched=2, moved=2))
    left = (stock.pending, stock.active, stock.overdue, stock.schedule, stock.dead)
    assert [stock.place(job) for job in left] == [None, "active", "active", "schedule", "dead"]
    assert cli("jobs", "orders", "pending", "--json").document["total"] == 0


def test_drain_of_a_lane_leaves_the_rest(cli: Cli, stock: Stock) -> None:
    lane = ("drain", "orders", "--lane", stock.group, "--json")
    assert cli(*lane, "--dry-run").document == act("drain", moved=0, dry_run=True)
    assert cli(*lane).document == act("drain")
    assert stock.place(stock.pending) == "pending"
    assert stock.valkey("EXISTS", stock.keys.row(stock.grouped)) == 0
    assert cli("drain", "orders", "--lane", "nope").code == Exit.USAGE


def test_obliterate_deletes_a_paused_queue_and_wants_yes(cli: Cli, stock: Stock) -> None:
    told = [cli("obliterate", "orders", "--yes", "--json")]
    stock.pause()
    told.append(cli("obliterate", "orders", "--yes", "--json"))
    reasons = [[skip["reason"] for skip in ran.document["skipped"]] for ran in told]
    assert ([ran.code for ran in told], reasons) == ([Exit.FINDINGS] * 2, [["paused"], ["lease-live"]])
    forced = ("obliterate", "orders", "--force")
    dry = cli(*forced, "--dry-run", "--json")
    assert (dry.code, dry.document) == (Exit.DONE, act("obliterate", matched=6, moved=0, dry_run=True))
    refused = cli(*forced, "--json")
    assert (refused.code, refused.err) == (
        Exit.USAGE,
        "emqtop: obliterate of a queue with 6 jobs wants --yes\n",
    )
    assert stock.place(stock.dead) == "dead"
    ran = cli(*forced, "--yes", "--json")
    assert (ran.code, ran.document) == (Exit.DONE, act("obliterate", matched=6, moved=6))
    assert stock.valkey("KEYS", "*") == []


def test_obliterate_of_an_empty_queue_wants_yes_too(cli: Cli, valkey: Hand) -> None:
    valkey("HSET", "emq:{old}:meta", "paused", "1")
    valkey("HSET", "emq:{old}:metrics:completed", "count", "7")
    refused = cli("obliterate", "old")
    assert (refused.code, refused.err) == (Exit.USAGE, "emqtop: obliterate of a queue with 0 jobs wants --yes\n")
    ran = cli("obliterate", "old", "--yes")
    assert (ran.code, ran.out) == (Exit.DONE, "obliterate old: moved 0 of 0, the queue is gone\n")
    assert valkey("KEYS", "*") == []


def test_pausing_twice_changes_nothing_the_second_time(cli: Cli, stock: Stock) -> None:
    for lane in ((), ("--lane", stock.group)):
        for verb in ("pause", "resume"):
            for matched in (1, 0):
                dry = cli(verb, "orders", *lane, "--dry-run", "--json").document
                assert (dry["matched"], dry["moved"], dry["dry_run"]) == (matched, 0, True)
                ran = cli(verb, "orders", *lane, "--json")
                assert (ran.code, ran.document) == (Exit.DONE, act(verb, matched=matched, moved=matched))


@pytest.mark.parametrize("argv", [("remove", "orders", "{}"), ("reap", "orders"), ("pause", "orders")])
def test_read_only_refuses_everything(cli: Cli, stock: Stock, argv: tuple[str, ...]) -> None:
    command = [word.format(stock.dead) for word in argv]
    ran = cli(*command, "--read-only", "--json")
    assert ran.code == Exit.FINDINGS
    (skip,) = ran.document["skipped"]
    assert (skip["id"], skip["reason"]) == (stock.dead if "{}" in argv else "orders", "read-only")
    assert (ran.document["matched"], ran.document["moved"]) == (1, 0)
    assert stock.place(stock.dead) == "dead"
    assert Audit("").entries() == []


def test_every_act_leaves_a_line(cli: Cli, stock: Stock) -> None:
    cli("dead-letter", "orders", stock.pending, "--reason", "by hand")
    (entry,) = Audit("").entries()
    assert (entry.verb, entry.ids, entry.result["moved"] if entry.result else None) == (
        "dead-letter",
        (stock.pending,),
        1,
    )


def test_a_right_that_is_missing_is_a_reason(cli: Cli, stock: Stock) -> None:
    stock.valkey("ACL", "SETUSER", "viewer", "on", ">secret", "allkeys", "+@all", "-evalsha", "-eval", "allchannels")
    try:
        url = stock.valkey.url.replace("unix://", "unix://viewer:secret@")
        ran = cli("remove", "orders", stock.dead, "--json", "--url", url)
    finally:
        stock.valkey("ACL", "DELUSER", "viewer")
    assert ran.code == Exit.FINDINGS
    assert [skip["reason"] for skip in ran.document["skipped"]] == ["not-permitted"]
    assert stock.place(stock.dead) == "dead"


def test_plain_outcomes_are_told_in_words(cli: Cli, stock: Stock) -> None:
    assert cli("requeue", "orders", stock.dead).out == "requeue orders: moved 1 of 1\n"
    ran = cli("reap", "orders", stock.active)
    head, line = ran.out.splitlines()
    assert head == "reap orders: moved 0 of 1, skipped 1"
    assert line.startswith(f"{stock.active}  lease-live  lease has ")


def test_no_server(valkey: Hand) -> None:
    done = python("reap", "orders", "--url", "redis://127.0.0.1:1", "--json")
    assert (done.returncode, done.stdout) == (Exit.UNREACHABLE, b"")
    assert done.stderr.count(b"\n") == 1


class Typing:
    """The command on a terminal of its own, where it can ask."""

    def __init__(self, *argv: str) -> None:
        self.master, terminal = pty.openpty()
        code = "import sys; from emqtop.cli.main import main; sys.exit(main())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *argv],
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=terminal,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        os.close(terminal)
        self.seen = b""

    def wait_for(self, text: bytes) -> None:
        while text not in self.seen:
            self.seen += os.read(self.master, 4096)

    def answer(self, text: bytes) -> tuple[int, bytes]:
        os.write(self.master, text + b"\n")
        out, _ = self.process.communicate(timeout=30)
        os.close(self.master)
        return self.process.returncode, out


@pytest.mark.parametrize(
    ("verb", "answer", "code", "left"),
    [
        ("requeue", b"yes", Exit.DONE, 0),
        ("requeue", b"", Exit.FINDINGS, 2),
        ("remove", b"yes", Exit.FINDINGS, 2),
        ("remove", b"orders", Exit.DONE, 0),
    ],
)
def test_a_terminal_is_asked(stock: Stock, cli: Cli, verb: str, answer: bytes, code: Exit, left: int) -> None:
    cli("dead-letter", "orders", stock.pending, "--reason", "x")
    typing = Typing(verb, "orders", stock.dead, stock.pending, "--url", stock.valkey.url)
    typing.wait_for(b"to do it: ")
    assert b"2 jobs" in typing.seen
    assert b"orders" in typing.seen
    assert stock.dead.encode() in typing.seen
    assert typing.answer(answer)[0] == code
    assert stock.valkey("ZCARD", stock.keys.dead) == left


@pytest.mark.parametrize(
    ("answer", "code"), [(b"yes", Exit.FINDINGS), (b"order", Exit.FINDINGS), (b"orders", Exit.DONE)]
)
def test_obliterate_wants_the_name_of_the_queue(stock: Stock, answer: bytes, code: Exit) -> None:
    stock.pause()
    typing = Typing("obliterate", "orders", "--force", "--url", stock.valkey.url)
    typing.wait_for(b"to do it: ")
    for words in (b"Delete orders whole: 6 jobs", b"BY FORCE", stock.overdue.encode(), b"nothing brings it back"):
        assert words in typing.seen
    assert typing.answer(answer)[0] == code
    assert bool(stock.valkey("KEYS", "*")) == (code is not Exit.DONE)


def test_an_interrupt_ends_a_bulk_act_after_the_running_batch(stock: Stock) -> None:
    for _ in range(400):
        stock.add(b"x")
    claims = stock.valkey("ZRANGE", stock.keys.pending, 0, -1)
    assert isinstance(claims, list)
    for member in claims:
        assert isinstance(member, bytes)
        stock.valkey("ZADD", stock.keys.dead, 0, member)
        stock.valkey("HSET", stock.keys.found_row(member), "state", "dead")
    stock.valkey("DEL", stock.keys.pending)
    total = stock.valkey("ZCARD", stock.keys.dead)
    process = subprocess.Popen(
        [sys.executable, "-m", "emqtop", "requeue", "orders", "--all", "--yes", "--rate", "40", "--json"],
        env=os.environ | {"EMQTOP_URL": stock.valkey.url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while stock.valkey("ZCARD", stock.keys.pending) == 0:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    moved = stock.valkey("ZCARD", stock.keys.pending)
    assert (process.returncode, err) == (Exit.FINDINGS, b"")
    assert b'"stopped": true' in out
    assert f'"moved": {moved},'.encode() in out
    assert stock.valkey("ZCARD", stock.keys.dead) == int(str(total)) - int(str(moved))


def test_a_frozen_server_before_the_act_is_sent(stock: Stock, server: EmbeddedServer) -> None:
    os.kill(server.pid, signal.SIGSTOP)
    try:
        done = python("requeue", "orders", stock.dead, "--json", "--timeout", "100ms", "--url", stock.valkey.url)
    finally:
        os.kill(server.pid, signal.SIGCONT)
    assert (done.returncode, done.stdout) == (Exit.UNREACHABLE, b"")


def test_an_act_without_an_answer_is_unknown_and_sent_once(stock: Stock) -> None:
    stock.valkey("CONFIG", "RESETSTAT")
    # Reads are served, the script waits: what was sent will run, and nobody can know yet.
    stock.valkey("CLIENT", "PAUSE", 60_000, "WRITE")
    try:
        done = python("requeue", "orders", stock.dead, "--json", "--timeout", "1s", "--url", stock.valkey.url)
    finally:
        stock.valkey("CLIENT", "UNPAUSE")
    assert done.returncode == Exit.UNKNOWN, done.stderr
    assert json.loads(done.stdout) == act("requeue", moved=0, unknown=[stock.dead])
    stats = stock.valkey("INFO", "commandstats")
    assert isinstance(stats, bytes)
    assert sum(int(calls) for calls in re.findall(rb"cmdstat_eval(?:sha)?:calls=([0-9]+)", stats)) <= 1


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["words", "json"])
def test_what_cannot_be_written_down_is_not_done(
    cli: Cli, stock: Stock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    before = stock.valkey("DUMP", stock.keys.dead)
    ran = cli("requeue", "orders", stock.dead, *options)
    assert (ran.code, ran.out) == (Exit.FINDINGS, "")
    assert ran.err == f"emqtop: {tmp_path}/file/emqtop cannot be written (Not a directory): nothing was sent\n"
    assert stock.valkey("DUMP", stock.keys.dead) == before


@pytest.mark.parametrize("method", ["end", "keep"])
def test_what_cannot_be_written_down_to_its_end_is_told(
    cli: Cli, stock: Stock, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")

    def fail(*_: object, **__: object) -> None:
        raise full

    if method == "keep":
        monkeypatch.setattr(Journal, "keep", fail)
        told, moved = "nothing was sent", 0
    else:
        append = json_lines.append
        monkeypatch.setattr(
            json_lines, "append", lambda path, raw, **how: fail() if b'"ended"' in raw else append(path, raw, **how)
        )
        told, moved = "moved 1 of 1, not all of it written down", 1
    ran = cli("requeue", "orders", stock.dead, "--json")
    assert (ran.code, ran.document["moved"]) == (Exit.FINDINGS, moved)
    assert ran.err == f"emqtop: {state_folder()} cannot be written (No space left on device): {told}\n"
    assert stock.place(stock.dead) == ("pending" if moved else "dead")
