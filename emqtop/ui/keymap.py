"""The keys that give commands: those of the table, or those that the user chose; and how a key is written."""

from collections.abc import Iterator, Mapping

from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, Keys, _character_to_key, key_to_character

from emqtop.ui.commands import COMMANDS, Command, Place, commands_at, together

_SHOWN = {
    "escape": "Esc",
    "space": "Space",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "PgUp",
    "pagedown": "PgDn",
}
_NAMED = frozenset(key.value.rpartition("+")[2] for key in Keys)
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "meta", "hyper"})
_LEAVES = "ctrl+q"
"""Textual itself ends with it, before any screen is asked."""


class BadKeymap(Exception):
    """The keymap of the config cannot be used; the message says why."""


class Keymap:
    """Which keys work. Whoever shows a key asks here.

    Args:
        chosen: command id to keys, as Textual names them, comma between; the table's where it says nothing.

    Raises:
        BadKeymap: there is no such command or key, or two commands of one place would have the same key.
    """

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        self._chosen = {command: _parse(command, keys) for command, keys in (chosen or {}).items()}
        if self._chosen and (trouble := [*self._strangers(), *self._clashes()]):
            raise BadKeymap(f"keymap: {'; '.join(trouble)}")
        self._names = {command.id: key_name(keys[0]) for command in COMMANDS if (keys := self.of(command))}

    def of(self, command: Command) -> tuple[str, ...]:
        """The keys of a command, in Textual's names; the first is the one that is shown. Empty: there is none."""
        return self._chosen.get(command.id, command.keys)

    def name(self, command: str) -> str:
        """The key of a command that has one, by its id, as it is written for people."""
        return self._names[command]

    def fill(self, words: str) -> str:
        """Words of ours, in which `{quit}` stands for the key of that command."""
        return words.format_map(self._names)

    def textual(self) -> dict[str, str]:
        """What differs from the table, in Textual's form."""
        return {command: ",".join(keys) for command, keys in self._chosen.items()}

    def _strangers(self) -> Iterator[str]:
        known = {command.id for command in COMMANDS if command.call != "nth_tab"}
        for command in self._chosen.keys() - known:
            yield f"no command {command!r}; there are {', '.join(sorted(known))}"

    def _clashes(self) -> Iterator[str]:
        """Two commands with one key, each pair once; what the table itself does is meant to be so."""
        told: set[tuple[str, str, str]] = set()
        meant = set(_shared(_TABLE))
        for key, one, other, place in _shared(self):
            if (key, one, other, place) in meant or (key, one, other) in told:
                continue
            told.add((key, one, other))
            mine, its = (one, other) if one in self._chosen else (other, one)
            yield f"{mine} cannot have {key_name(key)}: that is {its} ({place})"


def _parse(command: str, keys: str) -> tuple[str, ...]:
    found = tuple(_character_to_key(key) if len(key) == 1 else key for key in map(str.strip, keys.split(",")))
    for key in found:
        if not key:
            raise BadKeymap(f"keymap: {command} has no key")
        if not _is_key(key):
            raise BadKeymap(f"keymap: {command}: no key {key!r}; keys are named r, f5, ctrl+r, escape")
        if key == _LEAVES:
            raise BadKeymap(f"keymap: {command} cannot have {key_name(key)}: that always is quit")
    return found


def _is_key(key: str) -> bool:
    *modifiers, last = key.split("+")
    return _MODIFIERS.issuperset(modifiers) and (last in _NAMED or _sign(last) is not None)


def _sign(key: str) -> str | None:
    """What is printed on a key; None where Textual knows no such key, or nothing is printed on it."""
    sign = key_to_character(REPLACED_KEYS.get(key, key))
    return sign if sign is not None and sign.isprintable() and _character_to_key(sign) == key else None


def _shared(keymap: Keymap) -> Iterator[tuple[str, str, str, Place]]:
    """Keys of more than one command: key, the ids in the order of the table, and where."""
    for place in Place:
        first: dict[str, Command] = {}
        for command in commands_at(*together(place)):
            for key in keymap.of(command):
                other = first.setdefault(key, command)
                if other is not command and not _apart(other, command):
                    yield key, other.id, command.id, _narrow(place, other, command)


def _apart(one: Command, other: Command) -> bool:
    """Can never both be given? In a replay no act is offered."""
    return (Place.REPLAY,) in {one.places, other.places} and (one.verb is not None or other.verb is not None)


def _narrow(place: Place, one: Command, other: Command) -> Place:
    return Place.REPLAY if (Place.REPLAY,) in {one.places, other.places} else place


def key_name(key: str) -> str:
    """How a key is written for people: `Enter`, `Ctrl+B`, `F5`, `r`, `?`."""
    *modifiers, last = key.split("+")
    return "+".join([*(modifier.capitalize() for modifier in modifiers), _last_name(last, bool(modifiers))])


def _last_name(key: str, modified: bool) -> str:
    if len(key) == 1:
        return key.upper() if modified else key
    return _SHOWN.get(key) or _sign(key) or key.capitalize()


_TABLE = Keymap()


def keymap_of(node: DOMNode) -> Keymap:
    """The keys of the app that a node lives in; outside of the dashboard those of the table."""
    keymap = getattr(node.app, "keymap", _TABLE)
    return keymap if isinstance(keymap, Keymap) else _TABLE
