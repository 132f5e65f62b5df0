"""How many jobs of a queue ended in which minute, where its workers count that (bullmq.md 1).

The newest point of the list is of the minute before the one in which `prevTS` lies; of that minute itself is what was
counted since `prevCount`. Nothing is written in a minute in which no job ends.
"""

from emqtop.wire.around import MetricReading, MetricsReading
from emqtop.wire.bullmq.keyed_reads import ask_each, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.replies import blob, blobs, checked, count, items, whole
from emqtop.wire.resp import Conversation, Reply

MOST_MINUTES = 240
"""Minutes that are read."""


def metrics(keys: QueueKeys) -> Conversation[MetricsReading]:
    """Both counters with their last minutes, in one round trip.

    Raises:
        ReplyError: the server refused.
    """
    reads = []
    for name in ("completed", "failed"):
        counter, points = keys.part(f"metrics:{name}"), keys.part(f"metrics:{name}:data")
        reads += [
            read("HMGET", counter, "count", "prevTS", "prevCount"),
            read("LRANGE", points, 0, MOST_MINUTES - 1),
            read("LLEN", points),
        ]
    replies = yield from ask_each(keys, reads)
    return MetricsReading(_metric(*replies[:3]), _metric(*replies[3:]))


def _metric(counter: Reply, points: Reply, kept: Reply) -> MetricReading:
    total, counted_ms, before = [whole(blob(value)) for value in items(checked(counter))]
    return MetricReading(
        count=total,
        counted_ms=counted_ms,
        counted_before=before or 0,
        points=tuple(count(point) for point in blobs(checked(points))),
        kept=count(kept),
    )
