"""The embedded server: from the start to its first PONG, beside the bare process."""

import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from emqtop.demo.server import EmbeddedServer, find_binary
from tests.bench.gauges import memory_mb, middle
from tests.bench.table import Row, against
from tests.bench.world import World

_ROUNDS = 11


async def embedded(world: World) -> list[Row]:
    """Starts, by turns."""
    ours, floor, memory = [], [], 0.0
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        server = EmbeddedServer()
        server.ready()
        ours.append((time.perf_counter() - began) * 1000)
        memory = memory_mb(server.pid)
        server.stop()
        floor.append(_bare())
    return [
        against("embedded", "start to PONG", middle(ours), "ms", ("bare process", middle(floor)), 1.1),
        Row("embedded", "  memory", memory, "MB"),
    ]


def _bare() -> float:
    folder = Path(tempfile.mkdtemp(prefix="emqtop-bare-"))
    path = folder / "s"
    began = time.perf_counter()
    words = ("--port", "0", "--unixsocket", str(path), "--save", "", "--appendonly", "no", "--dir", str(folder))
    process = subprocess.Popen(
        [find_binary(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not _answers(path):
        time.sleep(0.001)
    wall = (time.perf_counter() - began) * 1000
    process.kill()
    process.wait()
    shutil.rmtree(folder)
    return wall


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
            probe.sendall(b"PING\r\n")
            return probe.recv(16).startswith(b"+PONG")
        except OSError:
            return False
