"""What is typed for an act: numbers and lengths of time, with their bounds, there and back."""

from emqtop.units import UNIT_MS, BadDuration, parse_duration

MOST_AT_ONCE = 1_000_000
"""Largest ceiling of jobs that run at once."""
MOST_STARTS = 1_000_000
"""Largest number of jobs in a window of a rate."""
MOST_PRIORITY = 2**21 - 1
"""Largest priority of a job (bullmq.md 1.1)."""
LONGEST_MS = 31_536_000_000
"""Longest time that can be asked for: a year."""


class BadValue(ValueError):
    """This was typed and cannot be meant; the message says what is wanted."""


def whole_number(text: str, low: int, high: int) -> int:
    """A whole number within bounds.

    Raises:
        BadValue: it is something else.
    """
    if not text.isascii() or not text.isdigit() or not low <= int(text[:12]) <= high:
        raise BadValue(f"wanted a whole number from {low} to {high}")
    return int(text)


def length(text: str) -> int:
    """Milliseconds of a duration, more than 0 and at most a year.

    Raises:
        BadValue: it is something else.
    """
    try:
        found = parse_duration(text)
    except BadDuration as error:
        raise BadValue(str(error)) from None
    if not 0 < found <= LONGEST_MS:
        raise BadValue("wanted more than 0 and at most a year")
    return found


def length_words(ms: int) -> str:
    """Milliseconds as `length` reads them: `1m30s`; empty for none."""
    words = ""
    for unit, unit_ms in reversed(UNIT_MS.items()):
        number, ms = divmod(ms, unit_ms)
        words += f"{number}{unit}" if number else ""
    return words
