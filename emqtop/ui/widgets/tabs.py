"""A line of tabs with counts, in as many words as the width allows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from textual import events
from textual.message import Message

from emqtop.ui.widgets.line import Line, Part

LESS, MORE = "‹", "›"
"""What says that there are tabs before and behind those that are shown."""


@dataclass(frozen=True, slots=True)
class TabWords:
    """One tab."""

    key: str
    """Its name."""
    title: str
    """Its word."""
    short: str
    """The same in at most five letters, of which the first two are no other tab's."""
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
        before = 0
        numbered = (self._spread, self._numbered, self._numbered_shorts)
        for wording in (*numbered, self._shorts, self._tight, self._pairs):
            pieces = [wording(place, tab) for place, tab in enumerate(self._tabs, 1)]
            if _width(pieces) <= self._room:
                break
        else:
            before, pieces = self._some()
        self._ends, end = [], 0
        for tab, parts in zip(self._tabs[before:], pieces, strict=False):
            end += _width([parts])
            self._ends.append((end, tab.key))
        self.show([part for parts in pieces for part in parts])

    @property
    def _room(self) -> int:
        """A line keeps its last cell free."""
        return self.size.width - 1

    def _some(self) -> tuple[int, list[list[Part]]]:
        """The tabs around the one in front, as many as there is room for, and how many are left out before them."""
        pieces = [self._shorts(0, tab) for tab in self._tabs]
        front = next((place for place, tab in enumerate(self._tabs) if tab.key == self._front), 0)
        first, stop = front, front + 1
        room = self._room - len(MORE) - len(LESS)
        if pieces and _width([pieces[front]]) > room:
            # Rather no number than a part of it.
            pieces[front] = self._shorts(0, replace(self._tabs[front], count=""))
        while first > 0 or stop < len(pieces):
            after = stop < len(pieces) and (first == 0 or stop - front <= front - first)
            wider = slice(first, stop + 1) if after else slice(first - 1, stop)
            if _width(pieces[wider]) > room:
                break
            first, stop = wider.start, wider.stop
        shown = pieces[first:stop]
        if shown and first > 0:
            shown[0] = [Part(LESS, "dim"), *shown[0]]
        if shown and stop < len(pieces):
            shown[-1] = [*shown[-1], Part(MORE, "dim")]
        return first, shown

    def _spread(self, place: int, tab: TabWords) -> list[Part]:
        return self._piece(tab, f"{place % 10} {tab.title}", " ")

    def _numbered(self, place: int, tab: TabWords) -> list[Part]:
        return self._piece(tab, f"{place % 10} {tab.title}", "")

    def _numbered_shorts(self, place: int, tab: TabWords) -> list[Part]:
        return self._piece(tab, f"{place % 10} {self._short(tab)}", "")

    def _shorts(self, _place: int, tab: TabWords) -> list[Part]:
        return self._piece(tab, self._short(tab), "")

    def _short(self, tab: TabWords) -> str:
        return tab.title if tab.key == self._front else tab.short

    def _tight(self, _place: int, tab: TabWords) -> list[Part]:
        return self._one_blank(tab, tab.short, " ")

    def _pairs(self, _place: int, tab: TabWords) -> list[Part]:
        return self._one_blank(tab, tab.short[:2].capitalize(), "")

    def _one_blank(self, tab: TabWords, words: str, gap: str) -> list[Part]:
        """One blank before each tab, and none behind."""
        if tab.key == self._front:
            return [Part(" "), *self._piece(tab, tab.title, "")]
        count = [Part(gap + tab.count, tab.tone)] if tab.count else []
        return [Part(" "), Part(words, "dim"), *count]

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


def _width(pieces: Iterable[Sequence[Part]]) -> int:
    return sum(len(part.text) for parts in pieces for part in parts)
