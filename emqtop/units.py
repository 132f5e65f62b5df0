"""Numbers and times in the few cells of a column, and back.

None of these cuts a digit off: what does not fit is said in a larger unit, rounded towards zero.
"""

import re
import time
from datetime import UTC, datetime

NOTHING = "-"
"""Stands where there is no value; never a 0 or a date in 1970."""

_SECOND, _MINUTE, _HOUR, _DAY, _YEAR = 1_000, 60_000, 3_600_000, 86_400_000, 31_556_952_000
_CYCLE_MS = 146_097 * _DAY
"""Length of 400 years of the Gregorian calendar, after which it repeats."""
_DATETIME_END_MS = 253_402_214_400_000
"""9999-12-31T00:00:00Z: from here on an offset may lead out of what datetime can hold."""
_PART = re.compile(r"([0-9]{1,12})(ms|s|m|h|d)", re.ASCII)
UNIT_MS = {"ms": 1, "s": _SECOND, "m": _MINUTE, "h": _HOUR, "d": _DAY}
"""Units of a duration that is typed, and their lengths, ms; the shortest first."""


class BadDuration(ValueError):
    """This is not a duration; wanted one like 90s, 5m or 2h."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not a duration; wanted one like 90s, 5m or 2h")


def duration(ms: int | None) -> str:
    """A length of time in at most 6 cells, 7 when negative: `250ms`, `2.1s`, `42s`, `1m20s`, `3h05`, `12d`, `40y`."""
    if ms is None:
        return NOTHING
    if ms < 0:
        return "-" + duration(-ms)
    if ms < _SECOND:
        return f"{ms}ms" if ms else "0s"
    if ms < 10 * _SECOND:
        return f"{ms // 1_000}.{ms % 1_000 // 100}s"
    if ms < _MINUTE:
        return f"{ms // _SECOND}s"
    if ms < _HOUR:
        return f"{ms // _MINUTE}m{ms % _MINUTE // _SECOND:02d}s"
    if ms < _DAY:
        return f"{ms // _HOUR}h{ms % _HOUR // _MINUTE:02d}"
    if ms < 10_000 * _DAY:
        return f"{ms // _DAY}d"
    return f"{ms // _YEAR}y" if ms < 100_000 * _YEAR else ">99ky"


def parse_duration(text: str) -> int:
    """Milliseconds of `90s`, `5m`, `2h`, `1d`, `250ms` or a row of them such as `1m30s`.

    Raises:
        BadDuration: it is something else, or without a unit.
    """
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise BadDuration(text)
    return sum(int(number) * UNIT_MS[unit] for number, unit in parts)


def count(number: int | None) -> str:
    """A count in at most 5 cells: `99999`, `100k`, `1.2M`, `12.3M`, `123M`, `4.0G`."""
    return NOTHING if number is None else _short(number, 100_000, 1_000, ("k", "M", "G", "T", "P", "E"))


def counted(number: int, noun: str) -> str:
    """How many of them there are: `1 queue`, `12 queues`."""
    return f"{count(number)} {noun}{'s' * (number != 1)}"


def size(number: int | None) -> str:
    """Bytes in at most 5 cells: `999B`, `1.2K`, `64.0K`, `5.0M`; K is 1,024 bytes."""
    if number is None:
        return NOTHING
    return f"{number}B" if abs(number) < 1_024 else _short(number, 1_024, 1_024, ("K", "M", "G", "T", "P", "E"))


def _short(number: int, plain_below: int, base: int, units: tuple[str, ...]) -> str:
    if number < 0:
        return "-" + _short(-number, plain_below, base, units)
    if number < plain_below:
        return str(number)
    scale = base
    for unit in units:
        if number < 1_000 * scale or unit == units[-1]:
            break
        scale *= base
    whole, tenth = number // scale, number * 10 // scale % 10
    return f"{whole}.{tenth}{unit}" if whole < 100 else f"{whole}{unit}"


def rate(per_second: float | None) -> str:
    """Things a second in at most 5 cells: `0`, `0.3`, `12.5`, `123`, `45.6k`."""
    if per_second is None:
        return NOTHING
    if per_second < 0.05:
        return "<0.1" if per_second > 0 else "0"
    if per_second < 100:
        return f"{per_second:.1f}"
    return _short(int(per_second), 10_000, 1_000, ("k", "M", "G", "T"))


def iso(ms: int | None, utc: bool = False) -> str:
    """A time as ISO 8601 with offset, to the second: `2026-11-29T15:00:00+00:00`; `-` for none or zero.

    The offset is the zone of the user (TZ), or UTC. Years past 9999 are written as ISO 8601 expands them, in UTC.
    """
    if not ms or ms < 0:
        return NOTHING
    cycles = max(0, (ms - _DATETIME_END_MS) // _CYCLE_MS + 1)
    moment = datetime.fromtimestamp((ms - cycles * _CYCLE_MS) // 1_000, UTC)
    if cycles:
        year = moment.year + 400 * cycles
        return ("+" if year > 9_999 else "") + f"{year}{moment.isoformat()[4:]}"
    return (moment if utc else moment.astimezone()).isoformat()


def time_of_day(ms: int | None, utc: bool = False) -> str:
    """The clock of a time, `15:04:05`, in the zone of the user or UTC; `-` for none or zero."""
    text = iso(ms, utc)
    return text if text == NOTHING else text[text.index("T") + 1 :][:8]


def now_ms() -> int:
    """This machine's clock, Unix ms; for filling the gap between two readings of the server's (operator law 14)."""
    return time.time_ns() // 1_000_000
