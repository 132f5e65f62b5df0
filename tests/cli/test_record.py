"""Recording the snapshots of a server that comes and goes, and looking at them later."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from emqtop.cli.console import Exit
from emqtop.cli.main import main
from emqtop.demo.server import EmbeddedServer
from emqtop.sampling.replay import open_recording
from tests.cli.conftest import Cli, Stock, command
from tests.conftest import Hand
from tests.e2e.terminal import Terminal

SHORT = ("--every", "10ms", "--seconds", "50ms")


def test_a_recording_says_what_ls_said(cli: Cli, stock: Stock, tmp_path: Path) -> None:
    file = str(tmp_path / "incident")
    ran = cli("record", file, *SHORT, "--json")
    assert (ran.code, ran.err) == (Exit.DONE, "")
    assert ran.document["snapshots"] >= 2
    assert ran.document == {"file": file, "snapshots": ran.document["snapshots"], "gaps": 0}
    shown, now = cli("replay", file, "--json").document, cli("ls", "--json").document
    assert shown.keys() == now.keys()
    moving = {"next_lease_ms", "oldest_pending_ms"}
    (then,), (later,) = shown["queues"], now["queues"]
    assert {key: then[key] for key in then.keys() - moving} == {key: later[key] for key in later.keys() - moving}
    assert cli("replay", file).out.splitlines()[1].split()[:2] == ["!", "orders"]


def test_one_line_a_snapshot_and_only_what_changed(cli: Cli, stock: Stock, tmp_path: Path) -> None:
    file = tmp_path / "incident"
    made = cli("record", str(file), *SHORT, "--json").document["snapshots"]
    header, first, *later = map(json.loads, file.read_text().splitlines())
    assert header == {"emqtop-recording": 1}
    assert len(later) == made - 1
    assert [len(line["queues"]) for line in (first, *later)] == [1] + [0] * (made - 1)


def test_recording_goes_on_in_the_same_file(cli: Cli, stock: Stock, tmp_path: Path) -> None:
    file = tmp_path / "incident"
    first = cli("record", str(file), *SHORT, "--json").document["snapshots"]
    with file.open("a") as cut:
        cut.write('{"at_ms": 17')
    second = cli("record", str(file), *SHORT, "--json").document["snapshots"]
    recording = open_recording(file)
    assert (len(recording), recording.damaged) == (first + second, 1)
    ran = cli("replay", str(file), "--json")
    assert ran.err == f"emqtop: {file}: 1 lines cannot be read\n"


@pytest.mark.parametrize("text", ["", "not one\n", '{"emqtop-recording": 99}\n'])
def test_a_file_of_something_else_is_left_alone(cli: Cli, stock: Stock, tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes"
    file.write_text(text)
    ran = cli("record", str(file), "--seconds", "10ms")
    assert ran.code == (Exit.USAGE if text else Exit.DONE)
    assert file.read_text().startswith(text or '{"emqtop-recording":1}')
    if text:
        assert file.read_text() == text
        assert (ran.out, ran.err.count("\n")) == ("", 1)
        assert ran.err.startswith(f"emqtop: {file}: no recording of emqtop: ")


def test_a_server_that_went_away_is_a_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "incident"
    with EmbeddedServer() as server:
        hand = Hand(server.url)
        Stock(hand)
        process = subprocess.Popen(
            command("record", str(file), "--every", "20ms", "--seconds", "3s", "--url", server.url),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not (file.exists() and file.read_text().count("\n") > 2):
            assert process.poll() is None
        hand.link.close()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err.count("\n")) == (Exit.UNREACHABLE, 1)
    assert "gaps" in out
    recording = open_recording(file)
    lost = [bool(recording.lost(number)) for number in range(len(recording))]
    assert lost == sorted(lost)
    assert (lost[0], lost[-1], recording.damaged) == (False, True, 0)
    assert main(["replay", str(file), "--json"]) == Exit.UNREACHABLE
    shown, said = capsys.readouterr()
    assert said.startswith("emqtop: there was no answer then: The server ")
    assert [queue["name"] for queue in json.loads(shown)["queues"]] == ["orders"]


def test_the_password_is_not_in_it(cli: Cli, stock: Stock, tmp_path: Path) -> None:
    stock.valkey("ACL", "SETUSER", "ops", "on", ">S3cret", "allkeys", "allcommands", "allchannels")
    file = tmp_path / "incident"
    try:
        cli("record", str(file), *SHORT, "--url", stock.valkey.url.replace("unix://", "unix://ops:S3cret@"))
    finally:
        stock.valkey("ACL", "DELUSER", "ops")
    assert "unix://ops@" in file.read_text()
    assert "S3cret" not in file.read_text()


@pytest.fixture
def incident(cli: Cli, stock: Stock, tmp_path: Path) -> Path:
    """Three moments, a minute apart: 2, 3 and 4 pending; the second time the server was lost afterwards."""
    lines = ['{"emqtop-recording":1}']
    usual = {
        "clock": "server",
        "swept": True,
        "mode": "polling",
        "limits": [],
        "server": {"url": "redis://h"},
        "cost": {},
    }
    for number in range(3):
        queue = {"id": ["echomq", "emq", "orders"], "pending": 2 + number}
        lines.append(
            json.dumps({"at_ms": 1_790_000_000_000 + 60_000 * number, "queues": [queue], "whole": True} | usual)
        )
    lines.insert(3, json.dumps({"at_ms": 1_790_000_090_000, "lost": "The server does not answer"}))
    file = tmp_path / "made"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize(
    ("at", "pending", "code"),
    [
        ((), 4, Exit.DONE),
        (("--at", "0s"), 2, Exit.DONE),
        (("--at", "59s"), 2, Exit.DONE),
        (("--at", "1m"), 3, Exit.DONE),
        (("--at", "100s"), 3, Exit.UNREACHABLE),
        (("--at", "2026-09-21T14:14:20+00:00"), 3, Exit.DONE),
        (("--at", "2026-09-21T14:14:20", "--utc"), 3, Exit.DONE),
    ],
)
def test_any_moment_of_it(cli: Cli, incident: Path, at: tuple[str, ...], pending: int, code: Exit) -> None:
    ran = cli("replay", str(incident), *at, "--json")
    assert ran.code == code
    assert [queue["pending"] for queue in ran.document["queues"]] == [pending]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("replay",), "FILE missing"),
        (("replay", "{}", "--at", "3m"), "--at: the recording runs from 2026-09-21T14:13:20+00:00 to 2026-09-21T14:15"),
        (("replay", "{}", "--at", "noon"), "--at: 'noon' is no duration and no time; wanted 5m or 2026-11-29T15:00"),
        (("replay", "{}", "--speed", "0"), "argument --speed: wanted more than 0 and at most 10000"),
        (("replay", "{}x"), "{}x: No such file or directory"),
        (("record",), "FILE missing"),
    ],
)
def test_what_cannot_be_played_is_one_line(cli: Cli, incident: Path, argv: tuple[str, ...], said: str) -> None:
    ran = cli(*(word.format(incident) for word in argv), "--utc")
    assert (ran.code, ran.out, ran.err.count("\n")) == (Exit.USAGE, "", 1)
    assert ran.err.startswith(f"emqtop: {said.format(incident)}")


def test_a_full_disk_or_a_folder_is_one_line(cli: Cli, stock: Stock, tmp_path: Path) -> None:
    for file, said in ((str(tmp_path), "Is a directory"), ("/dev/full", "No space left on device")):
        if file != "/dev/full" or stat.S_ISCHR(Path(file).stat().st_mode):
            ran = cli("record", file, "--seconds", "10ms")
            assert (ran.code, ran.out, ran.err) == (Exit.FINDINGS, "", f"emqtop: {file}: {said}\n")


def test_it_plays_in_the_dashboard(incident: Path) -> None:
    argv = command("replay", str(incident), "--at", "85s", "--speed", "10")
    with Terminal(argv, 100, 20, os.environ | {"TERM": "xterm-256color"}) as terminal:
        terminal.until("orders")
        terminal.until(lambda text: "does not answer" in text)
        terminal.until(lambda text: "4 pending" in text and "does not answer" not in text)
        assert "recorded 2026-09-21" in terminal.text
        terminal.press("q")
        assert terminal.ended() == Exit.DONE
        assert terminal.clean


def test_a_lost_line_ends_the_replay(incident: Path) -> None:
    with Terminal(command("replay", str(incident)), 100, 20, os.environ | {"TERM": "xterm-256color"}) as terminal:
        terminal.until("orders")
        terminal.hang_up()
        assert terminal.process.wait(20) != 0
