"""Jobs that ended in each minute, as they were seen from here: for queues of which nobody counts that."""

from emqtop.model.history import History, Series
from emqtop.model.queue import QueueId

MINUTE_S = 60


def seen_minutes(past: History, queue: QueueId, series: Series, at_ms: int, count: int) -> list[float | None]:
    """The last `count` minutes, the oldest first; the newest one is not over.

    A minute that was not watched from its begin is unknown: it may have had more.

    Args:
        past: what was seen.
        queue: of which queue.
        series: a speed, in jobs a second.
        at_ms: the server's time, Unix ms.
        count: how many minutes.
    """
    now_s = at_ms // 1_000
    newest = now_s // MINUTE_S
    before, *means = past.means(queue, series, (newest - count) * MINUTE_S, MINUTE_S, count + 1)
    known = zip([before, *means], means, strict=False)
    minutes = [None if left is None or mean is None else mean * MINUTE_S for left, mean in known]
    if minutes and means[-1] is not None:
        watched_s = sum(point is not None for point in past.seconds(queue, series, MINUTE_S))
        minutes[-1] = means[-1] * min(now_s % MINUTE_S + 1, watched_s)
    return minutes
