"""What else a BullMQ job tells of itself, in words (bullmq.md 2, 4.3)."""

from collections.abc import Iterator

from emqtop.wire.bullmq.locks import NO_EXPIRY, NO_LOCK
from emqtop.wire.resp import text

FIELDS = ("ats", "atm", "attemptsMade", "stc", "stalledCounter", "pb", "priority", "rjk", "deid", "defa")
"""Small fields of the row that `facts` reads."""


def facts(
    row: dict[str, bytes | None],
    *,
    is_active: bool,
    token: bytes | None,
    lock_ms: int | None,
    is_listed: bool,
    check_ms: int | None,
) -> Iterator[tuple[str, str]]:
    """Label and words, the most urgent first.

    Args:
        row: the fields named in `FIELDS`.
        is_active: does it lie in `active`?
        token: of its lock.
        lock_ms: PTTL of its lock.
        is_listed: is it in the set `stalled`?
        check_ms: PTTL of `stalled-check`.
    """
    if (doom := row["defa"]) is not None:
        yield "next claim", f"fails it without running it: {text(doom)}"
    if is_active:
        yield "lock", _lock(lock_ms, is_listed, check_ms)
    if token is not None or row["pb"] is not None:
        yield "held by" if token is not None else "last run by", _worker(row["pb"], token)
    yield from _attempts(row)
    for label, name in (("priority", "priority"), ("scheduler", "rjk"), ("deduplication", "deid")):
        if (value := row[name]) not in (None, b"0"):
            yield label, text(value or b"")


def _lock(lock_ms: int | None, is_listed: bool, check_ms: int | None) -> str:
    """Its state, and when the workers themselves will take it back: the second check after the lock has gone."""
    if lock_ms is None:
        return "not known"
    if lock_ms == NO_EXPIRY:
        return "has no end: a foreign write, which nobody but an operator takes back"
    if lock_ms != NO_LOCK:
        return f"{_seconds(lock_ms)} left" + (", its renewal is due" if is_listed else "")
    if check_ms is None or check_ms < 0:
        return "none, and no worker checks for stalled jobs: it stays until one starts or an operator reaps it"
    if is_listed:
        return f"none; the next check takes the job back in {_seconds(check_ms)}"
    return f"none; the next check lists it in {_seconds(check_ms)}, the one after takes it back"


def _worker(name: bytes | None, token: bytes | None) -> str:
    process = text((token or b"").partition(b":")[0])
    return " ".join(part for part in (text(name or b""), f"({process})" if name and process else process) if part)


def _attempts(row: dict[str, bytes | None]) -> Iterator[tuple[str, str]]:
    starts, made = row["ats"], row["attemptsMade"] or row["atm"] or b"0"
    if starts is not None:
        yield "starts", f"{text(starts)}; attempts made {text(made)}"
    if (stalled := row["stc"] or row["stalledCounter"]) not in (None, b"0"):
        yield "stalled", f"{text(stalled or b'')} times"


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.0f} s"
