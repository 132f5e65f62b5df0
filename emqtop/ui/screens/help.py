"""What the keys do: made from the table of commands, scrolls and searches."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from emqtop.model.fuzzy import matches
from emqtop.present.columns import Column
from emqtop.text import cells, pad
from emqtop.ui.box import BREAKPOINTS
from emqtop.ui.commands import COMMANDS, Command, Place, bindings
from emqtop.ui.keymap import Keymap, key_name, keymap_of
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.scrolling import Scrolling
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, Text

HEADINGS = {
    Place.ANYWHERE: "Everywhere",
    Place.LIST: "In every list",
    Place.OVERVIEW: "On the overview",
    Place.QUEUE: "In a queue",
    Place.JOB: "On a job",
    Place.DOCTOR: "In the doctor's findings",
    Place.ERRORS: "In the errors of a queue",
    Place.EVENTS: "In the events",
    Place.CHARTS: "In the charts",
    Place.PAYLOAD: "In the data of a job",
    Place.FLOW: "In a flow",
    Place.AUDIT: "In the audit",
    Place.SERVER: "On the server",
    Place.REPLAY: "In a replay",
    Place.TEXT: "In a text",
    Place.DIALOG: "In a dialog",
    Place.HELP: "In this help",
    Place.PALETTE: "Among the commands",
}
KEYS = 18
"""Cells for the keys."""
BESIDE = 24
"""Cells that a text beside the keys needs at least; with fewer it stands below them."""


def help_lines(
    keymap: Keymap,
    wanted: str,
    may_act: bool,
    width: int,
    here: Place | None = None,
    columns: Sequence[Column[Any]] = (),
) -> Iterator[Text]:
    """Every command under the places that it belongs to, as far as it matches, and what the columns tell.

    Args:
        keymap: the keys that work.
        wanted: what is searched; empty: everything.
        may_act: are acts offered?
        width: cells of a line.
        here: the place that comes first.
        columns: those of the table that is seen; they come behind the first place.
    """
    places = sorted(HEADINGS, key=lambda place: place is not here)
    told = [(HEADINGS[place], list(_commands(keymap, place, wanted, may_act, width))) for place in places]
    told.insert(0 if here is None else 1, ("What the columns tell", list(_columns(columns, wanted, width))))
    for heading, lines in told:
        if lines:
            yield (Part(heading, "accent"),)
            yield from lines
            yield ()


def _commands(keymap: Keymap, place: Place, wanted: str, may_act: bool, width: int) -> Iterator[Text]:
    for command in COMMANDS:
        keys = keys_of(keymap.of(command)) or f"{keymap.name('palette')} {command.id}"
        if place in command.places and _shown(command, keys, wanted, may_act):
            danger = " (deletes)" if command.danger == "destroys" else ""
            yield from _entry(keys, command.help + danger, width, "bad" if danger else "plain")


def _columns(columns: Sequence[Column[Any]], wanted: str, width: int) -> Iterator[Text]:
    for column in columns:
        if column.help and matches(wanted, f"{column.title} {column.help}", loose=False):
            yield from _entry(column.title, column.help, width)


def _entry(name: str, says: str, width: int, tone: str = "plain") -> Iterator[Text]:
    """A name and what there is to say of it, beside it where there is room, else below."""
    if width - 2 - KEYS < BESIDE or cells(name) >= KEYS:
        yield (Part("  "), Part(name, "key"))
        yield from ((Part("    "), Part(words, tone)) for words in wrap(says, max(1, width - 4)))
        return
    for line, words in enumerate(wrap(says, width - 2 - KEYS)):
        yield (Part("  "), Part(pad("" if line else name, KEYS), "key"), Part(words, tone))


def keys_of(keys: Sequence[str]) -> str:
    """The keys of a command as people write them."""
    names = [key_name(key) for key in keys]
    return f"{names[0]} … {names[-1]}" if len(names) > 4 else " ".join(names)


def _shown(command: Command, keys: str, wanted: str, may_act: bool) -> bool:
    if command.verb is not None and not may_act:
        return False
    return matches(wanted, f"{keys} {command.label} {command.help}", loose=False)


class HelpScreen(ModalScreen[None], Scrolling[None]):
    """All keys, to scroll and to search."""

    BINDINGS = bindings(Place.HELP, Place.TEXT)
    VERTICAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, may_act: bool) -> None:
        super().__init__()
        self.may_act = may_act

    def compose(self) -> ComposeResult:
        """A field and the keys."""
        with Vertical(id="help"):
            yield Input(id="search", compact=True, placeholder="search")
            yield Paper(id="keys-help")

    def on_mount(self) -> None:
        """Show all keys."""
        field = self.query_one(Input)
        field.cursor_blink = field.display = False
        self.query_one(Paper).focus()

    def draw(self) -> None:
        """The keys that match."""
        paper, below = self.query_one(Paper), self._below
        columns = below.columns() if isinstance(below, ListScreen) else ()
        here = below.PLACE if below is not None else None
        wanted, width = self.query_one(Input).value, paper.size.width
        lines = list(help_lines(keymap_of(self), wanted, self.may_act, width, here, columns))
        paper.show(lines or [(Part("no key does that", "dim"),)])

    @property
    def _below(self) -> LiveScreen | None:
        """The screen that help was asked for on."""
        return next((screen for screen in reversed(self.app.screen_stack) if isinstance(screen, LiveScreen)), None)

    def on_resize(self) -> None:
        """Break the lines for the new width."""
        self.call_after_refresh(self.draw)

    def on_input_changed(self) -> None:
        """Search while it is typed."""
        self.query_one(Paper).scroll_end_of(last=False)
        self.draw()

    def on_input_submitted(self) -> None:
        """Scroll in what was found."""
        self.query_one(Paper).focus()

    def action_filter(self) -> None:
        """Type what to search."""
        field = self.query_one(Input)
        field.display = True
        field.focus()

    def action_close(self) -> None:
        """Back to where help was asked for."""
        self.dismiss()
