"""What has to be typed for an act before it can be looked up: the value, its unit, and how it is read."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from emqtop.model.actions import Order, Verb
from emqtop.model.typed import (
    MOST_AT_ONCE,
    MOST_PRIORITY,
    MOST_STARTS,
    BadValue,
    length,
    length_words,
    whole_number,
)

NONE = "none"
"""What is typed for no limit."""


@dataclass(frozen=True, slots=True)
class Want:
    """One value."""

    name: str
    """What it is, with its unit."""
    hint: str
    """What may be typed."""
    shown: Callable[[Order], str]
    """The value of an order as it is typed; empty: it has none."""
    read: Callable[[Order, str], Order]
    """The order with what was typed; raises BadValue for what cannot be meant."""
    is_kept: bool = True
    """Is it a value that the queue or job has until then, and not one that is added to it?"""


def want_of(order: Order) -> Want | None:
    """What has to be typed for an order; None: nothing."""
    return WANTS.get(order.verb)


def _ceiling(order: Order) -> str:
    return NONE if order.ceiling is None else str(order.ceiling)


def _read_ceiling(order: Order, typed: str) -> Order:
    if typed == NONE:
        return replace(order, ceiling=None)
    return replace(order, ceiling=_number(typed, 1, MOST_AT_ONCE, f", or {NONE}"))


def _rate(order: Order) -> str:
    return NONE if order.ceiling is None else f"{order.ceiling} per {length_words(order.by_ms)}"


def _read_rate(order: Order, typed: str) -> Order:
    if typed == NONE:
        return replace(order, ceiling=None, by_ms=0)
    jobs, per, window = typed.replace("/", " per ").partition("per")
    if not per:
        raise BadValue(f"wanted jobs and a length of time, as 100 per 1m, or {NONE}")
    return replace(order, ceiling=_number(jobs.strip(), 1, MOST_STARTS), by_ms=length(window.strip()))


def _length(order: Order) -> str:
    return length_words(order.by_ms)


def _read_length(order: Order, typed: str) -> Order:
    return replace(order, by_ms=length(typed))


def _priority(order: Order) -> str:
    return f"{order.priority}{' first' * order.first}"


def _read_priority(order: Order, typed: str) -> Order:
    number, *rest = typed.split() or [""]
    if rest not in ([], ["first"]):
        raise BadValue("wanted a number, or a number and the word first")
    return replace(order, priority=_number(number, 0, MOST_PRIORITY), first=bool(rest))


def _number(typed: str, low: int, high: int, more: str = "") -> int:
    try:
        return whole_number(typed, low, high)
    except BadValue as error:
        raise BadValue(f"{error}{more}") from None


WANTS: dict[Verb, Want] = {
    Verb.LIMIT: Want("jobs at once", f"10, or {NONE}", _ceiling, _read_ceiling),
    Verb.RATE: Want("jobs that may start", f"100 per 1m, or {NONE}", _rate, _read_rate),
    Verb.DELAY: Want("due from now in", "90s, 5m, 2h", _length, _read_length),
    Verb.PRIORITIZE: Want("priority", "1 is served first, 0: none; 5 first: in front of 5", _priority, _read_priority),
    Verb.EXTEND: Want("lease longer by", "90s, 5m, 2h", _length, _read_length, is_kept=False),
}
"""Acts that want one."""
