"""Queues are found by any of their keys, forgotten when they are gone, and held rows are counted by the sweep."""

import pytest

from emqtop.model.queue import Family, QueueId
from emqtop.sampling.discovery import Discovery
from tests.conftest import Hand
from tests.sampling.queues import GROUP, JOB, bullmq, echomq, fill


def walk(valkey: Hand, discovery: Discovery, count: int) -> None:
    valkey.link.run(discovery.walk(10, count))
    valkey.link.hold(discovery.finish())


def look_for(valkey: Hand, discovery: Discovery, queues: list[QueueId]) -> list[QueueId]:
    discovery.ask_for(queues)
    valkey.link.hold(discovery.finish())
    return [queue for queue in queues if queue in discovery.queues()]


def sweep(valkey: Hand, discovery: Discovery, count: int = 1000) -> None:
    done = discovery.sweeps
    while discovery.sweeps == done and discovery.refused is None:
        walk(valkey, discovery, count)


@pytest.fixture
def discovery() -> Discovery:
    return Discovery(("emq", "bull"))


@pytest.mark.parametrize(
    ("writes", "wanted"),
    [
        ([], set()),
        ([("ZADD", "emq:{orders}:pending", 0, JOB)], {echomq("orders")}),
        ([("HSET", f"emq:{{orders}}:job:{JOB}", "state", "awaiting_children")], {echomq("orders")}),
        ([("HSET", "emq:{orders}:meta", "paused", 1)], {echomq("orders")}),
        ([("HSET", "emq:{orders}:metrics:completed", "count", 3)], {echomq("orders")}),
        ([("ZADD", "emq:{a:b c}:dead", 0, JOB)], {echomq("a:b c")}),
        ([("ZADD", "emq:{a}b}:dead", 0, JOB)], {echomq("a}b")}),
        ([("ZADD", "emq:{🐇}:dead", 0, JOB)], {echomq("🐇")}),
        ([("ZADD", b"emq:{\xff}:dead", 0, JOB)], {echomq("\udcff")}),
        ([("RPUSH", "bull:mail:wait", 1)], {bullmq("mail")}),
        ([("RPUSH", "bull:a:b:wait", 1)], {bullmq("a:b")}),
        ([("RPUSH", "bull:mail:active", 1)], {bullmq("mail")}),
        ([("RPUSH", "emq:{mail}:active", 1)], {bullmq("{mail}", "emq")}),
        ([("HSET", "bull:mail:17", "data", "{}"), ("SET", "bull:mail:id", 17)], {bullmq("mail")}),
        ([("HSET", "bull:mail:17", "data", "{}")], set()),
        ([("SET", "{emq}:version", "echomq:3.0.0"), ("SET", "emq:cache:7", "x"), ("SET", "else", "x")], set()),
        ([("ZADD", "emq:{x}:pending", 0, JOB), ("RPUSH", "emq:{x}:wait", 1)], {echomq("x"), bullmq("{x}", "emq")}),
        ([("ZADD", "other:{x}:pending", 0, JOB)], set()),
    ],
)
def test_any_key_names_its_queue(
    valkey: Hand, discovery: Discovery, writes: list[tuple[str | bytes | int, ...]], wanted: set[QueueId]
) -> None:
    for write in writes:
        valkey(*write)
    sweep(valkey, discovery)
    assert set(discovery.queues()) == wanted


def test_only_one_family_where_asked(valkey: Hand) -> None:
    valkey("ZADD", "emq:{x}:pending", 0, JOB)
    valkey("RPUSH", "bull:y:wait", 1)
    discovery = Discovery(("emq", "bull"), Family.BULLMQ)
    sweep(valkey, discovery)
    assert set(discovery.queues()) == {bullmq("y")}


def test_a_queue_is_asked_for_by_name_without_a_sweep(valkey: Hand, discovery: Discovery) -> None:
    valkey("RPUSH", "bull:mail:wait", 1)
    before = valkey.link.round_trips
    asked = [bullmq("mail"), echomq("mail"), bullmq("nothing")]
    assert look_for(valkey, discovery, asked) == [bullmq("mail")]
    assert valkey.link.round_trips == before + 1


@pytest.mark.parametrize("count", [10, 1000])
def test_held_rows_are_counted_by_their_state(valkey: Hand, discovery: Discovery, count: int) -> None:
    for number in range(30):
        state = "awaiting_children" if number % 3 == 0 else "pending"
        valkey("HSET", f"emq:{{q}}:job:JOB{number:011d}", "state", state)
        valkey("SET", f"emq:{{q}}:job:JOB{number:011d}:dependencies", 1)
    sighting = None
    for _ in range(2):
        sweep(valkey, discovery, count)
        sighting = discovery.queues()[echomq("q")]
        assert sighting.held_before is not None
        assert len(sighting.held_before) == 10
    valkey("HSET", "emq:{q}:job:JOB00000000000", "state", "pending")
    sweep(valkey, discovery, count)
    assert sighting is not None
    assert len(sighting.held_before or ()) == 9


def test_later_sweeps_look_at_rows_with_a_counter_of_children_only(valkey: Hand, discovery: Discovery) -> None:
    for number in range(50):
        valkey("HSET", f"emq:{{q}}:job:JOB{number:011d}", "state", "awaiting_children" if number == 0 else "pending")
    sweep(valkey, discovery)
    discovery.thorough = False
    valkey("HSET", "emq:{q}:job:JOB00000000001", "state", "awaiting_children")
    valkey("SET", "emq:{q}:job:JOB00000000001:dependencies", 1)
    before = valkey.link.commands
    sweep(valkey, discovery)
    assert valkey.link.commands - before == 3  # SCAN, and one look each at the row known and at the new one
    assert len(discovery.queues()[echomq("q")].held_before or ()) == 2


def test_a_sweep_meets_lanes_that_stand_in_no_list(valkey: Hand, discovery: Discovery) -> None:
    valkey("ZADD", f"emq:{{q}}:g:{GROUP}:pending", 0, JOB)
    sweep(valkey, discovery)
    assert discovery.queues()[echomq("q")].lanes == {GROUP.encode()}


def test_the_first_look_is_bounded(valkey: Hand, discovery: Discovery) -> None:
    fill(valkey, 3000)
    before = valkey.link.commands
    valkey.link.run(discovery.look(10, 100))
    assert valkey.link.commands - before == 10
    valkey.link.hold(discovery.finish())
    assert len(discovery.queues()) > 500
    assert not discovery.at_start
    assert discovery.sweeps == 0


def test_a_look_asks_for_no_row_and_leaves_the_sweep_to_do_it(valkey: Hand, discovery: Discovery) -> None:
    for number in range(30):
        valkey("HSET", f"emq:{{q}}:job:JOB{number:011d}", "state", "awaiting_children")
    before = valkey.link.commands
    valkey.link.run(discovery.look(50, 100))
    valkey.link.hold(discovery.finish())
    assert valkey.link.commands - before == 1
    assert (discovery.at_start, discovery.sweeps) == (True, 0)
    assert discovery.queues()[echomq("q")].held_before is None
    discovery.restart()
    sweep(valkey, discovery)
    assert len(discovery.queues()[echomq("q")].held_before or ()) == 30


def test_held_rows_that_may_not_be_read_are_not_counted(valkey: Hand, discovery: Discovery) -> None:
    for name in "ab":
        valkey("HSET", f"emq:{{{name}}}:job:{JOB}", "state", "awaiting_children")
    valkey("ACL", "SETUSER", "default", "resetkeys", "~emq:{a}:*")
    try:
        sweep(valkey, discovery)
    finally:
        valkey("ACL", "SETUSER", "default", "~*")
    found = discovery.queues()
    assert len(found[echomq("a")].held_before or ()) == 1
    assert found[echomq("b")].held_before is None
    sweep(valkey, discovery)
    assert len(found[echomq("b")].held_before or ()) == 1


def test_a_server_that_withholds_scan_is_asked_once_a_walk(valkey: Hand, discovery: Discovery) -> None:
    fill(valkey, 1)
    valkey("ACL", "SETUSER", "default", "-scan")
    try:
        before = valkey.link.commands
        walk(valkey, discovery, 100)
        assert valkey.link.commands - before == 1
        assert discovery.refused is not None
        assert look_for(valkey, discovery, [echomq("q0")]) == [echomq("q0")]
    finally:
        valkey("ACL", "SETUSER", "default", "+scan")
