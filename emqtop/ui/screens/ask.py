"""A question with a yes and a no, the no in front."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen

from emqtop.ui.box import BREAKPOINTS, inside
from emqtop.ui.commands import Place, bindings
from emqtop.ui.keymap import keymap_of
from emqtop.ui.widgets.choices import Choices
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, Text, rows_of

TOO_SMALL: tuple[Text, ...] = ((Part("this window is too small to ask; make it larger", "warn"),),)
"""What is said instead of a question that is not seen whole."""


class AskScreen(ModalScreen[bool]):
    """Dismissed with True for a yes. A window too small for the whole question gets no yes.

    Args:
        question: safe text.
        yes: the word for yes.
    """

    BINDINGS = bindings(Place.DIALOG)
    VERTICAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, question: Sequence[Text], yes: str) -> None:
        super().__init__()
        self.question = tuple(question)
        self.yes = yes

    def compose(self) -> ComposeResult:
        """Text and answers."""
        with Vertical(id="box"):
            yield Paper(words=True, id="question")
            yield Choices(id="answers")

    def on_mount(self) -> None:
        """Ask."""
        self.query_one(Choices).focus()
        self.draw()

    def on_resize(self) -> None:
        """The box fits the window."""
        self.draw()

    def draw(self) -> None:
        """The question, and what may be answered."""
        width, room = inside(self.app.size)
        fits = rows_of(self.question, width) <= room
        told = self.question if fits else TOO_SMALL
        paper = self.query_one(Paper)
        paper.styles.height = min(rows_of(told, width), room)
        paper.show(told)
        yes = [("yes", f"{self.yes} ({keymap_of(self).name('yes')})")] if fits else []
        self.query_one(Choices).offer([("no", "Cancel"), *yes])

    def action_step(self, places: int) -> None:
        """Another answer."""
        self.query_one(Choices).step(places)

    def action_answer(self) -> None:
        """The answer in front."""
        self.query_one(Choices).give()

    def action_yes(self) -> None:
        """Yes, where it is offered."""
        if self.query_one(Choices).offers("yes"):
            self.dismiss(True)

    def action_no(self) -> None:
        """No."""
        self.dismiss(False)

    def on_choices_given(self, message: Choices.Given) -> None:
        """An answer was given."""
        message.stop()
        self.dismiss(message.answer == "yes")
