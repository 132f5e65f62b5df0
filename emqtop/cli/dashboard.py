"""`emqtop` alone: the dashboard."""

import os
import sys
from typing import TYPE_CHECKING

from emqtop.cli.console import UsageError, complain
from emqtop.settings import Settings, load
from emqtop.ui.garbage import look_rarely

if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Callable

    from emqtop.cli.options import Parser
    from emqtop.sampling.source import Source
    from emqtop.ui.acts import Acts
    from emqtop.ui.handover import Begun
    from emqtop.ui.ledger import Ledger


def dashboard(argv: list[str]) -> int:
    """Show the dashboard, or what `ls` shows where there is no terminal for it."""
    chosen = _settings(argv)
    if fits_a_screen():
        return show(chosen, lambda: _settings(argv))
    complain("no terminal for the dashboard; this is emqtop ls")
    from emqtop.cli.ls import once

    return once(chosen, as_json=False)


def fits_a_screen() -> bool:
    """Is there a terminal that can show a dashboard? It is drawn on stderr, which nobody pipes away by habit."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM", "dumb") != "dumb"


def show(chosen: Settings, again: "Callable[[], Settings] | None" = None) -> int:
    """Show a live server until the user leaves; returns the exit code.

    Args:
        chosen: what the user asked for.
        again: reads it again when the config was saved; None: it is read once.
    """
    from emqtop.wire.address import address_of

    address_of(chosen)
    look_rarely()
    if not chosen.first_frame:
        return _show_live(chosen, None, again)
    from emqtop.cli.first_frame import FirstFrame

    with FirstFrame(chosen) as frame:
        return _show_live(chosen, frame, again)


def _show_live(chosen: Settings, begun: "Begun | None", again: "Callable[[], Settings] | None") -> int:
    from emqtop.cli.lazy_server import LazyActs, LazyLedger, LazyServer, LazySource

    server = LazyServer(chosen)
    acts = None if chosen.read_only else LazyActs(server)
    return run(chosen, LazySource(server), acts, LazyLedger(server), begun, again)


def run(
    chosen: Settings,
    source: "Source",
    acts: "Acts | None" = None,
    ledger: "Ledger | None" = None,
    begun: "Begun | None" = None,
    again: "Callable[[], Settings] | None" = None,
) -> int:
    """Show a source in the dashboard until the user leaves; returns the exit code.

    Raises:
        UsageError: the settings name a theme or a command that is not there; nothing was shown.
    """
    from emqtop.ui.hangup import watch_terminal

    # Before the imports that follow: every way to the dashboard leads through here.
    watch_terminal()
    look_rarely()
    from emqtop.ui.app import run_dashboard
    from emqtop.ui.keymap import BadKeymap
    from emqtop.ui.themes import BadTheme

    try:
        return run_dashboard(source, acts=acts, ledger=ledger, settings=chosen, again=again, begun=begun)
    except (BadTheme, BadKeymap) as error:
        raise UsageError(str(error)) from None


def _settings(argv: list[str]) -> Settings:
    if not argv:
        return load()
    if len(argv) == 1 and "://" in argv[0]:
        return load({"url": argv[0]})
    from emqtop.cli.options import parse, parser, settings, take_url, words

    made = parser("", "The dashboard.")
    add_options(made)
    read = parse(made, argv)
    take_url(read)
    words(read)
    return settings(read)


def add_options(made: "Parser") -> "list[Action]":
    """Let a parser take what the dashboard alone takes; returns those options."""
    return [
        made.add_argument("--theme", metavar="NAME", help="theme to begin with"),
        made.add_argument("--no-mouse", dest="mouse", action="store_const", const=False, help="leave the mouse alone"),
        made.add_argument("--ascii", action="store_const", const=True, help="draw no lines and blocks"),
        made.add_argument("--dev", action="store_const", const=True, help="take up themes of emqtop's own when saved"),
    ]
