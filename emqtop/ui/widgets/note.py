"""A few quiet sentences above a list, wrapped, as high as they are and no higher."""

from collections.abc import Sequence

from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper

MOST_ROWS = 3
"""Lines of the screen it takes at most; the sentences that matter most stand first."""


class Note(Paper):
    """Sentences one behind the other."""

    DEFAULT_CSS = "Note { height: 0; padding: 0 1; }"
    can_focus = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(words=True, id=id)
        self._height = 0

    def say(self, sentences: Sequence[Part]) -> None:
        """Replace them."""
        spaced = [part for sentence in sentences for part in (sentence, Part("  "))][:-1]
        self.show([tuple(spaced)] if spaced else [])
        self._take_room()

    def on_resize(self) -> None:
        """Wrap for the new width."""
        super().on_resize()
        self._take_room()

    def _take_room(self) -> None:
        wanted = min(MOST_ROWS, self.rows)
        # Before the first layout there is no width to wrap for.
        if self.size.width and wanted != self._height:
            self.styles.height = self._height = wanted
