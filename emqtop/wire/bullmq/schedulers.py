"""Recurring jobs of a queue: what makes them, when next, and is the series alive (bullmq.md 1, 9)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from emqtop.wire.around import SchedulerReading, TimetableReading
from emqtop.wire.bullmq.keyed_reads import Read, ask_each, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.places import ACTIVE, DELAYED, HELD_BACK, PRIORITIZED, WAIT
from emqtop.wire.replies import blob, blobs, bounded_ms, checked, count, items, number, scored, whole
from emqtop.wire.resp import Conversation, Reply

MOST = 200
"""Schedulers that are read, by their next run."""

_FIELDS = ("name", "pattern", "every", "tz", "limit", "ic", "endDate")
_SHORT, _LONG = (DELAYED, PRIORITIZED, ACTIVE), (WAIT, HELD_BACK)
"""Where a next run is looked for at once, and where only if it must be there: a list is searched from end to end."""
_MOST_SOUGHT, _DEPTH = 20, 10_000


@dataclass(slots=True)
class _Series:
    """A member of `repeat`, and what was found out about it."""

    found: SchedulerReading
    is_due: bool = False
    """Is its next run neither done nor where it waits for its time?"""

    def run(self, back_ms: int = 0) -> bytes:
        """Id of the next run, or of the one so long before."""
        return b"repeat:%b:%d" % (self.found.id, self.found.next_ms - back_ms)


def schedulers(keys: QueueKeys) -> Conversation[TimetableReading]:
    """The schedulers of a queue; three round trips, the last for intervals and for next runs that wait for a worker.

    Raises:
        ReplyError: the server refused.
    """
    repeat = keys.part("repeat")
    first = [read("ZCARD", repeat), read("ZRANGE", repeat, 0, MOST - 1, "WITHSCORES")]
    total, reply, *sizes = yield from ask_each(keys, [*first, *(place.size(keys) for place in _LONG)])
    series = [_Series(SchedulerReading(id_, bounded_ms(score))) for id_, score in scored(checked(reply))]
    replies = yield from ask_each(keys, [each for one in series for each in _reads(keys, one)])
    width = len(_SHORT) + 2
    for at, one in enumerate(series):
        _note(one, replies[at * width :][:width])
    yield from _look_again(keys, series, any(count(size) > _DEPTH for size in sizes))
    return TimetableReading(count(total), tuple(one.found for one in series))


def _reads(keys: QueueKeys, one: _Series) -> Iterator[Read]:
    yield read("HMGET", keys.part("repeat:") + one.found.id, *_FIELDS)
    yield read("HMGET", keys.row(one.run()), "timestamp", "finishedOn")
    for place in _SHORT:
        yield place.holds(keys, one.run())


def _note(one: _Series, replies: Sequence[Reply]) -> None:
    fields, row, *where = replies
    name, pattern, every, zone, limit, runs, ends = [blob(value) for value in items(fields)] or [None] * len(_FIELDS)
    lies = (place.location for place, rank in zip(_SHORT, where, strict=True) if number(rank) is not None)
    one.found = replace(
        one.found,
        name=name,
        pattern=pattern,
        every_ms=whole(every),
        zone=zone,
        runs=whole(runs),
        limit=whole(limit),
        ends_ms=whole(ends),
        next_lies=next(lies, None),
    )
    # A row without the time of its end.
    one.is_due = one.found.next_lies is None and len(blobs(row)) == 1


def _look_again(keys: QueueKeys, series: Sequence[_Series], too_long: bool) -> Conversation[None]:
    """How the run before of each interval ended, and which next runs wait for a worker."""
    timed, due = [one for one in series if one.found.every_ms], [one for one in series if one.is_due]
    reads = [read("HMGET", keys.row(one.run(one.found.every_ms or 0)), "finishedOn", "failedReason") for one in timed]
    for one in due[:_MOST_SOUGHT]:
        reads += [read("LPOS", keys.part(place.part), one.run(), "RANK", -1, "MAXLEN", _DEPTH) for place in _LONG]
    replies = yield from ask_each(keys, reads)
    for one, reply in zip(timed, replies, strict=False):
        finished, reason = items(reply) or (None, None)
        one.found = replace(one.found, last_ms=whole(finished), last_failed=blob(reason) is not None)
    for at, one in enumerate(due):
        ranks = replies[len(timed) + at * len(_LONG) :][: len(_LONG)]
        # What was not searched to the end is believed: a next run that is not done has nowhere else to be.
        if too_long or not ranks or any(number(rank) is not None for rank in ranks):
            one.found = replace(one.found, next_lies=WAIT.location)
