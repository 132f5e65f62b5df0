"""JSON as rows that can be folded: nothing of it is lost, repeated keys and the digits of numbers stay as written."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from emqtop.text import safe

OPEN_DEPTH, OPEN_MEMBERS = 3, 60
"""Containers this deep, with so many members at most, are open from the start."""
DEEPEST = 200
"""Containers within each other that are unfolded; deeper ones are read as text."""
MOST_MATCHES = 10_000
"""Matches that a search names."""

Path: TypeAlias = tuple[int, ...]
"""Place of a value: the place of its container within its own, and so on, from the outside."""


class NotJson(ValueError):
    """The text is no JSON, or nested too deeply to be read."""


class Number(str):
    """A number or a constant, as it is written."""


class Members(tuple[tuple[str, "Value"], ...]):
    """The members of an object in their order."""


Value: TypeAlias = "Members | list[Value] | Number | str | bool | None"


class Kind(StrEnum):
    """What a value is."""

    OBJECT = "object"
    ARRAY = "array"
    TEXT = "text"
    NUMBER = "number"
    WORD = "word"


def parse(text: str) -> Value:
    """Read JSON.

    Raises:
        NotJson: it is none.
    """
    try:
        value: Value = json.loads(
            text, object_pairs_hook=Members, parse_int=Number, parse_float=Number, parse_constant=Number
        )
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None
    if any(len(path) > DEEPEST for path, _ in _containers(value)):
        raise NotJson(f"nested more than {DEEPEST} deep")
    return value


@dataclass(frozen=True, slots=True)
class JsonRow:
    """One line."""

    path: Path
    """Which value."""
    label: str
    """Its key, or its place in an array, safe; empty for the outermost."""
    named: bool
    """Is the label a key?"""
    words: str
    """The value in safe text; of a container its size: `{3}`, `[12]`."""
    kind: Kind
    """What it is."""
    is_open: bool | None
    """Are its members shown? None: it has none."""


class JsonTree:
    """A value with some of its containers folded.

    Args:
        value: what `parse` read.
    """

    def __init__(self, value: Value) -> None:
        self._value = value
        self._open = {path for path, held in _containers(value) if _opens(path, held)}
        self._rows: list[JsonRow] | None = None

    def rows(self) -> Sequence[JsonRow]:
        """The lines that are not folded away."""
        if self._rows is None:
            self._rows = list(self._walk())
        return self._rows

    def toggle(self, path: Path) -> None:
        """Fold a container or unfold it; a value of another kind stays as it is."""
        if isinstance(self.value(path), Members | list):
            self._open ^= {path}
            self._rows = None

    def fold_all(self, folded: bool) -> None:
        """Fold everything but the outermost, or unfold everything."""
        self._open = {()} if folded else {path for path, _ in _containers(self._value)}
        self._rows = None

    def reveal(self, path: Path) -> int:
        """Unfold what a value is in; returns the place of its line."""
        outer = {path[:depth] for depth in range(len(path))}
        if not outer <= self._open:
            self._open |= outer
            self._rows = None
        return next(place for place, row in enumerate(self.rows()) if row.path == path)

    def value(self, path: Path) -> Value:
        """The value at a place."""
        value = self._value
        for place in path:
            value = _members(value)[place][1]
        return value

    def text(self, path: Path) -> str:
        """The value at a place as it would be copied: a text itself, anything else as JSON."""
        value = self.value(path)
        return value if isinstance(value, str) and not isinstance(value, Number) else written(value)

    def search(self, wanted: str) -> list[Path]:
        """Places of the values whose key or own text has these letters in it, in either case; from the top."""
        folded = wanted.casefold()
        found: list[Path] = []
        stack: list[tuple[Path, str, Value]] = [((), "", self._value)]
        while stack and len(found) < MOST_MATCHES:
            path, label, value = stack.pop()
            own = "" if isinstance(value, Members | list) else _scalar(value)
            if folded in label.casefold() or folded in own.casefold():
                found.append(path)
            keyed = isinstance(value, Members)
            inner = [((*path, place), key if keyed else "", each) for place, (key, each) in enumerate(_members(value))]
            stack.extend(reversed(inner))
        return found

    def _walk(self) -> Iterator[JsonRow]:
        stack: list[tuple[Path, str, bool, Value]] = [((), "", False, self._value)]
        while stack:
            path, label, named, value = stack.pop()
            members = _members(value)
            is_open = path in self._open if members else None
            yield JsonRow(path, safe(label), named, safe(_words(value)), _kind(value), is_open)
            if is_open:
                named = isinstance(value, Members)
                inner = [((*path, place), key, named, each) for place, (key, each) in enumerate(members)]
                stack.extend(reversed(inner))


def written(value: Value) -> str:
    """The value as JSON, on one line."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, Members):
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {written(each)}" for key, each in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _opens(path: Path, held: "Members | list[Value]") -> bool:
    return len(path) < OPEN_DEPTH and (len(held) <= OPEN_MEMBERS or not path)


def _containers(value: Value) -> Iterator[tuple[Path, "Members | list[Value]"]]:
    stack: list[tuple[Path, Value]] = [((), value)]
    while stack:
        path, held = stack.pop()
        if isinstance(held, Members | list):
            yield path, held
            stack.extend(((*path, place), each) for place, (_, each) in enumerate(_members(held)))


def _members(value: Value) -> Sequence[tuple[str, Value]]:
    if isinstance(value, Members):
        return value
    return [(str(place), each) for place, each in enumerate(value)] if isinstance(value, list) else ()


def _scalar(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _words(value: Value) -> str:
    if isinstance(value, Members):
        return f"{{{len(value)}}}"
    if isinstance(value, list):
        return f"[{len(value)}]"
    return str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def _kind(value: Value) -> Kind:
    if isinstance(value, Members):
        return Kind.OBJECT
    if isinstance(value, list):
        return Kind.ARRAY
    if isinstance(value, Number):
        return Kind.NUMBER
    return Kind.TEXT if isinstance(value, str) else Kind.WORD
