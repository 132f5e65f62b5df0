"""All commands of a place by name: type a few letters, Enter gives the command."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from emqtop.model.fuzzy import matches
from emqtop.present.columns import Cell, Column, Tone
from emqtop.text import Align
from emqtop.ui.box import BREAKPOINTS
from emqtop.ui.commands import Command, Place, bindings
from emqtop.ui.keymap import key_name
from emqtop.ui.widgets.grid import Grid
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, rows_of

ABOUT = 2
"""Lines that tell about the entry under the cursor."""
_TITLES, _FRAME, _SEEN = 1, 2, 3
"""Lines of titles; of the frame; of the screen below that stay in sight: one above the box, two under it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be chosen."""

    name: str
    """Its name."""
    keys: tuple[str, ...]
    """The keys that do the same, in Textual's names."""
    help: str
    """What it does."""
    action: str
    """The action, in Textual's form."""
    destroys: bool = False
    """Does it delete?"""
    why_not: str = ""
    """Why it cannot be given right now; empty: it can."""
    label: str = ""
    """What the footer calls it; found by it, too."""


def entry(command: Command, keys: tuple[str, ...], why_not: str) -> Entry:
    """A command with the keys that give it as an entry, or with why it cannot be given."""
    name, destroys = command.id.replace("-", " "), command.danger == "destroys"
    return Entry(name, keys, command.help, command.call, destroys, why_not, command.label)


def _name(entry: Entry, _now_ms: int) -> Cell:
    if entry.why_not:
        return Cell(entry.name, Tone.DIM)
    return Cell(entry.name, Tone.BAD if entry.destroys else Tone.PLAIN)


def _says(entry: Entry, _now_ms: int) -> Cell:
    return Cell(entry.why_not, Tone.WARN) if entry.why_not else Cell(entry.help, Tone.DIM)


_COLUMNS: tuple[Column[Entry], ...] = (
    Column("name", "COMMAND", 16, Align.LEFT, 1, _name),
    Column("keys", "KEYS", 10, Align.LEFT, 3, lambda entry, _: Cell(" ".join(map(key_name, entry.keys)), Tone.ACCENT)),
    Column("help", "", 12, Align.LEFT, 2, _says, stretch=True),
)


class PaletteScreen(ModalScreen[str | None]):
    """Dismissed with the action that was chosen.

    Args:
        entries: what can be chosen.
        search: begin in the field, ready to type; else in the list.
    """

    BINDINGS = bindings(Place.PALETTE)
    VERTICAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, entries: Sequence[Entry], *, search: bool = True) -> None:
        super().__init__()
        self.entries = tuple(entries)
        self.search = search

    def compose(self) -> ComposeResult:
        """A field and the list."""
        with Vertical(id="palette"):
            yield Input(id="search", compact=True, placeholder="type a command")
            yield Grid(_COLUMNS, lambda entry: entry.name, empty="no command of that name", id="entries")
            yield Paper(words=True, id="about-entry")

    def on_mount(self) -> None:
        """Show all of them."""
        field = self.query_one(Input)
        field.cursor_blink = False
        field.display = self.search
        (field if self.search else self.query_one(Grid)).focus()
        self.draw()

    def draw(self) -> None:
        """The entries that match: those that can be given first, of them the one of that name, those that begin so."""
        wanted = self.query_one(Input).value.casefold()
        found = [each for each in self.entries if matches(wanted, each.name) or matches(wanted, each.label)]
        found.sort(key=lambda each: (bool(each.why_not), each.name != wanted, not each.name.startswith(wanted)))
        self.query_one(Grid).show(found, 0)
        self.on_grid_chosen()

    def on_grid_chosen(self) -> None:
        """Tell in full what the entry under the cursor does."""
        chosen = self.query_one(Grid).current
        told = [] if chosen is None else [chosen.why_not, chosen.help] if chosen.why_not else [chosen.help]
        lines = [(Part(words, "warn" if words != told[-1] else "dim"),) for words in told]
        # Where it is short there is a blank line between it and the list.
        paper = self.query_one(Paper)
        short = rows_of(lines, paper.size.width) < ABOUT
        paper.show([(), *lines] if short else lines)

    def on_resize(self) -> None:
        """The box is as high as what is in it, and leaves the lines of the screen below in sight."""
        lines = len(self.entries) + _TITLES + ABOUT + self.search
        self.query_one("#palette").styles.height = min(lines + _FRAME, self.app.size.height - _SEEN)
        self.on_grid_chosen()

    def on_key(self, event: events.Key) -> None:
        """In a menu the keys that are named give their commands."""
        if self.search:
            return
        chosen = next((entry for entry in self.entries if event.key in entry.keys), None)
        if chosen is not None:
            event.stop()
            self.dismiss(chosen.action)

    def on_input_changed(self) -> None:
        """Search while it is typed, from the top again."""
        self.query_one(Grid).selection.reset()
        self.draw()

    def on_input_submitted(self) -> None:
        """Give the command under the cursor."""
        self.action_choose()

    def on_grid_opened(self) -> None:
        """Give the command that was clicked."""
        self.action_choose()

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self.query_one(Grid).move(rows)

    def action_choose(self) -> None:
        """Give the command under the cursor."""
        chosen = self.query_one(Grid).current
        if chosen is not None:
            self.dismiss(chosen.action)

    def action_close(self) -> None:
        """Leave without a command."""
        self.dismiss(None)
