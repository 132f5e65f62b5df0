"""Styles of a theme as escape sequences, with the standard library alone."""

import re
from collections.abc import Mapping

_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ATTRIBUTES = {"bold": "1", "dim": "2", "italic": "3", "underline": "4", "reverse": "7"}
_HEX = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", re.IGNORECASE)
_BACKGROUND = 10
"""How much higher the code of a colour is that stands behind the letters."""
_LEVELS = (0, 95, 135, 175, 215, 255)


def depth(environ: Mapping[str, str]) -> int:
    """How many colours a terminal has: 0, 16, 256, or 2^24."""
    if environ.get("NO_COLOR"):
        return 0
    if environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return 1 << 24
    return 256 if "256color" in environ.get("TERM", "") else 16


def paint(colours: int, *styles: str) -> str:
    """What switches a terminal from any look to that of some styles, a later one laid over an earlier.

    Args:
        colours: how many the terminal has; words that it cannot show are left out.
        styles: such as `bold #eceff4 on #1a1e25`.
    """
    attributes: list[str] = []
    grounds: dict[int, str] = {}
    for style in styles:
        ground = 0
        for word in style.lower().split():
            if word == "on":
                ground = _BACKGROUND
            elif word in _ATTRIBUTES:
                attributes.append(_ATTRIBUTES[word])
            elif (code := _colour(word, colours, ground)) is not None:
                grounds[ground], ground = code, 0
    return f"\x1b[{';'.join(['0', *dict.fromkeys(attributes), *grounds.values()])}m"


def _colour(word: str, colours: int, ground: int) -> str | None:
    if not colours:
        return None
    word = word.removeprefix("ansi_")
    bright = word.startswith("bright_")
    if (name := word.removeprefix("bright_")) in _NAMES:
        return str(_NAMES.index(name) + ground + (90 if bright else 30))
    if (found := _HEX.fullmatch(word)) is None or colours < 256:
        return None
    parts = [int(part, 16) for part in found.groups()]
    if colours == 256:
        steps = [min(range(6), key=lambda at, part=part: abs(_LEVELS[at] - part)) for part in parts]  # type: ignore[misc]
        return f"{38 + ground};5;{16 + 36 * steps[0] + 6 * steps[1] + steps[2]}"
    return f"{38 + ground};2;{parts[0]};{parts[1]};{parts[2]}"
