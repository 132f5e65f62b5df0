"""`emqtop demo` and `emqtop work`: real jobs to look at, on a server of our own or on a given one."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from emqtop.cli.console import Exit, UsageError, complain, end_on_signals
from emqtop.cli.dashboard import fits_a_screen, show
from emqtop.cli.options import Parser, above_zero, number, parse, parser, seconds, settings, words
from emqtop.demo.server import EmbeddedServer, NoServerBinary, ServerDied
from emqtop.settings import Secret, Settings
from emqtop.wire.bullmq.library_queues import is_installed

if TYPE_CHECKING:
    from emqtop.demo.workload import Workload

HINTS = (
    "Try: {open} opens a queue, {reap} frees the jobs of a queue marked !, {yes} says yes",
    "{errors} groups dead jobs by error, {requeue} brings them back, {audit} and {undo} take an act back",
    "{charts} draws charts, {all-events} shows events, {palette} finds commands, {help} tells all keys, {quit} ends",
)
"""What to try, and the commands whose keys do it; a line has room for 78 cells in a window of 80."""


def demo(argv: list[str]) -> int:
    """An embedded server, the demo workload, and the dashboard on it, or documents about it."""
    made = _parser("demo", "An embedded server, a demo workload, and the dashboard on it.")
    made.add_argument("--headless", action="store_true", help="no dashboard: one document a line, one each second")
    made.add_argument("--listen", type=number(1, 65_535), default=0, metavar="PORT", help="also listen on loopback")
    read = _read(made, argv)
    chosen = settings(read)
    end_on_signals()
    try:
        # Before the imports that follow: it starts while they load.
        server = EmbeddedServer(read.listen)
        with server:
            if read.listen:
                complain(f"the demo listens on redis://127.0.0.1:{read.listen}")
            return _watch_or_show(_at(chosen, server.url), read)
    except (NoServerBinary, ServerDied) as error:
        complain(error)
        return Exit.UNREACHABLE


def work(argv: list[str]) -> int:
    """The demo workload against a given server, and documents about it."""
    read = _read(_parser("work", "The demo workload against the server at --url."), argv)
    read.headless = True
    end_on_signals()
    return _watch_or_show(settings(read), read)


def _parser(command: str, says: str) -> Parser:
    made = parser(command, says)
    made.add_argument("--seconds", type=seconds, metavar="N", help="end after this time")
    made.add_argument("--rate", type=above_zero(10_000), metavar="R", help="jobs a second, all queues together")
    made.add_argument("--workers", type=number(1, 64), metavar="N", help="jobs of one queue worked on at a time")
    made.add_argument("--seed", type=number(0, 2**31), default=1, metavar="S", help="the same seed makes the same jobs")
    made.add_argument("--no-reaper", action="store_true", help="leave leases that ran out to the operator")
    made.add_argument("--naive", action="store_true", help="a queue whose moves are separate commands, with crashes")
    made.add_argument("--bullmq", action="store_true", help="queues of the BullMQ family too")
    return made


def _read(made: Parser, argv: list[str]) -> argparse.Namespace:
    read = parse(made, argv)
    words(read)
    if read.bullmq and not is_installed():
        raise UsageError("--bullmq needs the package bullmq: pip install 'emqtop[bullmq]'")
    return read


def _at(chosen: Settings, url: str) -> Settings:
    """The same settings on the embedded server: nothing that belongs to another one."""
    return replace(
        chosen,
        url=Secret(url),
        password=None,
        queues=(),
        tls_ca=None,
        tls_cert=None,
        tls_key=None,
        insecure=False,
        sentinel_master=None,
        hints=HINTS,
    )


def _watch_or_show(chosen: Settings, read: argparse.Namespace) -> int:
    from emqtop.demo.workload import WorkloadDied

    workload = _workload(chosen, read)
    try:
        with workload:
            if read.headless or not fits_a_screen():
                from emqtop.cli.ls import watch

                return watch(
                    chosen,
                    every_s=1.0,
                    seconds=read.seconds,
                    as_json=read.json,
                    tell_cost=False,
                    check=workload.poll,
                )
            return show(chosen)
    except WorkloadDied as error:
        complain(error)
        return Exit.FINDINGS


def _workload(chosen: Settings, read: argparse.Namespace) -> "Workload":
    from emqtop.demo.workload import DEFAULT_RATE, DEFAULT_WORKERS, Workload
    from emqtop.wire.address import address_of

    return Workload(
        address_of(chosen),
        rate=read.rate or DEFAULT_RATE,
        workers=read.workers or DEFAULT_WORKERS,
        seed=read.seed,
        reaper=not read.no_reaper,
        naive=read.naive,
        bullmq=read.bullmq,
    )
