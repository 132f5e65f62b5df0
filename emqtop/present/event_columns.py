"""The columns of the tail of events."""

from dataclasses import dataclass

from emqtop.present.columns import Cell, Column, Tone, left
from emqtop.sampling.source import Event
from emqtop.text import safe
from emqtop.units import NOTHING, time_of_day

FAILURES = frozenset({"failed", "stalled", "retries-exhausted", "error"})
"""Events that tell of something going wrong."""
VALUE_CHARACTERS = 200
"""How much of a further field is kept and shown."""

_GOOD = frozenset({"completed", "drained", "resumed"})


@dataclass(frozen=True, slots=True)
class EventRow:
    """One line of the tail."""

    number: int
    """How many came before it since the tail was opened."""
    event: Event
    """What was announced, its further fields cut."""

    @property
    def is_failure(self) -> bool:
        """Does it tell of something going wrong?"""
        return self.event.name in FAILURES


def event_row(number: int, event: Event) -> EventRow:
    """A line of the tail; of long values only a first part is kept, so that a full tail has a known size."""
    extra = tuple((name[:VALUE_CHARACTERS], value[:VALUE_CHARACTERS]) for name, value in event.extra[:8])
    return EventRow(number, Event(event.at_ms, event.queue, event.name[:VALUE_CHARACTERS], event.job, extra))


def searched(row: EventRow) -> str:
    """What a filter looks at."""
    event = row.event
    return " ".join(
        (event.queue.name, event.name, event.job or "", *(f"{name}={value}" for name, value in event.extra))
    )


def _tone(row: EventRow) -> Tone:
    if row.is_failure:
        return Tone.BAD
    return Tone.GOOD if row.event.name in _GOOD else Tone.PLAIN


def _mark(row: EventRow, _now_ms: int) -> Cell:
    return Cell("!" if row.is_failure else " ", Tone.BAD)


def _name(row: EventRow, _now_ms: int) -> Cell:
    return Cell(safe(row.event.name), _tone(row))


def _more(row: EventRow, _now_ms: int) -> Cell:
    return Cell(" ".join(f"{safe(name)}={safe(value)}" for name, value in row.event.extra), Tone.DIM)


def event_columns(utc: bool) -> tuple[Column[EventRow], ...]:
    """What the tail can show, from the left; times in UTC, or in the zone of the user."""

    def received(row: EventRow, _now_ms: int) -> Cell:
        return Cell(time_of_day(row.event.at_ms, utc), Tone.DIM)

    return (
        left("mark", "S", 1, 3, _mark, "! a failure"),
        left("time", "RECEIVED", 8, 4, received, "When it came in"),
        left("queue", "QUEUE", 12, 5, lambda row, _: Cell(safe(row.event.queue.name)), "Who announced it"),
        left("event", "EVENT", 12, 1, _name, "What was announced"),
        left("job", "JOB", 14, 2, lambda row, _: Cell(safe(row.event.job or NOTHING)), "Of which job"),
        left("more", "MORE", 10, 6, _more, "Further fields", stretch=True),
    )
