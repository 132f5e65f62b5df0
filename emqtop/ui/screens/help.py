"""What the keys do: made from the table of commands, scrolls and searches."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from emqtop.model.fuzzy import matches
from emqtop.text import pad
from emqtop.ui.commands import COMMANDS, Command, Place, bindings, key_name
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, Text

HEADINGS = {
    Place.ANYWHERE: "Everywhere",
    Place.LIST: "In every list",
    Place.OVERVIEW: "On the overview",
    Place.QUEUE: "In a queue",
    Place.JOB: "On a job",
    Place.ERRORS: "In the errors of a queue",
    Place.EVENTS: "In the events",
    Place.CHARTS: "In the charts",
    Place.PAYLOAD: "In the data of a job",
    Place.FLOW: "In a flow",
    Place.AUDIT: "In the audit",
    Place.SERVER: "On the server",
    Place.TEXT: "In a text",
    Place.DIALOG: "In a dialog",
    Place.HELP: "In this help",
    Place.PALETTE: "Among the commands",
}
KEYS = 18
"""Cells for the keys."""


def command_lines(wanted: str, may_act: bool) -> Iterator[Text]:
    """Every command under the first place that it belongs to, as far as it matches."""
    for place, heading in HEADINGS.items():
        found = [command for command in COMMANDS if place in command.places and _shown(command, wanted, may_act)]
        if not found:
            continue
        yield (Part(heading, "accent"),)
        for command in found:
            danger = [Part(" deletes", "bad")] if command.danger == "destroys" else []
            yield (Part("  "), Part(pad(keys_of(command), KEYS), "key"), Part(command.help), *danger)
        yield ()


def keys_of(command: Command) -> str:
    """Its keys as people write them."""
    names = [key_name(key) for key in command.keys]
    return f"{names[0]} … {names[-1]}" if len(names) > 4 else " ".join(names)


def _shown(command: Command, wanted: str, may_act: bool) -> bool:
    if command.verb is not None and not may_act:
        return False
    return matches(wanted, f"{keys_of(command)} {command.label} {command.help}", loose=False)


class HelpScreen(ModalScreen[None]):
    """All keys, to scroll and to search."""

    BINDINGS = bindings(Place.HELP, Place.TEXT)

    def __init__(self, may_act: bool) -> None:
        super().__init__()
        self.may_act = may_act

    def compose(self) -> ComposeResult:
        """A field and the keys."""
        with Vertical(id="help"):
            yield Input(id="search", compact=True, placeholder="search")
            yield Paper(id="keys-help", clip=True)

    def on_mount(self) -> None:
        """Show all keys."""
        field = self.query_one(Input)
        field.cursor_blink = field.display = False
        self.query_one(Paper).focus()
        self.draw()

    def draw(self) -> None:
        """The keys that match."""
        lines = list(command_lines(self.query_one(Input).value, self.may_act))
        self.query_one(Paper).show(lines or [(Part("no key does that", "dim"),)])

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

    def action_scroll(self, rows: int) -> None:
        """Scroll by lines."""
        self.query_one(Paper).scroll_rows(rows)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll by screens."""
        self.query_one(Paper).scroll_pages(pages)

    def action_scroll_to_end(self, last: bool) -> None:
        """Scroll to an end."""
        self.query_one(Paper).scroll_end_of(last)

    def action_close(self) -> None:
        """Back to where help was asked for."""
        self.dismiss()
