"""States of a server of the test's own in which it cannot answer; each is over at the test's word."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.resp import ReplyError, ask_one
from tests.servers.process import ServerProcess
from tests.servers.waiting import wait_for

State = Callable[[ServerProcess], AbstractContextManager[None]]
"""Brings a server there for as long as it is open."""

_FILL = "for n = 1, tonumber(ARGV[1]) do redis.call('SET', 'filler:' .. n, string.rep('x', tonumber(ARGV[2]))) end"
_NOT_NOW = "The server cannot answer now: "
# A few ms for each key, 12 s and more for all, and the server looks up after each kB; Redis 6.2 after two MB.
_SMALL, _LARGE = (30_000, 100), (3_000, 20_000)
_SLOWLY = ("--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024")
_SLOWLY_BEFORE = ("--key-load-delay", "4000")


@contextmanager
def loading(server: ServerProcess) -> Iterator[None]:
    """Started again with all it had, it reads its file (LOADING)."""
    is_old = server.kind == "redis-6.2"
    server("CONFIG", "SET", "rdbcompression", "no")
    server("EVAL", _FILL, 0, *(_LARGE if is_old else _SMALL))
    server("SAVE")
    server.kill()
    server.start(*(_SLOWLY_BEFORE if is_old else _SLOWLY))
    try:
        yield
    finally:
        if is_old:
            server.kill()
            server.start()
        else:
            server("CONFIG", "SET", "key-load-delay", 0)
        wait_for(lambda: server.info("persistence")["loading"] == "0", "the end of loading")


@contextmanager
def orphaned(server: ServerProcess) -> Iterator[None]:
    """A replica that serves nothing stale, of a master that is not there (MASTERDOWN)."""
    server("CONFIG", "SET", "replica-serve-stale-data", "no")
    server("REPLICAOF", "127.0.0.1", 1)
    try:
        yield
    finally:
        server("REPLICAOF", "NO", "ONE")


@contextmanager
def busy(server: ServerProcess) -> Iterator[None]:
    """In a script without an end (BUSY)."""

    def spin() -> None:
        with contextlib.suppress(ReplyError):
            server("EVAL", "while true do end", 0)

    server("CONFIG", "SET", "lua-time-limit", 1)
    spinning = threading.Thread(target=spin)
    spinning.start()
    wait_for(lambda: _word(server) == "BUSY", "the script to be too long")
    try:
        yield
    finally:
        server("SCRIPT", "KILL")
        spinning.join()


@contextmanager
def locked(server: ServerProcess) -> Iterator[None]:
    """Wants a password of everybody who comes anew, and has sent the others away (NOAUTH)."""
    server("CONFIG", "SET", "requirepass", "S3cret")
    _as_known(server, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    try:
        yield
    finally:
        _as_known(server, "CONFIG", "SET", "requirepass", "")


@contextmanager
def frozen(server: ServerProcess) -> Iterator[None]:
    """Stopped: it takes connections and words, and answers none."""
    server.freeze()
    try:
        yield
    finally:
        server.thaw()


@contextmanager
def dead(server: ServerProcess) -> Iterator[None]:
    """Not there, and back with all it had."""
    server("SAVE")
    server.kill()
    try:
        yield
    finally:
        server.start()


@contextmanager
def full(server: ServerProcess) -> Iterator[None]:
    """With as many clients as it may have, none of them the test's."""
    with BareLink(parse_address(server.socket_url)) as link:
        link.run(ask_one("CONFIG", "SET", "maxclients", 1))
        link.run(ask_one("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"))
        try:
            yield
        finally:
            link.run(ask_one("CONFIG", "SET", "maxclients", 100))


def _as_known(server: ServerProcess, *command: str) -> None:
    with BareLink(parse_address(server.socket_url.replace("://", "://:S3cret@"))) as link:
        link.run(ask_one(*command))


def _word(server: ServerProcess) -> str:
    try:
        server("PING")
    except ReplyError as refusal:
        return refusal.word
    return ""


WORDS: dict[State, str] = {
    loading: _NOT_NOW + "LOADING {kind} is loading the dataset in memory",
    orphaned: _NOT_NOW + "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    busy: _NOT_NOW + "BUSY {kind} is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
    locked: "The server refuses the login: NOAUTH Authentication required.",
    full: "The server cannot be reached: max number of clients reached",
    dead: "The server cannot be reached: {url}: Connection refused",
    frozen: "The server does not answer",
}
"""What is said of a server in each."""
