"""What a queue announces on its channel, read tolerantly (echomq.md 5)."""

import json
import re
from dataclasses import dataclass

from emqtop.wire.echomq.keyspace import prefix_glob
from emqtop.wire.resp import text

UNKNOWN = "unknown"
"""The name of an event that names none."""

_PAIR = re.compile(r'"([^"\\]*)"\s*:\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CHANNEL = re.compile(rb"(.+?):\{(.+)\}:events", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EventReading:
    """One announcement."""

    name: str
    """`completed`, `failed`, `progress`, …, as announced."""
    job: str | None
    """Id of the job it speaks of, unchecked."""
    extra: tuple[tuple[str, str], ...] = ()
    """Further fields in order; what is no string stands as JSON."""


def every_channel(prefix: str) -> str:
    """The pattern of all channels of a prefix; `*`: of every prefix.

    A right to channels admits PSUBSCRIBE only for a pattern that stands in the rule letter by letter.
    """
    return f"{prefix_glob(prefix)}:{{*}}:events"


def queue_of_channel(channel: bytes) -> tuple[str, str] | None:
    """Prefix and name of the queue that announces there; None: this is no channel of a queue."""
    match = _CHANNEL.fullmatch(channel)
    return None if match is None else (text(match[1]), text(match[2]))


def parse_event(raw: bytes) -> EventReading:
    """An announcement; never raises, since anybody may publish anything there.

    Producers escape only backslash and quote, so control bytes stand in strings as they are. What is no JSON object
    even so is searched for `"name":"text"` pairs.
    """
    told = text(raw)
    try:
        # strict=False: control bytes in strings.
        found = json.loads(told, strict=False)
    except (ValueError, RecursionError):
        found = None
    pairs = _plain(found) if isinstance(found, dict) else _search(told)
    name, job = pairs.pop("event", UNKNOWN), pairs.pop("job", None)
    return EventReading(name, job, tuple(pairs.items()))


def _plain(found: dict[str, object]) -> dict[str, str]:
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in found.items()}


def _search(told: str) -> dict[str, str]:
    return {match[1]: _ESCAPED.sub(r"\1", match[2]) for match in _PAIR.finditer(told)}
