"""Which queue a key belongs to, and in which of the two layouts (echomq.md 1.3, bullmq.md 1.4).

Neither layout has a registry, so names are read out of keys. A key tells its base (`prefix:{name}:` or
`prefix:name:`) for sure or maybe, and its layout by its last part: some parts exist in one layout only, some in both,
and for those one look at types and fields decides (`settle`).
"""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import Enum

from emqtop.wire.resp import Ask, Burst, Conversation, Reply, pack, raw


class Layout(Enum):
    """The two key layouts."""

    ECHOMQ = "echomq"
    BULLMQ = "bullmq"


class Evidence(Enum):
    """What a key's last part says of its layout."""

    ECHOMQ = "echomq"
    BULLMQ = "bullmq"
    EITHER = "either"
    MAYBE = "maybe"
    """BullMQ, if this is a queue at all: a bare id stands where any key of a stranger could."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What one key tells."""

    prefix: bytes
    """Key prefix, without its colon."""
    base: bytes
    """Root of the queue's keys, ending in a colon."""
    evidence: Evidence
    """Of which layout."""
    part: bytes
    """What follows the base: `pending`, `job:JOB…`, `17`, …"""

    @property
    def tag(self) -> bytes:
        """Queue name as BullMQ gives it: what stands between prefix and part, braces included."""
        return self.base[len(self.prefix) + 1 : -1]


_ECHOMQ = re.compile(
    rb"(?:pending|schedule|dead|ring|gactive|glimit|gweight|wake|flow:outbox|job:.+|g:.+:pending|stream:.+)", re.DOTALL
)
_BULLMQ = re.compile(
    rb"(?:wait|delayed|prioritized|completed|failed|waiting-children|stalled|stalled-check|marker|events|pc|id|priority"
    rb"|delay|dn:.+|[0-9]{1,19}(?::(?:lock|logs|dependencies|processed|failed|unsuccessful))?)",
    re.DOTALL,
)
_EITHER = re.compile(
    rb"(?:active|meta|paused|limiter|repeat(?::.+)?|de:.+|metrics:(?:completed|failed)(?::data)?)", re.DOTALL
)
_SUBKEY = re.compile(rb"(.+):(?:lock|logs|dependencies|processed|failed|unsuccessful)", re.DOTALL)
_SPREAD = re.compile(rb":(?:repeat|de|dn):.", re.DOTALL)
_METRICS = re.compile(rb"(.+):(metrics:(?:completed|failed)(?::data)?)", re.DOTALL)
_ANY_BRACED = re.compile(rb"(.+?):(\{.+\}):(meta|job:JOB[0-9A-Za-z]{11})", re.DOTALL)


def trace(key: bytes, prefixes: tuple[bytes, ...]) -> Trace | None:
    """What a key tells of the queue it belongs to; None: no queue's, or of another prefix.

    Args:
        key: any key of the server.
        prefixes: the prefixes looked at; the longest that fits is taken.
    """
    fitting = [prefix for prefix in prefixes if key.startswith(prefix + b":")]
    if not fitting:
        return None
    prefix = max(fitting, key=len)
    start = len(prefix) + 1
    rest = key[start:]
    if rest.startswith(b"{") and (braced := _braced(prefix, rest)) is not None:
        return braced
    return _plain(prefix, rest)


def trace_any(key: bytes) -> Trace | None:
    """What a key tells of a queue whose prefix nobody named: only a `meta` key does, or a row of EchoMQ's.

    Without braces the name begins behind the last colon: recent JS allows none in it, while prefixes may hold them.
    """
    if (match := _ANY_BRACED.fullmatch(key)) is not None:
        prefix, part = match[1], match[3]
        return Trace(prefix, key[: -len(part)], Evidence.MAYBE, part)
    prefix, _, name = key.removesuffix(b":meta").rpartition(b":")
    if not key.endswith(b":meta") or not prefix or not name:
        return None
    return Trace(prefix, key[: -len(b"meta")], Evidence.MAYBE, b"meta")


def _braced(prefix: bytes, rest: bytes) -> Trace | None:
    """The first closing brace behind which a part of either layout stands ends the name: names may hold braces."""
    end = rest.find(b"}:", 2)
    while end >= 0:
        part = rest[end + 2 :]
        for grammar, evidence in ((_ECHOMQ, Evidence.ECHOMQ), (_BULLMQ, Evidence.BULLMQ), (_EITHER, Evidence.EITHER)):
            if grammar.fullmatch(part):
                return Trace(prefix, prefix + b":" + rest[: end + 2], evidence, part)
        end = rest.find(b"}:", end + 1)
    return None


def _plain(prefix: bytes, rest: bytes) -> Trace | None:
    """Without braces a queue is BullMQ's; its name may hold colons, so the part is cut off at the end."""
    name, evidence, part = _cut(rest)
    if not name or name.startswith(b":"):
        return None
    return Trace(prefix, prefix + b":" + name + b":", evidence, part)


def _cut(rest: bytes) -> tuple[bytes, Evidence, bytes]:
    if (match := _METRICS.fullmatch(rest)) is not None:
        return match[1], Evidence.BULLMQ, match[2]
    if (spread := _SPREAD.search(rest)) is not None:
        return rest[: spread.start()], Evidence.MAYBE, rest[spread.start() + 1 :]
    if (match := _SUBKEY.fullmatch(rest)) is not None and b":" in match[1]:
        name, _, part = match[1].rpartition(b":")
        return name, Evidence.MAYBE, rest[len(name) + 1 :]
    name, _, part = rest.rpartition(b":")
    if _EITHER.fullmatch(part) or (_BULLMQ.fullmatch(part) and not part.isdigit()):
        return name, Evidence.BULLMQ, part
    return name, Evidence.MAYBE, part


_ECHOMQ_KEYS = ("pending", "schedule", "dead", "ring", "gactive", "glimit", "gweight", "wake", "flow:outbox")
_BULLMQ_KEYS = (
    *("wait", "delayed", "prioritized", "completed", "failed", "waiting-children", "events", "marker", "stalled"),
    *("stalled-check", "id", "pc"),
)
_SHARED = ("active", "meta", "paused", "metrics:completed", "metrics:failed", "repeat")


def settle(bases: Iterable[bytes], strange: Container[bytes] = ()) -> Burst[list[frozenset[Layout]]]:
    """Which layouts stand at each base, in writes of bounded size; an empty set: no queue.

    Args:
        bases: roots of keys, each ending in a colon.
        strange: those of them whose prefix nobody named: a key such as `id` or `meta` alone makes no queue of them.
    """
    asked = list(bases)
    parts = [asked[at : at + _AT_ONCE] for at in range(0, len(asked), _AT_ONCE)]
    if not parts:
        return []
    answers = yield [Ask(b"".join(map(_look, part)), _REPLIES * len(part), part[0] + b"active") for part in parts]
    told = [replies[at : at + _REPLIES] for replies in answers for at in range(0, len(replies), _REPLIES)]
    return [_layouts(base, replies, strange=base in strange) for base, replies in zip(asked, told, strict=True)]


def is_shared(prefix: str, name: str) -> Conversation[bool]:
    """Do queues of both layouts stand on the keys of this one? One round trip; then no act is safe (bullmq.md 1.4).

    Args:
        prefix: key prefix.
        name: as BullMQ gives it, braces included; without braces it is BullMQ's alone.
    """
    base = raw(f"{prefix}:{name}:")
    if not name.startswith("{"):
        return False
    replies = yield Ask(_look(base), _REPLIES, base)
    return len(_layouts(base, replies, strange=False)) > 1


_AT_ONCE = 13
_REPLIES = 9


def _look(base: bytes) -> bytes:
    return b"".join(
        (
            pack("EXISTS", *(base + part.encode() for part in _ECHOMQ_KEYS)),
            pack("EXISTS", *(base + part.encode() for part in _BULLMQ_KEYS)),
            pack("EXISTS", *(base + part.encode() for part in _SHARED)),
            pack("TYPE", base + b"active"),
            pack("TYPE", base + b"paused"),
            pack("HEXISTS", base + b"meta", "opts.maxLenEvents"),
            pack("HEXISTS", base + b"meta", "version"),
            pack("HEXISTS", base + b"metrics:completed", "prevTS"),
            pack("HEXISTS", base + b"metrics:failed", "prevTS"),
        )
    )


def _layouts(base: bytes, replies: list[Reply], *, strange: bool) -> frozenset[Layout]:
    echomq, bullmq, shared, active, paused, *fields = replies
    found: set[Layout] = set()
    braced = base.endswith(b"}:")
    if braced and (_some(echomq) or active == b"zset" or paused == b"set"):
        found.add(Layout.ECHOMQ)
    if (_some(bullmq) and not strange) or active == b"list" or paused == b"list" or any(map(_some, fields)):
        found.add(Layout.BULLMQ)
    if not found and not strange and _some(shared):
        found.add(Layout.ECHOMQ if braced else Layout.BULLMQ)
    return frozenset(found)


def _some(reply: Reply) -> bool:
    return isinstance(reply, int) and reply > 0
