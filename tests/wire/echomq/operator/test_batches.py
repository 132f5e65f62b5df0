"""Many jobs in one call: one verdict each in order, families inside one batch, and no half-done script."""

from collections.abc import Callable

import pytest

from emqtop.model.actions import Seen
from emqtop.model.queue import Location
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.echomq import flows, operator
from emqtop.wire.echomq.branded_id import BadId
from emqtop.wire.echomq.flows import Node, Policy
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.resp import Conversation, ReplyError
from emqtop.wire.verdicts import Verdict
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import GROUP, KEYS, Stage, job

PENDING, ACTIVE, DEAD = Location.PENDING, Location.ACTIVE, Location.DEAD
PARENT, ELDER, YOUNGER = job(1), job(2), job(3)

Act = Callable[..., Conversation[list[Verdict]]]


def dead_letter(keys: QueueKeys, jobs: list[Seen]) -> Conversation[list[Verdict]]:
    return operator.dead_letter(keys, jobs, "by hand")


def _seen(location: Location, *numbers: int) -> list[Seen]:
    return [Seen(job(number), location) for number in numbers]


def test_verdicts_in_the_order_asked(valkey: Hand) -> None:
    stage = Stage(valkey)
    for number in (1, 3):
        stage.put(job(number), "dead")
    stage.put(job(2), "pending")
    verdicts = valkey.link.run(operator.requeue(KEYS, _seen(DEAD, 3, 2, 9, 1)))
    assert [(verdict.id, verdict.reason) for verdict in verdicts] == [
        (job(3), "done"),
        (job(2), "moved"),
        (job(9), "gone"),
        (job(1), "done"),
    ]


def test_a_wake_for_each_flat_job_up_to_what_the_list_keeps(valkey: Hand) -> None:
    stage = Stage(valkey)
    for number in range(1, 101):
        stage.put(job(number), "dead")
    valkey.link.run(operator.requeue(KEYS, _seen(DEAD, *range(1, 4))))
    assert valkey("LLEN", "emq:{orders}:wake") == 3
    valkey.link.run(operator.requeue(KEYS, _seen(DEAD, *range(4, 101))))
    assert valkey("LLEN", "emq:{orders}:wake") == 64


@pytest.mark.parametrize("order", [(2, 3), (3, 2), (1, 2, 3), (2, 1, 3), (2, 3, 1)], ids=str)
@pytest.mark.parametrize("policy", [Policy.FAIL_PARENT, Policy.IGNORE])
def test_a_family_in_one_batch_lies_nowhere_twice(valkey: Hand, policy: Policy, order: tuple[int, ...]) -> None:
    children = (Node(ELDER, b"x", policy=policy), Node(YOUNGER, b"x", policy=policy))
    valkey.link.run(flows.add_flow(KEYS, Node(PARENT, b"x", children=children)))
    jobs = [Seen(job(number), PENDING) for number in order]
    verdicts = {v.id: v for v in valkey.link.run(operator.dead_letter(KEYS, jobs, "by hand"))}
    left = Stage(valkey).dump()
    assert (verdicts[ELDER].done, verdicts[YOUNGER].done) == (True, True)
    places = [name for name in ("pending", "dead") if PARENT in left.get(name, {})]
    if policy is Policy.FAIL_PARENT:
        assert (places, left[f"job:{PARENT}"]["state"]) == (["dead"], "dead")
        assert left[f"job:{PARENT}:failed"] == {ELDER: "by hand", YOUNGER: "by hand"}
    else:
        released = "dead" if order == (2, 3, 1) else "pending"
        assert (places, left[f"job:{PARENT}"]["state"]) == ([released], released)
        assert left[f"job:{PARENT}:dependencies"] == "0"


def test_a_death_climbs_to_the_grandparent(valkey: Hand) -> None:
    inner = Node(job(2), b"x", children=(Node(job(3), b"x"),))
    valkey.link.run(flows.add_flow(KEYS, Node(job(1), b"x", children=(inner,))))
    valkey.link.run(operator.dead_letter(KEYS, _seen(PENDING, 3), "by hand"))
    assert set(Stage(valkey).dump()["dead"]) == {job(2), job(3)}
    valkey.link.run(flows.sweep_outbox(KEYS))
    assert set(Stage(valkey).dump()["dead"]) == {job(1), job(2), job(3)}


def test_a_requeued_child_whose_death_was_never_told_completes_its_parent(valkey: Hand) -> None:
    """A death by the stalled sweep is not told to the parent (echomq.md 10.3, 25)."""
    stage = Stage(valkey)
    valkey.link.run(flows.add_flow(KEYS, Node(PARENT, b"x", children=(Node(ELDER, b"x"),))))
    valkey("ZREM", "emq:{orders}:pending", ELDER)
    valkey("HSET", f"emq:{{orders}}:job:{ELDER}", "state", "dead", "last_error", "stalled")
    stage.member(ELDER, "dead")
    (verdict,) = valkey.link.run(operator.requeue(KEYS, _seen(DEAD, 2)))
    assert (verdict.done, set(stage.dump()["pending"])) == (True, {ELDER})


def test_a_removed_job_releases_its_dedup_id_alone(valkey: Hand) -> None:
    stage = Stage(valkey)
    for number in (1, 2):
        stage.put(job(number), "dead")
    for name, number in (("mine", 1), ("other", 2)):
        valkey("SET", f"emq:{{orders}}:de:{name}", job(number))
    valkey.link.run(operator.remove(KEYS, _seen(DEAD, 1), dedup=["mine", "other", "none"]))
    assert {key: value for key, value in stage.dump().items() if key.startswith("de:")} == {"de:other": job(2)}


ACTS: dict[str, Callable[[list[Seen]], Conversation[list[Verdict]]]] = {
    "reap": lambda jobs: operator.reap(KEYS, jobs),
    "dead-letter": lambda jobs: operator.dead_letter(KEYS, jobs, "by hand"),
    "remove": lambda jobs: operator.remove(KEYS, jobs),
}
TYPED = ("pending", "schedule", "dead", "ring", "wake", "paused", "gactive", "glimit", "metrics:failed", "flow:outbox")


@pytest.mark.parametrize("part", TYPED)
@pytest.mark.parametrize("act", ACTS)
def test_a_key_of_the_wrong_type_stops_the_act_before_its_first_write(valkey: Hand, act: str, part: str) -> None:
    stage = Stage(valkey)
    stage.put(job(1), "active", group=GROUP)
    stage.put(job(2), "active")
    valkey("DEL", f"emq:{{orders}}:{part}")
    valkey("SET", f"emq:{{orders}}:{part}", "text")
    before = stage.dump()
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        valkey.link.run(ACTS[act](_seen(ACTIVE, 1, 2)))
    assert stage.dump() == before


@pytest.mark.parametrize("command", ["zadd", "zrem", "hset", "lpush", "ltrim", "rpush", "hincrby", "hdel", "unlink"])
@pytest.mark.parametrize("act", ACTS)
def test_a_right_that_is_missing_stops_the_act_before_its_first_write(valkey: Hand, act: str, command: str) -> None:
    stage = Stage(valkey)
    stage.put(job(1), "active", group=GROUP)
    stage.put(job(2), "active")
    stage.put(job(3), "pending", group=GROUP)
    valkey("ACL", "SETUSER", "halfway", "on", ">secret", "~*", "+@all", f"-{command}")
    before = stage.dump()
    with BareLink(parse_address(valkey.url.replace("unix://", "unix://halfway:secret@"))) as link:
        if command == "unlink" and act != "remove":
            assert [verdict.done for verdict in link.run(ACTS[act](_seen(ACTIVE, 1, 2)))] == [True, True]
        else:
            with pytest.raises(ReplyError, match=r"^NOPERM"):
                link.run(ACTS[act](_seen(ACTIVE, 1, 2)))
            assert stage.dump() == before
    valkey("ACL", "DELUSER", "halfway")


@pytest.mark.parametrize("name", ["", "17", "PRT00000000001", "JOBzzzzzzzzzzz", "JOB0000000000é"])
def test_a_bad_id_is_refused_before_anything_is_sent(name: str) -> None:
    with pytest.raises(BadId):
        next(operator.reap(KEYS, [Seen(job(1), ACTIVE), Seen(name, ACTIVE)]))


def test_more_than_a_hundred_are_refused_before_anything_is_sent() -> None:
    with pytest.raises(operator.TooMany):
        next(operator.reap(KEYS, _seen(ACTIVE, *range(1, 102))))


ODD_LANES = [("gactive", "x"), ("gactive", "1.5"), ("gactive", "-9223372036854775808"), ("glimit", "x"), ("glimit", "")]


@pytest.mark.parametrize(("part", "value"), ODD_LANES, ids=str)
@pytest.mark.parametrize("verb", [operator.reap, operator.promote, operator.requeue, operator.remove, dead_letter])
def test_nothing_moves_where_a_lane_cannot_be_counted(valkey: Hand, verb: Act, part: str, value: str) -> None:
    stage = Stage(valkey)
    place = {operator.promote: Location.SCHEDULE, operator.requeue: DEAD}.get(verb, ACTIVE)
    stage.put(job(1), place, group=GROUP)
    stage.put(job(2), place)
    valkey("HSET", f"emq:{{orders}}:{part}", GROUP, value)
    before = stage.dump()
    (odd,) = valkey.link.run(verb(KEYS, _seen(place, 1)))
    assert (odd.reason, odd.note) == ("not-supported", f"{part} of its lane is no number")
    assert stage.dump() == before
    (flat,) = valkey.link.run(verb(KEYS, _seen(place, 2)))
    assert flat.done


@pytest.mark.parametrize("part", [":failed", ":unsuccessful", ":dependencies"])
def test_no_child_dies_where_its_parent_cannot_be_told(valkey: Hand, part: str) -> None:
    children = (Node(ELDER, b"x", policy=Policy.FAIL_PARENT), Node(YOUNGER, b"x", policy=Policy.IGNORE))
    valkey.link.run(flows.add_flow(KEYS, Node(PARENT, b"x", children=children)))
    valkey("SET", f"emq:{{orders}}:job:{PARENT}{part}", "x")
    before = Stage(valkey).dump()
    verdicts = valkey.link.run(operator.dead_letter(KEYS, _seen(PENDING, 2, 3), "by hand"))
    assert [verdict.reason for verdict in verdicts] == ["not-supported"] * 2
    assert Stage(valkey).dump() == before


def test_a_counter_that_is_no_number_keeps_no_job_from_dying(valkey: Hand) -> None:
    stage = Stage(valkey)
    stage.put(job(1), "active")
    valkey("HSET", "emq:{orders}:metrics:failed", "count", "x")
    assert valkey.link.run(dead_letter(KEYS, _seen(ACTIVE, 1)))[0].done
    assert valkey("HGET", "emq:{orders}:metrics:failed", "count") == b"x"


def test_a_lane_that_cannot_be_counted_is_left_as_it_is(valkey: Hand) -> None:
    stage = Stage(valkey)
    stage.put(job(1), "pending", group=GROUP)
    valkey("HSET", "emq:{orders}:gactive", GROUP, "x")
    valkey("SADD", "emq:{orders}:paused", GROUP)
    before = stage.dump()
    for conversation in (operator.resume(KEYS, GROUP), operator.set_limit(KEYS, GROUP, 3)):
        with pytest.raises(ReplyError, match="EMQSTATE gactive of the lane is no number"):
            valkey.link.run(conversation)
    assert stage.dump() == before
    valkey("DEL", "emq:{orders}:gactive")
    valkey("HSET", "emq:{orders}:glimit", GROUP, "x")
    assert valkey.link.run(operator.set_limit(KEYS, GROUP, 3)) is True
