"""Fixtures: real servers in every arrangement that people have, each started at its first use in a test process."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

import pytest

from emqtop.demo.server import EmbeddedServer
from tests.servers.binaries import KINDS, Kind
from tests.servers.certificates import Authority, new_authority
from tests.servers.cluster import Cluster
from tests.servers.process import ServerProcess
from tests.servers.sentinel import Trio
from tests.servers.users import as_user, user
from tests.servers.weather import Weather

if TYPE_CHECKING:
    from tests.conftest import Hand

Login = Callable[..., str]


@pytest.fixture
def lone_server() -> Iterator[ServerProcess]:
    """A Valkey of the test's own: to freeze, kill and start again."""
    with ServerProcess() as running:
        yield running


@pytest.fixture(scope="session")
def _servers() -> Iterator[Callable[[Kind], ServerProcess]]:
    with ExitStack() as running:
        yield cache(lambda kind: running.enter_context(ServerProcess(kind)))


@pytest.fixture
def redis7(_servers: Callable[[Kind], ServerProcess]) -> ServerProcess:
    """An empty Redis as the system packages it, beside the Valkey of `valkey`."""
    return _emptied(_servers("redis"))


@pytest.fixture(params=KINDS)
def any_server(request: pytest.FixtureRequest, _servers: Callable[[Kind], ServerProcess]) -> ServerProcess:
    """An empty server of each kind in turn."""
    return _emptied(_servers(request.param))


def _emptied(server: ServerProcess) -> ServerProcess:
    server("FLUSHALL")
    server("SCRIPT", "FLUSH")
    return server


@pytest.fixture(scope="session")
def _cluster() -> Iterator[Cluster]:
    with Cluster() as running:
        yield running


@pytest.fixture
def cluster(_cluster: Cluster) -> Cluster:
    """Three empty masters; a test that ends one makes a `Cluster` of its own."""
    _cluster.empty()
    return _cluster


@pytest.fixture
def sentinels() -> Iterator[Trio]:
    """A master, its replica and three Sentinels, fresh for each test since tests turn them round."""
    with Trio() as running:
        yield running


@pytest.fixture(scope="session")
def authority() -> Iterator[Authority]:
    """A certificate authority with certificates for the server, a client and a stranger."""
    made = new_authority()
    yield made
    shutil.rmtree(made.ca.parent)


@pytest.fixture(scope="session")
def tls_server(authority: Authority) -> Iterator[ServerProcess]:
    """A Redis that speaks TLS; its URL names the authority and no certificate of the client's."""
    with _tls(authority, "no", f"ssl_ca_certs={authority.ca}") as running:
        yield running


@pytest.fixture(scope="session")
def mtls_server(authority: Authority) -> Iterator[ServerProcess]:
    """A Redis that wants a certificate of its clients; its URL names one."""
    client = f"ssl_certfile={authority.client.certificate}&ssl_keyfile={authority.client.key}"
    with _tls(authority, "yes", f"ssl_ca_certs={authority.ca}&{client}") as running:
        yield running


@contextmanager
def _tls(authority: Authority, wants_clients: str, query: str) -> Iterator[ServerProcess]:
    files = (
        *("--tls-cert-file", str(authority.server.certificate), "--tls-key-file", str(authority.server.key)),
        *("--tls-ca-cert-file", str(authority.ca), "--tls-auth-clients", wants_clients),
    )
    with ServerProcess("redis", files, tls=True, query=query) as running:
        yield running


@pytest.fixture
def login(valkey: "Hand") -> Iterator[Login]:
    """Makes a user of the given ACL rules on the server of `valkey`; returns the URL to log in with."""
    with ExitStack() as users:
        yield lambda *rules: as_user(valkey.url, *users.enter_context(user(valkey, *rules)))


@pytest.fixture
def weather(server: EmbeddedServer) -> Iterator[Weather]:
    """A proxy before the server of `valkey`; fair until the test says otherwise."""
    with Weather(server.socket_path) as made:
        yield made
