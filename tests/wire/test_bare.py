"""The blocking link: standard library only, never stuck, never taking a late answer for the next."""

import socket
import subprocess
import sys
import threading

import pytest

from emqtop.demo.server import EmbeddedServer
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.errors import Frozen, LoginRefused, Unreachable
from emqtop.wire.resp import Ask, ask_all, ask_one, pack
from tests.conftest import Hand


def test_it_loads_neither_redis_nor_asyncio_nor_ssl() -> None:
    code = "import sys, emqtop.wire.bare; print(sorted({'redis', 'asyncio', 'ssl'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"[]\n"


def test_large_writes_and_answers_do_not_lock_up(valkey: Hand) -> None:
    valkey("SET", "big", "x" * 2_000_000)
    commands = [pack("GET", "big"), pack("SET", "other", "y" * 2_000_000)] * 5
    replies = valkey.link.run(ask_all(commands))
    assert [len(reply) for reply in replies[::2]] == [2_000_000] * 5  # type: ignore[arg-type]


def test_a_peer_that_reads_only_after_it_has_written_is_no_trap() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    size = 8_000_000

    def peer() -> None:
        there, _ = listener.accept()
        with there:
            there.sendall(b"$%d\r\n%b\r\n" % (size, b"z" * size))
            while there.recv(1 << 20):
                pass

    talker = threading.Thread(target=peer)
    talker.start()
    with BareLink(parse_address(f"redis://127.0.0.1:{listener.getsockname()[1]}")) as link:
        ((reply,),) = link.stream([Ask(b"q" * size, 1)])
        assert len(reply) == size  # type: ignore[arg-type]
    talker.join()
    listener.close()


def test_no_answer_in_time_closes_it(valkey: Hand) -> None:
    link = BareLink(parse_address(valkey.url))
    with pytest.raises(Frozen):
        link.run(ask_one("BLPOP", "queue", 30), 0.05)
    with pytest.raises(Unreachable):
        link.run(ask_one("PING"))


def test_the_deadline_holds_for_the_whole_answer() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def peer() -> None:
        there, _ = listener.accept()
        with there:
            while not done.wait(0.02):
                there.sendall(b"+")  # a byte now and then, never an answer

    talker = threading.Thread(target=peer)
    talker.start()
    with (
        BareLink(parse_address(f"redis://127.0.0.1:{listener.getsockname()[1]}"), 0.2) as link,
        pytest.raises(Frozen),
    ):
        link.run(ask_one("PING"))
    done.set()
    talker.join()
    listener.close()


def test_a_server_that_hangs_up_is_unreachable(valkey: Hand) -> None:
    link = BareLink(parse_address(valkey.url))
    valkey("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    with pytest.raises(Unreachable):
        link.run(ask_one("PING"))
    link.close()
    link.close()


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("redis://127.0.0.1:1", Unreachable),
        ("unix:///nowhere/at/all", Unreachable),
        ("{server}?password=wrong", LoginRefused),
        ("{server}?db=99", LoginRefused),
    ],
)
def test_what_cannot_be_opened_says_why(server: EmbeddedServer, url: str, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        BareLink(parse_address(url.format(server=server.url)), 2)
    assert "wrong" not in str(caught.value)


def test_another_database_is_selected(valkey: Hand) -> None:
    valkey("SET", "here", 1)
    with BareLink(parse_address(f"{valkey.url}?db=3")) as link:
        assert link.run(ask_one("DBSIZE")) == 0


def test_a_user_logs_in(valkey: Hand) -> None:
    valkey("ACL", "SETUSER", "ops", "on", ">p@ss:w/rd", "+@all", "~*")
    with BareLink(parse_address(f"unix://ops:p@ss:w/rd@{valkey.url.removeprefix('unix://')}")) as link:
        assert link.run(ask_one("ACL", "WHOAMI")) == b"ops"
    valkey("ACL", "DELUSER", "ops")


def test_near_asks_go_one_by_one_and_far_ones_together(valkey: Hand) -> None:
    asks = [Ask(pack("PING"), 1)] * 12
    link = valkey.link
    for rtt_ms in (0.3, 20.0):
        link.rtt_ms = rtt_ms
        before, commands = link.round_trips, link.commands
        assert link.stream(asks) == [[b"PONG"]] * 12
        assert (link.round_trips, link.commands) == (before + 12, commands + 12)
