"""Why a queue does not move: findings with the numbers that show them and the act that helps.

Two looks tell what a single one cannot: whether what is late now was late a moment ago too, and what grew meanwhile.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from emqtop.model.findings import Finding, Kind, worst_first
from emqtop.model.lane_health import examine_lanes
from emqtop.model.lane_look import LaneLooks
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.server_health import examine_server
from emqtop.model.snapshot import Snapshot
from emqtop.settings import DEFAULT_PREFIXES
from emqtop.text import safe
from emqtop.units import duration

LATE_MS = 5_000
"""How long a lease or a due time may be past before somebody should have noticed, ms: a few beats of a worker."""
OLD_MS = 900_000
"""Age from which a pending job waits for long, ms."""

_NO_LANES = LaneLooks()


@dataclass(frozen=True, slots=True)
class Looks:
    """A queue at two moments."""

    before: Queue
    """As it was; nothing is known of one that is new."""
    now: Queue
    """As it is."""
    lanes: LaneLooks
    """Its lanes; empty where it has none, or they are not known."""
    at_ms: int
    """The later moment, Unix ms of the server's clock."""
    apart_ms: int
    """Time between the moments, ms."""
    old_ms: int
    """Age from which a pending job waits for long, ms."""
    exactly: bool
    """Does its name alone not tell which queue is meant?"""

    @property
    def held_back(self) -> bool:
        """Was it paused at one of the moments, so that nothing can be said of who serves it?"""
        return bool(self.before.paused or self.now.paused)

    @property
    def oldest_ms(self) -> int | None:
        """Age of the oldest pending job, ms, where there was one of such an age before too."""
        made = [queue.oldest_pending_ms for queue in (self.before, self.now)]
        known = [made_ms for made_ms in made if made_ms is not None and self.at_ms - made_ms >= self.old_ms]
        return self.at_ms - known[-1] if len(known) == len(made) else None

    def found(self, kind: Kind, says: str, evidence: Mapping[str, int], *act: str, lane: str | None = None) -> Finding:
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
    return " ".join(map(_quoted, (*words, queue.name)))


def _quoted(word: str) -> str:
    """A word as a shell reads it, of signs that any terminal can be sent; NUL, which none can hold, by its picture."""
    shown = safe(word)
    if shown == word or "\0" in word:
        return shlex.quote(shown)
    data = word.encode("utf-8", "surrogateescape")
    plain = (chr(byte) if 0x20 <= byte < 0x7F and byte not in b"'\\" else f"\\x{byte:02x}" for byte in data)
    return f"$'{''.join(plain)}'"


def examine(
    before: Snapshot,
    now: Snapshot,
    lanes: Mapping[QueueId, LaneLooks],
    old_ms: int = OLD_MS,
    only: Collection[QueueId] = (),
) -> list[Finding]:
    """All that is wrong with the server and the queues of the later moment, the worst first.

    Args:
        before: a look some seconds ago; of a queue that it has not only what one look shows is told, and so of every
            queue where it is by another clock or a later one.
        now: the look to judge.
        lanes: of the queues that have some.
        old_ms: age from which a pending job waits for long, ms.
        only: queues to judge; empty: all.
    """
    comparable = before.clock == now.clock and 0 < before.at_ms <= now.at_ms
    known = {queue.id: queue for queue in before.queues} if comparable else {}
    names = Counter(queue.id.name for queue in now.queues)
    looks = (
        Looks(
            before=known.get(queue.id) or Queue(queue.id),
            now=queue,
            lanes=lanes.get(queue.id, _NO_LANES),
            at_ms=now.at_ms,
            apart_ms=now.at_ms - before.at_ms,
            old_ms=old_ms,
            exactly=names[queue.id.name] > 1 or queue.id.prefix not in DEFAULT_PREFIXES,
        )
        for queue in now.queues
        if _may_ail(queue) and (not only or queue.id in only)
    )
    found = (finding for each in looks for look_for in _ALL for finding in look_for(each))
    return worst_first([*examine_server(now.server), *found])


def _may_ail(queue: Queue) -> bool:
    """Is anything there that could be wrong? In most of ten thousand queues nothing is."""
    return bool(queue.pending or queue.active or queue.schedule or queue.dead or queue.error is not None)


def _unreadable(looks: Looks) -> Iterator[Finding]:
    if (error := looks.now.error) is not None:
        yield looks.found(Kind.UNREADABLE, f"it cannot be read whole: {error}", {})


def _overdue(looks: Looks) -> Iterator[Finding]:
    now, deadline_ms = looks.now.overdue or 0, looks.now.next_deadline_ms or 0
    late_ms = looks.at_ms - deadline_ms
    if not now or not looks.before.overdue:
        return
    if looks.now.id.family is Family.BULLMQ:
        yield looks.found(Kind.OVERDUE, f"{now} active without a live lock", {"overdue": now}, "reap")
    elif deadline_ms <= 0:
        says = f"{now} active past their lease, the first never had one"
        yield looks.found(Kind.OVERDUE, says, {"overdue": now}, "reap")
    elif late_ms >= LATE_MS:
        says = f"{now} active past their lease, the first for {duration(late_ms)}"
        yield looks.found(Kind.OVERDUE, says, {"overdue": now, "late_ms": late_ms}, "reap")


def _due(looks: Looks) -> Iterator[Finding]:
    before, now, due_ms = looks.before.due, looks.now.due, looks.now.next_due_ms
    late_ms = 0 if due_ms is None else looks.at_ms - due_ms
    if before and now and late_ms >= LATE_MS and looks.before.next_due_ms == due_ms and not looks.held_back:
        says = f"{now} scheduled past their time, the first for {duration(late_ms)}, and nobody promotes them"
        yield looks.found(Kind.DUE, says, {"due": now, "due_before": before, "late_ms": late_ms}, "promote")


def _paused(looks: Looks) -> Iterator[Finding]:
    pending, due = looks.now.pending or 0, looks.now.due or 0
    if not looks.now.paused or not (pending or due):
        return
    evidence, waits = {"pending": pending}, [f"{pending} pending"] if pending else []
    if due:
        evidence["due"] = due
        waits.append(f"{due} past their time")
    says = f"paused, with {' and '.join(waits)}"
    if (oldest_ms := looks.oldest_ms) is not None:
        evidence["oldest_ms"] = oldest_ms
        says += f", the oldest made {duration(oldest_ms)} ago"
    yield looks.found(Kind.PAUSED, says, evidence, "resume")


def _not_served(looks: Looks) -> Iterator[Finding]:
    before, now = looks.before, looks.now
    stands = (before.completed, before.failed) == (now.completed, now.failed)
    idle = before.active == now.active == 0
    pending = now.pending or 0
    waits = before.pending and pending >= before.pending
    if not (idle and stands and waits) or looks.held_back:
        return
    # What waits in lanes that no worker is offered is told of those lanes.
    if looks.lanes.offer_none and not _flat(now):
        return
    says = f"{pending} pending and none active: no worker takes them"
    act = ("wake",) if now.id.family is Family.BULLMQ else ()
    yield looks.found(Kind.NOT_SERVED, says, {"pending": pending, "active": 0}, *act)


def _flat_not_served(looks: Looks) -> Iterator[Finding]:
    flat_before, flat, in_lanes = _flat(looks.before), _flat(looks.now), looks.lanes.in_flight
    only_lanes = in_lanes > 0 and in_lanes >= max(looks.before.active or 0, looks.now.active or 0)
    if only_lanes and flat_before and flat >= flat_before and not looks.held_back:
        says = f"{flat} pending outside of lanes, while only lanes are served"
        evidence = {"flat": flat, "flat_before": flat_before, "active": looks.now.active or 0}
        yield looks.found(Kind.FLAT_NOT_SERVED, says, evidence)


def _flat(queue: Queue) -> int:
    return max(0, (queue.pending or 0) - (queue.lanes or 0))


def _waits_long(looks: Looks) -> Iterator[Finding]:
    age_ms = looks.oldest_ms
    if looks.now.pending and age_ms is not None and not looks.now.paused:
        says = f"the oldest of {looks.now.pending} pending was made {duration(age_ms)} ago"
        yield looks.found(Kind.WAITS_LONG, says, {"pending": looks.now.pending, "oldest_ms": age_ms})


def _dying(looks: Looks) -> Iterator[Finding]:
    before, now = looks.before.dead, looks.now.dead
    if before is not None and now is not None and now > before:
        says = f"{now - before} died within {duration(looks.apart_ms)}, {now} dead in all"
        yield looks.found(Kind.DYING, says, {"dead": now, "dead_before": before}, "errors")


def _lanes(looks: Looks) -> Iterator[Finding]:
    for trouble in examine_lanes(looks.lanes):
        yield looks.found(trouble.kind, trouble.says, trouble.evidence, *trouble.act, lane=trouble.lane.group)


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
