"""The command line in this process, against a real Valkey with a filled queue."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from emqtop.cli.main import main
from emqtop.wire.echomq import lanes, lifecycle, operator
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from tests.conftest import Hand


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one document on stdout."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


Cli = Callable[..., Ran]


@pytest.fixture
def cli(valkey: Hand, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command line against the test's Valkey."""
    monkeypatch.setenv("EMQTOP_URL", valkey.url)

    def run(*argv: str) -> Ran:
        capsys.readouterr()
        code = main(argv)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


def command(*argv: str) -> list[str]:
    """How a process of its own runs the command."""
    return [sys.executable, "-c", "import sys; from emqtop.cli.main import main; sys.exit(main())", *argv]


def python(*argv: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, without a terminal."""
    return subprocess.run(
        command(*argv),
        env=os.environ | environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


class Stock:
    """A queue `orders` with jobs in every location.

    Attributes:
        pending, active, overdue, schedule, dead, grouped: ids by where they lie; active ones have a minute of lease.
        group: the lane of `grouped`.
    """

    def __init__(self, valkey: Hand, name: str = "orders") -> None:
        self.valkey, self.keys, self.minter = valkey, QueueKeys("emq", name), Minter(node=7)
        run = valkey.link.run
        self.overdue, self.active, self.dead = self.add(b"late"), self.add(b"busy"), self.add(b"bad")
        run(lifecycle.claim(self.keys, 1))
        run(lifecycle.claim(self.keys, 60_000))
        claim = run(lifecycle.claim(self.keys, 60_000))
        assert claim is not None
        run(lifecycle.retry(self.keys, self.dead, claim.token, "boom \x1b[2J", delay_ms=0, attempts=1))
        self.pending = self.add(b'{"a": [1]}')
        self.schedule, self.group, self.grouped = self.mint(), self.minter.mint("GRP"), self.mint()
        run(lifecycle.schedule_in(self.keys, self.schedule, b"later", 60_000))
        run(lanes.enqueue_grouped(self.keys, self.group, self.grouped, b"in a lane"))

    def mint(self) -> str:
        """A fresh job id."""
        return self.minter.mint()

    def add(self, payload: bytes) -> str:
        """A pending job."""
        job = self.mint()
        self.valkey.link.run(lifecycle.enqueue(self.keys, job, payload))
        return job

    def pause(self) -> None:
        """Pause the queue."""
        self.valkey.link.run(operator.pause(self.keys))

    def place(self, job: str) -> str | None:
        """The set that holds a flat job."""
        parts = ("pending", "active", "schedule", "dead")
        return next((part for part in parts if self.valkey("ZSCORE", self.keys.part(part), job) is not None), None)


@pytest.fixture
def stock(valkey: Hand) -> Stock:
    """A queue `orders` with jobs in every location."""
    return Stock(valkey)
