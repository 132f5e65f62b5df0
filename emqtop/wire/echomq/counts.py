"""The numbers of one EchoMQ queue by plain reads: one round trip, a second where something new turned up.

A queue without lanes costs eleven commands. What only some queues need is asked of those alone: the counts of leases
past their deadline and of jobs past their time, and the lanes. A reader remembers what its queue needed last time and
asks for that at once, so further trips come only with a change.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from emqtop.wire.echomq.branded_id import minted_ms
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.request_template import ROOT, filled, template
from emqtop.wire.numbers import Counts
from emqtop.wire.replies import blobs, first_named_error, items, score_ms, whole
from emqtop.wire.resp import Reply, ReplyError, pack, text

_NEVER_MS = 2**62
_FLAT_REPLIES = 11
_LANE_KEYS = ("ring", "paused", "gactive", "glimit", "gweight")


class CountsReader:
    """Reads one queue again and again.

    Args:
        keys: which queue.
    """

    def __init__(self, keys: QueueKeys) -> None:
        self.keys = keys
        self.settled = True
        """Are all lanes counted? Not when their names came with the last answer: then read again at once."""
        self._lanes: dict[bytes, bytes] = {}
        self._late = False
        self._last: tuple[list[Reply], Counts, int] = ([], Counts(), 0)
        self._flat = b""
        self.stand: list[Reply] | None = None
        """What `check` is answered while all is as it was last read; None: only a reading tells."""

    def ask(self, now_ms: int) -> tuple[bytes, int]:
        """The first step: bytes to send, and how many replies they bring.

        Args:
            now_ms: server's clock.
        """
        # Made at the first use: ten thousand readers at once would hold up a screen.
        self._flat = self._flat or filled(_FLAT, self.keys.base)
        request, replies = self._flat, _FLAT_REPLIES
        if self._late:
            request, replies = request + _past(self.keys, now_ms), replies + 2
        if self._lanes:
            request, replies = request + _groups(self.keys), replies + 5
            request, replies = request + b"".join(self._lanes.values()), replies + 2 * len(self._lanes)
        return request, replies

    def follow_up(self, replies: list[Reply], now_ms: int) -> "FollowUp | Counts":
        """The second step, made from the answers of the first; for the answers of last time, the same numbers at once.

        Args:
            replies: of `ask`, errors in their place.
            now_ms: server's clock, as in `ask`.
        """
        answered, counts, until_ms = self._last
        if replies == answered and now_ms < until_ms:
            return counts
        sizes = replies[_FLAT_REPLIES + 2 * self._late + len(_LANE_KEYS) :: 2] if self._lanes else ()
        self.stand = [*(replies[at] for at in _CHECKED), *sizes]
        rest = iter(replies[_FLAT_REPLIES:])
        first = _First(replies, replies[:_FLAT_REPLIES], None, [], [])
        if self._late:
            first.past = [next(rest), next(rest)]
        if self._lanes:
            first.groups = [next(rest) for _ in _LANE_KEYS]
            first.lanes = [(next(rest), next(rest)) for _ in self._lanes]
        return FollowUp(self, first, now_ms)

    def check(self) -> tuple[bytes, int]:
        """Half a reading, to learn whether a whole one brings other numbers: bytes to send, and how many replies."""
        lanes = b"".join(pack("ZCARD", self.keys.found_lane(group)) for group in self._lanes)
        return filled(_CHECK, self.keys.base) + lanes, len(_CHECKED) + len(self._lanes)

    def know(self, groups: Iterable[bytes]) -> None:
        """Count these lanes too: a sweep met their keys."""
        self.stand = None
        for group in groups:
            if group not in self._lanes:
                self._lanes[group] = _lane(self.keys, group)

    def remember(self, *, late: bool, groups: Iterable[bytes], settled: bool) -> None:
        """Ask for these from now on; called by the second step once it knows."""
        self._late = late
        self.settled = settled
        before = tuple(self._lanes)
        self._lanes = {group: self._lanes.get(group) or _lane(self.keys, group) for group in groups}
        if tuple(self._lanes) != before:
            self.stand = None

    def keep(self, replies: list[Reply], counts: Counts, until_ms: int) -> None:
        """Give these numbers again for the same answers, until the clock alone can change them."""
        self._last = (replies, counts, until_ms)

    @property
    def known_lanes(self) -> tuple[bytes, ...]:
        """Groups whose lanes are counted in the first step, in its order."""
        return tuple(self._lanes)


@dataclass(slots=True)
class _First:
    """The answers of the first step, by what was asked."""

    all: list[Reply]
    flat: list[Reply]
    past: list[Reply] | None
    groups: list[Reply]
    lanes: list[tuple[Reply, Reply]]


class FollowUp:
    """The second step of one reading: `request` may be empty, then `decode([])` is the whole answer."""

    def __init__(self, reader: CountsReader, first: _First, now_ms: int) -> None:
        self._reader = reader
        self._first = first
        self._known = reader.known_lanes
        self._deadline = _earliest(first.flat[3])
        self._due = _earliest(first.flat[5])
        self._is_late = any(at is not None and at <= now_ms for at in (self._deadline, self._due))
        # Group ids come with the lists only; a flat queue in which they appear is asked for them first.
        self._wants_groups = not first.groups and whole(first.flat[10]) != 0
        self._new = [group for group in _met(first.groups) if group not in self._known]
        self._wants_past = self._is_late and first.past is None
        self.request = b""
        """Bytes to send."""
        self.replies = 0
        """How many replies they bring."""
        if self._wants_past:
            self._add(_past(reader.keys, now_ms), 2)
        if self._wants_groups:
            self._add(_groups(reader.keys), 5)
        for group in self._new:
            self._add(_lane(reader.keys, group), 2)

    def decode(self, replies: list[Reply]) -> Counts:
        """The numbers of the queue; what the second step did not answer stays as the first one knew it."""
        rest = iter(replies)
        past = [next(rest), next(rest)] if self._wants_past else self._first.past
        groups = [next(rest) for _ in _LANE_KEYS] if self._wants_groups else self._first.groups
        lanes = [*self._first.lanes, *((next(rest), next(rest)) for _ in self._new)]
        sizes = [whole(size) for size, _ in lanes]
        self._remember(groups, sizes)
        error = self._error(past, groups, lanes)
        counts = self._counts(past, sizes, _oldest([self._first.flat[1], *(first for _, first in lanes)]), error)
        if not self._is_late and not self.replies:
            self._reader.keep(self._first.all, counts, min(self._deadline or _NEVER_MS, self._due or _NEVER_MS))
        return counts

    def _counts(
        self, past: list[Reply] | None, sizes: list[int | None], oldest: int | None, error: str | None
    ) -> Counts:
        pending, _, active, _, schedule, _, dead, paused, completed, failed, _ = self._first.flat
        known = [size for size in sizes if size is not None]
        waiting = whole(pending)
        overdue, due = (whole(reply) for reply in past) if past is not None and self._is_late else (0, 0)
        return Counts(
            pending=None if waiting is None else waiting + sum(known),
            lanes=sum(known),
            active=whole(active),
            schedule=whole(schedule),
            dead=whole(dead),
            completed=_counter(completed),
            failed=_counter(failed),
            overdue=None if isinstance(active, ReplyError) else overdue,
            due=None if isinstance(schedule, ReplyError) else due,
            paused=None if whole(paused) is None else whole(paused) == 1,
            next_deadline_ms=self._deadline,
            next_due_ms=self._due,
            oldest_pending_ms=oldest,
            error=error,
        )

    def _error(self, past: list[Reply] | None, groups: list[Reply], lanes: list[tuple[Reply, Reply]]) -> str | None:
        """The first refusal, but of the one read of several keys: where that fails, the lists themselves are read."""
        if not any(ReplyError in map(type, replies) for replies in (self._first.flat, past or (), groups, *lanes)):
            return None
        names = [f"g:{text(group)}:pending" for group in (*self._known, *self._new)]
        told = (
            zip(_PARTS, self._first.flat, strict=False),
            zip(("active", "schedule"), past or (), strict=False),
            zip(_LANE_KEYS, groups, strict=False),
            *(((name, size), (name, first)) for name, (size, first) in zip(names, lanes, strict=True)),
        )
        return first_named_error(chain.from_iterable(told))

    def _remember(self, groups: list[Reply], sizes: list[int | None]) -> None:
        if not (groups or sizes):
            self._reader.remember(late=self._is_late, groups=(), settled=True)
            return
        met = dict.fromkeys(_met(groups))
        filled = (group for group, size in zip([*self._known, *self._new], sizes, strict=True) if size)
        settled = not self._wants_groups or not met
        self._reader.remember(late=self._is_late, groups=dict.fromkeys([*met, *filled]), settled=settled)

    def _add(self, request: bytes, replies: int) -> None:
        self.request += request
        self.replies += replies


_COMMANDS = (
    (b"ZCARD", ROOT + b"pending"),
    (b"ZRANGE", ROOT + b"pending", b"0", b"0"),
    (b"ZCARD", ROOT + b"active"),
    (b"ZRANGE", ROOT + b"active", b"0", b"0", b"WITHSCORES"),
    (b"ZCARD", ROOT + b"schedule"),
    (b"ZRANGE", ROOT + b"schedule", b"0", b"0", b"WITHSCORES"),
    (b"ZCARD", ROOT + b"dead"),
    (b"HEXISTS", ROOT + b"meta", b"paused"),
    (b"HGET", ROOT + b"metrics:completed", b"count"),
    (b"HGET", ROOT + b"metrics:failed", b"count"),
    (b"EXISTS", *(ROOT + part.encode() for part in _LANE_KEYS)),
)
_PARTS = tuple(key.removeprefix(ROOT).decode() for _, key, *_ in _COMMANDS[:-1])
_CHECKED = tuple(at for at, (verb, *_) in enumerate(_COMMANDS) if verb in {b"ZCARD", b"HEXISTS", b"HGET"})
_FLAT = template(_COMMANDS)
_CHECK = template(_COMMANDS[at] for at in _CHECKED)


def _past(keys: QueueKeys, now_ms: int) -> bytes:
    return pack("ZCOUNT", keys.active, "-inf", now_ms) + pack("ZCOUNT", keys.schedule, "-inf", now_ms)


def _groups(keys: QueueKeys) -> bytes:
    """Everywhere that a lane's name stands; one that drifted out of all of them is met by a sweep."""
    return b"".join(
        (
            pack("LRANGE", keys.part("ring"), 0, -1),
            pack("SMEMBERS", keys.part("paused")),
            *(pack("HKEYS", keys.part(part)) for part in ("gactive", "glimit", "gweight")),
        )
    )


def _lane(keys: QueueKeys, group: bytes) -> bytes:
    lane = keys.found_lane(group)
    return pack("ZCARD", lane) + pack("ZRANGE", lane, 0, 0)


def _met(groups: list[Reply]) -> Iterator[bytes]:
    return iter(dict.fromkeys(group for reply in groups for group in blobs(reply)))


def _earliest(reply: Reply) -> int | None:
    """The score of the one member asked for, in either protocol's form; spelled out, as every reading needs two."""
    flat = items(reply)
    last = flat[-1] if flat else None
    return score_ms(last[-1] if isinstance(last, list) and last else last)


def _oldest(firsts: list[Reply]) -> int | None:
    """Mint time of the oldest of the first members: within a set byte order is mint order (2)."""
    ids = (text(member) for reply in firsts for member in blobs(reply))
    return min((minted for id_ in ids if (minted := minted_ms(id_)) is not None), default=None)


def _counter(reply: Reply) -> int | None:
    return 0 if reply is None else whole(reply)
