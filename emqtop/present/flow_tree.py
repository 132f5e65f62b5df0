"""The family of a job as rows: parents above, children below, as far as the server tells."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from emqtop.model.job import JobDetail
from emqtop.model.queue import Family, QueueId
from emqtop.present.cells import age, number
from emqtop.present.columns import Cell, Column, Tone, left, right
from emqtop.text import safe
from emqtop.units import NOTHING

HIGHEST = 20
"""Parents above each other that are followed."""

Member: TypeAlias = tuple[QueueId, str]
"""One job of a family: its queue and its id."""


@dataclass(frozen=True, slots=True)
class FlowRow:
    """One line of the tree."""

    member: Member
    """Which job."""
    depth: int
    """How far below the outermost parent."""
    word: str
    """What its parent knows of it: `done`, `failed`, `waiting`; empty for the outermost."""
    is_open: bool | None
    """Are its children shown? None: it has none, or nobody looked."""
    detail: JobDetail | None = None
    """What the server holds of it, where that was read."""
    is_gone: bool = False
    """Was it looked for and not found?"""
    is_meant: bool = False
    """Is it the job whose family this is?"""
    elsewhere: bool = False
    """Is it in another queue than the one that was come from?"""


def parent_of(detail: JobDetail, known: Iterable[QueueId]) -> Member | None:
    """The job that waits for this one."""
    if detail.parent is None:
        return None
    return _queue(detail.queue, detail.parent_queue, known), detail.parent


def children_of(detail: JobDetail, known: Iterable[QueueId]) -> Iterator[tuple[Member, str]]:
    """Its children with what it knows of each."""
    for child, word in detail.children:
        yield _child(detail.queue, child, known), word


def _queue(own: QueueId, other: str | None, known: Iterable[QueueId]) -> QueueId:
    """A queue by the name that a row has of it: EchoMQ's bare, BullMQ's with its prefix."""
    if other is None:
        return own
    if own.family is Family.ECHOMQ:
        return QueueId(own.family, own.prefix, other)
    named = (queue for queue in known if queue.family is own.family and f"{queue.prefix}:{queue.name}" == other)
    prefix, _, name = other.partition(":")
    return next(named, QueueId(own.family, prefix, name))


def _child(own: QueueId, child: str, known: Iterable[QueueId]) -> Member:
    """A child of another BullMQ queue is named by its full key, which only the name of a known queue cuts for sure."""
    if own.family is Family.ECHOMQ:
        return own, child
    fitting = [
        queue
        for queue in known
        if queue.family is own.family and queue != own and child.startswith(f"{queue.prefix}:{queue.name}:")
    ]
    if not fitting:
        return own, child
    queue = max(fitting, key=lambda each: len(each.prefix) + len(each.name))
    return queue, child.removeprefix(f"{queue.prefix}:{queue.name}:")


def unnamed(detail: JobDetail | None) -> int:
    """How many children it waits for that the server does not name."""
    if detail is None or detail.waiting_for is None:
        return 0
    return max(0, detail.waiting_for - sum(word == "waiting" for _, word in detail.children))


def flow_rows(
    root: Member,
    meant: Member,
    details: Mapping[Member, JobDetail | None],
    opened: Iterable[Member],
    known: Iterable[QueueId],
    climbed: Mapping[Member, Member] | None = None,
) -> list[FlowRow]:
    """The tree from the outermost parent down; a job that comes again within itself is not followed.

    Args:
        root: the outermost parent that was found.
        meant: the job whose family it is.
        details: what was read; None where there was nothing.
        opened: whose children are shown.
        known: queues that exist.
        climbed: parents by which the way up led, each with the child that named it: EchoMQ's parents know the
            number of the children they wait for, not their ids.
    """
    open_members, queues, ways = frozenset(opened), tuple(known), climbed or {}
    rows: list[FlowRow] = []
    stack: list[tuple[Member, str, tuple[Member, ...]]] = [(root, "", ())]
    while stack:
        member, word, above = stack.pop()
        detail = details.get(member)
        children = [] if detail is None or member in above else list(children_of(detail, queues))
        if detail is not None and (way := ways.get(member)) and way not in [child for child, _ in children]:
            children.insert(0, (way, "waiting"))
        is_open = member in open_members if children else None
        rows.append(
            FlowRow(
                member,
                len(above),
                word,
                is_open,
                detail,
                is_gone=member in details and detail is None,
                is_meant=member == meant,
                elsewhere=member[0] != meant[0],
            )
        )
        if is_open:
            stack.extend((child, told, (*above, member)) for child, told in reversed(children))
    return rows


def _job(row: FlowRow, _now_ms: int) -> Cell:
    sign = "  " if row.is_open is None else "▾ " if row.is_open else "▸ "
    place = f"{safe(row.member[0].name)} " if row.elsewhere else ""
    tone = Tone.ACCENT if row.is_meant else Tone.PLAIN
    return Cell("  " * min(row.depth, HIGHEST) + sign + place + safe(row.member[1]), tone)


_TONES = {"done": Tone.GOOD, "failed": Tone.BAD}


def _word(row: FlowRow, _now_ms: int) -> Cell:
    return Cell(row.word or NOTHING, _TONES.get(row.word, Tone.PLAIN if row.word else Tone.DIM))


def _location(row: FlowRow, _now_ms: int) -> Cell:
    if row.is_gone:
        # A finished job's row is deleted, so its absence says nothing bad of a child that is done.
        return Cell("no row", Tone.DIM if row.word == "done" else Tone.WARN)
    if row.detail is None:
        return Cell("", Tone.DIM)
    where = row.detail.location
    return Cell("nowhere", Tone.BAD) if where is None else Cell(where.value)


def _waits(row: FlowRow, _now_ms: int) -> Cell:
    return number(None if row.detail is None else row.detail.waiting_for)


def _attempts(row: FlowRow, _now_ms: int) -> Cell:
    return number(None if row.detail is None else row.detail.job.attempts)


def _age(row: FlowRow, now_ms: int) -> Cell:
    return age(None if row.detail is None else row.detail.job.minted_ms, now_ms)


FLOW: tuple[Column[FlowRow], ...] = (
    left("job", "JOB", 20, 1, _job, "Parents above, children below", stretch=True),
    left("word", "FOR PARENT", 10, 2, _word, "What its parent knows of it"),
    left("location", "LOCATION", 8, 3, _location, "Where it lies"),
    right("waits", "WAITS", 5, 4, _waits, "Children it still waits for"),
    right("attempts", "ATT", 5, 5, _attempts, "Attempts: the fencing token"),
    right("age", "AGE", 6, 6, _age, "Since it was made"),
)
"""What the tree can show, from the left."""
