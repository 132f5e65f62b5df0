"""A lane."""

from emqtop.model.queue import Lane
from emqtop.wire.readings import LaneReading
from emqtop.wire.resp import text


def lane_of(reading: LaneReading) -> Lane:
    """One lane."""
    return Lane(
        group=text(reading.group),
        pending=reading.pending,
        active=reading.active,
        limit=reading.limit,
        weight=reading.weight,
        paused=reading.paused,
        in_ring=reading.in_ring,
    )
