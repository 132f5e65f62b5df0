"""`emqtop demo` as a newcomer runs it: jobs move, leases run out, an operator frees them, nothing is left behind."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import EMQTOP, dashboard, emqtop, environment
from tests.servers.ports import free_port


def overdue(url: str) -> dict[str, int]:
    """Overdue leases by queue."""
    document = json.loads(emqtop("ls", "--json", "--url", url).stdout)
    return {queue["name"]: queue["overdue"] for queue in document["queues"]}


@pytest.fixture
def unreaped() -> Iterator[str]:
    """URL of a headless demo whose expired leases are left to the operator."""
    port = free_port()
    words = ("demo", "--headless", "--seed", "1", "--no-reaper", "--listen", str(port), "--json")
    running = subprocess.Popen([*EMQTOP, *words], env=environment(), stdout=subprocess.DEVNULL)
    yield f"redis://127.0.0.1:{port}"
    running.terminate()
    running.wait(20)


def test_twenty_seconds_of_work() -> None:
    done = emqtop("demo", "--headless", "--seconds", "20", "--seed", "1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    queues = json.loads(done.stdout.splitlines()[-1])["queues"]
    assert all(queue["error"] is None for queue in queues)
    assert len([queue for queue in queues if queue["completed"]]) >= 4
    for count in ("completed", "failed", "overdue"):
        assert sum(queue[count] for queue in queues) > 0, count


def test_overdue_leases_grow_and_are_reaped_from_elsewhere(unreaped: str) -> None:
    end = time.monotonic() + 40
    while (late := _waited(unreaped, "orders")) < 2:
        assert time.monotonic() < end, "overdue does not grow"
        time.sleep(0.5)
    stuck = [
        job["id"]
        for job in json.loads(emqtop("jobs", "orders", "active", "--json", "--url", unreaped).stdout)["jobs"]
        if job["lease_ms"] < 0
    ]
    assert len(stuck) >= late

    done = emqtop("reap", "orders", "--yes", "--json", "--url", unreaped)
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["matched"] == document["moved"] >= len(stuck)
    assert document["skipped"] == document["unknown"] == []

    for job in stuck:
        while emqtop("job", "orders", job, "--json", "--url", unreaped).returncode != 1:
            assert time.monotonic() < end, f"{job} did not complete"


def _waited(url: str, queue: str) -> int:
    try:
        return overdue(url).get(queue, 0)
    except json.JSONDecodeError:  # the server is not up yet
        return 0


@pytest.mark.parametrize("words", [(), ("--headless",), ("--no-reaper", "--naive")], ids=" ".join)
def test_a_killed_demo_leaves_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    with dashboard("demo", *words, TMPDIR=str(tmp_path)) as screen:
        screen.until("orders")
        family = _family(screen.process.pid)
        assert len(family) >= 3
        assert list(tmp_path.iterdir())
        screen.process.send_signal(signal.SIGKILL)
        screen.process.wait(10)
        end = time.monotonic() + 10
        while any(map(_lives, family)) or list(tmp_path.iterdir()):
            assert time.monotonic() < end, ([pid for pid in family if _lives(pid)], list(tmp_path.iterdir()))
            time.sleep(0.02)


def _family(pid: int) -> list[int]:
    """Every process below one."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in (line.split() for line in listed.splitlines())}
    found = [pid]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


def _lives(pid: int) -> bool:
    """Does a process run still? One that only waits to be taken note of does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")
