"""The lanes of a queue: no single key lists them, so five are united and a sweep may add the rest (echomq.md 1.3)."""

from collections.abc import Iterable
from dataclasses import dataclass

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.errors import Refused
from emqtop.wire.readings import LaneReading
from emqtop.wire.replies import blobs, count, fields, first_error, items, scan_step, whole
from emqtop.wire.resp import Arg, Conversation, Reply, ReplyError, ask_all, pack, text
from emqtop.wire.together import all_together, together

MOST_GROUPS = 10_000
"""Lanes that are read at most; a queue with more shows the first found."""

_HASHES = ("gactive", "glimit", "gweight")
_STEP = 1_000
_SWEEP_STEP = 250
_ASKED_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Groups:
    """Every lane that left a trace, with what the queue's own books say of it."""

    ring: frozenset[bytes]
    """Lanes that a worker will be offered."""
    paused: frozenset[bytes]
    """Lanes held back."""
    gactive: dict[bytes, Reply]
    """Jobs in flight."""
    glimit: dict[bytes, Reply]
    """Ceilings."""
    gweight: dict[bytes, Reply]
    """Weights."""
    met: frozenset[bytes]
    """Lanes whose pending set was met by a sweep, or that the caller knew."""
    refused: str | None = None
    """The first book that could not be read, with the server's words: what it says of every lane is not known."""

    def names(self) -> list[bytes]:
        """All of them, in byte order."""
        return sorted(self.ring.union(self.paused, self.met, self.gactive, self.glimit, self.gweight))[:MOST_GROUPS]


def groups(keys: QueueKeys, known: Iterable[bytes] = (), sweep_keys: int = _SWEEP_STEP) -> Conversation[Groups]:
    """The lanes of a queue; one round trip for up to 1,000 lanes where `sweep_keys` is at its default.

    A lane stands in ring, `paused`, `gactive`, `glimit` or `gweight` unless it has drifted. For those that have, the
    keyspace is swept for lane keys as well: all of a small server, a first part of a large one.

    Args:
        keys: the queue.
        known: groups met before, to be counted among them.
        sweep_keys: how many keys of the whole keyspace the sweep may look at, about.
    """
    books = [_walk("HSCAN", keys.part(name)) for name in _HASHES]
    hashes, ((paused, swept), ring) = yield from together(
        all_together(books),
        together(all_together([_walk("SSCAN", keys.part("paused")), _sweep(keys, sweep_keys)]), _ring(keys)),
    )
    gactive, glimit, gweight = map(fields, hashes)
    return Groups(
        ring=frozenset(blobs(ring)),
        paused=frozenset(blobs(paused)),
        gactive=gactive,
        glimit=glimit,
        gweight=gweight,
        met=frozenset(known).union(keys.group_of(key) for key in blobs(swept)),
        refused=_refusal({"ring": ring, "paused": paused, **dict(zip(_HASHES, hashes, strict=True))}),
    )


def _refusal(books: dict[str, list[Reply]]) -> str | None:
    """The first, with the name of its book."""
    refusals = ((name, first_error(replies)) for name, replies in books.items())
    return next((f"{name}: {words}" for name, words in refusals if words is not None), None)


def lane_sizes(keys: QueueKeys, names: list[bytes], *, strict: bool = False) -> Conversation[dict[bytes, int]]:
    """How many jobs wait in each lane; a round trip per 1,000 lanes.

    Raises:
        Refused: strict, and one cannot be read; otherwise it counts as empty.
    """
    sizes: dict[bytes, int] = {}
    for at in range(0, len(names), _ASKED_AT_ONCE):
        part = names[at : at + _ASKED_AT_ONCE]
        replies = yield from ask_all([pack("ZCARD", keys.found_lane(name)) for name in part], keys.base)
        for name, reply in zip(part, replies, strict=True):
            if strict and isinstance(reply, ReplyError):
                raise Refused(f"g:{text(name)}:pending: {reply}")
        sizes.update((name, count(reply)) for name, reply in zip(part, replies, strict=True))
    return sizes


def lanes(keys: QueueKeys, known: Iterable[bytes] = (), sweep_keys: int = 20_000) -> Conversation[list[LaneReading]]:
    """The lanes of a queue, in byte order of their names; arguments as for `groups`.

    Raises:
        Refused: a book or a lane may not be read or is of another type; its message names the key.
    """
    found = yield from groups(keys, known, sweep_keys)
    if found.refused is not None:
        raise Refused(found.refused)
    names = found.names()
    sizes = yield from lane_sizes(keys, names, strict=True)
    return [
        LaneReading(
            group=name,
            pending=sizes[name],
            active=count(found.gactive.get(name)),
            limit=whole(found.glimit.get(name)),
            weight=whole(found.gweight.get(name)),
            paused=name in found.paused,
            in_ring=name in found.ring,
        )
        for name in names
    ]


def _ring(keys: QueueKeys) -> Conversation[list[Reply]]:
    (reply,) = yield from ask_all([pack("LRANGE", keys.part("ring"), 0, MOST_GROUPS - 1)], keys.base)
    return [reply] if isinstance(reply, ReplyError) else items(reply)


def _walk(verb: str, key: bytes) -> Conversation[list[Reply]]:
    return (yield from _scan((verb, key), ("COUNT", _STEP), key, 2 * MOST_GROUPS // _STEP))


def _sweep(keys: QueueKeys, sweep_keys: int) -> Conversation[list[Reply]]:
    options = ("MATCH", keys.glob(b"g:*:pending"), "COUNT", _SWEEP_STEP)
    return (yield from _scan(("SCAN",), options, keys.base, max(1, sweep_keys // _SWEEP_STEP)))


def _scan(head: tuple[Arg, ...], options: tuple[Arg, ...], key: bytes, most_steps: int) -> Conversation[list[Reply]]:
    """What the steps bring, and last the refusal, where there was one."""
    found: list[Reply] = []
    cursor = b"0"
    for _ in range(most_steps):
        (reply,) = yield from ask_all([pack(*head, cursor, *options)], key)
        cursor, part = scan_step(reply)
        found += [reply] if isinstance(reply, ReplyError) else part
        if cursor == b"0":
            break
    return found
