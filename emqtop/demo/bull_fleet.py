"""The process with the queues of the BullMQ family: real producers and workers of the PyPI package `bullmq`."""

import asyncio
import contextlib
import sys
from itertools import count
from random import Random
from typing import Any

from emqtop.demo.assignment import Assignment, read_assignment
from emqtop.demo.bull_queues import BOOKS, INVOICES, MAIL, NAMES, NEWSLETTER, VIDEO, VIDEO_LOCK_MS
from emqtop.demo.leash import Leash, Leashed
from emqtop.wire.bullmq.library_queues import LibraryQueues
from emqtop.wire.bullmq.library_scripts import NotShipped

PREFIX = "bull"
"""Key prefix of the queues."""

_SHARE = 0.25
"""Part of the workload's rate that goes to these queues."""
_SHARES = {MAIL: 10, INVOICES: 5, BOOKS: 1, VIDEO: 2, NEWSLETTER: 1}
_MOST_WAITING, _MOST_VIDEOS = 200, 20
_KEEP = {"removeOnComplete": {"count": 500}, "removeOnFail": {"count": 500}}
_NEVER_MS = 86_400_000
_METRICS = {"maxDataPoints": 24 * 60}
_RECURRING: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (MAIL, "probe", {"every": 5_000}),
    (INVOICES, "statements", {"pattern": "*/2 * * * *", "tz": "UTC"}),
    (NEWSLETTER, "digest", {"every": 15_000}),
)
"""Queue, scheduler and rule; that of `newsletter` comes due and is not taken."""
_VICTIM_LIFE_S = 2.5
_VICTIM_PAUSE_S = 4.0
_ERRORS = ("SMTP 550 mailbox unavailable", "SMTP 421 try again later", "template has no field `name`")


class BullFleet:
    """Adds and works on jobs of five queues.

    `mail` is steady, retries with backoff and dies of a few distinct errors; `invoices` has priorities and delays;
    `books` wait for their chapters on `mail`; `video` is slow, and a worker of it is killed in mid-job; `newsletter`
    is paused. Three have a job that recurs, and most count their minutes.

    Args:
        assignment: what is to be done.

    Raises:
        NotShipped: the package is not installed.
    """

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._dice = Random(f"{assignment.seed}:bullmq")
        self._real = LibraryQueues(assignment.address, PREFIX)
        self._queues = {name: self._real.queue(name) for name in NAMES}
        self._flows = self._real.flows()
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        """Add and work until `stop`."""
        await self._queues[NEWSLETTER].pause()
        for queue, scheduler, rule in _RECURRING:
            await self._queues[queue].upsertJobScheduler(scheduler, rule, scheduler, {"by": "demo"}, _KEEP)
        self._work()
        losing = asyncio.create_task(self._lose_workers())
        try:
            await self._add_jobs()
        finally:
            losing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await losing
            await self._real.close()

    def stop(self) -> None:
        """Add no more jobs, and end."""
        self._stopped.set()

    def _work(self) -> None:
        # Without a reaper nobody takes lapsed jobs back but the operator.
        checks = {"stalledInterval": VIDEO_LOCK_MS if self._assignment.reaper else _NEVER_MS}
        for name in (MAIL, INVOICES, BOOKS):
            options = {**checks, "concurrency": self._assignment.workers, "metrics": _METRICS}
            self._real.worker(name, self._send, name=f"demo-{name}", **options)
        # One job at a time, so that enough wait for the worker that is killed.
        self._real.worker(VIDEO, self._encode, name="demo-video", lockDuration=VIDEO_LOCK_MS, **checks)

    async def _add_jobs(self) -> None:
        pause_s = 1 / max(self._assignment.rate * _SHARE, 0.1)
        for number in count():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._stopped.wait()
            if self._stopped.is_set():
                return
            await self._add(number)

    async def _add(self, number: int) -> None:
        name = self._dice.choices(tuple(_SHARES), tuple(_SHARES.values()))[0]
        most = _MOST_VIDEOS if name == VIDEO else _MOST_WAITING
        if await self._queues[name].getJobCountByTypes("waiting", "prioritized", "paused") >= most:
            return
        data = {"number": number, "to": f"user{self._dice.randrange(1000)}@example.com"}
        if name == BOOKS:
            chapter = {"name": "chapter", "queueName": MAIL, "data": data, "opts": _KEEP}
            await self._flows.add({"name": "book", "queueName": BOOKS, "data": data, "children": [chapter] * 3})
            return
        await self._queues[name].add("demo", self._failing(data, name), {**_KEEP, **self._options(name)})

    def _failing(self, data: dict[str, Any], name: str) -> dict[str, Any]:
        return {**data, "fail": self._dice.choice(_ERRORS)} if name == MAIL and self._dice.random() < 0.08 else data

    def _options(self, name: str) -> dict[str, Any]:
        if name == MAIL:
            return {"attempts": 3, "backoff": {"type": "exponential", "delay": 500}}
        if name == INVOICES and self._dice.random() < 0.5:
            return {"delay": self._dice.randrange(1_000, 30_000)}
        return {"priority": self._dice.randrange(1, 5)} if name == INVOICES else {}

    async def _send(self, job: Any, _token: str) -> dict[str, Any]:
        await asyncio.sleep(self._dice.uniform(0.02, 0.2))
        if (error := job.data.get("fail")) is not None:
            raise RuntimeError(error)
        return {"sent": job.data["to"]} if "to" in job.data else {}

    async def _encode(self, job: Any, _token: str) -> dict[str, Any]:
        for part in range(5):
            await asyncio.sleep(self._dice.uniform(0.1, 0.4))
            await job.updateProgress((part + 1) * 20)
        return {"frames": self._dice.randrange(1_000, 90_000)}

    async def _lose_workers(self) -> None:
        """One worker of `video` after the other that is killed while it holds a job."""
        while True:
            victim = Leashed("emqtop.demo.bull_victim", self._assignment.to_json())
            try:
                await asyncio.sleep(_VICTIM_LIFE_S)
            finally:
                victim.kill()
            await asyncio.sleep(_VICTIM_PAUSE_S)


async def _run(leash: Leash) -> None:
    fleet, loop = BullFleet(read_assignment(leash.orders)), asyncio.get_running_loop()
    leash.on_release(lambda: loop.call_soon_threadsafe(fleet.stop))
    await fleet.run()


def main() -> int:
    """Work until the owner lets go; exit code 3 where the package is missing."""
    leash = Leash()
    try:
        asyncio.run(_run(leash))
    except NotShipped as missing:
        print(missing, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
