"""One server process of a test: frozen, killed and started again at will, dead when the test process is dead."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self, TypeVar

from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import Conversation, Reply, ask_all, ask_one, pack
from tests.servers.binaries import Kind, command
from tests.servers.ports import free_port

T = TypeVar("T")

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


class CouldNotStart(Exception):
    """A server ended before it answered; the message is its log."""


class ServerProcess:
    """A server on a TCP port of 127.0.0.1 and on a unix socket, with a folder of its own.

    Args:
        kind: which program and release.
        options: further words of its command line.
        config: text of a config file that it may rewrite; None: it has none.
        port: fixed TCP port; None: a free one.
        query: query string of its URL (`ssl_ca_certs=…`), for a server that speaks TLS.
        tls: is its TCP port encrypted?
    """

    def __init__(
        self,
        kind: Kind = "valkey",
        options: Sequence[str] = (),
        *,
        config: str | None = None,
        port: int | None = None,
        query: str = "",
        tls: bool = False,
    ) -> None:
        self.kind = kind
        self.folder = Path(tempfile.mkdtemp(prefix="emqtop-test-", dir="/tmp"))
        self.port = port or 0
        self._fixed = port is not None
        self._options = options
        self._config = self.folder / "own.conf" if config is not None else None
        self._query = query
        self._tls = tls
        self._process: subprocess.Popen[bytes] | None = None
        if self._config is not None:
            self._config.write_text(config or "", "utf-8")
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """Where it listens on TCP."""
        query = f"?{self._query}" if self._query else ""
        return f"{'rediss' if self._tls else 'redis'}://127.0.0.1:{self.port}{query}"

    @property
    def socket_url(self) -> str:
        """Where it listens on its unix socket."""
        return f"unix://{self.folder}/s"

    @property
    def pid(self) -> int:
        """Process id."""
        assert self._process is not None
        return self._process.pid

    def start(self, *more: str) -> None:
        """Start it, and wait until it answers (an error, such as NOAUTH, is an answer); empty, unless it was told SAVE.

        Args:
            more: further words of its command line, for this life only.

        Raises:
            CouldNotStart: it ended instead.
        """
        for attempt in range(6):
            if not self._fixed:
                self.port = free_port()
            self._spawn(more)
            try:
                self._await()
            except CouldNotStart as failure:
                if "in use" not in str(failure) or self._fixed or attempt == 5:
                    raise
                continue
            # A server keeps its port from here on, so that clients find it again.
            self._fixed = True
            return

    def __call__(self, *args: bytes | str | int | float) -> Reply:
        """Send one command over the unix socket; raises ReplyError where the server refuses."""
        return self.run(ask_one(*args))

    def run(self, conversation: Conversation[T]) -> T:
        """Hold a conversation over the unix socket."""
        # A connection of its own each time: Sentinels cut those of a server that they turn round.
        with BareLink(parse_address(self.socket_url)) as link:
            return link.run(conversation)

    def info(self, section: str) -> dict[str, str]:
        """A section of INFO, by name."""
        raw = self("INFO", section)
        assert isinstance(raw, bytes)
        return dict(line.split(":", 1) for line in raw.decode().splitlines() if ":" in line)

    def freeze(self) -> None:
        """Stop it from running, as a machine that swaps or a debugger does (SIGSTOP)."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it run on."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End it at once, connections cut, nothing saved; `start` brings an empty one to the same place."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def restart(self) -> None:
        """Kill it and start it again, empty, at the same place."""
        self.kill()
        self.start()

    def close(self) -> None:
        """End it and remove its folder; harmless when done twice."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def log(self) -> str:
        """What it and its earlier lives wrote."""
        with contextlib.suppress(OSError):
            return (self.folder / "log").read_text("utf-8", "replace")
        return ""

    def _spawn(self, more: Sequence[str]) -> None:
        port = ("--port", "0", "--tls-port", str(self.port)) if self._tls else ("--port", str(self.port))
        config = (str(self._config),) if self._config is not None else ()
        (self.folder / "s").unlink(missing_ok=True)
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *command(self.kind),
                    *config,
                    *(*port, "--bind", "127.0.0.1", "--unixsocket", str(self.folder / "s")),
                    *("--save", "", "--appendonly", "no", "--dir", str(self.folder)),
                    *self._options,
                    *more,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )

    def _await(self) -> None:
        assert self._process is not None
        end = time.monotonic() + 20
        while True:
            try:
                with BareLink(parse_address(self.socket_url)) as link:
                    link.run(ask_all([pack("PING")]))
                return
            except SourceError:
                pass
            if self._process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise CouldNotStart(self.log)
            time.sleep(0.002)


def _die_with_parent() -> None:
    """Linux: be killed when the thread that started this process ends, however that comes about."""
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
