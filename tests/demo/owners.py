"""Owners that tests may kill: Python processes that start something, say so, and wait."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def owner(code: str, words: int) -> Iterator[tuple["subprocess.Popen[str]", list[str]]]:
    """A process that runs the code and then waits for ever, and the words of the line that it printed."""
    process = subprocess.Popen(
        [sys.executable, "-c", f"{code}\nimport time\ntime.sleep(600)"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    try:
        said = process.stdout.readline().split()
        assert len(said) == words
        yield process, said
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def alive(pid: int) -> bool:
    """Does the process run? One that is dead but not yet waited for does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc").is_dir()
    return state not in "ZX"


def offspring(pid: int) -> set[int]:
    """Every process below this one; Linux only."""
    children = {
        int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
    }
    return children.union(*(offspring(child) for child in children)) if children else children


ENDS = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
