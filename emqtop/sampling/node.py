"""One server process as the dashboard watches it: two connections, what is due at each tick, what it cost."""

import asyncio
import random
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from itertools import compress
from typing import Any

from emqtop.model.queue import Family, QueueId
from emqtop.sampling.moment import INFO_WITHHELD
from emqtop.sampling.pace import NEAR_MS
from emqtop.sampling.plan import check_counts
from emqtop.sampling.sampler import Sampler
from emqtop.sampling.seeker import Seeker
from emqtop.sampling.signals import MOST_MISSED, Signals
from emqtop.settings import Settings
from emqtop.wire.address import Address
from emqtop.wire.link import Link
from emqtop.wire.resp import ask_one
from emqtop.wire.server import Facts, changed_facts, facts

FACTS_S = 10.0
"""How often INFO is asked, in seconds."""
CHECK_S = 60.0
"""Within what time every queue is looked at without trusting a message, in seconds."""
POLLED = 2000
"""Queues a tick where nothing tells what moved."""

_SLICE, _FAR_SLICE = 200, 1000
_SLOW_S = 0.5
_LEAST_POLLED = 40


class Node:
    """One node of a server.

    Args:
        address: where it is.
        settings: prefixes, family, queues, timeout.
        wake: called with queues that are said to have moved; None: all may have.
    """

    def __init__(self, address: Address, settings: Settings, wake: Callable[[Iterable[QueueId] | None], None]) -> None:
        self.sampler = Sampler(settings.prefixes, Family(settings.family) if settings.family is not None else None)
        self.facts = Facts()
        """What it last told of itself."""
        self.signals = Signals(self.sampler.roots, wake)
        self._names = settings.queues
        self._reading = Link(
            address, timeout_s=settings.timeout_s, resp3=True, name="emqtop", on_push=self.signals.take
        )
        self._looking = Link(address, timeout_s=settings.timeout_s, name="emqtop-look")
        self._armed = 0
        self._looked = False
        self._facts_due = 0.0
        self._checked_at = 0.0
        self._to_check: list[QueueId] = []
        self._seeker = Seeker(self.sampler.discovery, self._looking)
        self._polled = POLLED
        self._next_poll = 0

    @property
    def is_tracking(self) -> bool:
        """Do messages tell what moved, for most of its queues?"""
        return self.signals.on and self.signals.busy_queues * 2 <= max(len(self.sampler.entries), 2)

    def spent(self) -> tuple[int, int, int]:
        """Commands, bytes sent and bytes received so far."""
        links = (self._reading, self._looking)
        return (
            sum(link.commands for link in links),
            sum(link.sent_bytes for link in links),
            sum(link.received_bytes for link in links),
        )

    def limits(self) -> Iterable[str]:
        """What the node withholds beside TIME and SCAN, in words."""
        if self.facts.withheld is not None:
            yield INFO_WITHHELD
        if self.signals.refused is not None:
            yield "CLIENT TRACKING is withheld: queues are read in turn"
        elif self.signals.missed >= MOST_MISSED:
            yield "CLIENT TRACKING misses changes here: queues are read in turn"

    async def sample(self, shown: Sequence[QueueId]) -> None:
        """Read what is due: one round trip, a second where something new turned up.

        Args:
            shown: queues on the screen, read first and at every tick where nothing tells what moved.

        Raises:
            Unreachable, LoginRefused, Frozen: it cannot be asked.
        """
        # One after the other: a server that is full, or comes up, meets one attempt at a time.
        await self._reading.connect()
        await self._looking.connect()
        if self._armed != self._reading.opened:
            await self._reading.run(self.signals.arm())
            self._armed = self._reading.opened
        now_s = time.monotonic()
        if now_s >= self._facts_due:
            self.facts = await self._looking.run(changed_facts(self.facts) if self.facts.kind else facts())
            self._facts_due = now_s + (FACTS_S if self.facts.withheld is None else CHECK_S)
        if not self._looked:
            await self._seeker.look(self._names)
            self.sampler.learn(self._names)
            self._looked = True
        due, untracked = self._choose(shown, now_s)
        await _both(self._read(self._reading, due), self._look(untracked, {*due, *untracked}, now_s))
        self.sampler.learn(self._names)
        if more := self._told_meanwhile({*due, *untracked}, now_s):
            await self._read(self._reading, more)

    async def close(self) -> None:
        """Hang up; harmless when done twice."""
        await self._reading.close()
        await self._looking.close()

    def _choose(self, shown: Sequence[QueueId], now_s: float) -> tuple[list[QueueId], list[QueueId]]:
        """Queues to read on the tracked connection and those to read on the other one."""
        entries = self.sampler.entries
        everything, moved = self.signals.collect(now_s)
        if not self.signals.on:
            return self._poll(shown), []
        if everything:
            return _first(shown, entries), []
        now_ms = self.sampler.clock.now_ms()
        busy = self.signals.busy(now_s, shown)
        late = (queue for queue, entry in entries.items() if entry.changes_at_ms <= now_ms)
        due = dict.fromkeys([*(queue for queue in shown if queue in moved), *moved, *late])
        return [queue for queue in due if queue not in busy], sorted(busy & entries.keys())

    def _told_meanwhile(self, read: set[QueueId], now_s: float) -> list[QueueId]:
        """What is new since the tick began: the server's messages arrive before its answers, and the sweep has met."""
        everything, moved = self.signals.late(read, now_s)
        entries = self.sampler.entries
        if everything and self.signals.on:
            return list(entries)
        new = [queue for queue, entry in entries.items() if entry.queue is None]
        return [*new, *moved] if self.signals.on else new

    def _poll(self, shown: Sequence[QueueId]) -> list[QueueId]:
        """The screen's queues and the next part of all, in turn."""
        entries = list(self.sampler.entries)
        if len(entries) <= self._polled:
            return _first(shown, entries)
        start, self._next_poll = self._next_poll, (self._next_poll + self._polled) % len(entries)
        return _first(shown, [*entries, *entries][start : start + self._polled])

    async def _read(self, link: Link, queues: Sequence[QueueId]) -> None:
        size = _SLICE if link.rtt_ms <= NEAR_MS else _FAR_SLICE
        began = time.monotonic()
        # The clock is read even where no queue is due: leases run down by it.
        for at in range(0, max(len(queues), 1), size):
            await link.hold(self.sampler.read(queues[at : at + size]))
        took_s = time.monotonic() - began
        if took_s > _SLOW_S:
            self._polled = max(_LEAST_POLLED, int(min(self._polled, len(queues)) * _SLOW_S / took_s))
        elif self._polled < POLLED:
            self._polled = min(POLLED, self._polled + self._polled // 4)

    async def _look(self, busy: Sequence[QueueId], read: set[QueueId], now_s: float) -> None:
        """What is asked outside of tracking: busy queues, the check of a few others, a piece of the sweep."""
        if busy:
            await self._read(self._looking, busy)
        if self.signals.on and (checked := self._next_checks(read, now_s)):
            await self._check(checked)
        await self._seeker.go_on(now_s)

    def _next_checks(self, read: set[QueueId], now_s: float) -> list[QueueId]:
        """A share of the queues in random order, without those of this tick: what they show was told."""
        share = min(1.0, (now_s - self._checked_at) / CHECK_S) if self._checked_at else 0.0
        count = int(share * len(self.sampler.entries))
        if count == 0 and self._checked_at:
            return []
        self._checked_at = now_s
        if not self._to_check:
            self._to_check = list(self.sampler.entries)
            random.shuffle(self._to_check)
        taken, self._to_check = self._to_check[:count], self._to_check[count:]
        return [queue for queue in taken if queue not in read and self._is_read(queue)]

    def _is_read(self, queue: QueueId) -> bool:
        """Has it been read without an error? One that has not is read again soon by itself."""
        entry = self.sampler.entries.get(queue)
        return entry is not None and entry.queue is not None and entry.queue.error is None

    async def _check(self, queues: Sequence[QueueId]) -> None:
        """Read those that are not as they were read; what no message told is held against tracking."""
        readers = [self.sampler.entries[queue].reader for queue in queues]
        known = [reader.stand is not None for reader in readers]
        stands = await self._looking.hold(check_counts(readers))
        differing = [queue for queue, stands in zip(queues, stands, strict=True) if not stands]
        if not differing:
            return
        # What the server said before this answer has arrived by now.
        await self._reading.run(ask_one("PING"))
        untold = [queue for queue in differing if not self.signals.is_told(queue)]
        self.signals.missed += len(set(untold).intersection(compress(queues, known)))
        await self._read(self._looking, untold)


def _first(shown: Sequence[QueueId], queues: Iterable[QueueId]) -> list[QueueId]:
    return list(dict.fromkeys([*shown, *queues]))


async def _both(first: Coroutine[Any, Any, None], second: Coroutine[Any, Any, None]) -> None:
    """Run both to their end, then raise what the first that failed raised."""
    for outcome in await asyncio.gather(first, second, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
