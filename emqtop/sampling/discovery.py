"""Which queues are there: read out of any key's name, first from a random sample, then from a sweep that never ends.

A SCAN walks in hash order, so its first calls are a random sample, and every job's key names its queue: half a percent
of a keyspace finds nearly every queue that has jobs. Behind it `emqtop.sampling.outline` finds those that a large one
hides; the sweep over all keys finds the rest, forgets what is gone, and counts the rows that wait for children, which
stand in no set.
"""

from collections.abc import Iterable

from emqtop.model.queue import Family, QueueId
from emqtop.sampling.sighting import COUNTER, HELD, Sighting, ask_state
from emqtop.settings import ANY_PREFIX, DEFAULT_PREFIXES
from emqtop.wire.errors import check_ready, is_withheld
from emqtop.wire.family import Evidence, Layout, Trace, settle, trace, trace_any
from emqtop.wire.replies import blobs, scan_step
from emqtop.wire.resp import Ask, Burst, Conversation, Reply, ReplyError, pack, raw, text

FIRST_LOOK = 50
"""Calls of the first look."""
COUNT = 100
"""Keys per call of the first look near a server: a call stays under 0.3 ms."""
_MOST_GUESSES = 10_000
_STRONG = {Evidence.ECHOMQ: Layout.ECHOMQ, Evidence.BULLMQ: Layout.BULLMQ}


class Discovery:
    """The queues of one server process, as far as they have been met.

    Args:
        prefixes: key prefixes looked at; `*` stands for every prefix, learned from the queues' `meta` keys.
        family: only this one; None: both.
    """

    def __init__(self, prefixes: tuple[str, ...], family: Family | None = None) -> None:
        self.sweeps = 0
        """Whole sweeps so far."""
        self.outlines = 0
        """Whole outlines so far."""
        self.keys = 0
        """Keys met by the running sweep."""
        self.keys_before = 0
        """Keys met by the last whole sweep."""
        self.refused: str | None = None
        """The server's words where it withholds SCAN."""
        self.thorough = True
        """Look at every row for those that wait for children; else only at those with a counter of children."""
        self.any_prefix = ANY_PREFIX in prefixes
        """Are prefixes learned?"""
        named = (*prefixes, *DEFAULT_PREFIXES) if self.any_prefix else prefixes
        self._named = tuple(raw(prefix) for prefix in dict.fromkeys(named) if prefix != ANY_PREFIX)
        self._prefixes = self._named
        self._learned = False
        self._family = family
        self._cursor = b"0"
        self._ended = False
        self._rows: list[bytes] = []
        self._seen: dict[bytes, Sighting] = {}
        self._guesses: dict[bytes, Trace] = {}
        self._wrong: set[bytes] = set()
        self._news: dict[bytes, Sighting] = {}

    @property
    def found(self) -> int:
        """How many roots of queues were met."""
        return len(self._seen)

    @property
    def is_whole(self) -> bool:
        """Has every queue been met that has jobs in a set or a list?"""
        return bool(self.sweeps or self.outlines)

    @property
    def at_start(self) -> bool:
        """Is the next call the first of a sweep?"""
        return self._cursor == b"0"

    def queues(self) -> dict[QueueId, Sighting]:
        """Every queue met, by its id."""
        return self._queues_of(self._seen.values())

    def news(self) -> dict[QueueId, Sighting]:
        """The queues of which something is new since the last time."""
        news, self._news = self._news, {}
        return self._queues_of(news.values())

    def _queues_of(self, sightings: Iterable[Sighting]) -> dict[QueueId, Sighting]:
        found = ((queue, sighting) for sighting in sightings for queue in sighting.queues())
        return {queue: sighting for queue, sighting in found if self._family in {None, queue.family}}

    def look(self, calls: int, count: int = COUNT) -> Conversation[bool]:
        """Go on as `walk` does, for the names alone: no row is asked for its state, and no sweep ends by it."""
        for _ in range(calls):
            (reply,) = yield Ask(pack("SCAN", self._cursor, "COUNT", count), 1)
            check_ready((reply,))
            self._take(reply)
            self._rows.clear()
            if self.at_start:
                break
        return self.at_start

    def meet(self, keys: Iterable[bytes]) -> None:
        """Read the names of keys that another walk met; `finish` tells what they leave open."""
        for key in keys:
            self._meet(key)
        self._rows.clear()

    def knows(self, base: bytes) -> bool:
        """Is it settled what stands at this root?"""
        return base in self._seen or base in self._wrong

    def known_held(self) -> set[bytes]:
        """Row keys that waited for children when they were last looked at."""
        return {row for sighting in self._seen.values() for row in sighting.held_before or ()}

    def owner(self, row: bytes) -> Sighting | None:
        """Whose row a key is; None: of no queue that was met."""
        found = trace(row, self._prefixes)
        return None if found is None else self._seen.get(found.base)

    def close_outline(self, told: dict[bytes, Reply] | None) -> None:
        """Count an outline that is whole.

        Args:
            told: the state of each row that may wait for children, as the server told it; None: not asked.
        """
        self.outlines += 1
        if told is None:
            return
        held: dict[bytes, set[bytes]] = {base: set() for base in self._seen}
        blind: set[bytes] = set()
        for row, state in told.items():
            refused = is_withheld(state)
            if (state == HELD or refused) and (sighting := self.owner(row)) is not None:
                blind.update([sighting.trace.base] if refused else [])
                held[sighting.trace.base].add(row)
        for base, sighting in self._seen.items():
            sighting.held_before = None if base in blind else held[base]
        self._news = dict(self._seen)

    def restart(self) -> None:
        """Let the sweep begin anew."""
        self._cursor = b"0"
        self.keys = 0

    def walk(self, calls: int, count: int = COUNT) -> Conversation[bool]:
        """Go on with the sweep: one round trip a call, and one more where the last met rows; then `finish`.

        Returns: has it come to its end?

        Args:
            calls: how many; fewer where the sweep ends.
            count: keys per call.

        Raises:
            NotNow: the server as a whole cannot answer now.
        """
        for _ in range(calls):
            rows, self._rows = self._rows, []
            scan = pack("SCAN", self._cursor, "COUNT", count)
            reply, *told = yield Ask(scan + b"".join(map(ask_state, rows)), 1 + len(rows))
            check_ready((reply,))
            self._note_held(rows, told)
            self._take(reply)
            if self.at_start:
                self._ended = self.refused is None
                break
        rows, self._rows = self._rows, []
        if rows:
            self._note_held(rows, (yield Ask(b"".join(map(ask_state, rows)), len(rows))))
        return self.at_start

    def finish(self) -> Burst[None]:
        """Tell what the keys met are, where their names leave it open; the end of `walk` and of `ask_for`."""
        guesses = [found for base, found in self._guesses.items() if base not in self._seen]
        self._guesses = {}
        strange = {found.base for found in guesses if found.prefix not in self._prefixes}
        settled = yield from settle([found.base for found in guesses], strange)
        for found, layouts in zip(guesses, settled, strict=True):
            if layouts:
                self._learn_prefix(found.prefix)
                self._sight(found, *layouts)
            else:
                self._wrong.add(found.base)
        if self._ended:
            self._close_sweep()

    def ask_for(self, queues: Iterable[QueueId]) -> None:
        """Let `finish` look for queues by their names, instead of a sweep."""
        for queue in queues:
            prefix, name = raw(queue.prefix), raw(queue.name)
            base = prefix + b":" + (b"{" + name + b"}" if queue.family is Family.ECHOMQ else name) + b":"
            if base not in self._seen:
                self._guesses[base] = Trace(prefix, base, Evidence.MAYBE, b"")

    def ask_for_names(self, names: Iterable[str]) -> None:
        """The same for every queue that may have one of these names."""
        families = list(Family) if self._family is None else [self._family]
        pairs = [(family, text(prefix)) for family in families for prefix in self._prefixes]
        self.ask_for(QueueId(*pair, name) for name in names for pair in pairs)

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, ReplyError):
            self.refused = str(reply)
            self._cursor = b"0"
            return
        self.refused = None
        self._cursor, keys = scan_step(reply)
        met = blobs(keys)
        self.keys += len(met)
        for key in met:
            self._meet(key)

    def _meet(self, key: bytes) -> None:
        end = key.find(b"}:")
        known = self._seen.get(key[: end + 2]) if end > 0 else None
        # Most keys are rows of queues already known; they never reach the grammar.
        if known is not None and known.layouts and key.startswith(b"job:", end + 2):
            known.sweep = self.sweeps + 1
            self._note_row(known, key, key[end + 6 :])
            return
        found = trace(key, self._prefixes)
        if self.any_prefix and (strange := self._strange(key, found)) is not None:
            self.forget(strange.base)
            found = strange
        if found is None:
            return
        if (layout := _STRONG.get(found.evidence)) is None:
            self._note_weak(found)
            return
        sighting = self._sight(found, layout)
        if found.part.startswith(b"job:"):
            self._note_row(sighting, key, found.part[4:])
        elif layout is Layout.ECHOMQ and found.part.startswith(b"g:"):
            sighting.lanes.add(found.part[2:].removesuffix(b":pending"))
            self._news[found.base] = sighting

    def _strange(self, key: bytes, found: Trace | None) -> Trace | None:
        """A queue whose prefix is to be learned; what a prefix fits that was named is that one's, colons and all."""
        if found is not None and found.prefix in self._named:
            return None
        strange = trace_any(key)
        return None if strange is None or strange.prefix in self._prefixes or strange.base in self._wrong else strange

    def _note_weak(self, found: Trace) -> None:
        if (known := self._seen.get(found.base)) is not None:
            known.sweep = self.sweeps + 1
        elif found.base not in self._wrong and len(self._guesses) + len(self._wrong) < _MOST_GUESSES:
            self._guesses[found.base] = found

    def _note_row(self, sighting: Sighting, key: bytes, job: bytes) -> None:
        if b":" not in job:
            if self.thorough or key in (sighting.held_before or ()):
                self._rows.append(key)
        elif not self.thorough and job.endswith(COUNTER):
            self._rows.append(key.removesuffix(COUNTER))

    def _note_held(self, rows: list[bytes], states: list[Reply]) -> None:
        for row, state in zip(rows, states, strict=True):
            refused = is_withheld(state)
            if (state == HELD or refused) and (sighting := self.owner(row)) is not None:
                sighting.is_blind = sighting.is_blind or refused
                sighting.held.add(row)

    def _sight(self, found: Trace, *layouts: Layout) -> Sighting:
        sighting = self._seen.get(found.base)
        if sighting is None:
            sighting = self._seen[found.base] = Sighting(found)
        sighting.sweep = self.sweeps + 1
        if not sighting.layouts.issuperset(layouts):
            sighting.layouts.update(layouts)
            self._news[found.base] = sighting
        return sighting

    def _learn_prefix(self, prefix: bytes) -> None:
        if prefix not in self._prefixes:
            self._prefixes = (*self._prefixes, prefix)
            self._learned = True

    def _close_sweep(self) -> None:
        if self._learned:
            # The keys that were met before their prefix was known are met again.
            self._learned = self._ended = False
            self.restart()
            return
        self.sweeps += 1
        self.keys_before, self.keys = self.keys, 0
        self._ended = False
        self._wrong = set()
        for sighting in self._seen.values():
            sighting.held_before = None if sighting.is_blind else sighting.held
            sighting.held, sighting.is_blind = set(), False
        self._news = dict(self._seen)

    def forget(self, base: bytes) -> None:
        """Drop a root whose queue is gone."""
        self._seen.pop(base, None)
        self._news.pop(base, None)
