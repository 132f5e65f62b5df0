"""Wrong input and bad weather: one line, the promised exit code, no trace, no secret."""

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from emqtop.cli.commands import COMMANDS, Group
from emqtop.cli.console import Exit
from emqtop.cli.main import VALUED, main, split
from tests.cli.conftest import Cli, Stock, command, python
from tests.conftest import Hand


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("lss",), "unknown command: lss (try emqtop --help)"),
        (("ls", "--nope"), "unrecognized arguments: --nope (try emqtop ls --help)"),
        (("ls", "extra"), "unexpected argument: extra"),
        (("jobs",), "QUEUE LOCATION missing"),
        (("jobs", "orders"), "LOCATION missing"),
        (
            ("jobs", "orders", "waiting"),
            "unknown location: waiting; wanted pending, active, schedule, dead, held, done",
        ),
        (("jobs", "orders", "dead", "--lane", "G"), "--lane is for pending"),
        (("jobs", "orders", "dead", "--limit", "0"), "argument --limit: wanted a whole number from 1 to 10000"),
        (("jobs", "nope", "dead"), "no queue named 'nope'"),
        (("jobs", "a\x1b[2J", "dead"), "no queue named 'a\\x1b[2J'"),
        (("job", "orders", "JOB1"), "'JOB1' is not a JOB id"),
        (("job", "orders", "GRP0NgWEfAEJhZ"), "'GRP0NgWEfAEJhZ' is not a JOB id"),
        (("jobs", "orders", "dead", "--after", "???"), "'???' is no cursor of a page of jobs"),
        (("ls", "--every", "soon"), "argument --every: 'soon' is not a duration; wanted one like 90s, 5m or 2h"),
        (("ls", "--family", "celery"), "argument --family: invalid choice: 'celery'"),
        (("ls", "--config", "/nowhere"), "config /nowhere: No such file or directory"),
        (("ls", "http://127.0.0.1"), "This is not the URL of a server"),
        (("--family",), "argument --family: expected one argument"),
    ],
)
def test_wrong_usage_is_one_line(cli: Cli, stock: Stock, argv: tuple[str, ...], said: str) -> None:
    ran = cli(*argv)
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert ran.err.count("\n") == 1
    assert ran.err.startswith(f"emqtop: {said}")


def test_a_bad_id_is_refused_before_any_command(cli: Cli, stock: Stock) -> None:
    ran = cli("job", "orders", "JOB\x1b")
    assert (ran.code, ran.err) == (Exit.USAGE, "emqtop: 'JOB\\x1b' is not a JOB id\n")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == Exit.DONE
    out, err = capsys.readouterr()
    assert out.startswith(f"usage: emqtop {command}")
    assert "--url" in out
    assert f"example: emqtop {command} " in f"{out.splitlines()[-1]} "
    assert err == ""


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in {"", "demo", "work", "replay"}])
def test_the_example_of_a_command_can_be_typed(command: str) -> None:
    words = shlex.split(COMMANDS[command].example)
    assert main([*words, "--url", "redis://127.0.0.1:1"]) in {Exit.DONE, Exit.UNREACHABLE}


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == Exit.DONE
    out = capsys.readouterr().out
    assert all(f"\n  {name} " in out for name in COMMANDS if name)
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "--theme NAME" in out
    assert all(f"\n\n{group}:\n" in out for group in Group)


@pytest.mark.parametrize(
    ("argv", "command", "rest"),
    [
        ([], "", []),
        (["redis://h"], "", ["redis://h"]),
        (["--url", "ls", "jobs", "q", "dead"], "jobs", ["--url", "ls", "q", "dead"]),
        (["--url=x", "ls"], "ls", ["--url=x"]),
        (["ls", "jobs"], "ls", ["jobs"]),
        (["redis://h", "ls"], "ls", ["redis://h"]),
        (["--read-only"], "", ["--read-only"]),
    ],
)
def test_which_word_is_the_command(argv: list[str], command: str, rest: list[str]) -> None:
    assert split(argv) == (command, rest)


def test_options_that_take_a_value_are_known_before_the_command() -> None:
    from emqtop.cli.options import parser

    made = parser("ls", "")
    valued = {word for action in made._actions if action.nargs is None for word in action.option_strings}
    assert valued | {"--theme"} == VALUED


def test_no_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ls", "--json", "--url", "redis://ops:S3cr%40t@127.0.0.1:1"]) == Exit.UNREACHABLE
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "emqtop: The server cannot be reached: redis://ops@127.0.0.1:1: Connection refused\n"


@pytest.fixture
def locked(valkey: Hand) -> "pytest.FixtureRequest":
    valkey("ACL", "SETUSER", "ops", "on", ">S3cr@t/pw", "allkeys", "allcommands", "allchannels")
    yield valkey
    valkey("ACL", "DELUSER", "ops")


def test_wrong_password(locked: Hand, capsys: pytest.CaptureFixture[str]) -> None:
    url = locked.url.replace("unix://", "unix://ops:wr0ng@")
    assert main(["ls", url]) == Exit.UNREACHABLE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("emqtop: The server refuses the login: WRONGPASS")
    assert "wr0ng" not in err


@pytest.mark.parametrize("way", ["file", "environment", "url", "asked"])
def test_a_password_from_anywhere_is_never_printed(
    locked: Hand, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
) -> None:
    argv, login = [], "ops"
    if way == "file":
        (tmp_path / "password").write_text("S3cr@t/pw\n")
        argv = ["--password-file", str(tmp_path / "password")]
    elif way == "asked":
        argv = ["--ask-password"]
    elif way == "environment":
        monkeypatch.setenv("EMQTOP_PASSWORD", "S3cr@t/pw")
    else:
        login = "ops:S3cr@t%2Fpw"
    for words in (["ls"], ["ls", "--json"], ["jobs", "nope", "dead"]):
        monkeypatch.setattr("sys.stdin", io.StringIO("S3cr@t/pw\n"))
        main([*words, *argv, "--url", locked.url.replace("unix://", f"unix://{login}@")])
        out, err = capsys.readouterr()
        assert "WRONGPASS" not in err
        assert not any("S3cr" in text for text in (out, err))


def test_a_url_with_a_login_in_the_wrong_place_is_masked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jobs", "orders", "dead", "redis://u:S3cr@t@h"]) == Exit.USAGE
    assert capsys.readouterr().err == "emqtop: unexpected argument: redis://u:***@h\n"


def test_a_frozen_server_ends_the_wait(cli: Cli, valkey: Hand) -> None:
    other = Hand(valkey.url)
    other("CLIENT", "PAUSE", 600, "ALL")
    ran = cli("ls", "--timeout", "100ms")
    assert (ran.code, ran.out) == (Exit.UNREACHABLE, "")
    assert ran.err == "emqtop: The server does not answer\n"
    assert other("PING") == b"PONG"
    other.link.close()


def test_a_location_of_the_wrong_type(cli: Cli, stock: Stock) -> None:
    stock.valkey("DEL", stock.keys.dead)
    stock.valkey("SET", stock.keys.dead, "x")
    ran = cli("jobs", "orders", "dead", "--json")
    assert (ran.code, ran.out) == (Exit.FINDINGS, "")
    assert ran.err.startswith("emqtop: The server refuses this request: WRONGTYPE")
    assert ran.err.count("\n") == 1


def test_a_config_that_cannot_be_used(cli: Cli, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('prefxes = ["emq"]\n')
    ran = cli("ls", "--config", str(config))
    assert (ran.code, ran.err) == (Exit.USAGE, f"emqtop: config {config}: unknown key 'prefxes'\n")


def test_a_one_shot_loads_no_terminal_library_and_no_client(valkey: Hand, stock: Stock) -> None:
    heavy = "textual rich redis asyncio watchfiles bullmq"
    code = (
        "import sys; from emqtop.cli.main import main; code = main(sys.argv[1:])\n"
        f"print(code, *sorted(set(sys.modules) & set({heavy!r}.split())), file=sys.stderr)"
    )
    for argv in (["ls", "--json"], ["ls"], ["jobs", "orders", "dead"], ["job", "orders", stock.dead]):
        done = subprocess.run(
            [sys.executable, "-c", code, *argv, "--url", valkey.url], capture_output=True, text=True, check=True
        )
        assert done.stderr.split() == ["0"]


def test_a_reader_that_went_away_is_no_failure(valkey: Hand, stock: Stock) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    code = "import sys; from emqtop.cli.main import main; sys.exit(main())"
    with os.fdopen(writer, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-c", code, "ls", "--url", valkey.url],
            stdout=stdout,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (Exit.DONE, b"")


def test_names_of_any_bytes_arrive_from_the_shell(valkey: Hand) -> None:
    Stock(valkey, os.fsdecode(b"a\xff"))
    done = python("jobs", os.fsdecode(b"a\xff"), "dead", "--json", "--url", valkey.url)
    assert done.returncode == Exit.DONE
    assert b'"queue": "a\\\\xff"' in done.stdout


def test_a_terminal_without_unicode_gets_escapes(valkey: Hand) -> None:
    Stock(valkey, "順番")
    done = python("ls", "--url", valkey.url, PYTHONIOENCODING="ascii")
    assert done.returncode == Exit.DONE
    assert b"\\u9806\\u756a" in done.stdout


@pytest.mark.parametrize("argv", [(), ("URL",), ("--read-only", "URL")])
def test_without_a_terminal_the_dashboard_is_ls(valkey: Hand, stock: Stock, argv: tuple[str, ...]) -> None:
    command = [valkey.url if word == "URL" else word for word in argv]
    done = python(*command, EMQTOP_URL="redis://127.0.0.1:1" if argv else valkey.url)
    assert done.returncode == Exit.DONE
    assert done.stderr == b"emqtop: no terminal for the dashboard; this is emqtop ls\n"
    assert b"orders" in done.stdout


def _shell(stock: Stock, words: str, streams: str) -> subprocess.CompletedProcess[bytes]:
    line = f"{shlex.join(command(*shlex.split(words), '--url', stock.valkey.url))} {streams}"
    return subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "words", ["ls", "ls --json", "jobs orders pending", "check", "doctor --between 1s", "acl view"]
)
@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_what_goes_to_a_closed_stream_is_lost_and_nothing_else(stock: Stock, words: str, streams: str) -> None:
    whole, ran = _shell(stock, words, ""), _shell(stock, words, streams)
    assert ran.returncode == whole.returncode
    assert bool(ran.stdout) == (">&-" not in streams.replace("2>&-", "") and bool(whole.stdout))
    assert ran.stderr == (b"" if "2>&-" in streams else whole.stderr)


def test_an_act_is_done_though_nobody_is_told(stock: Stock) -> None:
    assert _shell(stock, "pause orders", ">&- 2>&-").returncode == Exit.DONE
    assert stock.valkey("HGET", "emq:{orders}:meta", "paused") == b"1"


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no device that is always full")
@pytest.mark.parametrize("words", ["ls", "ls --json", "--version", "--help", "job orders {} --raw payload"])
def test_a_full_disk_is_told_in_one_line(stock: Stock, words: str) -> None:
    ran = _shell(stock, words.format(stock.pending), ">/dev/full")
    assert (ran.returncode, ran.stderr) == (Exit.FINDINGS, b"emqtop: stdout: No space left on device\n")
