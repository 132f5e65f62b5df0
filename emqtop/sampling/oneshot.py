"""One look at a server for one-shot commands: blocking, and free of redis-py and asyncio on an ordinary server."""

import math
import sys
import time
from dataclasses import replace
from typing import Self, TypeVar

from emqtop.meaning.servers import server_of
from emqtop.model.queue import Family, QueueId
from emqtop.model.snapshot import Cost, Server, Snapshot
from emqtop.sampling.discovery import COUNT, FIRST_LOOK, Discovery
from emqtop.sampling.moment import INFO_WITHHELD, moment
from emqtop.sampling.outline import Outline
from emqtop.sampling.pace import MOST_COUNT, NEAR_MS, Pace, paced
from emqtop.sampling.sampler import Sampler
from emqtop.settings import ANY_PREFIX, Settings
from emqtop.wire.address import address_of
from emqtop.wire.bare import BareLink
from emqtop.wire.bare_client import BareClient
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import Conversation, ReplyError, ask_one
from emqtop.wire.server import facts, wire_version

T = TypeVar("T")

SWEEP_KEYS = 200_000
"""Keys of a process up to which each is looked at, so that counts of held jobs are exact."""
SEARCH_S = 10.0
"""How long the queues of a process are looked for at most, in seconds; without a search that is whole, this is said."""

_CALLS = 20
_TURNED_AWAY = ("ASK ", "MOVED ")


class UnknownQueue(LookupError):
    """There is no such queue."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no queue named {name!r}")
        self.name = name


class AmbiguousQueue(LookupError):
    """Several queues share the name."""

    def __init__(self, name: str, candidates: tuple[QueueId, ...]) -> None:
        which = ", ".join(f"--family {each.family} --prefix {each.prefix}" for each in candidates)
        super().__init__(f"several queues are named {name!r}: choose one of {which}")
        self.name = name
        self.candidates = candidates


class OneShot:
    """A connection for one command; a context manager.

    Args:
        settings: where, which prefixes, which family, which queues.

    Raises:
        BadAddress, Unreachable, LoginRefused, Frozen: on connecting.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.address = address_of(settings)
        self._family = Family(settings.family) if settings.family is not None else None
        self._client = BareClient(self.address, settings.timeout_s)
        self._nodes = [(link, Sampler(settings.prefixes, self._family)) for link in self._client.nodes]
        self._server: Server | None = None
        self._limits: dict[str, None] = dict.fromkeys(str(error) for error in self._client.lost)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; harmless when done twice."""
        self._client.close()

    def run(self, conversation: Conversation[T]) -> T:
        """Hold a conversation and return its result.

        Raises:
            Frozen, Unreachable: as `BareLink.run`.
        """
        return self._client.run(conversation)

    def sample(self, sweep_keys: int = SWEEP_KEYS, search_s: float = SEARCH_S) -> Snapshot:
        """All queues, now; may be called again and again, then it costs less.

        Args:
            sweep_keys: look at every key for queues and held jobs where there are no more of them; 0: at none, where
                only queues already found are read.
            search_s: how long to look for queues at most, in seconds, for each process.

        Raises:
            Frozen, Unreachable: the server cannot be asked.
        """
        before, began = self._client.spent(), time.perf_counter()
        if self._server is None:
            self._server = self._introduction()
        self._discover(sweep_keys, search_s)
        for link, sampler in self._nodes:
            link.hold(sampler.read(list(sampler.entries)))
        if len(self._nodes) > 1:
            self._read_scattered()
        wall_ms = (time.perf_counter() - began) * 1000
        commands, sent, received = (now - then for now, then in zip(self._client.spent(), before, strict=True))
        cost = Cost(commands, sent, received, wall_ms)
        told = moment([sampler for _, sampler in self._nodes], self._server, cost, limits=self._limits)
        return replace(told, swept=told.swept and not self._client.lost)

    def _read_scattered(self) -> None:
        """Queues without braces lie on all nodes of a cluster, those of a moving slot on two: read from wherever."""
        holders = {
            queue: sampler
            for _, sampler in self._nodes
            for queue, entry in sampler.entries.items()
            if entry.queue is not None
            and entry.queue.error is not None
            and (sampler.is_scattered(queue) or entry.queue.error.startswith(_TURNED_AWAY))
        }
        for queue, sampler in holders.items():
            sampler.note(queue, self._client.run(sampler.routed(queue)))

    def known_lanes(self, queue: QueueId) -> list[str]:
        """Lanes of a queue that the samples so far have met, also those that no book names."""
        return [group for _, sampler in self._nodes for group in sampler.lanes_met(queue)]

    def find(self, name: str, family: Family | None = None, prefix: str | None = None) -> QueueId:
        """The one queue of a name.

        Args:
            name: exact name, with the braces that BullMQ gives it.
            family: only this one; None: the settings' choice.
            prefix: only this one; None: those of the settings.

        Raises:
            UnknownQueue: there is none; the keyspace has been searched for it, for `SEARCH_S` at most.
            AmbiguousQueue: there are several.
            Frozen, Unreachable: the server cannot be asked.
        """
        families = [wanted] if (wanted := family or self._family) is not None else list(Family)
        prefixes = (prefix,) if prefix is not None else self.settings.prefixes
        candidates = [QueueId(each, start, name) for each in families for start in prefixes]
        is_any = ANY_PREFIX in prefixes
        found = [] if is_any else self._look_for(candidates)
        if not found:
            self._search(SWEEP_KEYS, SEARCH_S)
            found = self._named(name, families) if is_any else self._met(candidates)
        if not found:
            raise next(iter(self._client.lost), UnknownQueue(name))
        if len(found) > 1:
            raise AmbiguousQueue(name, tuple(sorted(found)))
        return found[0]

    def _look_for(self, candidates: list[QueueId]) -> list[QueueId]:
        for link, sampler in self._nodes:
            sampler.discovery.ask_for(candidates)
            link.hold(sampler.discovery.finish())
        return self._met(candidates)

    def _met(self, candidates: list[QueueId]) -> list[QueueId]:
        return [queue for queue in candidates if any(queue in each.discovery.queues() for _, each in self._nodes)]

    def _named(self, name: str, families: list[Family]) -> list[QueueId]:
        met = {queue for _, each in self._nodes for queue in each.discovery.queues()}
        return [queue for queue in met if queue.name == name and queue.family in families]

    def _discover(self, sweep_keys: int, search_s: float) -> None:
        names = self.settings.queues
        for link, sampler in self._nodes if names else ():
            sampler.discovery.ask_for_names(names)
            link.hold(sampler.discovery.finish())
        self._search(sweep_keys, search_s)
        for _, sampler in self._nodes:
            sampler.learn(only=names)

    def _search(self, sweep_keys: int, search_s: float) -> None:
        """All keys of a small near keyspace; else the outline first, and then all keys where they are not too many."""
        for link, sampler in self._nodes if sweep_keys else ():
            discovery, end_s = sampler.discovery, time.monotonic() + search_s
            is_small = _size(link) <= sweep_keys
            if not is_small or link.rtt_ms > NEAR_MS:
                self._look(link, discovery, FIRST_LOOK, end_s - search_s / 2)
                self._draw_outline(link, discovery, end_s)
            if is_small:
                self._sweep(link, discovery, end_s)
            if search_s >= SEARCH_S and not discovery.is_whole and discovery.refused is None:
                self._limits[f"the search for queues ended after {search_s:g} s: there may be more"] = None

    def _look(self, link: BareLink, discovery: Discovery, calls: int, end_s: float) -> None:
        pace = Pace(COUNT if calls == FIRST_LOOK else MOST_COUNT)
        link.run(paced(discovery.look, pace, link, calls, end_s))
        link.hold(discovery.finish())
        discovery.restart()

    def _draw_outline(self, link: BareLink, discovery: Discovery, end_s: float) -> None:
        outline, pace, begun = Outline(discovery, counts_held=False), Pace(MOST_COUNT), discovery.outlines
        while discovery.outlines == begun and time.monotonic() < end_s:
            link.run(paced(outline.walk, pace, link, _CALLS, end_s))
            link.hold(discovery.finish())
            if outline.refused:
                self._look(link, discovery, sys.maxsize, end_s)
                return

    def _sweep(self, link: BareLink, discovery: Discovery, end_s: float) -> None:
        pace, begun = Pace(), discovery.sweeps
        while discovery.sweeps == begun and discovery.refused is None and time.monotonic() < end_s:
            link.run(paced(discovery.walk, pace, link, _CALLS, end_s))
            link.hold(discovery.finish())

    def _introduction(self) -> Server:
        told = self._client.run(facts())
        if told.withheld is not None:
            self._limits[INFO_WITHHELD] = None
        return server_of(self.address.label, told, self._version())

    def _version(self) -> str | None:
        try:
            return self._client.run(wire_version())
        except SourceError:
            # The node of a cluster that holds it may be lost, which is no reason to lose the numbers of the others.
            if not self._client.lost:
                raise
            return None


def _size(link: BareLink) -> float:
    """How many keys a process holds; as many as can be where it does not say."""
    try:
        size = link.run(ask_one("DBSIZE"))
    except ReplyError:
        return math.inf
    return size if isinstance(size, int) else math.inf
