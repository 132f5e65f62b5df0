"""Each act on each location under each circumstance: the verdict, and every key of the server before and after."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from itertools import product

import pytest

from emqtop.model.actions import Seen
from emqtop.model.queue import Location
from emqtop.wire.echomq import operator
from emqtop.wire.echomq.foresight import foresee
from emqtop.wire.resp import Conversation
from emqtop.wire.verdicts import Verdict
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import GROUP, HOUR_MS, KEYS, Dump, Stage, job

JOB, MATE, PARENT, CHILD = job(5), job(9), job(2), job(3)
ROW = f"job:{JOB}"
MARK = "lock"

ACTS: dict[str, Callable[[list[Seen]], Conversation[list[Verdict]]]] = {
    "reap": lambda jobs: operator.reap(KEYS, jobs),
    "reap --force": lambda jobs: operator.reap(KEYS, jobs, force=True),
    "promote": lambda jobs: operator.promote(KEYS, jobs, early=True),
    "dead-letter": lambda jobs: operator.dead_letter(KEYS, jobs, "by hand"),
    "dead-letter --force": lambda jobs: operator.dead_letter(KEYS, jobs, "by hand", force=True),
    "requeue": lambda jobs: operator.requeue(KEYS, jobs),
    "requeue --reset-attempts": lambda jobs: operator.requeue(KEYS, jobs, afresh=True),
    "remove": lambda jobs: operator.remove(KEYS, jobs),
    "remove --force": lambda jobs: operator.remove(KEYS, jobs, force=True),
    "extend": lambda jobs: operator.extend(KEYS, jobs, HOUR_MS),
}

LOCATIONS = ("pending", "active", "schedule", "dead", "held")

# What a whole job without a family meets at each location.
PLAIN = """
                pending   active    schedule  dead      held
reap            moved     done      moved     moved     moved
promote         moved     moved     done      moved     flow-parent
dead-letter     done      done      done      moved     flow-parent
requeue         not-dead  not-dead  not-dead  done      flow-parent
remove          done      done      done      done      done
extend          moved     done      moved     moved     moved
"""

# Circumstances that stop an act which would be done, and the acts that they stop; `any` stops each and every one.
STOPS: dict[str, dict[str, str]] = {
    "live lease": {"reap": "lease-live", "dead-letter": "lease-live", "remove": "lease-live"},
    "mark beside the row": dict.fromkeys(("reap", "promote", "dead-letter", "requeue", "remove"), "locked"),
    "mark in the row": dict.fromkeys(("reap", "promote", "dead-letter", "requeue", "remove"), "locked"),
    "fp child": {"remove": "flow-child"},
    "id child": {"remove": "flow-child"},
    "child of a queue beside": {"requeue": "flow-child", "remove": "flow-child"},
    "child whose death was told": {"requeue": "flow-child"},
    "child of a parent that runs": {"requeue": "flow-child", "remove": "flow-child", "dead-letter": "flow-child"},
    "child of a parent that is gone": {"requeue": "flow-child"},
    "parent of a live child": {"requeue": "flow-parent", "remove": "flow-parent"},
    "ghost": {"any": "no-row"},
    "stub": {"any": "no-payload"},
    "twice located": {"any": "second-location"},
    "state differs": {"any": "state-differs"},
    "renewed": {"any": "renewed"},
    "finished": {"any": "gone"},
    "claimed again": {"any": "moved"},
    "moved on": {"any": "moved"},
}
FORCIBLE = {"lease-live", "locked"}

ACTIVE_ONLY = {"live lease", "renewed"}
GROUPED = {"lane below limit", "lane at limit", "paused lane", "lane alone"}
CIRCUMSTANCES = ("flat", *sorted(GROUPED), "parent of dead children", *STOPS)


def _stop(act: str, location: str, circumstance: str) -> str:
    """The verdict that the tables above foresee."""
    verb, _, option = act.partition(" --")
    rows = [line.split() for line in PLAIN.strip().splitlines()]
    plain = next(dict(zip(LOCATIONS, row[1:], strict=True)) for row in rows if row[0] == verb)[location]
    stops = STOPS.get(circumstance, {})
    if "any" in stops:
        return stops["any"]
    if plain != "done":
        return plain
    if circumstance == "child of a queue beside" and (verb, location) == ("remove", "dead"):
        return plain
    stop = stops.get(verb, plain)
    return plain if stop in FORCIBLE and option == "force" else stop


def _fits(location: str, circumstance: str) -> bool:
    if circumstance in ACTIVE_ONLY:
        return location == "active"
    if location == "held":
        return circumstance not in GROUPED | {"ghost", "twice located"}
    return True


@dataclass
class Scene:
    """What was laid out, and what the operator saw of it."""

    seen: Seen
    group: str | None = None


def _lay_out(stage: Stage, location: str, circumstance: str) -> Scene:
    group = GROUP if circumstance in GROUPED else None
    at_ms = HOUR_MS if circumstance == "live lease" or location == "schedule" else -HOUR_MS
    stage.put(JOB, location, group=group, attempts=3, at_ms=at_ms, last_error="boom", stalled="1")
    if circumstance != "flat" and circumstance != "lane alone":
        stage.put(MATE, "pending", group=group)
    deadline = stage.now_ms + at_ms if location == "active" else None
    scene = Scene(Seen(JOB, Location(location), 3, deadline), group)
    _LAYERS.get(circumstance, lambda stage, location: None)(stage, location)
    if group:
        _lay_lane(stage, location, circumstance)
    return scene


def _lay_lane(stage: Stage, location: str, circumstance: str) -> None:
    hand = stage.valkey
    in_flight = 1 if location == "active" else 0
    if circumstance == "lane at limit":
        hand("HSET", "emq:{orders}:glimit", GROUP, 1)
        if not in_flight:
            stage.put(job(8), "active", group=GROUP)
    if circumstance == "lane below limit":
        hand("HSET", "emq:{orders}:glimit", GROUP, 5)
    waiting = hand("EXISTS", f"emq:{{orders}}:g:{GROUP}:pending") == 1
    if circumstance == "paused lane":
        hand("SADD", "emq:{orders}:paused", GROUP)
    elif circumstance != "lane at limit" and waiting:
        hand("RPUSH", "emq:{orders}:ring", GROUP)


def _child(policy: str, parent_state: str = "held") -> Callable[[Stage, str], None]:
    def lay(stage: Stage, location: str) -> None:
        stage.put(PARENT, parent_state)
        stage.valkey("SET", f"emq:{{orders}}:job:{PARENT}:dependencies", 2)
        stage.valkey("HSET", f"emq:{{orders}}:{ROW}", "parent", PARENT, "parent_policy", policy)

    return lay


def _told(stage: Stage, location: str) -> None:
    _child("id")(stage, location)
    stage.valkey("HSET", f"emq:{{orders}}:job:{PARENT}:unsuccessful", JOB, "boom")


def _row(*args: str | int) -> Callable[[Stage, str], None]:
    return lambda stage, location: void(stage.valkey(args[0], f"emq:{{orders}}:{ROW}", *args[1:]))


def void(reply: object) -> None:
    """Drop a reply."""


def _parent(live: int) -> Callable[[Stage, str], None]:
    def lay(stage: Stage, location: str) -> None:
        stage.valkey("SET", f"emq:{{orders}}:{ROW}:dependencies", 1 + live)
        stage.valkey("HSET", f"emq:{{orders}}:{ROW}:failed", CHILD, "boom")

    return lay


def _differ(stage: Stage, location: str) -> None:
    stage.valkey("HSET", f"emq:{{orders}}:{ROW}", "state", "dead" if location != "dead" else "active")


def _finish(stage: Stage, location: str) -> None:
    stage.valkey("DEL", f"emq:{{orders}}:{ROW}")
    for name in ("pending", "active", "schedule", "dead"):
        stage.valkey("ZREM", f"emq:{{orders}}:{name}", JOB)


def _move_on(stage: Stage, location: str) -> None:
    _finish(stage, location)
    stage.put(JOB, "schedule" if location != "schedule" else "dead", attempts=3)


_LAYERS: dict[str, Callable[[Stage, str], None]] = {
    "mark beside the row": lambda stage, location: void(stage.valkey("SET", f"emq:{{orders}}:{ROW}:lock", 3)),
    "mark in the row": _row("HSET", MARK, 3),
    "fp child": _child("fp"),
    "id child": _child("id"),
    "child of a queue beside": _row("HSET", "parent", PARENT, "parent_queue", "bills", "parent_policy", "id"),
    "child whose death was told": _told,
    "child of a parent that runs": _child("fp", "active"),
    "child of a parent that is gone": _row("HSET", "parent", PARENT, "parent_policy", "id"),
    "parent of a live child": _parent(1),
    "parent of dead children": _parent(0),
    "ghost": _row("DEL"),
    "stub": _row("HDEL", "payload"),
    "twice located": lambda stage, location: stage.member(JOB, "dead" if location != "dead" else "pending"),
    "state differs": _differ,
    "renewed": lambda stage, location: stage.member(JOB, "active", at_ms=HOUR_MS),
    "finished": _finish,
    "claimed again": _row("HSET", "attempts", 4),
    "moved on": _move_on,
}


def _leave(after: Dump, location: str, group: str | None) -> None:
    """The id goes from its place, with the bookkeeping of its lane (echomq.md 10.2, 11 and 12)."""
    place = location
    if group and location == "pending":
        place = f"g:{group}:pending"
    if place != "held":
        del after[place][JOB]
    if group and location == "pending" and not after[place]:
        after["ring"] = [name for name in after.get("ring", []) if name != group]
    if group and location == "active":
        _free_slot(after, group)
        if after.get(f"g:{group}:pending"):
            _ring_in(after, group)


def _free_slot(after: Dump, group: str) -> None:
    left = int(after["gactive"].pop(group)) - 1
    if left > 0:
        after["gactive"][group] = str(left)


def _ring_in(after: Dump, group: str) -> None:
    limit = after.get("glimit", {}).get(group)
    full = limit is not None and int(after.get("gactive", {}).get(group, 0)) >= int(limit)
    ring = after.setdefault("ring", [])
    if group not in after.get("paused", ()) and not full and group not in ring:
        ring.append(group)
        after.setdefault("wake", []).append("1")


def _ready(after: Dump, location: str, group: str | None) -> None:
    del after[location][JOB]
    after[ROW]["state"] = "pending"
    if group:
        if location == "active":
            _free_slot(after, group)
        after.setdefault(f"g:{group}:pending", {})[JOB] = 0.0
        _ring_in(after, group)
    else:
        after.setdefault("pending", {})[JOB] = 0.0
        after.setdefault("wake", []).append("1")


def _died(after: Dump, location: str, circumstance: str) -> None:
    raised = location == "active" or circumstance.startswith("mark")
    after[ROW] |= {"state": "dead", "last_error": "by hand", "attempts": "4" if raised else "3"}
    after.setdefault("dead", {})[JOB] = 0.0
    after["metrics:failed"] = {"count": "1"}
    if circumstance in {"id child", "child whose death was told"}:
        after[f"job:{PARENT}:dependencies"] = "1"
        after[f"job:{PARENT}:unsuccessful"] = {JOB: "by hand"}
    if circumstance == "fp child":
        after[f"job:{PARENT}:failed"] = {JOB: "by hand"}
        after[f"job:{PARENT}"]["state"] = "dead"
        after["dead"][PARENT] = 0.0
    if circumstance == "child of a queue beside":
        after["flow:outbox"] = ["\0".join(["", "fail", "bills", PARENT, JOB, "id", "by hand"])]


def _expected(before: Dump, act: str, location: str, circumstance: str, group: str | None) -> Dump:
    after = deepcopy(before)
    match act.partition(" --"):
        case ("reap", _, option):
            _ready(after, location, group)
            after[ROW]["attempts"] = "4" if option else "3"
        case ("promote", _, _):
            _ready(after, location, group)
        case ("requeue", _, option):
            _ready(after, location, group)
            del after[ROW]["last_error"]
            if option:
                after[ROW]["attempts"] = "0"
                del after[ROW]["stalled"]
        case ("dead-letter", _, _):
            _leave(after, location, group)
            _died(after, location, circumstance)
        case ("remove", _, _):
            _leave(after, location, group)
            after = {key: value for key, value in after.items() if key != ROW and not key.startswith(f"{ROW}:")}
    return {key: value for key, value in after.items() if value not in ({}, [])}


@pytest.mark.parametrize(
    ("act", "location", "circumstance"),
    [case for case in product(ACTS, LOCATIONS, CIRCUMSTANCES) if _fits(case[1], case[2])],
)
def test_act(valkey: Hand, act: str, location: str, circumstance: str) -> None:
    stage = Stage(valkey)
    scene = _lay_out(stage, location, circumstance)
    before = stage.dump()
    (foreseen,) = valkey.link.run(
        foresee(KEYS, act.partition(" --")[0], [scene.seen], force=act.endswith("force"), early=True)
    )
    assert stage.dump() == before
    (verdict,) = valkey.link.run(ACTS[act]([scene.seen]))
    after = stage.dump()
    assert verdict.reason == foreseen.reason == _stop(act, location, circumstance)
    if verdict.reason not in {"done", "lease-live", "renewed"}:
        assert (verdict.kind, verdict.note) == (foreseen.kind, foreseen.note)
    if verdict.reason != "done":
        assert after == before
    elif act == "extend":
        assert after["active"].pop(JOB) >= before["active"].pop(JOB) + HOUR_MS
        assert after == before
    else:
        assert after == _expected(before, act, location, circumstance, scene.group)
