"""Flows on a real server: the conformance scenarios of echomq.md 9 whose names start with flow_, and their edges."""

import pytest

from emqtop.wire.echomq.branded_id import BadId, Minter
from emqtop.wire.echomq.flows import (
    FlowCycle,
    FlowTooDeep,
    Node,
    Policy,
    add_flow,
    children_results,
    ignored_failures,
    sweep_outbox,
    waiting_for,
)
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lifecycle import Claim, Retried, Settled, claim, complete, retry
from emqtop.wire.resp import ReplyError
from tests.conftest import Hand

HOME = QueueKeys("emq", "orders.flow")
AWAY = QueueKeys("emq", "stock.flow")
FP, ID = Policy.FAIL_PARENT, Policy.IGNORE
mint = Minter(7).mint


def taken(valkey: Hand, keys: QueueKeys) -> Claim:
    job = valkey.link.run(claim(keys, 60_000))
    assert job is not None
    return job


def finish(valkey: Hand, keys: QueueKeys, result: bytes = b"") -> str:
    """Claim the next job and complete it; its id."""
    job = taken(valkey, keys)
    assert valkey.link.run(complete(keys, job.id, job.token, result)) is Settled.DONE
    return job.id


def kill(valkey: Hand, keys: QueueKeys, error: str = "no stock") -> str:
    """Claim the next job and let it die; its id."""
    job = taken(valkey, keys)
    assert valkey.link.run(retry(keys, job.id, job.token, error, delay_ms=0, attempts=1)) is Retried.DEAD
    return job.id


def add(valkey: Hand, root: Node, keys: QueueKeys = HOME) -> int:
    return valkey.link.run(add_flow(keys, root))


def row(valkey: Hand, keys: QueueKeys, job: str) -> dict[str, str]:
    flat = valkey("HGETALL", keys.row(job))
    assert isinstance(flat, list)
    words = [item.decode() for item in flat if isinstance(item, bytes)]
    return dict(zip(words[::2], words[1::2], strict=True))


def members(valkey: Hand, key: bytes) -> list[str]:
    found = valkey("ZRANGE", key, 0, -1)
    assert isinstance(found, list)
    return [item.decode() for item in found if isinstance(item, bytes)]


def family(*children: Node) -> Node:
    return Node(mint(), b"parent", children=children)


def test_flow_add(valkey: Hand) -> None:
    one, two = Node(mint(), b"one"), Node(mint(), b"two", policy=ID)
    root = family(one, two)
    assert add(valkey, root) == 3
    assert row(valkey, HOME, root.id) == {"state": "awaiting_children", "attempts": "0", "payload": "parent"}
    assert valkey("GET", HOME.sub(root.id, "dependencies")) == b"2"
    assert members(valkey, HOME.pending) == [one.id, two.id]
    born = {"state": "pending", "attempts": "0", "parent": root.id}
    assert row(valkey, HOME, one.id) == {**born, "payload": "one", "parent_policy": "fp"}
    assert row(valkey, HOME, two.id) == {**born, "payload": "two", "parent_policy": "id"}
    assert taken(valkey, HOME).id == one.id


def test_flow_fanin(valkey: Hand) -> None:
    root = family(Node(mint(), b"one"), Node(mint(), b"two"))
    add(valkey, root)
    finish(valkey, HOME)
    assert row(valkey, HOME, root.id)["state"] == "awaiting_children"
    finish(valkey, HOME)
    assert members(valkey, HOME.pending) == [root.id]
    assert row(valkey, HOME, root.id)["state"] == "pending"
    assert finish(valkey, HOME) == root.id
    assert valkey.link.run(claim(HOME, 60_000)) is None
    assert valkey("HGET", HOME.part("metrics:completed"), "count") == b"3"


def test_flow_children_values(valkey: Hand) -> None:
    one, two = Node(mint(), b"one"), Node(mint(), b"two")
    root = family(one, two)
    add(valkey, root)
    assert valkey.link.run(children_results(HOME, root.id)) == {}
    finish(valkey, HOME, b"7 pieces")
    assert valkey.link.run(children_results(HOME, root.id)) == {one.id: b"7 pieces"}
    assert valkey.link.run(waiting_for(HOME, root.id)) == 1
    finish(valkey, HOME)
    assert valkey.link.run(children_results(HOME, root.id)) == {one.id: b"7 pieces", two.id: two.id.encode()}
    assert valkey.link.run(waiting_for(HOME, root.id)) == 0


def test_flow_cross_queue(valkey: Hand) -> None:
    here, there = Node(mint(), b"pay"), Node(mint(), b"pick", queue=AWAY.name)
    root = family(here, there)
    assert add(valkey, root) == 3
    assert row(valkey, AWAY, there.id)["parent_queue"] == HOME.name
    assert "parent_queue" not in row(valkey, HOME, here.id)
    finish(valkey, HOME)
    finish(valkey, AWAY, b"shelf\x00 3")
    entry = b"\0".join([HOME.name.encode(), root.id.encode(), there.id.encode(), b"shelf\x00 3"])
    assert valkey("LRANGE", AWAY.outbox, 0, -1) == [entry]
    assert row(valkey, HOME, root.id)["state"] == "awaiting_children"
    assert valkey.link.run(sweep_outbox(AWAY)) == 1
    assert members(valkey, HOME.pending) == [root.id]
    assert valkey("LLEN", AWAY.outbox) == 0
    assert valkey.link.run(children_results(HOME, root.id))[there.id] == b"shelf\x00 3"
    valkey("RPUSH", AWAY.outbox, entry)
    assert finish(valkey, HOME) == root.id
    assert valkey.link.run(sweep_outbox(AWAY)) == 1
    assert members(valkey, HOME.pending) == []


def test_flow_fail_parent_same_queue(valkey: Hand) -> None:
    child = Node(mint(), b"one")
    root = family(child, Node(mint(), b"two"))
    add(valkey, root)
    kill(valkey, HOME, "no stock")
    assert members(valkey, HOME.dead) == sorted([child.id, root.id])
    assert row(valkey, HOME, root.id) == {"state": "dead", "attempts": "0", "payload": "parent"}
    assert valkey("HGETALL", HOME.sub(root.id, "failed")) == [child.id.encode(), b"no stock"]
    assert valkey("HGET", HOME.part("metrics:failed"), "count") == b"1"


def test_flow_fail_parent_cross_queue(valkey: Hand) -> None:
    child = Node(mint(), b"one", queue=AWAY.name)
    root = family(child)
    add(valkey, root)
    kill(valkey, AWAY, "no\0stock")
    fields = [b"", b"fail", HOME.name.encode(), root.id.encode(), child.id.encode(), b"fp", b"no\0stock"]
    assert valkey("LRANGE", AWAY.outbox, 0, -1) == [b"\0".join(fields)]
    assert row(valkey, HOME, root.id)["state"] == "awaiting_children"
    assert valkey.link.run(waiting_for(HOME, root.id)) == 1
    assert valkey.link.run(sweep_outbox(AWAY)) == 1
    assert row(valkey, HOME, root.id)["state"] == "dead"
    assert members(valkey, HOME.dead) == [root.id]
    valkey("RPUSH", AWAY.outbox, b"\0".join(fields))
    valkey.link.run(sweep_outbox(AWAY))
    assert valkey("HGETALL", HOME.sub(root.id, "failed")) == [child.id.encode(), b"no\0stock"]


@pytest.mark.parametrize("keys", [HOME, AWAY], ids=["same queue", "other queue"])
def test_flow_ignore_dep(valkey: Hand, keys: QueueKeys) -> None:
    child = Node(mint(), b"one", queue=keys.name, policy=ID)
    root = family(child, Node(mint(), b"two", queue=keys.name))
    add(valkey, root)
    kill(valkey, keys, "no stock")
    valkey.link.run(sweep_outbox(keys))
    assert valkey.link.run(ignored_failures(HOME, root.id)) == {child.id: b"no stock"}
    assert valkey.link.run(waiting_for(HOME, root.id)) == 1
    finish(valkey, keys)
    valkey.link.run(sweep_outbox(keys))
    assert members(valkey, HOME.pending) == [root.id]
    assert row(valkey, HOME, root.id)["state"] == "pending"


def test_an_ignored_death_delivered_twice_counts_once(valkey: Hand) -> None:
    root = family(Node(mint(), b"one", queue=AWAY.name, policy=ID), Node(mint(), b"two", queue=AWAY.name))
    add(valkey, root)
    kill(valkey, AWAY)
    entry = valkey("LINDEX", AWAY.outbox, 0)
    assert isinstance(entry, bytes)
    valkey("RPUSH", AWAY.outbox, entry)
    assert valkey.link.run(sweep_outbox(AWAY)) == 2
    assert valkey.link.run(waiting_for(HOME, root.id)) == 1


@pytest.mark.parametrize("policy", ["absent", "unknown"])
@pytest.mark.parametrize("keys", [HOME, AWAY], ids=["same queue", "other queue"])
def test_a_policy_that_is_not_known_fails_the_parent(valkey: Hand, keys: QueueKeys, policy: str) -> None:
    child = Node(mint(), b"one", queue=keys.name)
    root = family(child)
    add(valkey, root)
    if policy == "absent":
        valkey("HDEL", keys.row(child.id), "parent_policy")
    else:
        valkey("HSET", keys.row(child.id), "parent_policy", "whatever")
    kill(valkey, keys)
    valkey.link.run(sweep_outbox(keys))
    assert members(valkey, HOME.dead).count(root.id) == 1


def test_flow_add_bulk_a_bad_one_leaves_its_parent_held(valkey: Hand) -> None:
    valkey("SET", AWAY.pending, "not a set")
    good, torn = family(Node(mint(), b"one")), family(Node(mint(), b"one"), Node(mint(), b"two", queue=AWAY.name))
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        add(valkey, torn)
    assert add(valkey, good) == 2
    assert row(valkey, HOME, torn.id)["state"] == "awaiting_children"
    assert valkey.link.run(waiting_for(HOME, torn.id)) == 2
    assert finish(valkey, HOME) == good.children[0].id
    assert members(valkey, HOME.pending) == [good.id, torn.children[0].id]
    valkey("DEL", AWAY.pending)
    assert add(valkey, torn) == 3


def tree(queues: tuple[str, str, str], policy: Policy = FP) -> tuple[Node, Node, Node]:
    """A root over a middle over a leaf, each in its queue."""
    leaf = Node(mint(), b"leaf", queue=queues[2])
    middle = Node(mint(), b"middle", queue=queues[1], policy=policy, children=(leaf,))
    return Node(mint(), b"root", queue=queues[0], children=(middle,)), middle, leaf


H, A = HOME.name, AWAY.name
SHAPES = [(H, H, H), (H, A, A), (H, H, A), (H, A, H)]


@pytest.mark.parametrize("queues", SHAPES, ids=lambda each: "-".join(name[0] for name in each))
def test_flow_grandchild(valkey: Hand, queues: tuple[str, str, str]) -> None:
    root, middle, leaf = tree(queues)
    assert add(valkey, root) == 3
    where = {name: QueueKeys("emq", name) for name in queues}
    for node, name in ((leaf, queues[2]), (middle, queues[1]), (root, queues[0])):
        assert members(valkey, where[name].pending) == [node.id]
        assert finish(valkey, where[name]) == node.id
        for keys in where.values():
            valkey.link.run(sweep_outbox(keys))
    assert valkey("EXISTS", HOME.row(root.id)) == 0


@pytest.mark.parametrize("queues", SHAPES, ids=lambda each: "-".join(name[0] for name in each))
def test_flow_grandchild_fail(valkey: Hand, queues: tuple[str, str, str]) -> None:
    root, middle, leaf = tree(queues)
    add(valkey, root)
    where = {name: QueueKeys("emq", name) for name in queues}
    kill(valkey, where[queues[2]], "no stock")
    told = [valkey.link.run(sweep_outbox(keys)) for _ in range(3) for keys in where.values()]
    assert sum(told) == (1 if queues[1] == queues[2] else 2)
    assert row(valkey, where[queues[1]], middle.id)["state"] == "dead"
    assert row(valkey, HOME, root.id)["state"] == "dead"
    assert members(valkey, HOME.dead).count(root.id) == 1
    assert valkey("HGETALL", HOME.sub(root.id, "failed")) == [middle.id.encode(), b"no stock"]
    assert valkey("HGETALL", where[queues[1]].sub(middle.id, "failed")) == [leaf.id.encode(), b"no stock"]


def test_a_death_stops_climbing_where_it_is_ignored(valkey: Hand) -> None:
    root, middle, _ = tree((H, H, H), policy=ID)
    add(valkey, root)
    kill(valkey, HOME, "no stock")
    assert valkey.link.run(sweep_outbox(HOME)) == 1
    assert row(valkey, HOME, middle.id)["state"] == "dead"
    assert members(valkey, HOME.pending) == [root.id]
    assert valkey.link.run(ignored_failures(HOME, root.id)) == {middle.id: b"no stock"}


def test_a_parent_that_is_dead_already_does_not_climb_again(valkey: Hand) -> None:
    middle = Node(mint(), b"middle", children=(Node(mint(), b"one"), Node(mint(), b"two")))
    add(valkey, family(middle))
    kill(valkey, HOME)
    kill(valkey, HOME)
    assert valkey("LLEN", HOME.outbox) == 1


@pytest.mark.parametrize(
    "entry",
    [b"no nul at all", b"orders\0JOB\0short", b"orders\0JOBnotanid000\0JOB\0x", b"\0fail\0orders\0JOB", b""],
)
def test_an_entry_that_cannot_be_read_holds_back_those_behind_it(valkey: Hand, entry: bytes) -> None:
    root = family(Node(mint(), b"one", queue=AWAY.name))
    add(valkey, root)
    finish(valkey, AWAY)
    valkey("RPUSH", AWAY.outbox, entry)
    valkey("RPUSH", AWAY.outbox, b"behind")
    assert valkey.link.run(sweep_outbox(AWAY)) == 1
    assert valkey.link.run(sweep_outbox(AWAY)) == 0
    assert valkey("LRANGE", AWAY.outbox, 0, -1) == [entry, b"behind"]


def test_a_parent_of_the_wrong_type_keeps_its_entry(valkey: Hand) -> None:
    root = family(Node(mint(), b"one", queue=AWAY.name))
    add(valkey, root)
    finish(valkey, AWAY)
    valkey("SET", HOME.sub(root.id, "processed"), "not a hash")
    assert valkey.link.run(sweep_outbox(AWAY)) == 0
    assert valkey("LLEN", AWAY.outbox) == 1


def test_a_sweep_delivers_one_batch(valkey: Hand) -> None:
    add(valkey, family(*[Node(mint(), b"", queue=AWAY.name) for _ in range(3)]))
    for _ in range(3):
        finish(valkey, AWAY)
    assert [valkey.link.run(sweep_outbox(AWAY, batch=2)) for _ in range(3)] == [2, 1, 0]


def chain(levels: int) -> Node:
    node = Node(mint(), b"")
    for _ in range(levels - 1):
        node = Node(mint(), b"", children=(node,))
    return node


TWIN = mint()
REFUSED = {
    "cycle": (family(Node(TWIN, b""), Node(TWIN, b"")), FlowCycle),
    "too deep": (chain(9), FlowTooDeep),
    "bad id deep down": (family(Node(mint(), b"", children=(Node("ORD0NgWEfAEJfs", b""),))), BadId),
    "childless": (Node(mint(), b""), ValueError),
}


@pytest.mark.parametrize(("root", "error"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_before_anything_is_sent(valkey: Hand, root: Node, error: type[Exception]) -> None:
    with pytest.raises(error):
        add(valkey, root)
    assert valkey("DBSIZE") == 0


def test_the_deepest_tree_lands(valkey: Hand) -> None:
    assert add(valkey, chain(8)) == 8
