"""The forms in which a value is read: folded JSON, text, hex. Each is a sequence of lines and can be searched."""

from collections.abc import Sequence
from typing import overload

from emqtop.present.json_tree import JsonRow, JsonTree, Kind, Path
from emqtop.text import cut, safe
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Text, wrap
from emqtop.units import size

MOST_TEXT = 1 << 20
"""Bytes that are laid out as text; what is behind them is seen in the other forms or in the pager."""
MOST_MATCHES = 10_000
"""Lines that a search names."""
_LONGEST = 4_000
_TONES = {Kind.OBJECT: "dim", Kind.ARRAY: "dim", Kind.TEXT: "plain", Kind.NUMBER: "trend", Kind.WORD: "mark"}


class Lines(Sequence[Text]):
    """Lines that are made when they are asked for."""

    def _make(self, place: int) -> Text:
        raise NotImplementedError

    @overload
    def __getitem__(self, place: int) -> Text: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Text]: ...
    def __getitem__(self, place: int | slice) -> Text | Sequence[Text]:
        if isinstance(place, slice):
            return [self._make(each) for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._make(place % len(self))


class JsonLines(Lines):
    """The unfolded rows of a tree."""

    def __init__(self, tree: JsonTree) -> None:
        self.rows: Sequence[JsonRow] = tree.rows()

    def __len__(self) -> int:
        return len(self.rows)

    def _make(self, place: int) -> Text:
        row = self.rows[place]
        sign = "  " if row.is_open is None else "▾ " if row.is_open else "▸ "
        label = "" if not row.path else f"{cut(row.label, 200)}: "
        return (
            Part("  " * min(len(row.path), 40) + sign, "dim"),
            Part(label, "accent" if row.named else "dim"),
            Part(cut(row.words, _LONGEST), _TONES[row.kind]),
        )


def text_lines(data: bytes, width: int) -> list[Text]:
    """The bytes as text, wrapped; what is no UTF-8 and what is a control is made visible."""
    lines: list[Text] = []
    for line in safe(data[:MOST_TEXT], newline="\n").split("\n"):
        lines += wrap((Part(line),), max(1, width))
    if len(data) > MOST_TEXT:
        lines.append((Part(f"… {size(len(data) - MOST_TEXT)} more: see it as hex, or in the pager", "warn"),))
    return lines


class HexLines(Lines):
    """Offset, bytes, letters."""

    def __init__(self, data: bytes, width: int) -> None:
        self.data = data
        self.each = next((each for each in (16, 8, 4, 2) if 10 + 4 * each + each // 8 <= width), 1)

    def __len__(self) -> int:
        return -(-len(self.data) // self.each)

    def _make(self, place: int) -> Text:
        start = place * self.each
        row = self.data[start : start + self.each]
        halves = "  ".join(row[at : at + 8].hex(" ") for at in range(0, len(row), 8))
        letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in row)
        width = 3 * self.each - 1 + (self.each - 1) // 8
        return (Part(f"{start:08x}  ", "dim"), Part(f"{halves:<{width}}  "), Part(letters, "accent"))


def matching(lines: Sequence[Text], wanted: str) -> list[int]:
    """Places of the lines that have these letters in them, in either case."""
    folded, found = wanted.casefold(), []
    for place, line in enumerate(lines):
        if folded in "".join(part.text for part in line).casefold():
            found.append(place)
            if len(found) == MOST_MATCHES:
                break
    return found


def places_in(data: bytes, wanted: str, each: int) -> list[int]:
    """Rows of `each` bytes in which a text begins, in the case given, or bytes written as `0x00ff`."""
    sought = _sought(wanted)
    found: list[int] = []
    at = data.find(sought) if sought else -1
    while at >= 0 and len(found) < MOST_MATCHES:
        if not found or found[-1] != at // each:
            found.append(at // each)
        at = data.find(sought, at + 1)
    return found


def neighbour(matches: Sequence[int | Path], current: int | Path, step: int, here: bool = False) -> int | Path:
    """The match behind the current place, or before it where `step` is -1, round and round.

    Args:
        matches: at least one, in order, all lines or all places in a tree.
        current: a place of the same kind.
        step: 1 or -1.
        here: a match at the current place counts as one behind it.
    """
    if step > 0:
        return next((match for match in matches if _later(match, current) or (here and match == current)), matches[0])
    return next((match for match in reversed(matches) if _later(current, match)), matches[-1])


def _later(one: int | Path, other: int | Path) -> bool:
    return one > other  # type: ignore[operator]  # of one kind


def is_text(data: bytes) -> bool:
    """Does it read as text? One letter in twenty may be a control or no UTF-8."""
    head = data[:4_096]
    controls = sum(byte < 0x20 and byte not in b"\t\n\r" for byte in head)
    return controls * 20 <= len(head) and head.decode("utf-8", "replace").count("\ufffd") * 20 <= len(head)


def _sought(wanted: str) -> bytes:
    if wanted.startswith("0x"):
        try:
            return bytes.fromhex(wanted[2:])
        except ValueError:
            pass
    return wanted.encode("utf-8", "surrogateescape")
