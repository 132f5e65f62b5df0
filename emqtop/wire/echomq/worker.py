"""A worker: takes jobs under a lease, keeps the lease while it works, settles by the token (echomq.md 7)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from emqtop.units import now_ms
from emqtop.wire.address import Address
from emqtop.wire.echomq.announce import announce
from emqtop.wire.echomq.backoff import Backoff, fixed
from emqtop.wire.echomq.branded_id import JOB, Minter, is_branded
from emqtop.wire.echomq.flows import sweep_outbox
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lanes import claim_lane
from emqtop.wire.echomq.lifecycle import (
    DEFAULT_ATTEMPTS,
    DEFAULT_LEASE_MS,
    Claim,
    Retried,
    Settled,
    claim,
    complete,
    retry,
)
from emqtop.wire.echomq.recovery import BATCH, extend_many, promote, reap
from emqtop.wire.echomq.refusals import StaleToken
from emqtop.wire.echomq.repeat import fire_repeats
from emqtop.wire.errors import SourceError
from emqtop.wire.link import Link
from emqtop.wire.resp import Conversation, ReplyError, ask_one, text

Handler: TypeAlias = Callable[[Claim], Awaitable[bytes]]
"""Does the job and returns its result, which a flow parent can read; whatever it raises is the job's error."""

_GRACE_S = 5.0
_RETRY = fixed(1_000)
_SWEPT_NOW: set[tuple[str, bytes]] = set()
"""Outboxes that a worker of this process is sweeping: two sweeps at once would drop entries."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a worker works."""

    lease_ms: int = DEFAULT_LEASE_MS
    """Length of a lease; extended at half of it while the handler runs."""
    beat_ms: int = 1_000
    """Longest idle wait, and time between two rounds of duties."""
    attempts: int = DEFAULT_ATTEMPTS
    """Attempts at most; a job that fails the last is dead."""
    backoff: Backoff = _RETRY
    """Delay until the next attempt."""
    slots: int = 1
    """Jobs at a time."""
    reap_ms: int = 0
    """Time between two sweeps for leases that ran out; 0: with every round of duties."""


@dataclass(frozen=True, slots=True)
class Duties:
    """What a worker does."""

    flat: bool = True
    """Take flat jobs. No wake exists for these: an idle worker sees one within a beat."""
    lanes: bool = True
    """Take jobs from lanes."""
    reap: bool = True
    """Make jobs ready again whose lease ran out."""
    promote: bool = True
    """Make scheduled jobs ready that are due."""
    pump: bool = False
    """Fire repeating jobs and deliver to flow parents on other queues; one process per queue at most."""
    events: bool = False
    """Publish `completed` and `failed` after settling, as EchoMQ's batch consumer does, its single-job one not."""


@dataclass(slots=True)
class Tally:
    """What became of the jobs of a worker."""

    completed: int = 0
    """Done."""
    retried: int = 0
    """Failed and due again."""
    died: int = 0
    """Failed for good."""
    lost: int = 0
    """Held no longer when they were to be settled or extended: somebody else decided meanwhile."""
    unknown: int = 0
    """Settled or not, the server did not say."""


class Worker:
    """Works on one queue, with two connections: one to act, one that waits blocked.

    Args:
        address: where the server is.
        keys: the queue.
        handler: does a job.
        pace: how it works.
        duties: what it does.
        minter: ids of repeating jobs; wanted where `duties.pump` is set.
        name: its name, without blanks; the waiting connection bears it, and the queue's, so that it can be seen.
    """

    def __init__(
        self,
        address: Address,
        keys: QueueKeys,
        handler: Handler,
        *,
        pace: Pace | None = None,
        duties: Duties | None = None,
        minter: Minter | None = None,
        name: str = "worker",
    ) -> None:
        self.tally = Tally()
        """What became of its jobs so far."""
        self.link = Link(address, name="emqtop-worker")
        """The connection it acts on."""
        self.waiter = Link(address, name=f"{text(keys.base[:-1])}:w:{name}")
        """The connection it waits on."""
        self._keys = keys
        self._handler = handler
        self._pace = pace or Pace()
        self._duties = duties or Duties()
        self._minter = minter or Minter(0)
        self._held: dict[str, tuple[Claim, asyncio.Future[bytes]]] = {}
        self._jobs: set[asyncio.Task[None]] = set()
        self._stopping = False
        self._waiting: asyncio.Future[object] | None = None
        self._duties_at = 0.0
        self._reap_at = 0.0
        self._lane_next = True

    async def run(self) -> None:
        """Work until `stop`, then wait for the jobs in hand, for five seconds at most; leases of others run out.

        A server that is lost later is asked again each beat.

        Raises:
            Unreachable, LoginRefused, Frozen: at the start only.
        """
        await self.link.connect()
        leases = asyncio.create_task(self._keep_leases())
        try:
            await self.waiter.connect()
            while not self._stopping:
                try:
                    await self._turn()
                except (SourceError, ReplyError):
                    await self._wait(asyncio.sleep(self._pace.beat_ms / 1000))
            if self._jobs:
                await asyncio.wait(self._jobs, timeout=_GRACE_S)
        finally:
            leases.cancel()
            await self._let_go()

    def stop(self) -> None:
        """Take no more jobs, and end once those in hand are settled."""
        self._stopping = True
        if self._waiting is not None:
            self._waiting.cancel()

    async def _turn(self) -> None:
        await self._do_duties()
        while not self._stopping and len(self._jobs) < self._pace.slots:
            if (job := await self._claim()) is None:
                break
            # Foreign tools write anything; such a member could not be settled. It stays under its lease.
            if is_branded(job.id) and job.id.startswith(JOB):
                self._take(job)
        if len(self._jobs) < self._pace.slots:
            seconds = self._pace.beat_ms / 1000
            blocked = ask_one("BLPOP", self._keys.wake, f"{seconds:.3f}", key=self._keys.wake)
            await self._wait(self.waiter.run(blocked, timeout_s=seconds + _GRACE_S))
        else:
            free = asyncio.wait(self._jobs, timeout=self._pace.beat_ms / 1000, return_when=asyncio.FIRST_COMPLETED)
            await self._wait(free)

    async def _wait(self, something: Awaitable[object]) -> None:
        """Wait for something, or for `stop`."""
        self._waiting = waiting = asyncio.ensure_future(something)
        if self._stopping:
            waiting.cancel()
        try:
            await waiting
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            self._waiting = None

    async def _do_duties(self) -> None:
        now = asyncio.get_running_loop().time()
        if now < self._duties_at:
            return
        self._duties_at = now + self._pace.beat_ms / 1000
        if self._duties.reap and now >= self._reap_at:
            self._reap_at = now + self._pace.reap_ms / 1000
            while await self.link.run(reap(self._keys)) >= BATCH:
                pass
        if self._duties.promote:
            await self.link.run(promote(self._keys))
        if self._duties.pump:
            await self.link.run(fire_repeats(self._keys, self._minter, now_ms()))
            await self._sweep()

    async def _sweep(self) -> None:
        outbox = (self.link.address.label, self._keys.base)
        if outbox in _SWEPT_NOW:
            return
        _SWEPT_NOW.add(outbox)
        try:
            await self.link.run(sweep_outbox(self._keys))
        finally:
            _SWEPT_NOW.discard(outbox)

    async def _claim(self) -> Claim | None:
        """The next job; flat set and lanes take turns at being asked first."""
        sources = [claim_lane] * self._duties.lanes + [claim] * self._duties.flat
        self._lane_next = not self._lane_next
        for source in sources if self._lane_next else reversed(sources):
            if (job := await self.link.run(source(self._keys, self._pace.lease_ms))) is not None:
                return job
        return None

    def _take(self, job: Claim) -> None:
        handling = asyncio.ensure_future(self._handler(job))
        self._held[job.id] = (job, handling)
        task = asyncio.create_task(self._see_through(job, handling))
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    async def _see_through(self, job: Claim, handling: asyncio.Future[bytes]) -> None:
        await asyncio.wait([handling])
        # Out of the beat's sight before it is settled: extending a job that was rescheduled would put it in two places.
        self._held.pop(job.id, None)
        if handling.cancelled():
            return
        try:
            if (error := handling.exception()) is None:
                await self._complete(job, handling.result())
            else:
                await self._fail(job, str(error) or type(error).__name__)
        except StaleToken:
            self.tally.lost += 1
        except (SourceError, ReplyError):
            self.tally.unknown += 1

    async def _complete(self, job: Claim, result: bytes) -> None:
        if await self.link.run(complete(self._keys, job.id, job.token, result)) is Settled.GONE:
            self.tally.lost += 1
            return
        self.tally.completed += 1
        if self._duties.events:
            await self.link.run(announce(self._keys, "completed", job.id))

    async def _fail(self, job: Claim, error: str) -> None:
        delay_ms, cap = self._pace.backoff(job.token), self._pace.attempts
        failed = retry(self._keys, job.id, job.token, error, delay_ms=delay_ms, attempts=cap)
        if await self.link.run(failed) is Retried.DEAD:
            self.tally.died += 1
        else:
            self.tally.retried += 1
        if self._duties.events:
            await self.link.run(announce(self._keys, "failed", job.id, error=error))

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._pace.lease_ms / 2000)
            try:
                await self.link.run(self._extend_held())
            except (SourceError, ReplyError):
                continue

    def _extend_held(self) -> Conversation[None]:
        """Read when its turn on the link has come, so that a job settled meanwhile is left out."""
        held = [(job.id, job.token) for job, _ in self._held.values()]
        if not held:
            return
        for lost in (yield from extend_many(self._keys, held, self._pace.lease_ms)):
            if (known := self._held.get(lost)) is not None:
                self.tally.lost += 1
                known[1].cancel()

    async def _let_go(self) -> None:
        for _, handling in list(self._held.values()):
            handling.cancel()
        if self._jobs:
            await asyncio.wait(self._jobs)
        await self.waiter.close()
        await self.link.close()
