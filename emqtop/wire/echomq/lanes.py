"""Lanes: the jobs of one group, served in turn (echomq.md 4.1, 4.2, 4.6)."""

from enum import Enum

from emqtop.wire.echomq.branded_id import group_id
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lifecycle import DEFAULT_LEASE_MS, Claim, as_claim, as_claims
from emqtop.wire.echomq.refusals import refusing
from emqtop.wire.replies import count, items
from emqtop.wire.resp import Conversation
from emqtop.wire.scripts import call


class Reassigned(Enum):
    """How a move to another lane ended."""

    MOVED = 1
    ALREADY_THERE = 0
    NOT_FOUND = -1
    NOT_WAITING = -2


def enqueue_grouped(keys: QueueKeys, group: str, job: str, payload: bytes) -> Conversation[bool]:
    """Admit a job to the lane of a group; False: a row of this id stands, nothing changed.

    Raises:
        BadId: not the id of a job, or the group is not branded; nothing was sent.
    """
    declared = [keys.row(job), keys.lane(group), *_parts(keys, "ring", "paused", "glimit", "gactive", "wake")]
    return (yield from refusing(call("enqueue_grouped", declared, job, payload, group))) == 1


def claim_lane(keys: QueueKeys, lease_ms: int = DEFAULT_LEASE_MS) -> Conversation[Claim | None]:
    """Take the oldest job of the lane whose turn it is.

    None: no lane can be served, the queue is paused, or this lane turned out to be empty while others may have work.
    """
    return as_claim((yield from call("claim_lane", [keys.part("ring"), keys.active], keys.base, lease_ms)))


def claim_lane_weighted(keys: QueueKeys, lease_ms: int = DEFAULT_LEASE_MS) -> Conversation[list[Claim]]:
    """Take as many jobs of the lane whose turn it is as its weight says; empty as None of `claim_lane`."""
    return as_claims((yield from call("claim_lane_weighted", [keys.part("ring"), keys.active], keys.base, lease_ms)))


def claim_lane_batch(keys: QueueKeys, lease_ms: int = DEFAULT_LEASE_MS) -> Conversation[list[Claim]]:
    """Take the jobs of the lane whose turn it is, up to its limit; empty as None of `claim_lane`."""
    return as_claims((yield from call("claim_lane_batch", [keys.part("ring"), keys.active], keys.base, lease_ms)))


def pause_lane(keys: QueueKeys, group: str) -> Conversation[None]:
    """Serve a lane no more; harmless when done twice.

    Raises:
        BadId: the group is not branded; nothing was sent.
    """
    yield from call("lane_pause", _parts(keys, "paused", "ring"), group_id(group))


def resume_lane(keys: QueueKeys, group: str) -> Conversation[None]:
    """Serve a lane again; harmless when done twice.

    Raises:
        BadId: the group is not branded; nothing was sent.
    """
    declared = _parts(keys, "paused", "ring", "glimit", "gactive", "wake")
    yield from call("lane_resume", declared, keys.base, group_id(group))


def limit_lane(keys: QueueKeys, group: str, limit: int) -> Conversation[None]:
    """Let at most limit jobs of a lane be in flight at once; those that are stay.

    Raises:
        BadId: the group is not branded; nothing was sent.
        ValueError: the limit is below 1; nothing was sent.
    """
    declared = _parts(keys, "glimit", "gactive", "ring", "paused", "wake")
    yield from call("lane_limit", declared, keys.base, group_id(group), _positive(limit))


def weigh_lane(keys: QueueKeys, group: str, weight: int) -> Conversation[None]:
    """Let a weighted claim take up to weight jobs of a lane at its turn.

    Raises:
        BadId: the group is not branded; nothing was sent.
        ValueError: the weight is below 1; nothing was sent.
    """
    yield from call("lane_weight", _parts(keys, "gweight"), group_id(group), _positive(weight))


def reassign(keys: QueueKeys, job: str, group: str) -> Conversation[Reassigned]:
    """Move a job that waits in its lane to the lane of another group.

    Raises:
        BadId: not the id of a job, or the group is not branded; nothing was sent.
    """
    declared = [keys.row(job), keys.lane(group), *_parts(keys, "ring", "paused", "glimit", "gactive", "wake")]
    return Reassigned((yield from call("lane_reassign", declared, job, group, keys.base)))


def drain_lane(keys: QueueKeys, group: str) -> Conversation[int]:
    """Forget the jobs that wait in a lane; returns how many.

    Raises:
        BadId: the group is not branded; nothing was sent.
    """
    forgotten = yield from call("lane_drain", [keys.base, keys.lane(group), keys.part("ring")], group)
    return count(forgotten)


def lane_counts(keys: QueueKeys, groups: list[str]) -> Conversation[dict[str, int]]:
    """How many jobs wait in each lane.

    Raises:
        BadId: a group is not branded; nothing was sent.
    """
    reply = yield from call("lane_counts", [keys.base], keys.base, *map(group_id, groups))
    return dict(zip(groups, map(count, items(reply)), strict=True))


def _parts(keys: QueueKeys, *names: str) -> list[bytes]:
    return [keys.part(name) for name in names]


def _positive(number: int) -> int:
    if number < 1:
        raise ValueError(f"{number} is not 1 or more")
    return number
