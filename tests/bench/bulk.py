"""A bulk act from the command line: what the server's other clients feel of it, and how soon it can be stopped."""

import json
import signal
import subprocess
import sys
import time

from tests.bench import seeds
from tests.bench.neighbour import Neighbour
from tests.bench.screens import REPOSITORY, environment
from tests.bench.table import Row
from tests.bench.world import World, path_of
from tests.servers.process import ServerProcess

JOBS = 100_000


async def requeue(world: World) -> list[Row]:
    """100,000 dead jobs back to pending from the command line, a neighbour beside it; then once more, stopped."""
    server = world.fresh()
    seeds.fill_dead(path_of(server), "huge", JOBS, every_row=True, payload=b"x" * 200)
    server("CONFIG", "SET", "slowlog-log-slower-than", 1000)
    server("SLOWLOG", "RESET")
    with Neighbour(path_of(server)) as alone:
        time.sleep(1)
    began = time.perf_counter()
    with Neighbour(path_of(server)) as during:
        done = json.loads(_act(server, "requeue").communicate(timeout=120)[0])
    wall = time.perf_counter() - began
    slow = server("SLOWLOG", "LEN")
    assert isinstance(slow, int)
    assert done["moved"] == JOBS, done
    rows = [
        Row("requeue", "100,000 dead jobs: neighbour's p99", during.p99_ms, "ms", "nobody acts", alone.p99_ms, 1),
        Row("requeue", "  neighbour's longest wait", during.most_ms, "ms", "nobody acts", alone.most_ms, 100),
        Row("requeue", "  calls over 1 ms", slow, "", budget=0),
        Row("requeue", "  wall", wall, "s"),
        _stopped(server),
    ]
    server.close()
    return rows


def _stopped(server: ServerProcess) -> Row:
    """SIGINT once a tenth is done: time until the process is gone."""
    server("FLUSHALL")
    seeds.fill_dead(path_of(server), "huge", JOBS, every_row=True, payload=b"x" * 200)
    acting = _act(server, "requeue")
    while acting.poll() is None and _waiting(server) < JOBS // 10:
        time.sleep(0.01)
    began = time.perf_counter()
    acting.send_signal(signal.SIGINT)
    told, _ = acting.communicate(timeout=60)
    wall = (time.perf_counter() - began) * 1000
    assert json.loads(told)["stopped"] or _waiting(server) == JOBS
    return Row("requeue", "  SIGINT to the end of the process", wall, "ms", budget=1000)


def _act(server: ServerProcess, verb: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "emqtop", verb, "huge", "--all", "--yes", "--json", "--url", server.socket_url]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=REPOSITORY, env=environment(str(server.folder))
    )


def _waiting(server: ServerProcess) -> int:
    size = server("ZCARD", "emq:{huge}:pending")
    assert isinstance(size, int)
    return size
