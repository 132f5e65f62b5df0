"""A job in words: the lines of its screen."""

from collections.abc import Callable, Iterator

from emqtop.model.job import JobDetail
from emqtop.model.queue import Location
from emqtop.text import pad, safe
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Text
from emqtop.units import NOTHING, duration, iso, size

LABEL = 12
"""Cells of the names on the left."""
ERROR_FIELDS = ("last_error", "failedReason", "stacktrace")
PAYLOAD_FIELDS = ("payload", "data")
Lines = Callable[[JobDetail, int], Iterator[Text]]


def line(label: str, words: str, tone: str = "plain") -> Text:
    """A name and what it is."""
    return (Part(pad(label, LABEL), "dim"), Part(words, tone))


def title(words: str) -> Text:
    """A heading within the text."""
    return (Part(words, "accent"),)


def summary(detail: JobDetail, now_ms: int) -> Iterator[Text]:
    """What there is to know at a glance."""
    job = detail.job
    yield line("id", safe(job.id), "strong")
    yield line("queue", safe(detail.queue.name))
    yield line("location", *_location(detail))
    if job.odd:
        yield line("odd", ", ".join(job.odd), "bad")
    yield line("attempts", NOTHING if job.attempts is None else str(job.attempts))
    yield line("minted", _moment(job.minted_ms, now_ms))
    if job.deadline_ms is not None:
        yield line("lease", *_lease(job.deadline_ms, now_ms))
    if job.due_ms is not None:
        left = job.due_ms - now_ms
        yield line(
            "due", f"in {duration(left)}" if left > 0 else f"since {duration(-left)}", "plain" if left > 0 else "warn"
        )
    if job.group is not None:
        yield line("lane", safe(job.group))
    for label, words in detail.facts:
        yield line(label, safe(words))
    yield from _family(detail)
    yield line("payload", NOTHING if job.payload_bytes is None else f"{size(job.payload_bytes)}")


def _location(detail: JobDetail) -> tuple[str, str]:
    if detail.location is None:
        return "none: no key holds this id", "bad"
    word = detail.location.value
    state = detail.job.state
    if state is not None and "state-differs" in detail.job.odd:
        return f"{word}, but the row says {safe(state)}", "bad"
    return word, "warn" if detail.location is Location.DEAD else "plain"


def _moment(at_ms: int | None, now_ms: int) -> str:
    return NOTHING if at_ms is None else f"{iso(at_ms)}  ({duration(max(0, now_ms - at_ms))} ago)"


def _lease(deadline_ms: int, now_ms: int) -> tuple[str, str]:
    left = deadline_ms - now_ms
    if left >= 0:
        return f"{duration(left)} left, until {iso(deadline_ms)}", "good"
    return f"! overdue by {duration(-left)}, since {iso(deadline_ms)}", "bad"


def _family(detail: JobDetail) -> Iterator[Text]:
    if detail.parent is not None:
        where = f" in {safe(detail.parent_queue)}" if detail.parent_queue else ""
        yield line("parent", safe(detail.parent) + where)
    if detail.waiting_for is not None:
        children = "1 child" if detail.waiting_for == 1 else f"{detail.waiting_for} children"
        yield line("waits for", children, "warn" if detail.waiting_for else "plain")


def overview(detail: JobDetail, now_ms: int) -> Iterator[Text]:
    """The summary, then error and payload."""
    yield from summary(detail, now_ms)
    if any(name in ERROR_FIELDS for name, _, _ in detail.fields):
        yield ()
        yield title("error")
        yield from error(detail, now_ms)
    yield ()
    yield title("payload")
    yield from data(detail, now_ms)


def data(detail: JobDetail, _now_ms: int) -> Iterator[Text]:
    """The payload."""
    found = [field for field in detail.fields if field[0] in PAYLOAD_FIELDS]
    if not found:
        yield (Part("no payload", "dim"),)
    for _, value, whole in found:
        yield from _value(value)
        yield from _more(value, whole)


def error(detail: JobDetail, _now_ms: int) -> Iterator[Text]:
    """What it failed of."""
    found = [field for field in detail.fields if field[0] in ERROR_FIELDS]
    if not found:
        yield (Part("no error", "dim"),)
    for _, value, whole in found:
        yield from _value(value, "warn")
        yield from _more(value, whole)


def logs(detail: JobDetail, _now_ms: int) -> Iterator[Text]:
    """Its log lines."""
    if not detail.logs:
        yield (Part("no log lines", "dim"),)
    if detail.log_total > len(detail.logs):
        yield (Part(f"the newest {len(detail.logs)} of {detail.log_total}", "dim"),)
    for entry in detail.logs:
        yield from _value(entry)


def family(detail: JobDetail, _now_ms: int) -> Iterator[Text]:
    """Parent and children, with their states."""
    if detail.parent is None and detail.waiting_for is None and not detail.children:
        yield (Part("belongs to no flow", "dim"),)
    yield from _family(detail)
    tones = {"done": "good", "failed": "bad", "waiting": "plain"}
    for child, state in detail.children:
        yield (Part(f"  {pad(state, 8)} ", tones.get(state, "plain")), Part(safe(child)))


def row(detail: JobDetail, _now_ms: int) -> Iterator[Text]:
    """Every field of the row as it is."""
    if not detail.fields:
        yield (Part("no row: the id stands in a location, but nothing belongs to it", "bad"),)
    for name, value, whole in detail.fields:
        lines = list(_value(value))
        yield (Part(pad(safe(name), max(LABEL, len(name) + 1)), "dim"), *(lines[0] if lines else ()))
        for rest in lines[1:]:
            yield (Part(" " * LABEL), *rest)
        yield from _more(value, whole)


def _value(value: bytes, tone: str = "plain") -> Iterator[Text]:
    for text in safe(value, newline="\n").split("\n"):
        yield (Part(text, tone),)


def _more(value: bytes, whole: int) -> Iterator[Text]:
    if whole > len(value):
        yield (Part(f"… {size(whole - len(value))} more, not loaded", "dim"),)


TABS: dict[str, Lines] = {
    "job": overview,
    "data": data,
    "error": error,
    "logs": logs,
    "family": family,
    "row": row,
}
"""The tabs of a job and what each shows."""
