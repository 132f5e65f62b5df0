"""`emqtop ls`: all queues, once or again and again."""

import argparse
import shutil
import sys
import time

from emqtop.cli.console import Exit, complain, document, lines
from emqtop.cli.options import parse, parser, seconds, settings, take_url, words
from emqtop.model.queue import QueueId
from emqtop.model.rates import Rates, rates
from emqtop.model.snapshot import EMPTY, Snapshot
from emqtop.present import jsonout, plain
from emqtop.present.queue_columns import OVERVIEW
from emqtop.present.rows import queue_rows
from emqtop.sampling.oneshot import SWEEP_KEYS, OneShot
from emqtop.settings import Settings
from emqtop.text import safe
from emqtop.units import iso, rate
from emqtop.wire.errors import BadAddress, LoginRefused, SourceError

_SPEEDS = frozenset({"in_rate", "done_rate", "died_rate", "empty"})
"""Columns that need two moments."""
_LATER_KEYS = 5_000
"""Keys that each later look of `--watch` sweeps."""


def ls(argv: list[str]) -> int:
    """Run the command; a queue that cannot be read is an error on its row and no failure."""
    made = parser("ls", "[URL]", "All queues, one row each.")
    made.add_argument("--watch", action="store_true", help="again and again; with --json one document a line")
    made.add_argument("--every", type=seconds, default=1.0, metavar="T", help="time between two looks (1s)")
    made.add_argument("--seconds", type=seconds, metavar="N", help="end --watch after this time")
    read = parse(made, argv)
    take_url(read)
    words(read)
    chosen = settings(read)
    if read.watch:
        return _watch(chosen, read)
    with OneShot(chosen) as shot:
        snapshot = shot.sample(SWEEP_KEYS)
    for limit in snapshot.limits:
        complain(limit)
    show(snapshot, as_json=read.json)
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


def _watch(chosen: Settings, read: argparse.Namespace) -> int:
    """Look until the time is over or the user ends it; a server that went away is waited for."""
    end = time.monotonic() + read.seconds if read.seconds is not None else None
    shot, before, lost = OneShot(chosen), EMPTY, False
    try:
        while True:
            began = time.monotonic()
            try:
                if lost:
                    shot = OneShot(chosen)
                before, lost = _look(shot, before, read), False
            except (BadAddress, LoginRefused):
                raise
            except SourceError as error:
                if not lost:
                    complain(error)
                shot.close()
                before, lost = EMPTY, True
            if end is not None and time.monotonic() + read.every > end:
                return Exit.UNREACHABLE if lost else Exit.DONE
            time.sleep(max(0.0, began + read.every - time.monotonic()))
    except KeyboardInterrupt:
        return Exit.DONE
    finally:
        shot.close()


def _look(shot: OneShot, before: Snapshot, read: argparse.Namespace) -> Snapshot:
    snapshot = shot.sample(_LATER_KEYS if before.at_ms else SWEEP_KEYS)
    for limit in set(snapshot.limits) - set(before.limits):
        complain(limit)
    cost = snapshot.cost
    if read.json:
        reading = {
            "mode": snapshot.mode,
            "commands": cost.commands,
            "sent_bytes": cost.sent_bytes,
            "received_bytes": cost.received_bytes,
            "round_trip_ms": cost.round_trip_ms,
        }
        document(jsonout.ls(snapshot) | {"reading": reading})
        return snapshot
    elapsed_s = (snapshot.at_ms - before.at_ms) / 1_000 if before.at_ms else None
    speeds = rates(before, snapshot)
    lines([_headline(snapshot, elapsed_s, read.utc), *_table(snapshot, speeds), ""])
    return snapshot


def _headline(snapshot: Snapshot, elapsed_s: float | None, utc: bool | None) -> str:
    server, cost = snapshot.server, snapshot.cost
    who = safe(" ".join(filter(None, (server.url, server.kind, server.version, server.mode))))
    own = f"{cost.commands} commands, {cost.sent_bytes + cost.received_bytes} bytes"
    if elapsed_s:
        own = f"{rate(cost.commands / elapsed_s)} commands/s, "
        own += f"{rate((cost.sent_bytes + cost.received_bytes) / elapsed_s)} bytes/s"
    return f"{iso(snapshot.at_ms, bool(utc))}  {who}  {snapshot.mode}: {own}"


def _table(snapshot: Snapshot, speeds: dict[QueueId, Rates]) -> list[str]:
    return list(plain.table(OVERVIEW, queue_rows(snapshot, speeds), snapshot.at_ms, terminal_width()))
