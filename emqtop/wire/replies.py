"""Foreign replies as plain values: whatever stands there, only `checked` raises."""

import math
import re
from collections.abc import Iterable

from emqtop.units import now_ms
from emqtop.wire.resp import Reply, ReplyError, text

FAR_MS = 2**53
"""The end of time: what a JSON number holds exactly. Later scores, and infinite ones, are shown as this."""

_ABOUT_A_KEY = frozenset({"WRONGTYPE", "NOPERM"})
_BEYOND = 2**63
_DIGITS = re.compile(rb"[+-]?[0-9]{1,19}")


def checked(reply: Reply) -> Reply:
    """The reply itself.

    Raises:
        ReplyError: it is a refusal.
    """
    if isinstance(reply, ReplyError):
        raise reply
    return reply


def first_error(replies: list[Reply]) -> str | None:
    """The first refusal among replies, in the server's words."""
    return next((str(reply) for reply in replies if isinstance(reply, ReplyError)), None)


def first_named_error(told: Iterable[tuple[str, Reply]]) -> str | None:
    """The same of replies with the part of the key that each was asked of.

    The part stands before words about that key; those about the server, or about where a slot lies, stand alone.
    """
    for part, reply in told:
        if isinstance(reply, ReplyError):
            return f"{part}: {reply}" if reply.word in _ABOUT_A_KEY else str(reply)
    return None


def whole(reply: Reply) -> int | None:
    """A whole number of at most 64 bits out of a reply or a hash field; None for whatever else stands there."""
    if type(reply) is int and -_BEYOND <= reply < _BEYOND:
        return reply
    if isinstance(reply, int) or (isinstance(reply, bytes) and _DIGITS.fullmatch(reply)):
        found: float | None = int(reply)
    else:
        found = _decimal(reply) if isinstance(reply, bytes) else None
    return int(found) if found is not None and -_BEYOND <= found < _BEYOND else None


def count(reply: Reply) -> int:
    """A whole number, 0 for whatever else stands there."""
    return whole(reply) or 0


def blob(reply: Reply) -> bytes | None:
    """A byte string, None for whatever else stands there."""
    return reply if isinstance(reply, bytes) else None


def items(reply: Reply) -> list[Reply]:
    """The items of a list, none where it is no list."""
    return reply if isinstance(reply, list) else []


def blobs(reply: Reply) -> list[bytes]:
    """The byte strings of a list, none where it is no list."""
    return [item for item in items(reply) if isinstance(item, bytes)]


def fields(reply: Reply) -> dict[bytes, Reply]:
    """A hash by field, of either protocol's form; empty where it is none."""
    if isinstance(reply, dict):
        return {name: value for name, value in reply.items() if isinstance(name, bytes)}
    flat = items(reply)
    return {name: value for name, value in zip(flat[::2], flat[1::2], strict=False) if isinstance(name, bytes)}


def texts(reply: Reply) -> dict[str, str]:
    """A hash by field as text that `pack` turns back into the same bytes."""
    return {text(name): text(value) for name, value in fields(reply).items() if isinstance(value, bytes)}


def scored(reply: Reply) -> list[tuple[bytes, float]]:
    """Members with scores, of either protocol's form of WITHSCORES; none where it is no list."""
    flat = [part for item in items(reply) for part in (item if isinstance(item, list) else (item,))]
    pairs = zip(flat[::2], flat[1::2], strict=False)
    return [
        (member, score) for member, raw in pairs if isinstance(member, bytes) and (score := number(raw)) is not None
    ]


def number(reply: Reply) -> float | None:
    """A score, be it infinite, of either protocol's form; None for whatever else stands there."""
    if isinstance(reply, bytes):
        return _decimal(reply)
    return float(reply) if isinstance(reply, int | float) else None


def score_ms(reply: Reply) -> int | None:
    """A score as whole ms, never beyond `FAR_MS`; None for whatever else stands there."""
    score = number(reply)
    return None if score is None else bounded_ms(score)


def bounded_ms(score: float) -> int:
    """A number as whole ms, never beyond `FAR_MS` on either side."""
    return int(max(-FAR_MS, min(FAR_MS, score)))


def scan_step(reply: Reply) -> tuple[bytes, list[Reply]]:
    """Next cursor and items of a SCAN, HSCAN or SSCAN; the end and nothing where it was refused."""
    if isinstance(reply, list) and len(reply) == 2 and isinstance(reply[0], bytes):
        return reply[0], items(reply[1])
    return b"0", []


def server_ms(reply: Reply) -> int:
    """Unix ms out of the reply to TIME; the local clock's where the server withholds it."""
    seconds, micros = [*blobs(reply), b"", b""][:2]
    if seconds.isdigit() and micros.isdigit():
        return int(seconds) * 1000 + int(micros) // 1000
    return now_ms()


def _decimal(raw: bytes) -> float | None:
    try:
        found = float(raw)
    except ValueError:
        return None
    # Python reads `1_000` as a number, the server does not.
    return None if math.isnan(found) or b"_" in raw else found
