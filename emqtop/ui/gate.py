"""The last gates before the terminal: what no widget may send, and what this terminal cannot draw."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from emqtop.text import safe


class Gate(LineFilter):
    """Makes visible what is not printable in a drawn line.

    Values are cleaned where they become text; this stands behind them, for tool tips, borders and whatever a later
    widget forgets. Neither Textual nor Rich removes ESC, C1 or bidi controls themselves.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The line, clean. Segments that hold the terminal's own controls are never part of a widget's line."""
        if all(text.isprintable() for text, _, _ in segments):
            return segments
        return [Segment(safe(text), style) for text, style, _ in segments]


_LINES = dict.fromkeys(range(9472, 9600), "+") | dict.fromkeys((0x2500, 0x2501, 0x2550, 0x2574, 0x2576), "-")
_BARS = dict.fromkeys((0x2502, 0x2503, 0x2551, 0x2575, 0x2577), "|")
_BLOCKS = dict.fromkeys(range(0x2580, 0x25A0), "#") | dict(zip(range(0x2581, 0x2589), "_.:-=+*#", strict=True))
_SIGNS = str.maketrans("❯●▲▼▐›…·×↑↓←→‹█░▒▓", ">*^v#>~.x^v<><#.:#")
ASCII = _LINES | _BARS | _BLOCKS | _SIGNS
"""One ASCII letter for each line, block and sign that the dashboard draws."""


class Plain(LineFilter):
    """Draws lines, blocks and signs in ASCII; the letters of data stay as they are."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The line without drawing letters, of the same width."""
        if all(text.isascii() for text, _, _ in segments):
            return segments
        return [Segment(text.translate(ASCII), style) for text, style, _ in segments]
