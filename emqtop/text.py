"""Foreign text made visible and measured in cells.

Names, ids, payloads, errors and server messages come from strangers. Whatever could move the cursor, change a colour,
turn the reading direction or take no cell of its own is replaced by a visible form; nothing is dropped:

    C0 controls and DEL        their picture         ESC is ␛, NUL is ␀, a line break is ␊
    bytes that are no UTF-8    backslash form        \\xff
    every other such sign      its number            U+202E is ‹U+202E›

The pictures are signs that hardly any payload holds, so a payload that spells an escape out (`\\u001b`, as JSON does)
still reads differently from one that has it.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from unicodedata import category

ELLIPSIS = "…"

_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"  # marks that stretch over what follows
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, separators, bidi
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"  # fillers, variation selectors, BOM, interlinear
    "\ufdd0-\ufdef\ufffe\uffff"  # no characters
    "\ud800-\udfff"  # lone surrogates: bytes that are no UTF-8
    "\U0001f3fb-\U0001f3ff"  # skin tones: part of the sign before them, or two cells of their own
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # format controls of scripts
    "\U000e0000-\U000e0fff"  # tags, more variation selectors
    "]"
)
_NARROW = re.compile(
    "["
    " -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u037a-\u0482"  # Latin, Greek, Cyrillic
    "\u2010-\u2027\u2030-\u205e\u2190-\u2199\u2400-\u2426\u2500-\u25fc\u2800-\u28ff"  # signs, arrows, boxes, Braille
    "]*"
)
"""Text of signs that every table gives one cell; it needs no table."""
_JAMO = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")
_MARKS = frozenset({"Mn", "Me", "Mc"})
_UNASSIGNED = "Cn"
_PILE = 4
_DOTTED_CIRCLE = "◌"

_LINES = dict.fromkeys(range(9472, 9600), "+") | dict.fromkeys((0x2500, 0x2574, 0x2576), "-")
_BARS = {0x2501: "=", 0x2550: "="} | dict.fromkeys((0x2502, 0x2503, 0x2551, 0x2575, 0x2577), "|")
_BLOCKS = dict.fromkeys(range(0x2580, 0x25A0), "#") | dict(zip(range(0x2581, 0x2589), "_.:-=+*#", strict=True))
_SIGNS = str.maketrans("❯●▲▼▐›…·×↑↓←→‹█░▒▓▸▾¦", ">*^v#>~.x^v<><#.:#+-|")
ASCII = _LINES | _BARS | _BLOCKS | _SIGNS
"""One ASCII letter for each line, block and sign that the dashboard draws."""


class Align(StrEnum):
    """Where a short text stands in its column."""

    LEFT = "left"
    RIGHT = "right"


def safe(value: str | bytes, *, newline: str = "␊") -> str:
    """The text in a form that any terminal can be sent: no control, no invisible sign, always the same for the same.

    Safe text stays as it is, so the function may be applied twice.

    Args:
        value: foreign text; bytes are read as UTF-8.
        newline: what stands for a line feed; pass a real one to keep the lines of a large value apart.
    """
    text = value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
    if text.isascii() and text.isprintable():
        return text
    shown = _UNSAFE.sub(lambda found: _visible(found[0], newline), text)
    if shown.isascii():
        return shown
    return "".join(_settled(shown))


def whole_letters(head: bytes) -> bytes:
    """The first part of a cut value without the letter that the cut went through."""
    for back in range(1, min(4, len(head) + 1)):
        lead = head[-back]
        if lead < 0x80:
            break
        if lead >= 0xC0:
            wanted = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return head[:-back] if back < wanted else head
    return head


def _settled(text: str) -> Iterator[str]:
    """Give a mark without a letter one to sit on, and spell out the rest of a pile.

    The first would sit on the neighbouring column, the second on the neighbouring lines.
    """
    before, pile = " ", 0
    for sign in text:
        kind = "" if sign < "\u0300" else category(sign)
        if not (kind in _MARKS or _JAMO.match(sign)):
            before, pile = sign, 0
            # How many cells a sign takes that is not assigned yet, no two tables agree.
            yield _number(sign) if kind == _UNASSIGNED else sign
            continue
        pile += 1
        if before.isspace():
            before = _DOTTED_CIRCLE
            yield _DOTTED_CIRCLE
        if pile > _PILE:
            before, pile = "›", 0
            yield _number(sign)
        else:
            yield sign


def _visible(sign: str, newline: str) -> str:
    code = ord(sign)
    if sign == "\n":
        return newline
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return _number(sign)


def _number(sign: str) -> str:
    return f"‹U+{ord(sign):04X}›"


def cells(text: str) -> int:
    """Width of safe text in terminal cells: wide letters take two, combining marks none."""
    if _is_narrow(text):
        return len(text)
    from rich.cells import cell_len  # 14 ms: only where a text needs it

    return cell_len(text)


def _is_narrow(text: str) -> bool:
    return text.isascii() or _NARROW.fullmatch(text) is not None


def cut(text: str, width: int) -> str:
    """Safe text that takes at most `width` cells; what is cut off is told by `…` as the last cell."""
    if width <= 0:
        return ""
    # Safe text has at most four marks on a letter, so the head of a long payload says enough.
    head = text[: (_PILE + 2) * (width + 1)]
    if _is_narrow(head):
        return text if len(text) <= width else text[: width - 1] + ELLIPSIS
    if len(head) == len(text) and cells(text) <= width:
        return text
    return _head(head, width - 1) + ELLIPSIS


def _head(text: str, width: int) -> str:
    from rich.cells import split_graphemes  # as above

    used = end = 0
    for _, stop, size in split_graphemes(text)[0]:
        if used + size > width:
            break
        used, end = used + size, stop
    return text[:end]


def pad(text: str, width: int, align: Align = Align.LEFT) -> str:
    """Safe text cut or filled with blanks to exactly `width` cells."""
    shown = cut(text, width)
    blanks = " " * (width - cells(shown))
    return blanks + shown if align is Align.RIGHT else shown + blanks
