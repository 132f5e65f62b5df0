"""How much time a chart shows, and where its columns and its marks lie."""

from dataclasses import dataclass
from datetime import UTC, datetime

from emqtop.text import safe

LABEL = 8
"""Cells that a mark with its time takes at most, and the gap behind it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time that charts can show."""

    name: str
    """What it is called."""
    seconds: int
    """Its length."""
    hop_s: int
    """By how much the picture moves at a time, seconds: between two hops only the newest columns change."""
    mark_s: int
    """Distance of two marks on the time axis, seconds."""
    grain_s: int
    """Finest step that is remembered, seconds."""


SPANS = (Span("5 min", 300, 30, 60, 1), Span("1 h", 3_600, 300, 600, 1), Span("24 h", 86_400, 3_600, 10_800, 60))
"""Those that can be chosen."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The steps of time that stand side by side."""

    first_s: int
    """Where the first begins, seconds since the epoch."""
    step_s: int
    """Length of each, seconds."""
    count: int
    """How many."""


def columns(span: Span, now_ms: int, width: int) -> Columns:
    """The columns of a chart `width` cells wide at a time of the server, Unix ms."""
    grain = span.grain_s
    step_s = max(1, -(-span.seconds // (max(1, width) * grain))) * grain
    count = span.seconds // step_s
    end_s = (now_ms // 1_000 // span.hop_s + 1) * span.hop_s
    first_s = end_s - count * step_s
    return Columns(first_s - first_s % grain, step_s, count)


def axis(span: Span, shown: Columns, utc: bool) -> str:
    """The marks below the columns, each with the time at which it stands: `╵15:04`, at midnight the day.

    The time stands before the last mark where there is no room behind it: `15:04╵`.
    """
    line = [" "] * shown.count
    offset_s = int(_at(shown.first_s, utc).utcoffset().total_seconds())  # type: ignore[union-attr]
    mark_s = span.mark_s
    while mark_s // shown.step_s < LABEL and mark_s < span.seconds:
        mark_s *= 2
    first_mark = -(-(shown.first_s + offset_s) // mark_s) * mark_s - offset_s
    for mark in range(first_mark, shown.first_s + shown.count * shown.step_s, mark_s):
        place = (mark - shown.first_s) // shown.step_s
        words = _words(mark, utc)
        if place + len(words) < shown.count:
            line[place : place + len(words) + 1] = "╵" + words
        elif place > len(words) and not "".join(line[place - len(words) - 1 : place]).strip():
            line[place - len(words) : place + 1] = words + "╵"
    return "".join(line)


def zone(now_ms: int, utc: bool) -> str:
    """Name of the zone that times are told in, with its distance from UTC: `CET, UTC+01:00`."""
    if utc:
        return "UTC"
    moment = _at(now_ms // 1_000, utc=False)
    name = safe(moment.tzname() or "")
    return name if name == "UTC" else f"{name}, UTC{moment.isoformat()[-6:]}"


def _at(seconds: int, utc: bool) -> datetime:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment if utc else moment.astimezone()


def _words(seconds: int, utc: bool) -> str:
    moment = _at(seconds, utc)
    return f"{moment:%d %b}" if (moment.hour, moment.minute) == (0, 0) else f"{moment:%H:%M}"
