"""Looking for a text in the data of a job."""

from abc import abstractmethod
from collections.abc import Sequence

from textual.widgets import Input

from emqtop.present.json_tree import JsonTree, Path
from emqtop.text import safe
from emqtop.ui.forms import HexLines, JsonLines, matching, neighbour, places_in
from emqtop.ui.keymap import keymap_of
from emqtop.ui.screens.listing import FilterInput
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.widgets.sheet import Sheet


class SearchedScreen(LiveScreen):
    """A screen of data in one of several forms, each searched in its own way.

    Attributes:
        data: what is loaded.
        json: the same as a tree; None where it is none.
        wanted: what is looked for; empty: nothing.
        matches: where it stands.
    """

    def __init__(self) -> None:
        super().__init__()
        self.data = b""
        self.json: JsonTree | None = None
        self.wanted = ""
        self.matches: Sequence[int | Path] = ()

    @abstractmethod
    def draw(self, index: int | None = 0) -> None:
        """Draw the data, the cursor on a line; None: where it is."""

    @property
    def sheet(self) -> Sheet:
        """The data."""
        return self.query_one(Sheet)

    def path(self) -> Path | None:
        """Where the cursor stands in the folded form; None in another form."""
        lines = self.sheet.lines
        return lines.rows[self.sheet.index].path if isinstance(lines, JsonLines) else None

    def action_search(self) -> None:
        """Type what to look for."""
        field = self.query_one(FilterInput)
        field.value = ""
        field.display = True
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Look for it, and go to the first match."""
        self.wanted = event.value
        self.close_search()
        self.matches = self.found() if self.wanted else ()
        self.action_match(1, here=True)

    def close_search(self) -> bool:
        """Back to the data; says whether there was anything to close."""
        field = self.query_one(FilterInput)
        was = bool(field.display)
        field.display = False
        self.sheet.focus()
        return was

    def found(self) -> Sequence[int | Path]:
        """Where what is wanted stands: places in the folded form, lines in the others."""
        lines = self.sheet.lines
        if isinstance(lines, JsonLines) and self.json is not None:
            return self.json.search(self.wanted)
        if isinstance(lines, HexLines):
            return places_in(self.data, self.wanted, lines.each)
        return matching(lines, self.wanted)

    def action_match(self, step: int, here: bool = False) -> None:
        """The next match, or the one before, round and round; `here`: that under the cursor counts too."""
        if not self.matches and self.wanted:
            self.matches = self.found()
        if not self.matches:
            nothing = keymap_of(self).fill("nothing is looked for yet: {search} looks for a text")
            self.hint(f"{safe(self.wanted)}: not found" if self.wanted else nothing)
            return
        current: int | Path = self.path() or () if isinstance(self.matches[0], tuple) else self.sheet.index
        target = neighbour(self.matches, current, step, here)
        if isinstance(target, tuple) and self.json is not None:
            place = self.json.reveal(target)
            self.draw(place)
        elif isinstance(target, int):
            self.sheet.go_to(target)
        self.draw_status()
