"""The outline of a large keyspace finds queues by their sets, lists, `meta` hashes and counters, past their rows."""

import pytest

from emqtop.model.queue import QueueId
from emqtop.sampling.discovery import Discovery
from emqtop.sampling.live import Live
from emqtop.sampling.oneshot import OneShot
from emqtop.sampling.outline import Outline
from emqtop.wire.resp import ask_all, pack
from tests.conftest import Hand
from tests.sampling.queues import JOB, bullmq, echomq, settings
from tests.servers.users import withheld

ALL = 1_000_000
"""Keys a call: each pass is one."""
PASSES = 4


def fill_rows(valkey: Hand, count: int) -> None:
    """One queue whose rows hide the others."""
    ids = [f"JOB{number:011d}" for number in range(count)]
    rows = [pack("HSET", f"emq:{{big}}:job:{job}", "state", "dead") for job in ids]
    valkey.link.run(ask_all([*rows, *(pack("ZADD", "emq:{big}:dead", 0, job) for job in ids)]))


def draw(valkey: Hand, discovery: Discovery, outline: Outline, count: int = ALL) -> None:
    done = discovery.outlines
    while discovery.outlines == done:
        valkey.link.run(outline.walk(10, count))
        valkey.link.hold(discovery.finish())


@pytest.mark.parametrize(
    ("writes", "wanted"),
    [
        ([("ZADD", "emq:{q}:pending", 0, JOB)], {echomq("q")}),
        ([("ZADD", "emq:{q}:g:a:pending", 0, JOB)], {echomq("q")}),
        ([("RPUSH", "emq:{q}:wake", 1)], {echomq("q")}),
        ([("HSET", "emq:{q}:meta", "paused", 1)], {echomq("q")}),
        ([("SET", f"emq:{{q}}:job:{JOB}:dependencies", 1)], {echomq("q")}),
        ([("HSET", f"emq:{{q}}:job:{JOB}", "state", "awaiting_children")], set()),
        ([("RPUSH", "bull:q:wait", 1)], {bullmq("q")}),
        ([("RPUSH", "bull:q:active", 1)], {bullmq("q")}),
        ([("ZADD", "bull:q:failed", 1, 1)], {bullmq("q")}),
        ([("HSET", "bull:q:meta", "version", "bullmq:5")], {bullmq("q")}),
        ([("ZADD", "other:{q}:pending", 0, JOB), ("SET", "x:dependencies", 1), ("HSET", "x:meta", "a", 1)], set()),
    ],
)
def test_what_holds_a_queue_together_names_it(
    valkey: Hand, writes: list[tuple[str | int, ...]], wanted: set[QueueId]
) -> None:
    for write in writes:
        valkey(*write)
    discovery = Discovery(("emq", "bull"))
    draw(valkey, discovery, Outline(discovery))
    assert set(discovery.queues()) == wanted
    assert (discovery.is_whole, discovery.sweeps) == (True, 0)


def test_rows_never_cross_the_link(valkey: Hand) -> None:
    fill_rows(valkey, 3000)
    valkey("ZADD", "emq:{small}:pending", 0, JOB)
    discovery = Discovery(("emq",))
    commands, received = valkey.link.commands, valkey.link.received_bytes
    draw(valkey, discovery, Outline(discovery))
    # One call for each pass; names of two sets, and the cursors.
    assert valkey.link.commands - commands == PASSES
    assert valkey.link.received_bytes - received < 200
    assert set(discovery.queues()) == {echomq("big"), echomq("small")}


def test_rows_are_held_where_their_counter_or_the_last_look_says_so(valkey: Hand) -> None:
    fill_rows(valkey, 50)
    for number in range(3):
        valkey("SET", f"emq:{{big}}:job:JOB{number:011d}:dependencies", 1)
        valkey("HSET", f"emq:{{big}}:job:JOB{number:011d}", "state", "awaiting_children")
    valkey("HSET", "emq:{big}:job:JOB00000000002", "state", "pending")
    discovery = Discovery(("emq",))
    outline, commands = Outline(discovery), valkey.link.commands
    draw(valkey, discovery, outline)
    assert valkey.link.commands - commands == PASSES + 3
    (sighting,) = discovery.queues().values()
    assert sighting.held_before == {b"emq:{big}:job:JOB00000000000", b"emq:{big}:job:JOB00000000001"}
    valkey("DEL", "emq:{big}:job:JOB00000000000:dependencies")
    draw(valkey, discovery, outline)
    assert len(sighting.held_before) == 2
    valkey("HSET", "emq:{big}:job:JOB00000000000", "state", "pending")
    draw(valkey, discovery, outline)
    assert sighting.held_before == {b"emq:{big}:job:JOB00000000001"}


def test_rows_that_may_not_be_read_leave_the_count_open(valkey: Hand) -> None:
    valkey("SET", f"emq:{{q}}:job:{JOB}:dependencies", 1)
    discovery = Discovery(("emq",))
    with withheld(valkey, "resetkeys", "~other:*"):
        draw(valkey, discovery, Outline(discovery))
    assert [sighting.held_before for sighting in discovery.queues().values()] == [None]


def test_a_step_that_is_refused_says_so(valkey: Hand) -> None:
    discovery = Discovery(("emq",))
    outline, commands = Outline(discovery), valkey.link.commands
    with withheld(valkey, "-scan"):
        commands = valkey.link.commands
        assert valkey.link.run(outline.walk(10, ALL))
        assert valkey.link.commands - commands == 1
    assert (outline.refused, discovery.is_whole) == (True, False)
    draw(valkey, discovery, outline)
    assert not outline.refused


def test_any_prefix_is_learned_before_its_lists_are_passed(valkey: Hand) -> None:
    fill_rows(valkey, 50)
    valkey("HSET", "app:mail:meta", "opts.maxLenEvents", 10)
    valkey("RPUSH", "app:chat:wait", 1)
    valkey("HSET", "app:chat:metrics:completed", "prevTS", 1)
    valkey("ZADD", "my:{jobs}:schedule", 7, JOB)
    valkey("ZADD", "shop:{u}:pending", 7, "x")
    discovery = Discovery(("*",))
    commands = valkey.link.commands
    draw(valkey, discovery, Outline(discovery))
    assert set(discovery.queues()) == {
        *(echomq("big"), echomq("jobs", "my")),
        *(bullmq("mail", "app"), bullmq("chat", "app")),
    }
    # Two strange sets are asked for a member, and the roots `app:mail` and `my:{jobs}` for what stands there.
    assert valkey.link.commands - commands == PASSES + 2 + 2 * 9


async def test_a_large_keyspace_is_whole_before_all_its_rows_were_met(live: Live, valkey: Hand) -> None:
    fill_rows(valkey, 12_000)
    valkey("RPUSH", "bull:mail:wait", 1)
    valkey("SET", "emq:{big}:job:JOB00000000007:dependencies", 1)
    valkey("HSET", "emq:{big}:job:JOB00000000007", "state", "awaiting_children")
    while not (snapshot := await live.sample()).swept:
        pass
    (node,) = live._nodes
    assert [(queue.id, queue.held) for queue in snapshot.queues] == [(bullmq("mail"), 0), (echomq("big"), 1)]
    assert (node.sampler.discovery.outlines, node.sampler.discovery.sweeps) == (1, 0)


async def test_a_server_without_types_is_swept_name_by_name(
    live: Live, valkey: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("emqtop.sampling.outline._SETS", ("KIND", "zset"))
    fill_rows(valkey, 12_000)
    valkey("RPUSH", "bull:mail:wait", 1)
    while not (snapshot := await live.sample()).swept:
        pass
    (node,) = live._nodes
    assert [queue.id for queue in snapshot.queues] == [bullmq("mail"), echomq("big")]
    assert (node.sampler.discovery.outlines, node.sampler.discovery.sweeps) == (0, 1)
    with OneShot(settings(valkey)) as shot:
        assert len(shot.sample(sweep_keys=500).queues) == 2


def test_one_look_at_a_large_keyspace_finds_what_its_rows_hide(valkey: Hand) -> None:
    fill_rows(valkey, 12_000)
    valkey("RPUSH", "bull:mail:wait", 1)
    with OneShot(settings(valkey)) as shot:
        snapshot = shot.sample(sweep_keys=500)
    assert [(queue.id, queue.held) for queue in snapshot.queues] == [(bullmq("mail"), 0), (echomq("big"), None)]
    assert (snapshot.swept, snapshot.limits) == (True, ())
    # 50 of the look, 13 for each pass, and what reads two queues.
    assert snapshot.cost.commands <= 150


def test_a_search_that_ran_out_of_time_is_said(valkey: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emqtop.sampling.oneshot.SEARCH_S", 0)
    fill_rows(valkey, 1000)
    with OneShot(settings(valkey)) as shot:
        snapshot = shot.sample(sweep_keys=500, search_s=0)
    assert snapshot.limits == ("the search for queues ended after 0 s: there may be more",)
    assert not snapshot.swept
