"""The command `emqtop`: picks the command, loads only what it needs, turns failures into a line and an exit code."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from emqtop.cli.commands import COMMANDS
from emqtop.cli.console import Exit, Unwritable, UsageError, complain, drop_stdout, line, prepare
from emqtop.settings import BadSettings

VALUED = frozenset(
    {
        *("--url", "--prefix", "--family", "--config", "--password-file", "--tls-ca", "--tls-cert", "--tls-key"),
        *("--sentinel-master", "-q", "--queue", "--timeout", "--theme"),
    }
)
"""Options of every command, and of none, that take a value: what follows one of them is no command."""


_ENDING = (
    "emqtop COMMAND --help tells the options of a command. Those of its groups server",
    "and queues fit the dashboard too: --url, --prefix, --read-only, …",
    "Exit codes: 0 done, 1 refused or found, 2 usage, 3 no server, 4 outcome unknown.",
)
"""How the help ends."""


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

    line(f"emqtop {__version__}")
    return Exit.DONE


def _help() -> int:
    from emqtop.cli.console import lines
    from emqtop.cli.dashboard import add_options
    from emqtop.cli.options import parser
    from emqtop.present.plain import record

    named = {name: command for name, command in COMMANDS.items() if name}
    options = add_options(parser("", ""))
    rows = [(f"{name} {command.words}".strip(), command.says) for name, command in named.items()]
    rows += [(" ".join((*each.option_strings, str(each.metavar or ""))).strip(), each.help or "") for each in options]
    groups = [str(command.group) for command in named.values()] + ["options of the dashboard"] * len(options)
    told = ["usage: emqtop [options] [URL]          the dashboard", "       emqtop COMMAND [options] …"]
    for at, (group, row) in enumerate(zip(groups, record(rows), strict=True)):
        told += ["", f"{group}:"] if not at or groups[at - 1] != group else []
        told.append(f"  {row}")
    lines([*told, "", *_ENDING])
    return Exit.DONE


def _failed(error: Exception) -> int:
    from emqtop.acting.audit import Unrecorded
    from emqtop.sampling.oneshot import AmbiguousQueue, UnknownQueue
    from emqtop.wire.cursor import BadCursor
    from emqtop.wire.echomq.branded_id import BadId
    from emqtop.wire.errors import BadAddress, Refused, SourceError

    meanings: tuple[tuple[tuple[type[Exception], ...], Exit], ...] = (
        ((BadAddress, BadId, BadCursor, UnknownQueue, AmbiguousQueue), Exit.USAGE),
        ((Refused, Unrecorded, Unwritable), Exit.FINDINGS),
        ((SourceError,), Exit.UNREACHABLE),
    )
    for kinds, code in meanings:
        if isinstance(error, kinds):
            complain(error)
            return code
    complain(f"{type(error).__name__}: {error}")
    return Exit.FINDINGS
