"""The process that works on the queues of the demo workload, and that kills a worker of its own again and again."""

import asyncio
import contextlib
import os
import sys
from itertools import count

from emqtop.demo.assignment import Assignment, read_assignment
from emqtop.demo.handlers import Handlers
from emqtop.demo.leash import Leash, Leashed
from emqtop.demo.queues import ROLES, Role
from emqtop.wire.echomq.backoff import exponential
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.worker import Duties, Pace, Worker
from emqtop.wire.errors import SourceError
from emqtop.wire.link import Link

_BACKOFF = exponential(300, 5_000)
_VICTIM_LIFE_S = 2.5
_VICTIM_PAUSE_S = 1.5


class Fleet:
    """A worker for each queue.

    Args:
        assignment: what is to be done.
    """

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._link = Link(assignment.address, name="emqtop-demo")
        self._minter = Minter(os.getpid())
        self._handlers = Handlers(assignment, self._link)
        self._workers = [self._worker(role) for role in ROLES]

    async def run(self) -> None:
        """Work until `stop`.

        Raises:
            SourceError: the server cannot be reached at the start.
        """
        victims = asyncio.create_task(self._lose_workers())
        try:
            await asyncio.gather(*(worker.run() for worker in self._workers))
        finally:
            victims.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await victims
            await self._link.close()

    def stop(self) -> None:
        """Take no more jobs, cut short those in hand and end once they are settled."""
        self._handlers.hurry()
        for worker in self._workers:
            worker.stop()

    def _worker(self, role: Role) -> Worker:
        keys = QueueKeys(self._assignment.prefix, role.name)
        pace = Pace(
            lease_ms=role.lease_ms,
            attempts=role.attempts,
            backoff=_BACKOFF,
            slots=self._assignment.workers,
            reap_ms=role.reap_ms,
        )
        duties = Duties(reap=self._assignment.reaper, pump=True, events=True)
        handler, address = self._handlers.of(role, keys), self._assignment.address
        return Worker(address, keys, handler, pace=pace, duties=duties, minter=self._minter, name="demo")

    async def _lose_workers(self) -> None:
        """One worker after the other that is killed in mid-job; every other one begins with a lane."""
        for number in count():
            victim = Leashed("emqtop.demo.victim", {**self._assignment.to_json(), "seed": number})
            try:
                await asyncio.sleep(_VICTIM_LIFE_S)
            finally:
                # Its leash would give it time for an orderly end, which is the one thing that it must not have.
                victim.kill()
            await asyncio.sleep(_VICTIM_PAUSE_S)


async def _work(leash: Leash) -> None:
    fleet, loop = Fleet(read_assignment(leash.orders)), asyncio.get_running_loop()
    leash.on_release(lambda: loop.call_soon_threadsafe(fleet.stop))
    await fleet.run()


def main() -> int:
    """Work until the owner lets go; exit code 3 where the server cannot be reached at the start."""
    leash = Leash()
    try:
        asyncio.run(_work(leash))
    except SourceError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
