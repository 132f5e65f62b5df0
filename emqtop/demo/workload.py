"""The demo workload: producers, workers and a worker that is killed again and again, in processes of their own."""

from typing import Self

from emqtop.demo.assignment import Assignment
from emqtop.demo.leash import Leashed
from emqtop.wire.address import Address, parse_address

DEFAULT_RATE = 40.0
"""Jobs a second, all queues together."""
DEFAULT_WORKERS = 4
"""Jobs of one queue that are worked on at a time."""


class WorkloadDied(Exception):
    """A process of the demo workload ended by itself."""

    def __str__(self) -> str:
        return f"the demo workload ended by itself: {self.args[0]}"


class Workload:
    """Makes and works on the jobs of six queues, on the real scripts.

    `orders` is steady, and some of its jobs wait for a payment and an e-mail on other queues; `emails` comes in bursts;
    `tenants` has lanes of unequal size, one at its limit, one paused; `payments` fails with backoff and dies with a few
    distinct errors; `thumbnails` has albums that wait for their pictures; `reports` is scheduled, repeating, and slow,
    so that leases are extended. A worker of `orders` and `tenants` is killed in mid-job every few seconds.

    With `bullmq` there are five queues of that family beside them (`emqtop.demo.bull_fleet`), prefix `bull`.

    It takes two Python processes, one more with `naive` and two more with `bullmq`, and the one that is killed. They
    end with this process whatever ends it, and survive a server that goes and comes back.

    Args:
        server: URL or address of the server.
        rate: jobs a second, all queues together; queues that fall behind get fewer.
        workers: jobs of one queue that are worked on at a time.
        seed: the same seed makes the same jobs.
        reaper: take back leases that ran out, on `orders` and `tenants` every 30 s; else that is left to the operator.
        naive: add the queue `naive`, whose moves are separate commands with crashes between them.
        bullmq: add the queues of the BullMQ family, made and worked on by the package of that name.
        prefix: key prefix of the EchoMQ queues.

    Raises:
        BadAddress: the URL cannot be read.
        ValueError: the rate is negative, or there is no worker.
    """

    def __init__(
        self,
        server: str | Address,
        *,
        rate: float = DEFAULT_RATE,
        workers: int = DEFAULT_WORKERS,
        seed: int = 1,
        reaper: bool = True,
        naive: bool = False,
        bullmq: bool = False,
        prefix: str = "emq",
    ) -> None:
        if rate < 0 or workers < 1:
            raise ValueError("wanted a rate of 0 or more, and one worker or more")
        address = parse_address(server) if isinstance(server, str) else server
        self._assignment = Assignment(address, prefix, rate, workers, seed, reaper)
        self._modules = ["fleet", "producer", *(["naive"] if naive else []), *(["bull_fleet"] if bullmq else [])]
        self._processes: list[Leashed] = []

    def start(self) -> None:
        """Start the processes; returns at once. Call it on the main thread where that is possible."""
        told = self._assignment.to_json()
        self._processes = [Leashed(f"emqtop.demo.{module}", told) for module in self._modules]

    def poll(self) -> None:
        """Look whether all is well.

        Raises:
            WorkloadDied: a process ended, with the last line that it said.
        """
        for process in self._processes:
            if (code := process.ended()) is not None:
                raise WorkloadDied(process.last_words() or f"{process.module} with exit code {code}")

    def stop(self) -> None:
        """End the processes; jobs in hand are cut short and settled, within three seconds. Harmless when repeated."""
        processes, self._processes = self._processes, []
        for process in processes:
            process.let_go()
        for process in processes:
            process.gone()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
