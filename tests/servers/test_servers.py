"""The test servers themselves: what each fixture promises."""

import asyncio
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from emqtop.demo.server import EmbeddedServer
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.errors import Frozen, LoginRefused, Unreachable
from emqtop.wire.link import Link
from emqtop.wire.resp import Reply, ReplyError, ask_one
from tests.conftest import Hand
from tests.servers.certificates import Authority
from tests.servers.cluster import SLOTS, Cluster
from tests.servers.process import ServerProcess
from tests.servers.sentinel import Trio
from tests.servers.waiting import wait_for
from tests.servers.weather import Weather


def ask(url: str, *args: str, timeout_s: float = 5.0) -> Reply:
    with BareLink(parse_address(url), timeout_s) as link:
        return link.run(ask_one(*args))


def test_a_server_listens_on_both_sockets_and_comes_back_empty_at_its_place(lone_server: ServerProcess) -> None:
    assert [ask(url, "PING") for url in (lone_server.url, lone_server.socket_url)] == [b"PONG", b"PONG"]
    place, first = lone_server.url, lone_server.pid
    lone_server("SET", "k", "v")
    lone_server.restart()
    assert (lone_server.url, lone_server("DBSIZE")) == (place, 0)
    assert lone_server.pid != first


def test_a_frozen_server_answers_nothing_and_goes_on(lone_server: ServerProcess) -> None:
    lone_server.freeze()
    with pytest.raises(Frozen):
        ask(lone_server.url, "PING", timeout_s=0.05)
    lone_server.thaw()
    assert ask(lone_server.url, "PING") == b"PONG"


def test_a_killed_server_is_unreachable(lone_server: ServerProcess) -> None:
    lone_server.kill()
    with pytest.raises(Unreachable):
        ask(lone_server.url, "PING")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent died")
def test_a_server_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    program = f"""
        import os, signal
        from pathlib import Path
        from tests.servers.process import ServerProcess
        running = ServerProcess()
        Path({str(told)!r}).write_text(f"{{running.pid}} {{running.folder}}")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False, cwd=Path(__file__).parents[2])
    pid, folder = told.read_text().split()
    wait_for(lambda: not _runs(int(pid)), "the server to end")
    for left in Path(folder).iterdir():
        left.unlink()
    Path(folder).rmdir()


def _runs(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_redis_runs_beside_valkey(redis7: ServerProcess, valkey: Hand) -> None:
    assert redis7.info("server")["redis_version"].startswith("7.")
    assert b"valkey_version" in bytes(valkey("INFO", "server"))  # type: ignore[arg-type]


def test_a_cluster_serves_every_slot_and_moves_one(cluster: Cluster) -> None:
    assert sorted(last - first + 1 for first, last, _ in cluster.slots()) == [5461, 5461, 5462]
    key = "emq:{orders}:pending"
    owner = cluster.owner(key)
    target = next(node for node in cluster.nodes if node is not owner)
    owner("ZADD", key, 0, "a")
    cluster.move(key, target, finish=False)
    with pytest.raises(ReplyError, match=f"^ASK {cluster.slot(key)} "):
        owner("ZCARD", key)
    cluster.finish(key, target)
    assert (cluster.owner(key), target("ZCARD", key)) == (target, 1)
    with pytest.raises(ReplyError, match=f"^MOVED {cluster.slot(key)} 127.0.0.1:{target.port}"):
        owner("ZCARD", key)
    cluster.empty()
    wait_for(lambda: cluster.owner(key) is owner, "the slot to be home again")
    assert sum(last - first + 1 for first, last, _ in cluster.slots()) == SLOTS


def test_sentinels_make_the_replica_a_master(sentinels: Trio) -> None:
    assert sentinels.master is sentinels.first
    assert [ask(f"redis://127.0.0.1:{each.port}", "PING") for each in sentinels.sentinels] == [b"PONG"] * 3
    assert sentinels.fail_over() is sentinels.second
    wait_for(lambda: sentinels.first.info("replication")["role"] == "slave", "the old master to follow")
    sentinels.second("SET", "k", "v")
    wait_for(lambda: sentinels.first("GET", "k") == b"v", "the write to arrive")
    with pytest.raises(ReplyError, match=r"^READONLY"):
        sentinels.first("SET", "k", "w")


def test_sentinels_notice_a_master_that_dies(sentinels: Trio) -> None:
    sentinels.first.kill()
    wait_for(lambda: sentinels.master is sentinels.second, "the Sentinels to act")
    wait_for(lambda: sentinels.second.info("replication")["role"] == "master", "the replica to obey")


@pytest.mark.parametrize(
    ("query", "outcome"),
    [
        ("ssl_ca_certs={ca}", b"PONG"),
        ("insecure=1", b"PONG"),
        ("ssl_ca_certs={stranger}", Unreachable),
        ("", Unreachable),
    ],
)
def test_tls_is_checked_against_the_authority(
    tls_server: ServerProcess, authority: Authority, query: str, outcome: object
) -> None:
    url = f"rediss://127.0.0.1:{tls_server.port}?" + query.format(ca=authority.ca, stranger=authority.stranger)
    if outcome is Unreachable:
        with pytest.raises(Unreachable):
            ask(url, "PING")
    else:
        assert ask(url, "PING") == outcome


def test_tls_with_client_certificates_refuses_who_has_none(mtls_server: ServerProcess, authority: Authority) -> None:
    assert ask(mtls_server.url, "PING") == b"PONG"
    with pytest.raises(Unreachable):
        ask(f"rediss://127.0.0.1:{mtls_server.port}?ssl_ca_certs={authority.ca}", "PING")


def test_a_user_may_do_what_its_rules_say(login: Callable[..., str], valkey: Hand) -> None:
    url = login("+@read", "+ping", "~emq:*")
    assert (ask(url, "ZCARD", "emq:{q}:pending"), ask(url, "PING")) == (0, b"PONG")
    for words in (("ZCARD", "bull:q:wait"), ("SET", "emq:{q}:x", "1"), ("INFO",)):
        with pytest.raises(ReplyError, match=r"^NOPERM"):
            ask(url, *words)
    with pytest.raises(LoginRefused):
        ask(url.replace("@", "x@", 1), "PING")


def test_distance_is_what_was_asked_for(weather: Weather, valkey: Hand) -> None:
    weather.rtt_ms = 40
    with BareLink(parse_address(weather.url)) as link:
        link.run(ask_one("PING"))
        assert link.rtt_ms >= 40
    assert (weather.connections, weather.to_server) == (1, len(b"*1\r\n$4\r\nPING\r\n"))
    assert weather.to_client == len(b"+PONG\r\n")


def test_a_thin_line_carries_so_much_a_second(weather: Weather, valkey: Hand) -> None:
    valkey("SET", "big", "x" * 30_000)
    weather.bytes_a_second = 100_000
    began = time.monotonic()
    assert len(ask(weather.url, "GET", "big")) == 30_000  # type: ignore[arg-type]
    assert time.monotonic() - began >= 0.3


def test_what_is_lost_comes_late_and_in_order(weather: Weather) -> None:
    weather.loss = 1.0
    with BareLink(parse_address(weather.url)) as link:
        assert [link.run(ask_one("ECHO", word)) for word in "ab"] == [b"a", b"b"]
        assert link.rtt_ms >= 400


def test_a_stalled_line_looks_frozen_and_flows_on(weather: Weather) -> None:
    with BareLink(parse_address(weather.url), 0.05) as link:
        weather.stall()
        with pytest.raises(Frozen):
            link.run(ask_one("PING"))
    weather.flow()
    assert ask(weather.url, "PING") == b"PONG"


async def test_a_cut_line_breaks_at_once_and_the_next_one_stands(weather: Weather) -> None:
    link = await Link.open(parse_address(weather.url))
    asking = asyncio.create_task(link.run(ask_one("BLPOP", "nothing", 30)))
    while weather.to_server == 0 or weather.to_client == 0:
        await asyncio.sleep(0.005)
    weather.cut()
    with pytest.raises(Unreachable):
        await asking
    assert await link.run(ask_one("PING")) == b"PONG"
    assert weather.connections == 2
    await link.close()


def test_a_vanished_line_swallows_everything_and_new_ones_stand(weather: Weather) -> None:
    with BareLink(parse_address(weather.url), 0.1) as link:
        link.run(ask_one("PING"))
        weather.vanish()
        with pytest.raises(Frozen):
            link.run(ask_one("PING"))
    assert ask(weather.url, "PING") == b"PONG"


def test_a_refused_port_is_unreachable_until_it_accepts(weather: Weather) -> None:
    port = weather.port
    weather.refuse()
    with pytest.raises(Unreachable):
        ask(weather.url, "PING")
    weather.accept()
    assert (weather.port, ask(weather.url, "PING")) == (port, b"PONG")


def test_nothing_is_left_of_a_closed_server(server: EmbeddedServer) -> None:
    running = ServerProcess()
    running.close()
    running.close()
    assert not running.folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(running.pid, 0)
