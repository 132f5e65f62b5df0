"""The command `emqtop`: picks the command, loads only what it needs, turns failures into a line and an exit code."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

from emqtop.cli.console import Exit, UsageError, complain, drop_stdout, prepare
from emqtop.settings import BadSettings


class Command(NamedTuple):
    """Where a command lives."""

    place: str
    """Module of this package and function in it, which takes the arguments and returns the exit code."""
    words: str
    """What stands beside the options."""
    says: str
    """What it does."""


COMMANDS: dict[str, Command] = {
    "": Command("dashboard:dashboard", "[URL]", "the dashboard"),
    "demo": Command("demo:demo", "", "an embedded server, a demo workload and the dashboard on it"),
    "work": Command("demo:work", "", "the demo workload against the server at --url"),
    "ls": Command("ls:ls", "[URL]", "all queues, one row each"),
    "lanes": Command("jobs:lanes", "QUEUE", "the lanes of an EchoMQ queue"),
    "jobs": Command("jobs:jobs", "QUEUE LOCATION", "a page of jobs"),
    "job": Command("jobs:job", "QUEUE ID", "one job: row, location, lease, logs, family"),
    "errors": Command("jobs:errors", "QUEUE", "dead jobs grouped by error"),
    "events": Command("events:events", "[QUEUE…]", "live tail of events"),
    "reap": Command("acts:reap", "QUEUE [ID…]", "expired leases back to pending"),
    "promote": Command("acts:promote", "QUEUE [ID…]", "scheduled jobs to pending"),
    "dead-letter": Command("acts:dead_letter", "QUEUE ID… --reason TEXT", "jobs to dead"),
    "requeue": Command("acts:requeue", "QUEUE [ID…]", "dead jobs to pending"),
    "remove": Command("acts:remove", "QUEUE ID…", "delete jobs"),
    "extend": Command("acts:extend", "QUEUE ID --by 60s", "push a lease out"),
    "pause": Command("acts:pause", "QUEUE", "hold a queue or a lane back"),
    "resume": Command("acts:resume", "QUEUE", "let a queue or a lane run again"),
    "limit": Command("limits:limit", "QUEUE --jobs N|--none", "jobs of a queue or lane that may run at once"),
    "rate": Command("limits:rate", "QUEUE --jobs N --per T|--none", "jobs of a BullMQ queue that may start in a while"),
    "wake": Command("limits:wake", "QUEUE", "wake an idle worker of a BullMQ queue"),
    "unschedule": Command("order:unschedule", "QUEUE SCHEDULER", "end a series of a BullMQ queue"),
    "rerun": Command("order:rerun", "QUEUE ID…", "run done jobs of a BullMQ queue again"),
    "delay": Command("order:delay", "QUEUE ID… --to T", "when scheduled jobs of a BullMQ queue are due"),
    "prioritize": Command("order:prioritize", "QUEUE ID… --to N", "where pending jobs of a BullMQ queue stand"),
    "free": Command("order:free", "QUEUE ID…", "free the deduplication ids of BullMQ jobs"),
    "acl": Command("acl:acl", "view|act", "the least rights that looking or acting needs"),
    "record": Command("record:record", "FILE", "keep the snapshots of an incident"),
    "replay": Command("record:replay", "FILE", "look at them later, in the same dashboard"),
    "audit": Command("audit:audit", "", "what was done from here, and taking it back"),
}
"""Every command; the empty name is what runs without one."""


VALUED = frozenset(
    {
        *("--url", "--prefix", "--family", "--config", "--password-file", "--tls-ca", "--tls-cert", "--tls-key"),
        *("--sentinel-master", "-q", "--queue", "--timeout", "--theme"),
    }
)
"""Options of every command, and of none, that take a value: what follows one of them is no command."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code and lets nothing but that out."""
    prepare()
    try:
        return int(_run(list(sys.argv[1:] if argv is None else argv)))
    except (UsageError, BadSettings) as error:
        complain(error)
        return Exit.USAGE
    except KeyboardInterrupt:
        complain("stopped")
        return Exit.FINDINGS
    except BrokenPipeError:
        drop_stdout()
        return Exit.DONE
    except SystemExit as end:  # argparse ends --help so
        return end.code if isinstance(end.code, int) else Exit.DONE
    except Exception as error:  # noqa: BLE001  one line whatever happens; a trace would show locals and secrets
        return _failed(error)


def _run(argv: list[str]) -> int:
    name, rest = split(argv)
    if not name and rest[:1] in (["--version"], ["-V"]):
        return _version()
    if not name and {"--help", "-h"} & set(rest):
        return _help()
    module, _, function = COMMANDS[name].place.partition(":")
    run: Callable[[list[str]], int] = getattr(import_module(f"emqtop.cli.{module}"), function)
    return run(rest)


def split(argv: list[str]) -> tuple[str, list[str]]:
    """The command's name and the other arguments; no command means the dashboard.

    Raises:
        UsageError: the first word is neither a command nor a URL.
    """
    skip = False
    for place, word in enumerate(argv):
        if skip or (word.startswith("-") and word != "--"):
            skip = not skip and word in VALUED
            continue
        if word in COMMANDS and word:
            return word, argv[:place] + argv[place + 1 :]
        if "://" not in word:
            raise UsageError(f"unknown command: {word} (try emqtop --help)")
    return "", argv


def _version() -> int:
    from emqtop import __version__

    print(f"emqtop {__version__}")
    return Exit.DONE


def _help() -> int:
    from emqtop.cli.console import lines
    from emqtop.present.plain import record

    print("usage: emqtop [options] [URL]\n       emqtop COMMAND [options] …\n")
    rows = [(f"emqtop {name} {command.words}".strip(), command.says) for name, command in COMMANDS.items()]
    lines([*record(rows), "", "emqtop COMMAND --help tells the options of a command."])
    return Exit.DONE


def _failed(error: Exception) -> int:
    from emqtop.acting.audit import Unrecorded
    from emqtop.sampling.oneshot import AmbiguousQueue, UnknownQueue
    from emqtop.wire.cursor import BadCursor
    from emqtop.wire.echomq.branded_id import BadId
    from emqtop.wire.errors import BadAddress, Refused, SourceError

    meanings: tuple[tuple[tuple[type[Exception], ...], Exit], ...] = (
        ((BadAddress, BadId, BadCursor, UnknownQueue, AmbiguousQueue), Exit.USAGE),
        ((Refused, Unrecorded), Exit.FINDINGS),
        ((SourceError,), Exit.UNREACHABLE),
    )
    for kinds, code in meanings:
        if isinstance(error, kinds):
            complain(error)
            return code
    complain(f"{type(error).__name__}: {error}")
    return Exit.FINDINGS
