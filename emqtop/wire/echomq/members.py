"""Which ids a page shows: a stretch of a sorted set, found again by its anchor although the set moves."""

from dataclasses import dataclass

from emqtop.wire.cursor import Cursor
from emqtop.wire.replies import checked, count, score_ms, scored, server_ms, whole
from emqtop.wire.resp import Conversation, ask_all, pack


@dataclass(frozen=True, slots=True)
class Member:
    """One id in a set."""

    id: bytes
    """As it stands there; foreign tools write anything."""
    score: float = 0.0
    """Its score: lease deadline in `active`, due time in `schedule`, else 0."""
    rank: int = 0
    """Its rank in that set."""
    lane: bytes | None = None
    """Group of the lane it lies in; None: in no lane."""

    @property
    def score_ms(self) -> int | None:
        """The score as whole ms."""
        return score_ms(self.score)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring members of one set."""

    total: int
    """Size of the set."""
    start: int
    """Rank of the first member, or where it would be."""
    members: tuple[Member, ...]
    """In the order of the set."""


def clock() -> Conversation[int]:
    """Unix ms by the server, or by the local clock where the server withholds TIME."""
    (reply,) = yield from ask_all([pack("TIME")])
    return server_ms(reply)


def stretch(key: bytes, cursor: Cursor, limit: int, *, by_time: bool) -> Conversation[Stretch]:
    """The members behind a cursor: one round trip, a second where the set moved by more than a page since.

    An anchor that is gone, or was given another score (a renewed lease), is replaced by the place it had: no member
    that stood behind it is passed over.

    Args:
        key: a sorted set.
        cursor: where to start.
        limit: how many members.
        by_time: do scores differ? Then a lost place is found by score, else by byte order.

    Raises:
        ReplyError: the key is no sorted set, or may not be read.
    """
    slack = 0 if cursor.anchor is None else limit
    low, high = max(0, cursor.rank - slack), cursor.rank + limit + slack
    size, window, *signs = yield from ask_all(
        [pack("ZCARD", key), _range(key, low, high), *_signs_of_place(key, cursor, by_time)], key
    )
    total, begin, found = count(checked(size)), cursor.rank, scored(checked(window))
    if signs:
        rank, score, before = signs
        stays = whole(rank) is not None and score_ms(score) == score_ms(cursor.score)
        begin = count(rank) + 1 if stays else count(before)
    if not low <= begin <= high - limit:
        (window,) = yield from ask_all([_range(key, begin, begin + limit)], key)
        low, found = begin, scored(checked(window))
    chosen = found[begin - low : begin - low + limit]
    members = tuple(Member(member, score, rank, cursor.lane) for rank, (member, score) in enumerate(chosen, begin))
    return Stretch(total, begin, members)


def place_after(last: Member) -> Cursor:
    """The place right behind a member."""
    return Cursor(last.rank + 1, last.id, last.score, last.lane)


def _range(key: bytes, begin: int, end: int) -> bytes:
    return pack("ZRANGE", key, begin, end - 1, "WITHSCORES")


def _signs_of_place(key: bytes, cursor: Cursor, by_time: bool) -> list[bytes]:
    if cursor.anchor is None:
        return []
    if by_time:
        before = pack("ZCOUNT", key, "-inf", f"({cursor.score!r}")
    else:
        before = pack("ZLEXCOUNT", key, "-", b"(" + cursor.anchor)
    return [pack("ZRANK", key, cursor.anchor), pack("ZSCORE", key, cursor.anchor), before]
