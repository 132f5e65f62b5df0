"""The queues of one server process: which are known, what was last read of each, which are to be read again."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from emqtop.meaning.queues import queue_of
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.sampling.clock import Clock
from emqtop.sampling.discovery import Discovery
from emqtop.sampling.plan import Reader, is_empty, read_counts, read_routed, reader
from emqtop.sampling.sighting import Sighting
from emqtop.wire.echomq.counts import CountsReader as EchoMQReader
from emqtop.wire.numbers import Counts
from emqtop.wire.resp import Burst, Conversation, text

_FOREVER_MS = 2**62
_ERROR_MS = 2000


@dataclass(slots=True)
class Entry:
    """One queue that is known."""

    reader: Reader
    """What reads it."""
    sighting: Sighting
    """What the sweep knows of it."""
    queue: Queue | None = None
    """Its last reading; None: not read yet."""
    counts: Counts | None = None
    """What that was made from."""
    changes_at_ms: int = 0
    """When its numbers change by the clock alone, on the server's clock."""
    empty_since: int | None = None
    """Number of whole sweeps when it was first read without any key; None: it has some."""


class Sampler:
    """What is known of one server process.

    Args:
        prefixes: key prefixes looked at.
        family: only this one; None: both.
    """

    def __init__(self, prefixes: tuple[str, ...], family: Family | None = None) -> None:
        self.clock = Clock()
        """The node's clock."""
        self.discovery = Discovery(prefixes, family)
        """The sweep that finds queues."""
        self.entries: dict[QueueId, Entry] = {}
        """Every queue known, by id."""
        self.lost: str | None = None
        """Why the process cannot be asked now, in words; None: it answers."""
        self.roots: dict[bytes, list[QueueId]] = {}
        """The queues at each root of keys."""
        self._order: list[QueueId] = []
        self._sorted = True
        self._table: tuple[Queue, ...] | None = None
        self._swept = 0

    def learn(self, only: Container[str] = ()) -> None:
        """Take over what the sweep met: new queues, lanes, held rows, and queues that are gone.

        Args:
            only: names to keep to; empty: all.
        """
        for queue, sighting in self.discovery.news().items():
            if not only or queue.name in only:
                self._learn(queue, sighting)
        if not self._sorted:
            # Nearly sorted already, and by tuples: ten thousand take a few ms.
            self._order.sort(key=attrgetter("family", "prefix", "name"))
            self._sorted = True
        if self._swept != self.discovery.sweeps:
            self._swept = self.discovery.sweeps
            self._drop_gone()

    def read(self, queues: Iterable[QueueId]) -> Burst[None]:
        """Read these queues: one round trip, a second where something new turned up."""
        chosen = [(queue, entry) for queue in queues if (entry := self.entries.get(queue)) is not None]
        yield from self._read(chosen)
        if again := [(queue, entry) for queue, entry in chosen if not entry.reader.settled]:
            yield from self._read(again)

    def queues(self) -> tuple[Queue, ...]:
        """The last reading of each queue, sorted by family, prefix and name; marked where it cannot be asked now."""
        if self._table is None:
            self._table = tuple(queue for each in self._order if (queue := self.entries[each].queue) is not None)
        return self._table if self.lost is None else tuple(replace(queue, error=self.lost) for queue in self._table)

    def is_scattered(self, queue: QueueId) -> bool:
        """Do its keys lie in several slots of a cluster, so that no single process can ever read it?"""
        base = self.entries[queue].sighting.trace.base
        return b"}" not in base.partition(b"{")[2][1:]

    def routed(self, queue: QueueId) -> Conversation[Counts]:
        """Its numbers by way of a client that follows redirections; `note` takes them over."""
        entry = self.entries[queue]
        return read_routed(entry.reader, entry.sighting.trace.base, self.clock.now_ms())

    def lanes_met(self, queue: QueueId) -> list[str]:
        """Groups of a queue's lanes that were met so far, also those that no book names."""
        entry = self.entries.get(queue)
        known = entry.reader.known_lanes if entry is not None and isinstance(entry.reader, EchoMQReader) else ()
        return list(map(text, known))

    def note(self, queue: QueueId, counts: Counts) -> None:
        """Take over a reading made by way of another process, which cannot tell when it changes."""
        self._note(queue, self.entries[queue], counts)
        self.entries[queue].changes_at_ms = 0

    def drop(self, queue: QueueId) -> None:
        """Forget a queue: it is gone, or another process has it now."""
        entry = self.entries.pop(queue)
        self._table = None
        self._order.remove(queue)
        self.discovery.forget(entry.sighting.trace.base)
        self.roots.pop(entry.sighting.trace.base, None)

    def _learn(self, queue: QueueId, sighting: Sighting) -> None:
        entry = self.entries.get(queue)
        if entry is None:
            entry = self.entries[queue] = Entry(reader(queue), sighting)
            self.roots.setdefault(sighting.trace.base, []).append(queue)
            self._order.append(queue)
            self._sorted = False
        if isinstance(entry.reader, EchoMQReader):
            if not sighting.lanes.issubset(entry.reader.known_lanes):
                entry.reader.know(sighting.lanes)
                entry.changes_at_ms = 0
            sighting.lanes.clear()
            if entry.queue is not None and entry.queue.held != _held(entry):
                entry.queue = replace(entry.queue, held=_held(entry))
                self._table = None

    def _read(self, chosen: Sequence[tuple[QueueId, Entry]]) -> Burst[None]:
        answers = yield from read_counts([entry.reader for _, entry in chosen], self.clock)
        for (queue, entry), counts in zip(chosen, answers, strict=True):
            if counts is not entry.counts:
                self._note(queue, entry, counts)

    def _note(self, queue: QueueId, entry: Entry, counts: Counts) -> None:
        self._table = None
        entry.counts = counts
        entry.queue = queue_of(queue, counts, _held(entry))
        # What was refused is not tracked, so nothing tells when it can be read.
        again = None if counts.error is None else self.clock.now_ms() + _ERROR_MS
        times = (counts.next_deadline_ms, counts.next_due_ms, again)
        entry.changes_at_ms = min((at for at in times if at is not None), default=_FOREVER_MS)
        if not is_empty(counts):
            entry.empty_since = None
        elif entry.empty_since is None:
            entry.empty_since = self.discovery.sweeps

    def _drop_gone(self) -> None:
        """A queue is gone once a whole sweep that began after it was read empty has not met a key of it."""
        done = self.discovery.sweeps
        for queue, entry in list(self.entries.items()):
            since = entry.empty_since
            if since is not None and done >= since + 2 and entry.sighting.sweep <= since + 1:
                self.drop(queue)


def _held(entry: Entry) -> int | None:
    """What the sweep knows; the other layout has a set for them."""
    met = entry.sighting.held_before if isinstance(entry.reader, EchoMQReader) else None
    return None if met is None else len(met)
