"""How many jobs of a queue ended, and how (echomq.md 6): two counters, without any times."""

from emqtop.wire.around import MetricReading, MetricsReading
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.replies import checked, whole
from emqtop.wire.resp import Conversation, ask_all, pack


def metrics(keys: QueueKeys) -> Conversation[MetricsReading]:
    """Both counters, in one round trip.

    Raises:
        ReplyError: the server refused.
    """
    commands = [pack("HGET", keys.part(f"metrics:{name}"), "count") for name in ("completed", "failed")]
    completed, failed = yield from ask_all(commands, keys.base)
    return MetricsReading(MetricReading(whole(checked(completed)) or 0), MetricReading(whole(checked(failed)) or 0))
