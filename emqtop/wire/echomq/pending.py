"""The pending location: the flat set first, then lane by lane in byte order of their groups."""

from collections.abc import Iterable

from emqtop.wire.cursor import Cursor
from emqtop.wire.echomq.groups import groups, lane_sizes
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.members import Member, Stretch, clock, place_after, stretch
from emqtop.wire.echomq.rows import read_rows
from emqtop.wire.readings import PageReading
from emqtop.wire.replies import count
from emqtop.wire.resp import Conversation, ask_all, pack
from emqtop.wire.together import all_together, together

_GUESSED_LANES = 8


def pending_page(
    keys: QueueKeys, cursor: Cursor, limit: int, payload_bytes: int = 0, known: Iterable[bytes] = ()
) -> Conversation[PageReading]:
    """Some waiting jobs, each with its group.

    Two round trips where the flat set or the lane of the cursor fills the page, three or four where lanes are joined.
    The size of every lane is asked for, since only that tells the total.

    Args:
        keys: the queue.
        cursor: where to start; a rank without an anchor counts from the flat set on through the lanes.
        limit: how many jobs.
        payload_bytes: how much of each payload.
        known: groups met before, so that a drifted lane is not missed.

    Raises:
        ReplyError: the flat set or the first lane is no sorted set, or may not be read.
    """
    key = keys.pending if cursor.lane is None else keys.found_lane(cursor.lane)
    ((at_ms, flat), found), here = yield from together(
        together(together(clock(), _flat_size(keys)), groups(keys, known)),
        stretch(key, cursor, limit, by_time=False),
    )
    names, members = found.names(), here.members
    if len(members) == limit:
        sizes, jobs = yield from together(lane_sizes(keys, names), read_rows(keys, "pending", members, payload_bytes))
    else:
        sizes, further = yield from _go_on(keys, names, cursor, here, limit)
        members += further
        jobs = yield from read_rows(keys, "pending", members, payload_bytes)
    total = flat + sum(sizes.values())
    if not members:
        return PageReading(at_ms, total, total, (), None)
    lane = members[0].lane
    before = 0 if lane is None else flat + sum(size for name, size in sizes.items() if name < lane)
    start = before + members[0].rank
    following = place_after(members[-1]).text() if start + len(members) < total else None
    return PageReading(at_ms, total, start, jobs, following)


def _flat_size(keys: QueueKeys) -> Conversation[int]:
    (reply,) = yield from ask_all([pack("ZCARD", keys.pending)], keys.base)
    return count(reply)


def _go_on(
    keys: QueueKeys, names: list[bytes], cursor: Cursor, here: Stretch, limit: int
) -> Conversation[tuple[dict[bytes, int], tuple[Member, ...]]]:
    """Sizes of all lanes, and the members that fill the page from the lanes behind the first stretch."""
    ahead = names if cursor.lane is None else [name for name in names if name > cursor.lane]
    skip, want = max(0, here.start - here.total), limit - len(here.members)
    # Most pages end within a few lanes: those are read along with the sizes, the exact rest only where it is needed.
    guessed = [] if skip else ahead[:_GUESSED_LANES]
    sizes, guesses = yield from together(
        lane_sizes(keys, names), all_together([_lane_part(keys, name, 0, want) for name in guessed])
    )
    read = dict(zip(guessed, guesses, strict=True))
    spans = _spans(ahead, sizes, skip, want)
    missing = [name for name in spans if name not in read]
    parts = yield from all_together([_lane_part(keys, name, *spans[name]) for name in missing])
    read.update(zip(missing, parts, strict=True))
    return sizes, tuple(member for name, (_, length) in spans.items() for member in read[name][:length])


def _spans(ahead: list[bytes], sizes: dict[bytes, int], skip: int, want: int) -> dict[bytes, tuple[int, int]]:
    """First rank and length of the part that each lane gives to the page."""
    spans: dict[bytes, tuple[int, int]] = {}
    for name in ahead:
        length = min(want, sizes[name] - skip)
        if length > 0:
            spans[name] = (skip, length)
            want -= length
        skip = max(0, skip - sizes[name])
        if want <= 0:
            break
    return spans


def _lane_part(keys: QueueKeys, lane: bytes, begin: int, length: int) -> Conversation[tuple[Member, ...]]:
    part = yield from stretch(keys.found_lane(lane), Cursor(begin, lane=lane), length, by_time=False)
    return part.members
