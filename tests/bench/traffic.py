"""Somebody who changes queues while a dashboard is watched."""

import threading
import time
from collections.abc import Callable
from typing import Self

from emqtop.wire.resp import pack
from tests.bench.floors import RawSocket


class Traffic:
    """Calls a step again and again in a thread of its own; a context manager.

    Args:
        path: unix socket.
        step: given a connection and the number of the step.
        a_second: steps a second.
    """

    def __init__(self, path: str, step: Callable[[RawSocket, int], object], a_second: float) -> None:
        self._link = RawSocket(path)
        self._step = step
        self._every_s = 1 / a_second
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="traffic", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._link.close()

    def _run(self) -> None:
        began, number = time.monotonic(), 0
        while not self._over.wait(max(0.0, began + number * self._every_s - time.monotonic())):
            self._step(self._link, number)
            number += 1


def ten_cells(link: RawSocket, number: int) -> None:
    """One more active job, or one less, in each of ten queues of `seeds.fill`: one cell of each row changes."""
    parts = []
    for queue in range(10):
        key = f"emq:{{q{queue * 4:05d}}}:active"
        parts.append(pack("ZREM", key, "extra") if number % 2 else pack("ZADD", key, 4_000_000_000_000, "extra"))
    link.exchange(b"".join(parts), 10)


def bullmq_jobs(link: RawSocket, number: int) -> None:
    """Ten jobs, each added, taken and completed, spread over five queues of `seeds.fill_bullmq`."""
    parts = []
    for nth in range(10):
        base, job = f"bull:q{nth % 5:05d}:", 10 + number * 10 + nth
        fields = ("name", "work", "data", "{}", "opts", "{}", "timestamp", 1_790_000_000_000)
        parts += [pack("HSET", f"{base}{job}", *fields), pack("LPUSH", f"{base}wait", job)]
        parts += [_event(base, "added", job), _event(base, "waiting", job)]
        parts += [pack("RPOPLPUSH", f"{base}wait", f"{base}active"), _event(base, "active", job)]
        parts += [pack("LPOP", f"{base}active"), pack("ZADD", f"{base}completed", 1_790_000_000_000 + job, job)]
        parts += [_event(base, "completed", job)]
    link.exchange(b"".join(parts), len(parts))


def _event(base: str, name: str, job: int) -> bytes:
    return pack("XADD", f"{base}events", "MAXLEN", "~", 10_000, "*", "event", name, "jobId", job)
