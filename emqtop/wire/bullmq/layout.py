"""Which version of BullMQ's layout a queue has, by evidence (bullmq.md 3.2, 3.3).

`meta.version` names the last Queue object, not the workers: what lies in the keys goes before it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from emqtop.wire.bullmq.keyed_reads import Read, ask_each, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.places import ALL
from emqtop.wire.replies import blob, count, items, number
from emqtop.wire.resp import Conversation, Reply

_VERSION = re.compile(rb"bullmq:(\d+)\.(\d+)\.(\d+)")
_COUNTABLE = re.compile(rb"0|-?[1-9][0-9]{0,14}")
_MARK = re.compile(rb"0:[0-9]+")
_FIRST_DEFERRED = (5, 49, 2)
_NEWEST = 6
_PLACES = tuple((place.part, b"list" if place.is_list else b"zset") for place in ALL)
_BESIDE = (
    *(("meta", b"hash"), ("events", b"stream"), ("marker", b"zset"), ("repeat", b"zset")),
    *(("pc", b"string"), ("limiter", b"string"), ("stalled", b"set")),
)
# A script that meets another type half-way is not rolled back, and loses the job that it moves (bullmq.md 6.1).
_KINDS = (*_PLACES, *_BESIDE)
_NOUNS = {
    b"list": "list",
    b"zset": "sorted set",
    b"hash": "hash",
    b"stream": "stream",
    b"string": "string",
    b"set": "set",
}


class Generation(StrEnum):
    """Whose rules hold for a queue."""

    OLD = "4 or older"
    FIVE = "5"
    SIX = "6"
    UNKNOWN = "unknown"
    OTHER = "not known here"


@dataclass(frozen=True, slots=True)
class Layout:
    """A queue's layout with its evidence."""

    generation: Generation
    """Whose rules hold."""
    evidence: str
    """What says so, in words."""
    paused: bool
    """Is the flag set?"""
    held_back: int
    """Size of the list `paused`."""
    release: tuple[int, ...] | None = None
    """Version of the last Queue object, if it told."""
    concurrency: bytes | None = None
    """Global limit of running jobs, as it stands in `meta`."""
    most: bytes | None = None
    """Global rate limit: jobs a window, as it stands in `meta`."""
    odd_number: str | None = None
    """What should be a number and is none, which stops scripts that move jobs half-way."""

    @property
    def refusal(self) -> str | None:
        """Why no act is done here at all; None: acts are done."""
        if self.generation in (Generation.OLD, Generation.OTHER):
            return f"this layout is read-only: {self.evidence}"
        return None

    @property
    def is_list_paused(self) -> bool:
        """Would a push to `wait` be lost? A resume of layout 5 renames `paused` over it (3.3 c)."""
        return self.generation is not Generation.SIX and self.paused

    @property
    def renames(self) -> bool:
        """Is a pause the renaming of `wait`? So it is treated where the layout is unknown (3.2)."""
        return self.generation is not Generation.SIX

    @property
    def honours_deferred_failure(self) -> bool:
        """Do its workers fail a job that carries `defa` without running it? Without a version: those of Python do."""
        return self.release is None or self.release >= _FIRST_DEFERRED


def layout_reads(keys: QueueKeys) -> list[Read]:
    """Reads whose answers `decode_layout` takes."""
    return [
        *(read("TYPE", keys.part(part)) for part, _ in _KINDS),
        read("HMGET", keys.part("meta"), "version", "paused", "concurrency", "max", "opts.maxLenEvents"),
        read("GET", keys.part("pc")),
        read("LLEN", keys.part("paused")),
        read("LINDEX", keys.part("wait"), 0),
        read("LINDEX", keys.part("wait"), -1),
    ]


LAYOUT_REPLIES = len(_KINDS) + 5
"""How many reads `layout_reads` are."""


def decode_layout(replies: list[Reply]) -> Layout:
    """The layout out of the answers."""
    kinds, (meta, counter, held_back, *ends) = replies[: len(_KINDS)], replies[len(_KINDS) :]
    version, paused, concurrency, most, events = [blob(value) for value in items(meta)] or [None] * 5
    listed = count(held_back)
    release = release_of(version)
    generation, evidence = _weigh(_odd_part(kinds), version, release, listed, ends)
    odd = _odd_number(pc=is_countable(counter), concurrency=_is_number(concurrency), maxLenEvents=_is_number(events))
    return Layout(generation, evidence, paused is not None, listed, release, concurrency, most, odd)


def is_countable(value: Reply) -> bool:
    """Can a script count on from here? What is absent counts from 0."""
    return not isinstance(value, bytes) or _COUNTABLE.fullmatch(value) is not None


def _is_number(value: bytes | None) -> bool:
    return value is None or number(value) is not None


def _odd_number(**sound: bool) -> str | None:
    return next((f"{name} of the queue is no number" for name, is_sound in sound.items() if not is_sound), None)


def release_of(version: bytes | None) -> tuple[int, ...] | None:
    """Release that `meta.version` names; None: none, or one of another library."""
    match = _VERSION.match(version or b"")
    return tuple(int(part) for part in match.groups()) if match else None


def _odd_part(kinds: list[Reply]) -> str | None:
    """What has another type than this layout gives it: a stranger's key, or the row of an id such as `completed`."""
    for (part, wanted), kind in zip(_KINDS, kinds, strict=True):
        if isinstance(kind, bytes) and kind not in (wanted, b"none"):
            return f"{part} is no {_NOUNS[wanted]}"
    return None


def _weigh(
    odd_part: str | None, version: bytes | None, release: tuple[int, ...] | None, listed: int, ends: list[Reply]
) -> tuple[Generation, str]:
    if odd_part is not None:
        return Generation.OTHER, odd_part
    if version is not None and release is None:
        return Generation.OTHER, f"meta.version is {version[:40].decode('utf-8', 'replace')}"
    if any(_MARK.fullmatch(end) for end in map(blob, ends) if end):
        return Generation.OLD, "wake-up marks lie in wait"
    if release is not None and not 5 <= release[0] <= _NEWEST:
        old = release[0] < 5
        return Generation.OLD if old else Generation.OTHER, f"meta.version is {release[0]}"
    if listed:
        return Generation.FIVE, "the list paused is there"
    if release is None:
        return Generation.UNKNOWN, "no meta.version"
    return (Generation.SIX if release[0] >= 6 else Generation.FIVE), f"meta.version is {release[0]}"


def layout(keys: QueueKeys) -> Conversation[Layout]:
    """The layout of a queue: one round trip."""
    return decode_layout((yield from ask_each(keys, layout_reads(keys))))
