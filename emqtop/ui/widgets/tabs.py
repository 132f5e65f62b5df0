"""A line of tabs with counts, in as many words as the width allows."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from emqtop.ui.widgets.line import Line, Part


@dataclass(frozen=True, slots=True)
class TabWords:
    """One tab."""

    key: str
    """Its name."""
    title: str
    """Its word."""
    short: str
    """The same in four letters."""
    count: str = ""
    """How much is in it."""
    tone: str = "plain"
    """Tone of the count."""


class TabLine(Line):
    """Tabs with a number to press, the one in front standing out by brackets and not by colour alone."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("plain", id=id)
        self._tabs: tuple[TabWords, ...] = ()
        self._front = ""
        self._ends: list[tuple[int, str]] = []

    def show_tabs(self, tabs: Sequence[TabWords], front: str) -> None:
        """Replace the tabs."""
        self._tabs, self._front = tuple(tabs), front
        self._lay_out()

    def on_resize(self) -> None:
        """Choose the wording that fits."""
        self._lay_out()

    def _lay_out(self) -> None:
        for wording in (self._long, self._words, self._shorts, self._letters):
            pieces = [wording(place, tab) for place, tab in enumerate(self._tabs, 1)]
            if sum(len(part.text) for parts in pieces for part in parts) <= self.size.width:
                break
        else:
            pieces = [self._words(0, tab) for tab in self._tabs if tab.key == self._front]
        self._ends, end = [], 0
        for tab, parts in zip(self._tabs, pieces, strict=False):
            end += sum(len(part.text) for part in parts)
            self._ends.append((end, tab.key))
        self.show([part for parts in pieces for part in parts])

    def _long(self, place: int, tab: TabWords) -> list[Part]:
        return self._piece(tab, f"{place} {tab.title}", " ")

    def _words(self, _place: int, tab: TabWords) -> list[Part]:
        return self._piece(tab, tab.title, "")

    def _shorts(self, _place: int, tab: TabWords) -> list[Part]:
        return self._piece(tab, tab.short, "")

    def _letters(self, _place: int, tab: TabWords) -> list[Part]:
        front = tab.key == self._front
        ends = ("[", "]") if front else (" ", " ")
        tone = "strong" if front else "dim"
        return [Part(ends[0] + tab.short[0].upper(), tone), Part(tab.count, tab.tone), Part(ends[1], tone)]

    def _piece(self, tab: TabWords, words: str, gap: str) -> list[Part]:
        front = tab.key == self._front
        ends = ("[", "]") if front else (" ", " ")
        count = [Part(f" {tab.count}", tab.tone)] if tab.count else []
        tone = "strong" if front else "dim"
        return [Part(ends[0], tone), Part(words, tone), *count, Part(ends[1] + gap, tone)]

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the pointer."""
        for end, key in self._ends:
            if event.x < end:
                self.post_message(self.Chosen(key))
                return
