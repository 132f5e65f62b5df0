"""Clocks and counters: what a process costs, and what a number of measurements say."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path


def cpu_ms(pid: int) -> float:
    """CPU that all threads of a process used so far, ms, from the scheduler's own clock."""
    total = 0
    for task in _tasks(pid):
        with contextlib.suppress(OSError):
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e6


def tree_cpu_ms(pid: int) -> float:
    """The same for a process and what it started."""
    return sum(cpu_ms(each) for each in tree(pid))


def memory_mb(pid: int, field: str = "VmRSS") -> float:
    """Resident memory, MB; `VmHWM` is its highest."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def tree(pid: int) -> Iterator[int]:
    """A process and all that it started."""
    yield pid
    for task in _tasks(pid):
        with contextlib.suppress(OSError):
            for child in (task / "children").read_text().split():
                yield from tree(int(child))


def _tasks(pid: int) -> list[Path]:
    with contextlib.suppress(OSError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []


def middle(values: Iterable[float]) -> float:
    """The median."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def quantile(values: Iterable[float], share: float) -> float:
    """The value that this share of all does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
