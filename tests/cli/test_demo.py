"""The demo without a screen: documents while it runs, nothing left when it is over."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from emqtop.cli.console import Exit
from tests.cli.conftest import python
from tests.servers.ports import free_port


def start(*argv: str, folder: Path) -> "subprocess.Popen[str]":
    """The demo in a process of its own, its temporary files in a folder of the test."""
    return subprocess.Popen(
        [sys.executable, "-m", "emqtop", "demo", "--headless", "--json", *argv],
        env=os.environ | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def folder() -> Any:
    """A temporary folder with a path short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="e") as path:
        yield Path(path)


def documents(process: "subprocess.Popen[str]", wanted: Any) -> dict[str, Any]:
    """The first document that satisfies a test."""
    assert process.stdout is not None
    for line in process.stdout:
        document = json.loads(line)
        assert isinstance(document, dict)
        if wanted(document):
            return document
    raise AssertionError("it ended before")


def by_name(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {queue["name"]: queue for queue in document["queues"]}


def test_documents_then_an_operator_and_a_clean_end(folder: Path) -> None:
    port = free_port()
    process = start("--no-reaper", "--listen", str(port), "--rate", "60", folder=folder)
    try:
        late = by_name(documents(process, lambda seen: by_name(seen).get("orders", {}).get("overdue")))
        assert late["orders"]["next_lease_ms"] <= 0
        url = ("--url", f"redis://127.0.0.1:{port}", "--json", "--yes")
        reaped = json.loads(python("reap", "orders", *url).stdout)
        assert reaped["moved"] >= late["orders"]["overdue"]
        assert reaped["skipped"] == []
        moving = by_name(documents(process, lambda seen: sum(q["completed"] > 0 for q in seen["queues"]) >= 3))
        assert {queue["error"] for queue in moving.values()} == {None}
    finally:
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert err == f"emqtop: the demo listens on redis://127.0.0.1:{port}\n"
    assert list(folder.iterdir()) == []


def test_it_ends_by_itself_with_a_document(folder: Path) -> None:
    process = start("--seconds", "1", folder=folder)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (Exit.DONE, "")
    last = json.loads(out.splitlines()[-1])
    assert last.keys() == {"at_ms", "clock", "server", "queues"}
    assert list(folder.iterdir()) == []


def test_a_taken_port_is_one_line(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = start("--listen", str(taken.getsockname()[1]), folder=folder)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (Exit.UNREACHABLE, "")
    assert err.count("\n") == 1
    assert "is taken" in err
    assert list(folder.iterdir()) == []


def test_no_server_to_run_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from emqtop.cli.main import main

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "/nowhere")
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    try:
        assert main(["demo", "--headless"]) == Exit.UNREACHABLE
    finally:
        for number, handler in zip((signal.SIGTERM, signal.SIGHUP), before, strict=True):
            signal.signal(number, handler)
    assert capsys.readouterr().err.startswith('emqtop: no server to run: pip install "emqtop[demo]"')


def test_work_needs_a_server() -> None:
    done = python("work", "--seconds", "1", "--url", "redis://127.0.0.1:1", "--json")
    assert (done.returncode, done.stdout) == (Exit.UNREACHABLE, b"")
    assert done.stderr.count(b"\n") == 1
