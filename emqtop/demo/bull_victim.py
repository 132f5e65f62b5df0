"""The worker of `video` that dies in mid-job: its owner kills it while it holds one."""

import asyncio
import sys
from typing import Any

from emqtop.demo.assignment import Assignment, read_assignment
from emqtop.demo.bull_queues import VIDEO, VIDEO_LOCK_MS
from emqtop.demo.leash import Leash
from emqtop.wire.bullmq.library_queues import LibraryQueues

_NEVER_MS = 86_400_000


async def _hold(_job: Any, _token: str) -> None:
    await asyncio.Event().wait()


async def _work(assignment: Assignment) -> None:
    real = LibraryQueues(assignment.address)
    real.worker(VIDEO, _hold, name="victim", lockDuration=VIDEO_LOCK_MS, stalledInterval=_NEVER_MS)
    await asyncio.Event().wait()


def main() -> int:
    """Work until killed."""
    asyncio.run(_work(read_assignment(Leash().orders)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
