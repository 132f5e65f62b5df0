"""What is wrong with the lanes of a queue: what two looks agree on."""

from collections.abc import Iterator
from dataclasses import dataclass

from emqtop.model.findings import Kind
from emqtop.model.lane_look import LaneLook, LaneLooks
from emqtop.model.queue import Lane
from emqtop.text import safe


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with one lane."""

    kind: Kind
    """What it is."""
    lane: Lane
    """Which."""
    says: str
    """The same in words."""
    act: tuple[str, ...]
    """The verb that helps, and its options."""
    evidence: dict[str, int]
    """The numbers by name."""


def examine_lanes(looks: LaneLooks) -> Iterator[Trouble]:
    """What both looks agree is wrong."""
    before = {lane.group: _wrong(looks.before, lane) for lane in looks.before.lanes}
    for lane in looks.now.lanes:
        kind, leaked = _wrong(looks.now, lane)
        before_kind, before_leaked = before.get(lane.group, (None, 0))
        if kind is not None and kind is before_kind:
            yield _trouble(kind, lane, min(leaked, before_leaked))


def _wrong(look: LaneLook, lane: Lane) -> tuple[Kind | None, int]:
    """What is wrong with a lane, and how many jobs it counts in vain."""
    if not lane.pending:
        return None, 0
    if lane.paused:
        return Kind.LANE_PAUSED, 0
    if lane.is_full:
        leaked = look.leaked(lane)
        return (Kind.LANE_LEAKED if leaked else None), leaked
    return (None if lane.in_ring else Kind.LANE_LEFT_OUT), 0


def _trouble(kind: Kind, lane: Lane, leaked: int) -> Trouble:
    name, options, evidence = safe(lane.group), ("--lane", lane.group), {"pending": lane.pending}
    if kind is Kind.LANE_PAUSED:
        says = f"lane {name} is paused, with {lane.pending} pending"
        return Trouble(kind, lane, says, ("resume", *options), evidence)
    if kind is Kind.LANE_LEFT_OUT:
        says = f"lane {name} has {lane.pending} pending, and no worker will be offered it"
        return Trouble(kind, lane, says, ("resume", *options), evidence)
    limit = lane.limit or 0
    says = f"lane {name} is full by its counter, {lane.active} of {limit}, but {leaked} of them are not active"
    told = {"counted": lane.active, "limit": limit, "leaked": leaked}
    return Trouble(kind, lane, says, ("limit", *options, "--jobs", str(limit + leaked)), evidence | told)
