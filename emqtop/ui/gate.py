"""The last gates before the terminal: what no widget may send, and what this terminal cannot draw."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from emqtop.text import ASCII, safe


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


class Plain(LineFilter):
    """Draws lines, blocks and signs in ASCII; the letters of data stay as they are."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The line without drawing letters, of the same width."""
        if all(text.isascii() for text, _, _ in segments):
            return segments
        return [Segment(text.translate(ASCII), style) for text, style, _ in segments]
