"""Watching a server through the live source, for the tests of this floor."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from emqtop.model.queue import Queue, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.live import Live
from emqtop.settings import Secret, Settings
from emqtop.wire.errors import SourceError


@asynccontextmanager
async def watching(url: str, timeout_s: float = 2.0, **changes: object) -> AsyncIterator[Live]:
    """A live source, hung up at the end."""
    live = Live(Settings(url=Secret(url), timeout_s=timeout_s, **changes))  # type: ignore[arg-type]
    try:
        yield live
    finally:
        await live.close()


async def until(live: Live, condition: Callable[[Snapshot], bool]) -> Snapshot:
    """Sample until it holds, whatever goes wrong on the way; 20 seconds at most."""
    async with asyncio.timeout(20):
        while True:
            with suppress(SourceError):
                if condition(snapshot := await live.sample()):
                    return snapshot
            await asyncio.sleep(0.02)


def found(snapshot: Snapshot, queue: QueueId) -> Queue:
    """The line of a queue."""
    return next(each for each in snapshot.queues if each.id == queue)
