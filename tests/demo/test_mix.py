"""The jobs of the demo workload: decided by the seed, like real life, and of every kind."""

import json

import pytest

from emqtop.demo.mix import BROKEN, DECLINED, REPEATS, Made, Way, make
from emqtop.demo.queues import BY_NAME, ROLES, tenants
from emqtop.wire.echomq.branded_id import is_branded
from emqtop.wire.echomq.flows import Policy


def mix(seed: int, queue: str, count: int = 300) -> list[Made]:
    return [make(seed, queue, number) for number in range(count)]


@pytest.mark.parametrize("queue", BY_NAME)
def test_a_seed_decides_every_job(queue: str) -> None:
    assert mix(7, queue) == mix(7, queue)
    assert mix(7, queue) != mix(8, queue)


@pytest.mark.parametrize("queue", BY_NAME)
def test_payloads_are_json_objects_and_differ(queue: str) -> None:
    payloads = [made.payload for made in mix(1, queue)]
    assert all(isinstance(json.loads(payload), dict) for payload in payloads)
    assert len(set(payloads)) > 290


def test_the_parts_of_all_queues_add_up() -> None:
    assert sum(role.share for role in ROLES) == pytest.approx(1.0)


WAYS = {
    "orders": {Way.READY, Way.FLOW},
    "emails": {Way.READY},
    "tenants": {Way.LANE},
    "payments": {Way.READY},
    "thumbnails": {Way.FLOW},
    "reports": {Way.LATER},
}


@pytest.mark.parametrize(("queue", "ways"), WAYS.items(), ids=WAYS)
def test_how_the_jobs_of_a_queue_come(queue: str, ways: set[Way]) -> None:
    assert {made.way for made in mix(1, queue)} == ways


def test_lanes_are_unequal_and_one_is_limited_one_paused() -> None:
    everyone = tenants(3)
    assert tenants(3) == everyone
    assert all(is_branded(each.group) for each in everyone)
    assert [each.name for each in everyone if each.limit == 1] == ["umbrella"]
    assert [each.name for each in everyone if each.paused] == ["hooli"]
    came = [made.group for made in mix(3, "tenants")]
    assert set(came) == {each.group for each in everyone}
    assert came.count(everyone[0].group) > 2 * came.count(everyone[1].group)


def test_orders_wait_for_other_queues_and_albums_for_their_own() -> None:
    flows = [made for made in mix(1, "orders") if made.way is Way.FLOW]
    assert {tuple((child.queue, child.policy) for child in made.children) for made in flows} == {
        (("payments", Policy.FAIL_PARENT), ("emails", Policy.IGNORE))
    }
    assert {child.queue for made in mix(1, "thumbnails") for child in made.children} == {"thumbnails"}


@pytest.mark.parametrize(
    ("queue", "sign"),
    [("payments", f'"last4":"{DECLINED}"'), ("orders", f'"last4":"{DECLINED}"'), ("thumbnails", f'{BROKEN}"')],
)
def test_what_is_doomed_is_marked_so(queue: str, sign: str) -> None:
    for made in mix(1, queue):
        everything = made.payload + b"".join(child.payload for child in made.children)
        assert made.doomed == (sign.encode() in everything)
    assert any(made.doomed for made in mix(1, queue))


def test_a_flow_counts_all_its_jobs() -> None:
    album = make(1, "thumbnails", 0)
    assert album.size == 1 + len(album.children)


def test_repeating_jobs_are_of_known_queues() -> None:
    assert {queue for queue, *_ in REPEATS} <= set(BY_NAME)
