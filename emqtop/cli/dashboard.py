"""`emqtop` alone: the dashboard."""

import os
import sys

from emqtop.cli.console import complain
from emqtop.settings import Settings, load


def dashboard(argv: list[str]) -> int:
    """Show the dashboard, or what `ls` shows where there is no terminal for it."""
    chosen = _settings(argv)
    if fits_a_screen():
        return show(chosen)
    complain("no terminal for the dashboard; this is emqtop ls")
    from emqtop.cli.ls import once

    return once(chosen, as_json=False)


def fits_a_screen() -> bool:
    """Is there a terminal that can show a dashboard?"""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def show(chosen: Settings) -> int:
    """Show it until the user leaves; returns its exit code."""
    from emqtop.acting.audit import Audit
    from emqtop.acting.runner import Runner
    from emqtop.sampling.live import Live
    from emqtop.ui.acts import Desk
    from emqtop.ui.app import run_dashboard
    from emqtop.ui.themes import DEFAULT

    source = Live(chosen)
    runner = Runner(source.client, Audit(source.client.address.label), read_only=chosen.read_only)
    acts = None if chosen.read_only else Desk(source.client, runner)
    return run_dashboard(source, acts=acts, theme=chosen.theme or DEFAULT, mouse=chosen.mouse)


def _settings(argv: list[str]) -> Settings:
    if not argv:
        return load()
    if len(argv) == 1 and "://" in argv[0]:
        return load({"url": argv[0]})
    from emqtop.cli.options import parse, parser, settings, take_url, words

    made = parser("", "[URL]", "The dashboard; emqtop --help names the commands.", oneshot=False)
    made.add_argument("--theme", metavar="NAME", help="theme to begin with")
    made.add_argument("--no-mouse", dest="mouse", action="store_const", const=False, help="leave the mouse alone")
    made.add_argument("--ascii", action="store_const", const=True, help="draw no lines and blocks")
    read = parse(made, argv)
    take_url(read)
    words(read)
    return settings(read)
