"""Why a queue does not move: findings with the numbers that show them and the act that helps.

Two looks tell what a single one cannot: whether what is late now was late a moment ago too, and what grew meanwhile.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from emqtop.model.queue import Family, Lane, Queue, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.settings import DEFAULT_PREFIXES
from emqtop.text import safe
from emqtop.units import duration

LATE_MS = 5_000
"""How long an EchoMQ lease may be past its end before somebody should have noticed, ms: a few beats of a worker."""
OLD_MS = 900_000
"""Age from which a pending job waits for long, ms."""


class Kind(StrEnum):
    """What is wrong; stable words of `doctor --json`."""

    UNREADABLE = "unreadable"
    OVERDUE = "overdue"
    DUE = "due"
    PAUSED = "paused"
    NOT_SERVED = "not-served"
    FLAT_NOT_SERVED = "flat-not-served"
    WAITS_LONG = "waits-long"
    DYING = "dying"
    LANE_PAUSED = "lane-paused"
    LANE_LEAKED = "lane-leaked"
    LANE_LEFT_OUT = "lane-left-out"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a queue."""

    queue: QueueId
    """Which queue."""
    kind: Kind
    """What it is."""
    says: str
    """The same in words, with the numbers."""
    evidence: Mapping[str, int] = field(default_factory=dict)
    """The numbers by name; those that end in `_ms` are ms."""
    lane: str | None = None
    """Which lane; None: the queue as a whole."""
    act: str | None = None
    """The command line that helps; None: none of this program's does."""


@dataclass(frozen=True, slots=True)
class Looks:
    """A queue at two moments."""

    before: Queue
    """As it was."""
    now: Queue
    """As it is."""
    lanes: Sequence[Lane]
    """Its lanes at the later moment; empty where it has none, or they are not known."""
    at_ms: int
    """The later moment, Unix ms of the server's clock."""
    old_ms: int
    """Age from which a pending job waits for long, ms."""
    exactly: bool
    """Does its name alone not tell which queue is meant?"""

    @property
    def in_lanes(self) -> int:
        """Jobs in flight as the lanes count them."""
        return sum(lane.active for lane in self.lanes)

    def found(self, kind: Kind, says: str, *act: str, lane: str | None = None, **evidence: int) -> Finding:
        """A finding on this queue; the act is a verb and its options."""
        line = command(self.now.id, *act, exactly=self.exactly) if act else None
        return Finding(self.now.id, kind, says, evidence, lane, line)


def command(queue: QueueId, verb: str, *options: str, exactly: bool) -> str:
    """A command line for a shell.

    Args:
        queue: which queue it means.
        verb: the command.
        options: of it.
        exactly: name family and prefix too, without which another queue could be meant, or none.
    """
    words = ["emqtop", verb, *options]
    if exactly:
        words += ["--family", queue.family.value, "--prefix", queue.prefix]
    words += ["--"] * queue.name.startswith("-")
    return " ".join(shlex.quote(safe(word)) for word in (*words, queue.name))


def examine(
    before: Snapshot, now: Snapshot, lanes: Mapping[QueueId, Sequence[Lane]], old_ms: int = OLD_MS
) -> list[Finding]:
    """All that is wrong with the queues of the later moment, queue by queue.

    Args:
        before: a look some seconds ago; a queue that it has not is judged by the later one alone.
        now: the look to judge.
        lanes: of the queues that have some.
        old_ms: age from which a pending job waits for long, ms.
    """
    known = {queue.id: queue for queue in before.queues}
    names = Counter(queue.id.name for queue in now.queues)
    looks = (
        Looks(
            before=known.get(queue.id, queue),
            now=queue,
            lanes=lanes.get(queue.id, ()),
            at_ms=now.at_ms,
            old_ms=old_ms,
            exactly=names[queue.id.name] > 1 or queue.id.prefix not in DEFAULT_PREFIXES,
        )
        for queue in now.queues
    )
    return [finding for each in looks for look_for in _ALL for finding in look_for(each)]


def _unreadable(looks: Looks) -> Iterator[Finding]:
    if (error := looks.now.error) is not None:
        yield looks.found(Kind.UNREADABLE, f"it cannot be read whole: {error}")


def _overdue(looks: Looks) -> Iterator[Finding]:
    before, now = looks.before.overdue or 0, looks.now.overdue or 0
    late_ms = max(0, looks.at_ms - (looks.now.next_deadline_ms or looks.at_ms))
    if not min(before, now):
        return
    if looks.now.id.family is Family.BULLMQ:
        yield looks.found(Kind.OVERDUE, f"{now} active without a live lock", "reap", overdue=now)
    elif late_ms >= LATE_MS:
        says = f"{now} active past their lease, the first for {duration(late_ms)}"
        yield looks.found(Kind.OVERDUE, says, "reap", overdue=now, late_ms=late_ms)


def _due(looks: Looks) -> Iterator[Finding]:
    before, now = looks.before.due or 0, looks.now.due or 0
    if before and now >= before and not looks.now.paused:
        says = f"{now} scheduled past their time, and nobody promotes them"
        yield looks.found(Kind.DUE, says, "promote", due=now, due_before=before)


def _paused(looks: Looks) -> Iterator[Finding]:
    if looks.now.paused and looks.now.pending:
        yield looks.found(Kind.PAUSED, f"paused, with {looks.now.pending} pending", "resume", pending=looks.now.pending)


def _not_served(looks: Looks) -> Iterator[Finding]:
    before, now = looks.before, looks.now
    stands = (before.completed, before.failed) == (now.completed, now.failed)
    idle = before.active == now.active == 0
    if idle and stands and not now.paused and before.pending and now.pending and now.pending >= before.pending:
        says = f"{now.pending} pending and none active: no worker takes them"
        yield looks.found(Kind.NOT_SERVED, says, pending=now.pending, active=0)


def _flat_not_served(looks: Looks) -> Iterator[Finding]:
    flat_before, flat = _flat(looks.before), _flat(looks.now)
    only_lanes = looks.in_lanes > 0 and looks.in_lanes >= (looks.now.active or 0)
    if only_lanes and flat_before and flat >= flat_before and not looks.now.paused:
        says = f"{flat} pending outside of lanes, while only lanes are served"
        yield looks.found(Kind.FLAT_NOT_SERVED, says, flat=flat, flat_before=flat_before, active=looks.now.active or 0)


def _flat(queue: Queue) -> int:
    return max(0, (queue.pending or 0) - (queue.lanes or 0))


def _waits_long(looks: Looks) -> Iterator[Finding]:
    oldest_ms = looks.now.oldest_pending_ms
    age_ms = 0 if oldest_ms is None else looks.at_ms - oldest_ms
    if looks.now.pending and age_ms >= looks.old_ms and not looks.now.paused:
        says = f"the oldest of {looks.now.pending} pending was made {duration(age_ms)} ago"
        yield looks.found(Kind.WAITS_LONG, says, pending=looks.now.pending, oldest_ms=age_ms)


def _dying(looks: Looks) -> Iterator[Finding]:
    before, now = looks.before.dead, looks.now.dead
    if before is not None and now is not None and now > before:
        says = f"{now - before} died between the looks, {now} dead in all"
        yield looks.found(Kind.DYING, says, "errors", dead=now, dead_before=before)


def _lanes(looks: Looks) -> Iterator[Finding]:
    leaked = looks.in_lanes - looks.now.active if looks.now.active is not None else 0
    for lane in looks.lanes:
        is_full = lane.limit is not None and lane.active >= lane.limit
        if not lane.pending:
            continue
        name = safe(lane.group)
        if lane.paused:
            says = f"lane {name} is paused, with {lane.pending} pending"
            act: tuple[str, ...] = ("resume", "--lane", lane.group)
            yield looks.found(Kind.LANE_PAUSED, says, *act, lane=lane.group, pending=lane.pending)
        elif is_full and leaked > 0 and lane.limit is not None:
            says = f"lane {name} is full by its counter, {lane.active} of {lane.limit}, and "
            says += f"lanes count {leaked} more in flight than there are"
            act = ("limit", "--lane", lane.group, "--jobs", str(lane.limit + min(leaked, lane.active)))
            counted = {"pending": lane.pending, "counted": lane.active, "limit": lane.limit, "leaked": leaked}
            yield looks.found(Kind.LANE_LEAKED, says, *act, lane=lane.group, **counted)
        elif not is_full and not lane.in_ring:
            says = f"lane {name} has {lane.pending} pending, and no worker will be offered it"
            act = ("resume", "--lane", lane.group)
            yield looks.found(Kind.LANE_LEFT_OUT, says, *act, lane=lane.group, pending=lane.pending)


_ALL: tuple[Callable[[Looks], Iterator[Finding]], ...] = (
    _unreadable,
    _paused,
    _overdue,
    _due,
    _not_served,
    _flat_not_served,
    _waits_long,
    _lanes,
    _dying,
)
