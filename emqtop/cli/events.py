"""`emqtop events`: a live tail of what queues announce."""

import argparse
import asyncio
import contextlib

from emqtop.cli.console import Exit, complain, document, line
from emqtop.cli.options import parse, parser, seconds, settings
from emqtop.cli.queue_name import find
from emqtop.model.queue import QueueId
from emqtop.present import jsonout, plain
from emqtop.sampling.live import Live
from emqtop.sampling.oneshot import OneShot
from emqtop.settings import Settings
from emqtop.wire.errors import SourceError

_LOOK_S = 5.0
"""Time between two looks for queues that are new."""


def events(argv: list[str]) -> int:
    """Print events until the time is over or the user ends it."""
    made = parser("events", "Live tail of the events of some queues, or of all.")
    made.add_argument("--seconds", type=seconds, metavar="N", help="end after this time")
    read = parse(made, argv)
    chosen = settings(read)
    with OneShot(chosen) as shot:
        queues = tuple(find(shot, name) for name in dict.fromkeys(read.words))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_follow(chosen, queues, read))
    return Exit.DONE


async def _follow(chosen: Settings, queues: tuple[QueueId, ...], read: argparse.Namespace) -> None:
    source = Live(chosen, on_limit=complain)
    try:
        for limit in (await source.sample()).limits:
            complain(limit)
        async with asyncio.timeout(read.seconds), asyncio.TaskGroup() as tasks:
            if not queues:
                tasks.create_task(_look_for_queues(source))
            tasks.create_task(_print(source, queues, read))
    except TimeoutError:
        return
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        await source.close()


async def _print(source: Live, queues: tuple[QueueId, ...], read: argparse.Namespace) -> None:
    async for event in source.events(queues):
        if read.json:
            document(jsonout.event(event))
        else:
            line(plain.event(event, bool(read.utc)))


async def _look_for_queues(source: Live) -> None:
    while True:
        await asyncio.sleep(_LOOK_S)
        with contextlib.suppress(SourceError):
            await source.sample()
