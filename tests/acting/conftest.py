"""A client for acts, an audit file of its own, and a queue laid out by hand."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from emqtop.acting import run
from emqtop.acting.audit import Audit
from emqtop.acting.runner import Runner
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import Stage


@pytest.fixture
async def client(valkey: Hand) -> AsyncIterator[Client]:
    """The client of the dashboard on the test's own server."""
    opened = await Client.open(parse_address(valkey.url))
    yield opened
    await opened.close()


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """An audit file in a folder of its own."""
    return Audit("redis://test", tmp_path / "state")


@pytest.fixture
def runner(client: Client, audit: Audit) -> Runner:
    """Carries plans out."""
    return Runner(client, audit)


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is near, however loaded the machine is: no batch is a large one."""
    monkeypatch.setattr(run, "_NEAR_S", 60)


@pytest.fixture
def stage(valkey: Hand) -> Stage:
    """Lays jobs out."""
    return Stage(valkey)
