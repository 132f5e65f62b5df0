"""What an operator's act would meet, by plain reads: the verdicts of `operator` without a script (echomq.md 10.2).

For the dialog and `--dry-run`. The scripts judge again and have the last word.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.locations import SETS, STATE_OF
from emqtop.wire.errors import check_told
from emqtop.wire.moment import at_one_moment
from emqtop.wire.replies import blob, checked, count, items, score_ms, server_ms, whole
from emqtop.wire.resp import Conversation, Reply, ReplyError, ask_all, pack, raw, text
from emqtop.wire.verdicts import DONE, Sighted, Verdict

_FIELDS = ("state", "attempts", "group", "parent", "parent_queue", "parent_policy", "lock")
_FITS = {
    "reap": {"active"},
    "promote": {"schedule"},
    "dead-letter": {"pending", "active", "schedule"},
    "requeue": {"dead"},
    "remove": {"pending", "active", "schedule", "dead", "held"},
    "extend": {"active"},
}
_ODD = {"no-row", "no-payload", "second-location", "state-differs"}
_NO_KEY = -2
_STOPPED_BY_HELD = {"promote", "dead-letter", "requeue"}


@dataclass(slots=True)
class _Facts:
    """What is there of one job."""

    now_ms: int
    scores: dict[str, int | None]
    row: dict[str, str]
    has_row: bool
    has_payload: bool
    marker_ms: int | None
    children: int
    in_lane: bool = False
    dead_children: int = 0
    parent_state: str | None = None
    parent_told: bool = False
    parent_left: int = 0

    @property
    def places(self) -> list[str]:
        found = [name for name, score in self.scores.items() if score is not None]
        return found + ([] if not self.in_lane else ["lane" if found[:1] == ["pending"] else "pending"])

    @property
    def parent_here(self) -> str | None:
        """Key part of a parent in this queue."""
        return None if self.row.get("parent_queue") else self.row.get("parent") or None

    @property
    def waits_for(self) -> int:
        return self.children - self.dead_children if self.children > 0 else 0


def foresee(
    keys: QueueKeys, verb: str, jobs: Sequence[Sighted], *, force: bool = False, early: bool = False
) -> Conversation[list[Verdict]]:
    """The verdict that each job would get now; two round trips and no write.

    One trip more where something seems odd, since a job that moves between the looks seems so too.

    Args:
        keys: the queue.
        verb: `reap`, `promote`, `dead-letter`, `requeue`, `remove` or `extend`; `obliterate`, for which only their
            families count.
        jobs: as they were seen.
        force: as in the act.
        early: as in `promote`.

    Raises:
        BadId: not the id of a job; nothing was sent.
        ReplyError: a set has the wrong type, or a right is missing without which the script cannot judge either.
    """
    if not jobs:
        return []
    facts = yield from _look(keys, [job.id for job in jobs])
    yield from _look_closer(keys, [job.id for job in jobs], facts)
    verdicts = [_verdict(verb, job, fact, force, early) for job, fact in zip(jobs, facts, strict=True)]
    odd = [at for at, verdict in enumerate(verdicts) if verdict.reason in _ODD]
    yield from _look_again(keys, [jobs[at].id for at in odd], [facts[at] for at in odd])
    for at in odd:
        verdicts[at] = _verdict(verb, jobs[at], facts[at], force, early)
    return verdicts


def _look(keys: QueueKeys, ids: list[str]) -> Conversation[list[_Facts]]:
    commands = [pack("TIME"), *(pack("ZMSCORE", keys.part(name), *ids) for name in SETS)]
    for job in ids:
        row = keys.row(job)
        commands += [
            pack("HMGET", row, *_FIELDS),
            pack("EXISTS", row),
            pack("HEXISTS", row, "payload"),
            pack("PTTL", keys.sub(job, "lock")),
            pack("GET", keys.sub(job, "dependencies")),
        ]
    time, *replies = yield from ask_all(commands, keys.base)
    check_told([time, *replies])
    sets, rows = [items(checked(reply)) for reply in replies[: len(SETS)]], replies[len(SETS) :]
    now_ms = server_ms(time)
    scores = [dict(zip(SETS, map(score_ms, row), strict=True)) for row in zip(*sets, strict=True)]
    return [_facts(now_ms, score, rows[at * 5 : at * 5 + 5]) for at, score in enumerate(scores)]


def _facts(now_ms: int, scores: dict[str, int | None], replies: list[Reply]) -> _Facts:
    values, exists, payload, marker, children = replies
    row = _row(values)
    left = whole(marker)
    marker_ms = left if "lock" in row or left != _NO_KEY else None
    return _Facts(now_ms, scores, row, count(exists) == 1, count(payload) == 1, marker_ms, count(children))


def _look_closer(keys: QueueKeys, ids: list[str], facts: list[_Facts]) -> Conversation[None]:
    commands: list[bytes] = []
    for job, fact in zip(ids, facts, strict=True):
        group, parent = raw(fact.row.get("group", "")), raw(fact.parent_here or "")
        found = keys.found_row(parent)
        commands += [
            pack("ZSCORE", keys.found_lane(group), job),
            pack("HLEN", keys.sub(job, "failed")),
            pack("HGET", found, "state"),
            pack("HEXISTS", found + b":failed", job),
            pack("HEXISTS", found + b":unsuccessful", job),
            pack("GET", found + b":dependencies"),
        ]
    replies = yield from ask_all(commands, keys.base)
    check_told(replies)
    for at, fact in enumerate(facts):
        lane, dead, state, failed, unsuccessful, left = replies[at * 6 : at * 6 + 6]
        fact.in_lane = bool(fact.row.get("group")) and score_ms(lane) is not None
        fact.dead_children = count(dead)
        word = blob(state)
        fact.parent_state = None if word is None else text(word)
        fact.parent_told = count(failed) + count(unsuccessful) > 0
        fact.parent_left = count(left)


def _look_again(keys: QueueKeys, ids: list[str], facts: list[_Facts]) -> Conversation[None]:
    """Note place and row of each job as they are at one moment."""
    groups = []
    for job, fact in zip(ids, facts, strict=True):
        row, lane = keys.row(job), keys.found_lane(raw(fact.row.get("group", "")))
        groups.append(
            [
                *(pack("ZSCORE", keys.part(name), job) for name in SETS),
                *(pack("ZSCORE", lane, job), pack("EXISTS", row), pack("HEXISTS", row, "payload")),
                pack("HMGET", row, *_FIELDS),
            ]
        )
    for fact, told in zip(facts, (yield from at_one_moment(groups, keys.base)), strict=True):
        if told is None or any(isinstance(reply, ReplyError) for reply in told):
            continue
        lane_score, exists, payload, values = told[len(SETS) :]
        fact.scores = dict(zip(SETS, map(score_ms, told), strict=False))
        fact.in_lane = bool(fact.row.get("group")) and score_ms(lane_score) is not None
        fact.has_row, fact.has_payload = count(exists) == 1, count(payload) == 1
        fact.row = _row(values)


def _row(values: Reply) -> dict[str, str]:
    return {name: text(value) for name, kept in zip(_FIELDS, items(values), strict=False) if (value := blob(kept))}


def _verdict(verb: str, job: Sighted, fact: _Facts, force: bool, early: bool) -> Verdict:
    if verb == "obliterate":
        return _bond(verb, job, fact) or Verdict(job.id, DONE)
    return (
        _difference(job, fact)
        or _misfit(verb, job, fact)
        or (None if verb == "extend" or force else _held(job, fact))
        or _undue(verb, job, fact, early)
        or _bond(verb, job, fact)
        or Verdict(job.id, DONE)
    )


def _difference(job: Sighted, fact: _Facts) -> Verdict | None:
    places = fact.places
    if not fact.has_row:
        return Verdict(job.id, "no-row" if places else "gone")
    if not fact.has_payload:
        return Verdict(job.id, "no-payload")
    if len(places) > 1:
        return Verdict(job.id, "second-location", "places", " and ".join(places))
    state = fact.row.get("state", "")
    place = places[0] if places else "held" if state == "awaiting_children" else ""
    if STATE_OF.get(place) != raw(state):
        return Verdict(job.id, "state-differs", "state", state)
    if place != job.location:
        return Verdict(job.id, "moved", "location", place)
    token = fact.row.get("attempts", "")
    if job.attempts is not None and job.attempts != whole(token.encode("utf-8", "surrogateescape")):
        return Verdict(job.id, "moved", "token", token)
    deadline = fact.scores["active"]
    if deadline is not None and job.deadline_ms is not None and job.deadline_ms != deadline:
        return Verdict(job.id, "renewed", "lease", str(deadline - fact.now_ms))
    return None


def _misfit(verb: str, job: Sighted, fact: _Facts) -> Verdict | None:
    if job.location in _FITS[verb]:
        return None
    if job.location == "held" and verb in _STOPPED_BY_HELD:
        return Verdict(job.id, "flow-parent", "children", str(fact.children))
    return Verdict(job.id, "not-dead" if verb == "requeue" else "moved", "place", job.location)


def _held(job: Sighted, fact: _Facts) -> Verdict | None:
    deadline = fact.scores["active"]
    if deadline is not None and deadline > fact.now_ms:
        return Verdict(job.id, "lease-live", "lease", str(deadline - fact.now_ms))
    if fact.marker_ms is not None:
        return Verdict(job.id, "locked", "marker", str(fact.marker_ms))
    return None


def _undue(verb: str, job: Sighted, fact: _Facts, early: bool) -> Verdict | None:
    due = fact.scores["schedule"]
    if verb == "promote" and not early and due is not None and due > fact.now_ms:
        return Verdict(job.id, "moved", "due", str(due - fact.now_ms))
    return None


def _bond(verb: str, job: Sighted, fact: _Facts) -> Verdict | None:
    if verb in {"requeue", "remove"} and fact.waits_for > 0:
        return Verdict(job.id, "flow-parent", "children", str(fact.waits_for))
    parent = fact.row.get("parent")
    if parent and _ties(verb, job.location, fact):
        return Verdict(job.id, "flow-child", "parent", parent)
    return None


def _ties(verb: str, location: str, fact: _Facts) -> bool:
    """Would the act strand the parent, drag it out of what it does by now, or have it count the child twice?"""
    match verb:
        case "requeue":
            return fact.parent_here is None or fact.parent_state != "awaiting_children" or fact.parent_told
        case "obliterate" if fact.parent_here is not None:
            return fact.parent_state == "awaiting_children" and not fact.parent_told
        case "remove" | "obliterate" if fact.parent_here is None:
            return location != "dead"
        case "remove":
            return fact.parent_state is not None and not fact.parent_told
        case "dead-letter" if fact.parent_here is not None:
            if fact.parent_state == "dead" and fact.row.get("parent_policy") == "id":
                return fact.parent_left <= 1
            return fact.parent_state in {"active", "scheduled"}
    return False
