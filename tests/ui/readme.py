"""The README's key table, made from the one table of commands: `python -m tests.ui.readme` writes it."""

import re
from pathlib import Path

from emqtop.ui.commands import COMMANDS, Place
from emqtop.ui.keymap import key_name

README = Path(__file__).parents[2] / "README.md"
_SECTION = re.compile(r"(?<=<!-- keys -->\n).*?(?=<!-- /keys -->)", re.DOTALL)
_FIRST_SCREENS = {Place.ANYWHERE, Place.LIST, Place.OVERVIEW, Place.QUEUE, Place.JOB}


def key_table() -> str:
    """What the footers of overview, queue and job name; each command once."""
    shown = [command for command in COMMANDS if command.footer and _FIRST_SCREENS & set(command.places)]
    rows = [f"| {' '.join(map(key_name, command.keys))} | {command.help} |" for command in shown]
    return "\n".join(["| key | does |", "|---|---|", *rows, ""])


def section() -> str:
    """The table as the README has it."""
    found = _SECTION.search(README.read_text("utf-8"))
    assert found is not None
    return found[0]


if __name__ == "__main__":
    README.write_text(_SECTION.sub(lambda _: key_table(), README.read_text("utf-8")), "utf-8")
