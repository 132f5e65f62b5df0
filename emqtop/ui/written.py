"""What stands on the terminal, so that only cells that differ are sent, and a colour only where it changes.

Textual names regions that became dirty and sends them whole, dressed from scratch: the same screen four times at the
start, 40 kB each, and 3.4 kB/s for an overview on which everything moves, of which two thirds say nothing new.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple, TypeAlias

from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

Update: TypeAlias = LayoutUpdate | ChopsUpdate

NEAR = 3
"""Cells between two changed ones that are sent again, as that is shorter than a jump over them."""


class Dress(NamedTuple):
    """How a cell is dressed, as parameters of an SGR sequence; each empty where it is the terminal's own."""

    attributes: str
    """Bold, underlined, …"""
    front: str
    """Colour of the letter."""
    ground: str
    """Colour behind it."""


_BARE = Dress("", "", "")
_UNSEEN = frozenset({"", "1", "2", "3", "1;2", "1;3"})
"""Attributes that a blank does not show."""
Cell: TypeAlias = tuple[str, Dress]
"""What stands in a cell, nothing behind a wide letter, and how it is dressed."""
_UNKNOWN: Cell = ("\0", _BARE)


class Bytes(CompositorUpdate):
    """What is ready for the terminal, in the form that Textual takes."""

    def __init__(self, data: str) -> None:
        self.data = data

    def render_segments(self, console: Console) -> str:  # noqa: ARG002
        """The bytes."""
        return self.data


class Written:
    """The cells of the terminal, as far as they are known."""

    def __init__(self) -> None:
        self._lines: list[list[Cell]] = []
        self._dresses: dict[Style | None, Dress] = {None: _BARE}
        self._system = ColorSystem.TRUECOLOR

    def forget(self) -> None:
        """Somebody else wrote, or the terminal was cleared."""
        self._lines = []

    def change(self, update: Update, system: ColorSystem | None) -> str | None:
        """The bytes that the update needs, taken for sent from now on; None: nothing. Links are never sent.

        Args:
            update: all of the screen, or parts of it; the first one and one after `forget` must be all of it.
            system: the colours that the terminal has; None: all.
        """
        if self._system is not (system := system or ColorSystem.TRUECOLOR):
            self._system, self._dresses = system, {None: _BARE}
        if isinstance(update, LayoutUpdate):
            data = self._whole(update)
        else:
            data = self._sent((y, x, self._cells(strip)) for y, x, strip in pieces(update))
        return data or None

    def _whole(self, update: LayoutUpdate) -> str:
        drawn = [[cell for strip in strips for cell in self._cells(strip)] for strips in update.strips]
        if [len(line) for line in self._lines] != [len(line) for line in drawn]:
            self._lines = [[_UNKNOWN] * len(line) for line in drawn]
        return self._sent((y, 0, line) for y, line in enumerate(drawn))

    def _cells(self, strip: Iterable[Segment]) -> list[Cell]:
        made: list[Cell] = []
        for text, style, _ in strip:
            dress = self._dresses.get(style)
            if dress is None:
                dress = self._dresses[style] = dressed(style, self._system)
            made.extend(zip(text if text.isascii() else letters(text), repeat(dress)))
        return made

    def _sent(self, drawn: Iterable[tuple[int, int, list[Cell]]]) -> str:
        """The bytes that turn what stands there into what was drawn: line, first cell, cells."""
        sequences: list[str] = []
        dress, at = _BARE, (-1, -1)
        for y, x, line in drawn:
            if y >= len(self._lines):
                continue
            stands = self._lines[y]
            wanted = [*stands[:x], *line, *stands[x + len(line) :]][: len(stands)]
            for first, after in runs(stands, wanted):
                if at != (y, first):
                    sequences.append(f"\x1b[{first + 1}G" if at[0] == y else f"\x1b[{y + 1};{first + 1}H")
                for letter, asked in wanted[first:after]:
                    if asked is not dress and not (letter == " " and alike(dress, asked)) and asked != dress:
                        sequences.append(turn(dress, asked))
                        dress = asked
                    sequences.append(letter)
                at = (y, after)
            halve(stands, wanted, x, x + len(line))
            self._lines[y] = wanted
        return "".join([*sequences, "\x1b[0m"]) if dress != _BARE else "".join(sequences)


def pieces(update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Line, first cell and what stands there, for each part of each dirty span."""
    for y, first, after in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            start, stop = max(x, first), min(end, after)
            if strip is not None and start < stop:
                yield y, start, strip.crop(start - x, stop - x)


def dressed(style: Style | None, system: ColorSystem) -> Dress:
    """A style in what this terminal has of colours."""
    if style is None:
        return _BARE
    attributes = Strip.render_ansi(style.without_color, system)
    front, ground = (
        "" if colour is None else ";".join(colour.downgrade(system).get_ansi_codes(foreground=is_front))
        for colour, is_front in ((style.color, True), (style.bgcolor, False))
    )
    return Dress(attributes, front, ground)


def turn(before: Dress, after: Dress) -> str:
    """The shortest sequence from one dress to another."""
    if before.attributes != after.attributes or after == _BARE:
        return f"\x1b[{';'.join(part for part in ('0', *after) if part)}m" if after != _BARE else "\x1b[0m"
    front = [] if before.front == after.front else [after.front or "39"]
    ground = [] if before.ground == after.ground else [after.ground or "49"]
    return f"\x1b[{';'.join(front + ground)}m"


def alike(one: Dress, other: Dress) -> bool:
    """Does a blank look the same in both?"""
    return one.ground == other.ground and one.attributes in _UNSEEN and other.attributes in _UNSEEN


def letters(text: str) -> Iterator[str]:
    """What stands in each cell of a text: a letter with what is put on it, and nothing behind a wide one."""
    for start, stop, width in split_graphemes(text)[0]:
        yield text[start:stop]
        yield from repeat("", width - 1)


def runs(before: Sequence[Cell], after: Sequence[Cell]) -> list[tuple[int, int]]:
    """First cell and the one behind the last of each part that differs; no wide letter is cut."""
    if before == after:
        return []
    found: list[tuple[int, int]] = []
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new:
            continue
        start = at
        while start and not after[start][0]:
            start -= 1
        if found and start - found[-1][1] <= NEAR:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((start, at + 1))
    return [(start, _whole_letter(after, stop)) for start, stop in found]


def _whole_letter(line: Sequence[Cell], stop: int) -> int:
    while stop < len(line) and not line[stop][0]:
        stop += 1
    return stop


def halve(before: Sequence[Cell], after: list[Cell], first: int, stop: int) -> None:
    """Take for unknown what is left of a wide letter of which the part that was drawn anew covers one half."""
    if 0 < first < len(before) and not before[first][0]:
        after[first - 1] = _UNKNOWN
    if stop < len(before) and not before[stop][0]:
        after[stop] = _UNKNOWN
