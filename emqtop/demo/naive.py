"""A queue whose moves are separate commands, with crashes between them: the torn lifecycle that scripts prevent.

Its keys are those of EchoMQ, so that the same dashboard shows what becomes of it. Every step is right in itself; a
crash between two of them leaves a job in no place (lost), in two (done twice), or with a word that belies its place.
"""

import os
import sys
from collections.abc import Iterator
from random import Random

from emqtop.demo.assignment import Assignment, read_assignment
from emqtop.demo.leash import Leash
from emqtop.demo.mix import make
from emqtop.units import now_ms
from emqtop.wire.bare import BareLink
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import Arg, Reply, ReplyError, ask_one

NAME = "naive"
"""Name of the queue."""

_CRASH = 0.03
_LEASE_MS = 3_000
_RETRY_MS = 2_000
_SUCCESS = 0.8
_MOST_TORN = 300
_PER_S = 4.0


class NaiveQueue:
    """Makes, works on and recovers the jobs of the naive queue, by the client's clock, which the scripts do better.

    Args:
        assignment: what is to be done.
        link: a connection.
    """

    def __init__(self, assignment: Assignment, link: BareLink) -> None:
        self._link = link
        self._seed = assignment.seed
        self._keys = QueueKeys(assignment.prefix, NAME)
        self._dice = Random(f"{assignment.seed}:{NAME}")
        self._mint = Minter(os.getpid()).mint
        self.made = 0
        """Jobs made so far."""
        self.torn = 0
        """Moves that were broken off so far."""

    def step(self) -> None:
        """One job made, two worked on, one lapsed lease taken back, one due job promoted."""
        for steps in (self._enqueue(), self._work(), self._work(), self._recover(), self._promote()):
            self._walk(steps)

    def _walk(self, steps: Iterator[None]) -> None:
        """Go from step to step, with a crash before any of them but the first."""
        next(steps, None)
        while self.torn >= _MOST_TORN or self._dice.random() >= _CRASH:
            try:
                next(steps)
            except StopIteration:
                return
        self.torn += 1

    def _enqueue(self) -> Iterator[None]:
        job, payload = self._mint(), make(self._seed, "emails", self.made).payload
        self.made += 1
        self._ask("HSET", self._keys.row(job), "state", "pending", "attempts", 0, "payload", payload)
        yield
        self._ask("ZADD", self._keys.pending, 0, job)

    def _work(self) -> Iterator[None]:
        job = self._first("ZPOPMIN", self._keys.pending)
        yield
        if job is None:
            return
        row = self._keys.found_row(job)
        self._ask("HINCRBY", row, "attempts", 1)
        yield
        self._ask("ZADD", self._keys.active, now_ms() + _LEASE_MS, job)
        yield
        self._ask("HSET", row, "state", "active")
        yield
        yield from self._finish(job) if self._dice.random() < _SUCCESS else self._fail(job)

    def _finish(self, job: bytes) -> Iterator[None]:
        self._ask("ZREM", self._keys.active, job)
        yield
        self._ask("HINCRBY", self._keys.part("metrics:completed"), "count", 1)
        yield
        self._ask("DEL", self._keys.found_row(job))

    def _fail(self, job: bytes) -> Iterator[None]:
        self._ask("ZADD", self._keys.schedule, now_ms() + _RETRY_MS, job)
        yield
        self._ask("HSET", self._keys.found_row(job), "state", "scheduled", "last_error", "no answer")
        yield
        self._ask("ZREM", self._keys.active, job)

    def _recover(self) -> Iterator[None]:
        return self._move_due(self._keys.active)

    def _promote(self) -> Iterator[None]:
        return self._move_due(self._keys.schedule)

    def _move_due(self, source: bytes) -> Iterator[None]:
        job = self._first("ZRANGEBYSCORE", source, "-inf", now_ms(), "LIMIT", 0, 1)
        if job is None:
            return
        self._ask("ZADD", self._keys.pending, 0, job)
        yield
        self._ask("HSET", self._keys.found_row(job), "state", "pending")
        yield
        self._ask("ZREM", source, job)

    def _first(self, *args: Arg) -> bytes | None:
        reply = self._ask(*args)
        return reply[0] if isinstance(reply, list) and reply and isinstance(reply[0], bytes) else None

    def _ask(self, *args: Arg) -> Reply:
        return self._link.run(ask_one(*args))


def main() -> int:
    """Go on until the owner lets go; exit code 3 where the server cannot be reached at the start."""
    leash = Leash()
    assignment = read_assignment(leash.orders)
    try:
        queue = NaiveQueue(assignment, BareLink(assignment.address))
        while not leash.released.wait(1 / _PER_S):
            queue.step()
    except (SourceError, ReplyError) as error:
        print(error, file=sys.stderr)
        return 0 if leash.released.is_set() else 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
