"""`emqtop doctor`: why queues do not move, with evidence and the act that helps."""

import time
from collections.abc import Iterable

from emqtop.cli.acts import length
from emqtop.cli.console import Exit, complain, document, lines
from emqtop.cli.options import parse, parser, seconds, settings
from emqtop.cli.queue_name import among, find
from emqtop.model.health import OLD_MS, examine
from emqtop.model.lane_health import examine_lanes
from emqtop.model.lane_look import LaneLook, LaneLooks
from emqtop.model.queue import Family, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.present.findings import finding_lines, findings_document
from emqtop.sampling import pages
from emqtop.sampling.oneshot import SWEEP_KEYS, OneShot
from emqtop.wire.errors import Refused

MOST_LANED = 500
"""Queues whose lanes are looked at, at most: each costs two round trips."""


def doctor(argv: list[str]) -> int:
    """Look twice, and say what is wrong."""
    made = parser("doctor", "Why is it not moving: what two looks find wrong, and the act that helps.")
    made.add_argument("--between", type=seconds, default=2.0, metavar="T", help="time between the two looks (2s)")
    made.add_argument("--old", type=length, default=OLD_MS, metavar="T", help="age of pending to speak of (15m)")
    read = parse(made, argv)
    with OneShot(settings(read)) as shot:
        chosen = {find(shot, name) for name in dict.fromkeys(read.words)}
        before = shot.sample(0 if chosen else SWEEP_KEYS)
        time.sleep(read.between)
        now = shot.sample(0)
        judged = among(now, chosen)
        found = examine(before, now, _lanes(shot, judged, thorough=bool(chosen)), read.old, chosen)
    for limit in now.limits:
        complain(limit)
    if read.json:
        document(findings_document(found))
    else:
        lines([*finding_lines(found)] or [f"nothing is wrong, as far as two looks tell (queues: {len(judged.queues)})"])
    return Exit.FINDINGS if found else Exit.DONE


def _lanes(shot: OneShot, now: Snapshot, *, thorough: bool) -> dict[QueueId, LaneLooks]:
    """Two looks at the lanes of queues in which jobs wait; the second one only where the first makes doubt.

    Args:
        shot: has looked at the queues.
        now: as it found them.
        thorough: sweep for lanes that no book names; the sweep for all queues has met them already.
    """
    laned = [queue.id for queue in now.queues if queue.id.family is Family.ECHOMQ and queue.pending]
    if len(laned) > MOST_LANED:
        complain(f"the lanes of {len(laned) - MOST_LANED} queues were not looked at; name queues to have them")
    first = {
        queue: look
        for queue in laned[:MOST_LANED]
        if (look := _look(shot, queue, shot.known_lanes(queue), pages.LANE_SWEEP if thorough else 0)) is not None
    }
    looks = {queue: LaneLooks(look, look) for queue, look in first.items()}
    for queue in [queue for queue, twice in looks.items() if any(examine_lanes(twice))]:
        again = _look(shot, queue, [lane.group for lane in first[queue].lanes], 0)
        looks[queue] = LaneLooks(first[queue], again or LaneLook())
    return looks


def _look(shot: OneShot, queue: QueueId, known: Iterable[str], sweep_keys: int) -> LaneLook | None:
    """The lanes of a queue; None: the server says no."""
    try:
        return shot.run(pages.lane_look(queue, known, sweep_keys))
    except Refused as refusal:
        complain(f"lanes of {queue.name}: {refusal.detail}")
        return None
