"""Every part of the bench, by name."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from tests.bench import acting, bulk, embedded, finding, reading, session, terminal
from tests.bench.table import Row
from tests.bench.world import World

PARTS: dict[str, Callable[[World], Coroutine[Any, Any, list[Row]]]] = {
    "sample": reading.sample,
    "tracking": reading.tracking,
    "neighbour": reading.neighbour,
    "discovery": finding.discovery,
    "page": finding.page,
    "slowlog": finding.slowlog,
    "first": terminal.first,
    "ls": terminal.ls,
    "idle": terminal.idle,
    "moving": terminal.moving,
    "load": terminal.load,
    "commands": terminal.commands,
    "memory": terminal.memory,
    "keys": terminal.keys,
    "session": session.session,
    "embedded": embedded.embedded,
    "acting": acting.acting,
    "requeue": bulk.requeue,
}


def run(name: str, world: World) -> list[Row]:
    """Measure one part."""
    return asyncio.run(PARTS[name](world))
