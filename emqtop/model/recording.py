"""Snapshots as lines of text and back: what changed since the line before, one JSON document a line.

The first line says what the file is. A line names the queues that changed or appeared, whole, and those that went, so
that an idle queue costs nothing; every 60th line is whole, so that a file with a damaged part goes on behind it. A line
may say instead that the server could not be asked, and why.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.snapshot import EMPTY, Cost, Server, Snapshot

FORMAT = 1
"""Version of the lines."""

_WHOLE_EVERY = 60
_NUMBERS = tuple(field.name for field in fields(Queue) if field.name != "id")
_HEADER = {"emqtop-recording": FORMAT}


class BadRecording(ValueError):
    """This is no recording of emqtop."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"no recording of emqtop: {problem}")


class Recorder:
    """Makes the lines of a file, snapshot after snapshot.

    Args:
        header: does the file still want the line that says what it is?
    """

    def __init__(self, header: bool = True) -> None:
        self._header = [_dump(_HEADER)] if header else []
        self._last: dict[QueueId, Queue] = {}
        self._written = 0

    def lines(self, snapshot: Snapshot) -> list[str]:
        """What to append for a snapshot, without line ends: one line, the first time the header before it."""
        whole = self._written % _WHOLE_EVERY == 0
        before = {} if whole else self._last
        queues = {queue.id: queue for queue in snapshot.queues}
        changed = [_plain(queue) for id_, queue in queues.items() if before.get(id_) != queue]
        line: dict[str, Any] = {
            "at_ms": snapshot.at_ms,
            "clock": snapshot.clock,
            "swept": snapshot.swept,
            "mode": snapshot.mode,
            "limits": snapshot.limits,
            "server": asdict(snapshot.server),
            "cost": asdict(snapshot.cost),
            "queues": changed,
        }
        if whole:
            line["whole"] = True
        else:
            line["gone"] = [_name(id_) for id_ in before if id_ not in queues]
        self._last, self._written = queues, self._written + 1
        return [*self._take_header(), _dump(line)]

    def gap(self, at_ms: int, words: str) -> list[str]:
        """What to append where there is no snapshot: when, Unix ms, and why. The next snapshot is written whole."""
        self._written = 0
        return [*self._take_header(), _dump({"at_ms": at_ms, "lost": words})]

    def _take_header(self) -> list[str]:
        header, self._header = self._header, []
        return header


@dataclass(frozen=True, slots=True)
class _Step:
    """One line as read."""

    snapshot: Snapshot
    """Without its queues."""
    changed: tuple[Queue, ...] = ()
    gone: frozenset[QueueId] = frozenset()
    whole: bool = False
    lost: str = ""
    """Why there was none; the queues are those of the step before."""


class Recording:
    """Snapshots that were recorded, by their number.

    Keeps what changed, not the snapshots: going on is cheap, going back starts from the last whole line.

    Args:
        lines: the file, line by line.

    Raises:
        BadRecording: the first line is another file's, or no snapshot follows.

    Attributes:
        damaged: lines that could not be read, such as the last one of a recording that was killed.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        rest = iter(lines)
        self.check(next(rest, ""))
        self.damaged = 0
        self._steps = tuple(self._read(rest))
        if not self._steps:
            raise BadRecording("it holds no snapshot")
        self._at = -1
        self._queues: dict[QueueId, Queue] = {}

    @staticmethod
    def check(first: str) -> None:
        """Look whether a first line begins a recording.

        Raises:
            BadRecording: it does not, or one of another version.
        """
        try:
            header = json.loads(first)
        except (ValueError, RecursionError):
            header = None
        version = header.get("emqtop-recording") if isinstance(header, dict) else None
        if version is None:
            raise BadRecording("its first line does not say that it is one")
        if version != FORMAT:
            raise BadRecording(f"its format is {version}, this emqtop reads {FORMAT}")

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def times_ms(self) -> tuple[int, ...]:
        """When each snapshot was taken, Unix ms."""
        return tuple(step.snapshot.at_ms for step in self._steps)

    def lost(self, number: int) -> str:
        """Why the server could not be asked at this number; empty where it could, and its snapshot is of then."""
        return self._steps[number].lost

    def snapshot(self, number: int) -> Snapshot:
        """The snapshot with this number, 0 the first; where the server was lost, the one before with a later time.

        Raises:
            IndexError: there is none.
        """
        if not 0 <= number < len(self._steps):
            raise IndexError(number)
        begin = next(at for at in range(number, -1, -1) if self._steps[at].whole or at == 0)
        if begin <= self._at < number:
            begin = self._at + 1
        if self._at != number:
            for step in self._steps[begin : number + 1]:
                self._take(step)
            self._at = number
        moment = self._steps[number].snapshot
        return Snapshot(
            at_ms=moment.at_ms,
            clock=moment.clock,
            server=moment.server,
            queues=tuple(self._queues[id_] for id_ in sorted(self._queues)),
            swept=moment.swept,
            cost=moment.cost,
            mode=moment.mode,
            limits=moment.limits,
        )

    def _take(self, step: _Step) -> None:
        if step.whole:
            self._queues = {}
        for id_ in step.gone:
            self._queues.pop(id_, None)
        self._queues.update((queue.id, queue) for queue in step.changed)

    def _read(self, lines: Iterable[str]) -> Iterator[_Step]:
        wanted_whole = True
        same: dict[QueueId, Queue] = {}
        before = EMPTY
        for line in lines:
            try:
                document = json.loads(line)
                # A second header begins where recording into the same file was taken up again.
                if document == _HEADER:
                    continue
                step = _gap(document, before) if "lost" in document else _step(document, same)
            except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
                self.damaged += 1
                wanted_whole = True
                continue
            # A line that tells changes means nothing without the one before it.
            if step.whole or step.lost or not wanted_whole:
                wanted_whole = wanted_whole and not step.whole
                before = step.snapshot
                yield step
            else:
                self.damaged += 1


def _dump(document: object) -> str:
    return json.dumps(document, separators=(",", ":"))


def _name(queue: QueueId) -> list[str]:
    return [str(queue.family), queue.prefix, queue.name]


def _queue_id(name: list[str]) -> QueueId:
    family, prefix, queue = name
    return QueueId(Family(family), str(prefix), str(queue))


def _plain(queue: Queue) -> dict[str, Any]:
    known = {name: value for name in _NUMBERS if (value := getattr(queue, name)) is not None}
    return {"id": _name(queue.id), **known}


def _queue(plain: dict[str, Any]) -> Queue:
    return Queue(_queue_id(plain["id"]), **{name: plain[name] for name in _NUMBERS if name in plain})


def _step(line: dict[str, Any], same: dict[QueueId, Queue]) -> _Step:
    """The step of a line; a queue that is as it was last stands once in memory, whole lines or not."""
    snapshot = Snapshot(
        at_ms=int(line["at_ms"]),
        clock=str(line["clock"]),
        server=Server(**_only(Server, line["server"])),
        swept=bool(line["swept"]),
        cost=Cost(**_only(Cost, line["cost"])),
        mode=str(line["mode"]),
        limits=tuple(map(str, line["limits"])),
    )
    changed = []
    for queue in map(_queue, line["queues"]):
        if same.get(queue.id) != queue:
            same[queue.id] = queue
        changed.append(same[queue.id])
    return _Step(
        snapshot,
        tuple(changed),
        frozenset(map(_queue_id, line.get("gone", ()))),
        bool(line.get("whole", False)),
    )


def _gap(line: dict[str, Any], before: Snapshot) -> _Step:
    return _Step(replace(before, at_ms=int(line["at_ms"]), cost=Cost()), lost=str(line["lost"]) or "lost")


def _only(kind: type[Server | Cost], plain: dict[str, Any]) -> dict[str, Any]:
    """The fields that this version knows; a later one may have written more."""
    known = {field.name for field in fields(kind)}
    return {name: value for name, value in plain.items() if name in known}
