"""Where the Lua scripts and the themes lie, installed or in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    """The folder `lua` or `themes`.

    A wheel carries both inside the package; in a checkout they stand beside it.

    Raises:
        FileNotFoundError: neither place has it, so the installation is damaged.
    """
    for place in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"{name}: not in this installation of emqtop")
