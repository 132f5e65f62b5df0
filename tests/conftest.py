"""Real servers for the tests: an embedded Valkey per test process, emptied before each test."""

import os
import signal
from collections.abc import Iterator

import pytest

from emqtop.demo.server import EmbeddedServer
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.resp import Reply, ask_one

pytest_plugins = ["tests.servers.fixtures"]


def pytest_configure() -> None:
    """Let Ctrl-C reach what the tests start: a shell's background job ignores it and hands that down."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the user's environment, config and state out of every test."""
    for name in [name for name in os.environ if name.startswith("EMQTOP_") or name in {"NO_COLOR", "COLORTERM"}]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """One Valkey for this test process."""
    with EmbeddedServer() as running:
        yield running


class Hand:
    """A plain client for tests: raw commands, as a user of redis-cli would type them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.link = BareLink(parse_address(url))

    def __call__(self, *args: bytes | str | int | float) -> Reply:
        """Send one command; raises ReplyError where the server refuses."""
        return self.link.run(ask_one(*args))


@pytest.fixture
def valkey(server: EmbeddedServer) -> Iterator[Hand]:
    """An empty Valkey and a plain client on it."""
    hand = Hand(server.url)
    hand("FLUSHALL")
    yield hand
    hand.link.close()
