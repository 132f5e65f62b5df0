"""Branded ids: three letters of namespace, eleven of base62 over a snowflake (echomq.md 2)."""

import re
from collections.abc import Callable

from emqtop.units import now_ms

EPOCH_MS = 1_704_067_200_000
"""2024-01-01T00:00:00Z in Unix ms."""

JOB = "JOB"
"""The namespace that a job's id must have."""

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUE = {letter: value for value, letter in enumerate(_ALPHABET)}
_FORM = re.compile(r"[A-Z]{3}[0-9A-Za-z]{11}", re.ASCII)
_LAST = "AzL8n0Y58m7"
_NODE_BITS, _SEQ_BITS = 10, 12


class BadId(ValueError):
    """An id that is not branded, or not of the wanted namespace; refused before any command."""

    def __init__(self, text: str, wanted: str) -> None:
        super().__init__(f"{text!r} is not a {wanted} id")
        self.text = text


def is_branded(text: str) -> bool:
    """Is this a branded id of any namespace? Byte order of the letters is their order, so text compares as numbers."""
    return _FORM.fullmatch(text) is not None and text[3:] <= _LAST


def job_id(text: str) -> str:
    """The text itself, if it names a job.

    Raises:
        BadId: it is not branded, or not in the namespace JOB.
    """
    if not is_branded(text) or not text.startswith(JOB):
        raise BadId(text, JOB)
    return text


def group_id(text: str) -> str:
    """The text itself, if it can name a lane: any valid branded id.

    Raises:
        BadId: it is not branded.
    """
    if not is_branded(text):
        raise BadId(text, "branded")
    return text


def encode(namespace: str, number: int) -> str:
    """The branded id of a 63-bit number."""
    letters = []
    for _ in range(11):
        number, value = divmod(number, 62)
        letters.append(_ALPHABET[value])
    return namespace + "".join(reversed(letters))


def decode(text: str) -> int:
    """The number of a valid branded id."""
    number = 0
    for letter in text[3:]:
        number = number * 62 + _VALUE[letter]
    return number


def minted_ms(text: str) -> int | None:
    """When an id was minted, Unix ms of the producer's clock; None where the text is no branded id."""
    return (decode(text) >> (_NODE_BITS + _SEQ_BITS)) + EPOCH_MS if is_branded(text) else None


class Minter:
    """Mints strictly rising ids; not for use by two threads at once.

    More than 4096 in one millisecond borrow from the next, and a clock that steps back repeats none (echomq.md 2).

    Args:
        node: 0 to 1023, different for each process that mints at the same time.
        clock_ms: Unix ms.
    """

    def __init__(self, node: int, clock_ms: Callable[[], int] = now_ms) -> None:
        self._node = node & ((1 << _NODE_BITS) - 1)
        self._clock_ms = clock_ms
        self._last = 0

    def mint(self, namespace: str = JOB) -> str:
        """A fresh id."""
        self._last = max((self._clock_ms() - EPOCH_MS) << _SEQ_BITS, self._last + 1)
        ms, seq = divmod(self._last, 1 << _SEQ_BITS)
        return encode(namespace, (ms << (_NODE_BITS + _SEQ_BITS)) | (self._node << _SEQ_BITS) | seq)
