"""Foreign replies as plain values: whatever stands there, only `checked` raises."""

import time

from emqtop.wire.resp import Reply, ReplyError

FAR_MS = 2**53
"""The end of time: what a JSON number holds exactly. Later scores, and infinite ones, are shown as this."""


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


def whole(reply: Reply) -> int | None:
    """A whole number out of a reply or a hash field; None for whatever else stands there."""
    if isinstance(reply, bytes):
        try:
            return int(float(reply)) if b"." in reply or b"e" in reply else int(reply)
        except (ValueError, OverflowError):
            return None
    return int(reply) if isinstance(reply, int) else None


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
    """The byte strings of a list or set, none where it is neither."""
    return [item for item in reply if isinstance(item, bytes)] if isinstance(reply, list | set) else []


def fields(reply: Reply) -> dict[bytes, Reply]:
    """A hash by field, of either protocol's form; empty where it is none."""
    if isinstance(reply, dict):
        return {name: value for name, value in reply.items() if isinstance(name, bytes)}
    flat = items(reply)
    return {name: value for name, value in zip(flat[::2], flat[1::2], strict=False) if isinstance(name, bytes)}


def scored(reply: Reply) -> list[tuple[bytes, float]]:
    """Members with scores, of either protocol's form of WITHSCORES; none where it is no list."""
    flat = [part for item in items(reply) for part in (item if isinstance(item, list) else (item,))]
    return [
        (member, float(score))
        for member, score in zip(flat[::2], flat[1::2], strict=False)
        if isinstance(member, bytes) and isinstance(score, bytes | int | float)
    ]


def score_ms(score: Reply) -> int | None:
    """A score as whole ms, never beyond `FAR_MS`; None where there is none."""
    if not isinstance(score, bytes | int | float):
        return None
    try:
        return int(max(-FAR_MS, min(FAR_MS, float(score))))
    except ValueError:
        return None


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
    return time.time_ns() // 1_000_000
