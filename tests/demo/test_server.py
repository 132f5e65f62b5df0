"""The embedded server: ready, private, and gone with its owner."""

import os
import signal
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from emqtop.demo import server as demo_server
from emqtop.demo.server import EmbeddedServer, NoServerBinary, PortTaken, ServerDied, find_binary
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.resp import ask_one
from tests.demo.owners import ENDS, alive, offspring, owner
from tests.servers.ports import free_port

linux = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks into /proc")

START = """
from emqtop.demo.server import EmbeddedServer
server = EmbeddedServer()
server.ready()
print(server.pid, server.folder, flush=True)
"""


def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds; the test's own timeout bounds it."""
    while not condition():
        time.sleep(0.002)


def ask(server: EmbeddedServer, *args: str) -> object:
    with BareLink(parse_address(server.url)) as link:
        return link.run(ask_one(*args))


def test_it_answers_on_a_private_socket_and_leaves_nothing() -> None:
    with EmbeddedServer() as server:
        assert ask(server, "PING") == b"PONG"
        assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(Path(server.socket_path).stat().st_mode) == 0o700
        assert ask(server, "CONFIG", "GET", "port") == [b"port", b"0"]
        pid = server.pid
    assert not alive(pid)
    assert not server.folder.exists()
    server.stop()


def test_a_port_is_opened_on_loopback_only() -> None:
    with EmbeddedServer(port=free_port()) as server:
        assert ask(server, "CONFIG", "GET", "bind") == [b"bind", b"127.0.0.1"]
        with BareLink(parse_address(f"redis://127.0.0.1:{server.port}")) as link:
            assert link.run(ask_one("PING")) == b"PONG"


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as squatter:
        squatter.bind(("127.0.0.1", 0))
        squatter.listen()
        server = EmbeddedServer(port=squatter.getsockname()[1])
        with pytest.raises(PortTaken, match=f"port {server.port} of 127.0.0.1 is taken"):
            server.ready()
    assert not server.folder.exists()


def test_a_server_that_cannot_start_says_why() -> None:
    server = EmbeddedServer(extra=("--maxclients", "many"))
    with pytest.raises(ServerDied, match="did not start"):
        server.ready()
    assert not server.folder.exists()


@linux
@pytest.mark.parametrize("end", ENDS, ids=lambda each: each.name)
def test_it_dies_with_its_owner(end: signal.Signals) -> None:
    with owner(START, 2) as (process, (pid, folder)):
        below = offspring(process.pid)
        assert int(pid) in below
        process.send_signal(end)
        until(lambda: not any(alive(each) for each in below))
        until(lambda: not Path(folder).exists())


@linux
def test_it_dies_with_its_owner_when_one_watch_was_killed() -> None:
    with owner(START, 2) as (process, (pid, folder)):
        os.kill(min(offspring(int(pid))), signal.SIGKILL)
        process.kill()
        until(lambda: not alive(int(pid)))
        until(lambda: not Path(folder).exists())


@linux
def test_no_watch_outlives_a_server_that_was_killed() -> None:
    with owner(START, 2) as (process, (pid, folder)):
        below = offspring(process.pid)
        os.kill(int(pid), signal.SIGKILL)
        process.kill()
        until(lambda: not any(alive(each) for each in below))
        until(lambda: not Path(folder).exists())


def test_a_child_of_the_owner_does_not_keep_it_alive() -> None:
    code = START.replace(
        "print(", "import subprocess, sys\nchild = subprocess.Popen(['sleep', '600'])\nprint(child.pid, "
    )
    with owner(code, 3) as (process, (child, pid, folder)):
        process.kill()
        try:
            until(lambda: not alive(int(pid)))
            until(lambda: not Path(folder).exists())
        finally:
            os.kill(int(child), signal.SIGKILL)


def test_a_long_temporary_folder_still_has_room_for_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(demo_server.tempfile, "tempdir", str(deep))
    with EmbeddedServer() as server:
        assert len(server.socket_path) < 100
    assert list(deep.iterdir()) == []


def test_a_server_from_path_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo_server.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoServerBinary) as refused:
        find_binary()
    assert str(refused.value).count("\n") == 0
    assert "pip install" in str(refused.value)
    for name in ("redis-server", "valkey-server"):
        binary = tmp_path / name
        binary.write_text("#!/bin/sh\n")
        binary.chmod(0o755)
        assert find_binary() == str(binary)
