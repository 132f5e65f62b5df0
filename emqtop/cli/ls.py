"""`emqtop ls`: all queues, once or again and again."""

import math
import shutil
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from emqtop.cli.console import Exit, complain, document, lines
from emqtop.cli.options import parse, parser, seconds, settings, take_url, words
from emqtop.model.rates import rates
from emqtop.model.snapshot import EMPTY, Snapshot
from emqtop.present import jsonout, plain
from emqtop.present.queue_columns import OVERVIEW
from emqtop.present.rows import queue_rows
from emqtop.sampling.oneshot import SWEEP_KEYS, OneShot
from emqtop.settings import Settings
from emqtop.text import safe
from emqtop.units import iso, rate
from emqtop.wire.errors import SourceError

if TYPE_CHECKING:
    from emqtop.cli.watcher import Watcher

_SPEEDS = frozenset({"in_rate", "done_rate", "died_rate", "empty"})
"""Columns that need two moments."""


def ls(argv: list[str]) -> int:
    """Run the command; a queue that cannot be read is an error on its row and no failure."""
    made = parser("ls", "All queues, one row each.")
    made.add_argument("--watch", action="store_true", help="again and again; with --json one document a line")
    made.add_argument("--every", type=seconds, default=1.0, metavar="T", help="time between two looks (1s)")
    made.add_argument("--seconds", type=seconds, metavar="N", help="end --watch after this time")
    read = parse(made, argv)
    take_url(read)
    words(read)
    chosen = settings(read)
    if read.watch:
        return watch(chosen, every_s=read.every, seconds=read.seconds, as_json=read.json)
    return once(chosen, as_json=read.json)


def once(chosen: Settings, *, as_json: bool) -> int:
    """One look, printed."""
    with OneShot(chosen) as shot:
        snapshot = shot.sample(SWEEP_KEYS)
    for limit in snapshot.limits:
        complain(limit)
    show(snapshot, as_json=as_json)
    return Exit.DONE


def show(snapshot: Snapshot, *, as_json: bool) -> None:
    """One moment on stdout: a document, or a table cut to the terminal where there is one."""
    if as_json:
        document(jsonout.ls(snapshot))
        return
    columns = [column for column in OVERVIEW if column.key not in _SPEEDS]
    lines(list(plain.table(columns, queue_rows(snapshot), snapshot.at_ms, terminal_width())))


def terminal_width() -> int | None:
    """Cells of a line of the terminal; None where stdout is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def watch(
    chosen: Settings,
    *,
    every_s: float,
    seconds: float | None,
    as_json: bool,
    tell_cost: bool = True,
    check: Callable[[], None] = lambda: None,
) -> int:
    """Look until the time is over or the user ends it; a server that went away is waited for.

    Args:
        chosen: what to look at.
        every_s: time between two looks, seconds.
        seconds: end after this time; None: never.
        as_json: a document a line, else a table a look.
        tell_cost: name in each document how changes are noticed and what the look itself cost.
        check: called before each look; what it raises ends the watching.

    Raises:
        SourceError: the server cannot be asked the first time, or refuses the login.
    """
    # It brings redis-py along, which a single look does without.
    from emqtop.cli.watcher import Watcher

    end = time.monotonic() + seconds if seconds is not None else math.inf
    watcher = Watcher(chosen)
    prints = _Prints(watcher, as_json, tell_cost)
    try:
        while True:
            began = time.monotonic()
            check()
            prints.look()
            if began >= end:
                return Exit.UNREACHABLE if watcher.lost else Exit.DONE
            watcher.rest(max(0.0, min(began + every_s, end) - time.monotonic()))
    except KeyboardInterrupt:
        return Exit.DONE
    finally:
        watcher.close()


class _Prints:
    """What the looks before tell of how the next is printed."""

    def __init__(self, watcher: "Watcher", as_json: bool, tell_cost: bool) -> None:
        self._watcher, self._as_json, self._tell_cost = watcher, as_json, tell_cost
        self._before = EMPTY

    def look(self) -> None:
        snapshot = self._watcher.look_on()
        if isinstance(snapshot, SourceError):
            self._before = EMPTY
            return
        for limit in sorted(set(snapshot.limits) - set(self._before.limits)):
            complain(limit)
        self._print(snapshot)
        self._before = snapshot

    def _print(self, snapshot: Snapshot) -> None:
        if self._as_json:
            document(jsonout.ls(snapshot) | ({"reading": jsonout.reading(snapshot)} if self._tell_cost else {}))
            return
        elapsed_s = (snapshot.at_ms - self._before.at_ms) / 1_000 if self._before.at_ms else None
        rows = queue_rows(snapshot, rates(self._before, snapshot))
        table = plain.table(OVERVIEW, rows, snapshot.at_ms, terminal_width())
        lines([_headline(snapshot, elapsed_s, self._watcher.settings.utc), *table, ""])


def _headline(snapshot: Snapshot, elapsed_s: float | None, utc: bool) -> str:
    server, cost = snapshot.server, snapshot.cost
    who = safe(" ".join(filter(None, (server.url, server.kind, server.version, server.mode))))
    own = f"{cost.commands} commands, {cost.sent_bytes + cost.received_bytes} bytes"
    if elapsed_s:
        own = f"{rate(cost.commands / elapsed_s)} commands/s, "
        own += f"{rate((cost.sent_bytes + cost.received_bytes) / elapsed_s)} bytes/s"
    return f"{iso(snapshot.at_ms, utc)}  {who}  {snapshot.mode}: {own}"
