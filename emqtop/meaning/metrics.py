"""What a queue counted, minute by minute."""

from dataclasses import replace

from emqtop.model.metrics import Metric, Metrics
from emqtop.wire.around import MetricReading, MetricsReading


def metrics_of(reading: MetricsReading) -> Metrics:
    """Both counters of a queue."""
    completed, failed = _metric(reading.completed), _metric(reading.failed)
    # Workers count both or neither, so what has no counter beside one that has minutes has not happened.
    return Metrics(_beside(completed, failed), _beside(failed, completed))


def _beside(metric: Metric, other: Metric) -> Metric:
    if metric.count is not None or other.newest_minute is None:
        return metric
    return replace(other, count=0, minutes=(0,) * len(other.minutes))


def _metric(reading: MetricReading) -> Metric:
    if reading.counted_ms is None or reading.count is None:
        return Metric(reading.count)
    minutes = (max(0, reading.count - reading.counted_before), *reading.points)
    return Metric(reading.count, reading.counted_ms // 60_000, minutes, reading.kept)
