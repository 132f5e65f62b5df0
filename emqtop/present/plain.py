"""Tables and records as plain text: aligned for people, one row a line for awk."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from emqtop.model.job import JobDetail, Odd
from emqtop.present.columns import Column, Placed, fit
from emqtop.sampling.source import Event
from emqtop.text import cells, pad, safe
from emqtop.units import NOTHING, duration, iso, size

if TYPE_CHECKING:
    # 15 ms of dataclasses that only acts need.
    from emqtop.model.actions import Outcome

R = TypeVar("R")

_BETWEEN = "  "
_EXTRA_CHARACTERS = 400


def table(columns: Sequence[Column[R]], rows: Sequence[R], now_ms: int, width: int | None = None) -> Iterator[str]:
    """A line of titles and a line for each row.

    Args:
        columns: what to show.
        rows: of what.
        now_ms: the server's time, Unix ms.
        width: cells of the terminal, where cutting to it is wanted; None: each column as wide as its widest cell,
            nothing cut, and `-` in empty cells, so that every line has the same number of words up to the last one.
    """
    if width is not None:
        yield from _fitted(fit(columns, width), rows, now_ms)
        return
    texts = [[column.cell(row, now_ms).text.strip() or NOTHING for column in columns] for row in rows]
    titles = [column.title for column in columns]
    widths = [max(map(cells, column)) for column in zip(titles, *texts, strict=True)]
    for line in (titles, *texts):
        padded = (pad(text, wide, column.align) for text, wide, column in zip(line, widths, columns, strict=True))
        yield _BETWEEN.join(padded).rstrip()


def _fitted(placed: Sequence[Placed[R]], rows: Iterable[R], now_ms: int) -> Iterator[str]:
    yield " ".join(pad(at.column.title, at.width, at.column.align) for at in placed).rstrip()
    for row in rows:
        texts = (pad(at.column.cell(row, now_ms).text, at.width, at.column.align) for at in placed)
        yield " ".join(texts).rstrip()


def record(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """`name  value` lines, the values in one column."""
    known = list(pairs)
    wide = max((cells(name) for name, _ in known), default=0)
    for name, value in known:
        yield f"{pad(name, wide)}{_BETWEEN}{value}".rstrip()


def job(detail: JobDetail, utc: bool = False) -> Iterator[str]:
    """Everything about one job, a line for each thing."""
    line = detail.job
    lease = None if line.deadline_ms is None else line.deadline_ms - detail.at_ms
    facts = [
        ("job", safe(line.id)),
        ("queue", safe(detail.queue.name)),
        ("location", detail.location or "none"),
        ("state", safe(line.state or NOTHING)),
        ("attempts", NOTHING if line.attempts is None else str(line.attempts)),
        ("minted", iso(line.minted_ms, utc)),
    ]
    if lease is not None:
        facts.append(("lease", f"{duration(lease)} left" if lease >= 0 else f"{duration(-lease)} overdue"))
    if line.due_ms is not None:
        facts.append(("due", iso(line.due_ms, utc)))
    facts += ((label, safe(words)) for label, words in detail.facts)
    facts += _family(detail)
    if line.odd:
        facts.append(("odd", ", ".join(map(_odd, line.odd))))
    yield from record(facts)
    for name, value, full in detail.fields:
        more = "" if full <= len(value) else f" … {size(full)} in all"
        yield f"row.{safe(name)}{_BETWEEN}{safe(value)}{more}"
    for entry in detail.logs:
        yield f"log{_BETWEEN}{safe(entry)}"
    if detail.log_total > len(detail.logs):
        yield f"log{_BETWEEN}… {detail.log_total} lines in all, the newest shown"


def _family(detail: JobDetail) -> Iterator[tuple[str, str]]:
    if detail.job.group is not None:
        yield "lane", safe(detail.job.group)
    if detail.parent is not None:
        place = "" if detail.parent_queue is None else f" in {safe(detail.parent_queue)}"
        yield "parent", safe(detail.parent) + place
    if detail.waiting_for is not None:
        yield "waiting for", f"{detail.waiting_for} children"
    for child, standing in detail.children:
        yield "child", f"{safe(child)} {standing}"


_ODD = {
    Odd.NO_ROW: "no-row: its id lies there, its row does not exist",
    Odd.NO_PAYLOAD: "no-payload: its row holds no payload",
    Odd.STATE_DIFFERS: "state-differs: its row names another state",
    Odd.SECOND_LOCATION: "second-location: its id lies in more than one place",
}


def _odd(odd: Odd) -> str:
    return _ODD[odd]


def outcome(done: "Outcome") -> Iterator[str]:
    """What an act did, in words: the sum first, then each job that was left alone."""
    name = safe(done.queue.name)
    moved = f"would move {done.matched}" if done.dry_run else f"moved {done.moved} of {done.matched}"
    parts = [f"{done.verb} {name}: {moved}"]
    for word, number in (("deferred", done.deferred), ("skipped", done.skipped), ("unknown", done.unknown)):
        if number:
            parts.append(f"{word} {len(number)}")
    if done.stopped:
        parts.append("stopped as the server was lost" if done.lost else "stopped")
    if done.took_queue:
        parts.append("the queue is gone")
    yield ", ".join(parts)
    for skip in done.skipped:
        yield f"{safe(skip.id)}{_BETWEEN}{skip.reason}{_BETWEEN}{safe(skip.detail)}".rstrip()
    for job_id in done.unknown:
        yield f"{safe(job_id)}{_BETWEEN}unknown{_BETWEEN}sent, and no answer came"


def event(told: Event, utc: bool = False) -> str:
    """What a queue announced, on a line."""
    extra = (f"{safe(name)}={safe(value[:_EXTRA_CHARACTERS])}" for name, value in told.extra)
    words = (iso(told.at_ms, utc), safe(told.queue.name), safe(told.name), safe(told.job or NOTHING), *extra)
    return _BETWEEN.join(words)
