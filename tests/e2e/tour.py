"""Draws the README's pictures from a running demo: `python -m tests.e2e.tour FOLDER` writes one SVG a screen."""

import asyncio
import re
import sys
from pathlib import Path

from emqtop.cli.lazy_server import LazyActs, LazyServer, LazySource
from emqtop.demo.server import EmbeddedServer
from emqtop.demo.workload import Workload
from emqtop.settings import Secret, Settings
from emqtop.ui.dashboard import Dashboard

SIZE = (118, 20)
"""Columns and rows of a picture."""
WARM_S = 25.0
"""How long the demo runs before the first picture, seconds: leases have run out and jobs have died by then."""
STOPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("overview", ()),
    ("active", ("enter", "2")),
    ("dead", ("4",)),
    ("charts", ("c",)),
)
"""Name of each picture, and the keys that lead to it from the one before."""
_REMOTE_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_RUN = re.compile(
    r' x="([0-9.]+)" y="([0-9.]+)" textLength="([0-9.]+)"([^>]*)>((?:&#160;)*)([^<]*?)((?:&#160;)*)</text>'
)
_BLANK = "&#160;"
_CELL = 12.2
"""Width of a cell in the units of the picture."""


def without_outer_blanks(picture: str) -> str:
    """The same picture, each run of text placed where its first letter stands: some viewers drop blanks before it."""

    def place(run: re.Match[str]) -> str:
        x, y, length, rest, before, letters, after = run.groups()
        first, last = len(before) // len(_BLANK), len(after) // len(_BLANK)
        x, length = float(x) + first * _CELL, float(length) - (first + last) * _CELL
        return f' x="{x:.1f}" y="{y}" textLength="{length:.1f}"{rest}>{letters}</text>'

    return _RUN.sub(place, picture)


async def tour(url: str, folder: Path) -> None:
    """Walk through the screens and write a picture of each."""
    settings = Settings(url=Secret(url))
    server = LazyServer(settings)
    app = Dashboard(LazySource(server), acts=LazyActs(server), settings=settings)
    async with app.run_test(size=SIZE) as pilot:
        await asyncio.sleep(WARM_S)
        for name, keys in STOPS:
            await pilot.press(*keys)
            await asyncio.sleep(2.5)
            await pilot.pause()
            picture = _REMOTE_FONTS.sub("", app.export_screenshot(title="emqtop"))
            (folder / f"{name}.svg").write_text(without_outer_blanks(picture), "utf-8")


def main(folder: Path) -> None:
    """Run the demo and walk through it."""
    folder.mkdir(parents=True, exist_ok=True)
    with EmbeddedServer() as server, Workload(server.url, seed=1, reaper=False):
        asyncio.run(tour(server.url, folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
