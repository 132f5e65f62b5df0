"""How much of the window a dialog has for itself: where there are few lines it takes them all and has no frame."""

from textual.geometry import Size

LOW = 10
"""Lines of a window below which there is no frame."""
BREAKPOINTS = [(0, "-low"), (LOW, "-high")]
"""The classes of a screen that is a dialog, by the lines of the window."""
_WIDTH, _SIDES, _LINES = 76, 4, 4
"""Cells of a question's box; cells that frame and padding take; lines that frame, gap and answers take."""


def inside(window: Size) -> Size:
    """Cells and lines that the text of a question can have, its answers on a line below."""
    if window.height < LOW:
        return Size(max(1, window.width), max(1, window.height - 1))
    return Size(max(1, min(_WIDTH, window.width) - _SIDES), max(1, window.height - _LINES))
