"""Runs the dashboard from its first look to the exit status."""

import asyncio
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from emqtop.sampling.source import Source
from emqtop.settings import Settings, themes_folder
from emqtop.text import safe
from emqtop.ui.dashboard import NO_WISHES, Dashboard
from emqtop.ui.handover import Begun
from emqtop.ui.report import report
from emqtop.ui.themes import choose, load_looks, shipped

if TYPE_CHECKING:
    from emqtop.ui.acts import Acts
    from emqtop.ui.ledger import Ledger

CLOSING_S = 1.0
"""Longest wait for the source to hang up, seconds."""


def run_dashboard(
    source: Source,
    *,
    acts: "Acts | None" = None,
    ledger: "Ledger | None" = None,
    settings: Settings = NO_WISHES,
    again: "Callable[[], Settings] | None" = None,
    begun: Begun | None = None,
    interval_s: float = 1.0,
) -> int:
    """Show the dashboard until the user leaves.

    Returns:
        The exit status: 0, 128 + the number of the signal that ended it, or 1 after an unexpected error, which is
        reported on stderr.

    Raises:
        BadTheme, BadKeymap: the settings name a theme or a command that is not there; nothing was shown.
    """
    # Textual believes them more than the terminal, which they outlive by a resize.
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
    looks, complaints = load_looks(shipped(), themes_folder(os.environ))
    theme = choose(looks, settings.theme_name(os.environ))
    app = Dashboard(
        source,
        acts=acts,
        ledger=ledger,
        looks=looks,
        theme=theme,
        settings=settings,
        again=again,
        begun=begun,
        interval_s=interval_s,
    )

    async def live() -> None:
        await app.run_async(mouse=settings.mouse)
        try:
            async with asyncio.timeout(CLOSING_S):
                await source.close()
        except (TimeoutError, OSError):
            pass

    asyncio.run(live())
    for complaint in complaints:
        print(f"emqtop: theme {safe(complaint)}", file=sys.stderr)
    for words in app.last_words:
        print(f"emqtop: {words}", file=sys.stderr)
    if app.crash is not None:
        print(report(app.crash), file=sys.stderr)
    return app.return_code or 0
