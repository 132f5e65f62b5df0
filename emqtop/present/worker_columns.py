"""The columns of the workers of a queue."""

from emqtop.model.queue import Family
from emqtop.model.team import Tie, Worker
from emqtop.present.cells import UNKNOWN, number
from emqtop.present.columns import Cell, Column, Tone, left, right
from emqtop.text import safe
from emqtop.units import count, duration

_TIES = {
    Tie.WAIT: Cell("waits, queue not told", Tone.DIM),
    Tie.GONE: Cell("no such connection", Tone.WARN),
    Tie.JOBS: Cell("holds jobs", Tone.GOOD),
    Tie.LOCKS: Cell("known by its locks", Tone.DIM),
}


def _mark(worker: Worker, _now_ms: int) -> Cell:
    if worker.lapsed:
        return Cell("!", Tone.BAD)
    if worker.tie not in {Tie.NAME, Tie.JOBS}:
        return Cell("?", Tone.WARN if worker.tie is Tie.GONE else Tone.DIM)
    return Cell("·", Tone.DIM) if worker.waits and not worker.holds else Cell(">", Tone.GOOD)


def _name(worker: Worker, _now_ms: int) -> Cell:
    if worker.name is None:
        return Cell("no name", Tone.DIM)
    return Cell(safe(worker.name), Tone.DIM if worker.tie is Tie.WAIT else Tone.PLAIN)


def _state(worker: Worker, _now_ms: int) -> Cell:
    if worker.tie is Tie.NAME:
        return Cell("waits for a job", Tone.DIM) if worker.waits else Cell("does not wait", Tone.GOOD)
    if worker.tie is Tie.LOCKS and worker.name is None:
        return Cell("no lock tells who", Tone.BAD)
    return _TIES[worker.tie]


def _holds(worker: Worker, _now_ms: int) -> Cell:
    """Jobs, of which workers of one name cannot be told apart."""
    if worker.holds and worker.namesakes > 1:
        return Cell(f"<={count(worker.holds)}")
    return number(worker.holds)


def _time(seconds: int | None) -> Cell:
    return UNKNOWN if seconds is None else Cell(duration(seconds * 1_000))


def _text(text: str | None) -> Cell:
    return Cell(safe(text), Tone.DIM) if text else UNKNOWN


_HELD: tuple[Column[Worker], ...] = (
    right("holds", "HOLDS", 7, 4, _holds, "Running jobs that are marked as its own; <= where others have its name"),
    right("lapsed", "LAPSED", 6, 6, lambda worker, _: number(worker.lapsed, Tone.BAD), "Those without a live lock"),
)
"""What the jobs of EchoMQ do not tell."""


def worker_columns(family: Family) -> tuple[Column[Worker], ...]:
    """What can be told of a worker, from the left."""
    return (
        left("mark", "S", 1, 2, _mark, "> has work, · waits, ! holds lapsed jobs, ? nobody knows where or who it is"),
        left("worker", "WORKER", 12, 1, _name, "Name", stretch=True),
        left("state", "STATE", 21, 3, _state, "Does it wait for a job, or what is known of it at all"),
        *(_HELD if family is Family.BULLMQ else ()),
        right("idle", "IDLE", 6, 5, lambda worker, _: _time(worker.idle_s), "Since its last command"),
        right("age", "AGE", 6, 7, lambda worker, _: _time(worker.age_s), "Since it connected"),
        left("address", "ADDRESS", 21, 8, lambda worker, _: _text(worker.address), "Where it calls from"),
        left("library", "LIBRARY", 16, 9, lambda worker, _: _text(worker.library), "Client library"),
    )
