"""Two or more answers on a line; the safe one has the focus."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from emqtop.ui.widgets.line import Line, Part


class Choices(Line, can_focus=True):
    """Answers side by side; arrows and Tab go from one to the next, Enter gives it."""

    class Given(Message):
        """An answer was given."""

        def __init__(self, answer: str) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("plain", id=id)
        self._answers: tuple[tuple[str, str], ...] = ()
        self._front = 0

    def offer(self, answers: Sequence[tuple[str, str]]) -> None:
        """Replace the answers, pairs of name and words; the first one is the safe one."""
        if tuple(answers) != self._answers:
            self._answers = tuple(answers)
            self._front = 0
            self._draw()

    def offers(self, answer: str) -> bool:
        """Can this answer be given?"""
        return any(name == answer for name, _ in self._answers)

    def _pieces(self) -> list[Part]:
        pieces: list[Part] = []
        for place, (_, words) in enumerate(self._answers):
            front = place == self._front
            pieces.append(Part(f"[ {words} ]" if front else f"  {words}  ", "sorted" if front else "plain"))
            pieces.append(Part("  "))
        return pieces

    def _draw(self) -> None:
        self.show(self._pieces())

    def step(self, places: int) -> None:
        """Go on to another answer."""
        if self._answers:
            self._front = (self._front + places) % len(self._answers)
            self._draw()

    def give(self) -> None:
        """Give the answer in front."""
        if self._answers:
            self.post_message(self.Given(self._answers[self._front][0]))

    def on_click(self, event: events.Click) -> None:
        """Give the answer under the pointer."""
        end = 0
        for place, (name, words) in enumerate(self._answers):
            end += len(words) + 4
            if event.x < end:
                self._front = place
                self.post_message(self.Given(name))
                return
            end += 2
