"""Sends a changed cell alone: Textual's own update begins at the left edge of the widget each time."""

from rich.console import Console
from rich.control import Control
from textual._compositor import ChopsUpdate, Compositor


class SpansUpdate(ChopsUpdate):
    """Exactly the cells of the dirty spans."""

    def render_segments(self, console: Console) -> str:
        """The bytes for the terminal: for each span a cursor move and the cells from its first to its last."""
        sequences: list[str] = []
        for y, first, after in self.spans:
            for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False):
                start, stop = max(x, first), min(end, after)
                if strip is not None and start < stop:
                    sequences.append(Control.move_to(start, y).segment.text)
                    sequences.append(strip.crop(start - x, stop - x).render(console))
        return "".join(sequences)


class SpansCompositor(Compositor):
    """A compositor whose partial updates are spans."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """What became dirty since the last update; None: nothing."""
        update = super().render_partial_update()
        return None if update is None else SpansUpdate(update.chops, update.spans, update.chop_ends)
