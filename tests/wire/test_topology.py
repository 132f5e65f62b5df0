"""The way to a server: Sentinels, slots, redirections; over both kinds of link."""

import asyncio
from collections.abc import Generator
from typing import TypeAlias

import pytest

from emqtop.wire.address import Place, parse_address
from emqtop.wire.bare_client import BareClient
from emqtop.wire.client import Client
from emqtop.wire.errors import NotNow, Unreachable
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, ask_all, ask_one, pack
from emqtop.wire.topology import SLOTS, SlotMap, routed, slot
from tests.conftest import Hand
from tests.servers.cluster import Cluster
from tests.servers.process import ServerProcess
from tests.servers.sentinel import MASTER, Trio
from tests.servers.states import busy


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        (b"123456789", 12739),
        (b"emq:{123456789}:pending", 12739),
        (b"{123456789}x{y}", 12739),
        (b"", 0),
        (b"emq:{}:x", slot(b"emq:{}:x")),
    ],
)
def test_a_slot_is_the_crc_of_the_tag(key: bytes, wanted: int) -> None:
    assert slot(key) == wanted


def test_slots_agree_with_the_server(cluster: Cluster) -> None:
    for key in (b"plain", b"emq:{q}:pending", b"a{b}c{d}", b"{}x", b"x{", b"}{y}", "🐇{🐇}".encode()):
        assert slot(key) == cluster.slot(key)


Route: TypeAlias = Generator[tuple[Place, Ask], list[Reply], list[Reply]]
SLOT = slot(b"k")


def drive(steps: Route, answers: list[list[Reply]]) -> tuple[list[tuple[Place, int]], list[Reply] | None]:
    """Whom it asked for how many replies, and its result."""
    seen = []
    try:
        place, ask = next(steps)
        for answer in answers:
            seen.append((place, ask.replies))
            place, ask = steps.send(answer)
    except StopIteration as end:
        return seen, end.value
    return seen, None


@pytest.mark.parametrize(
    ("answers", "asked", "result"),
    [
        ([[b"OK"]], [(("a", 1), 1)], [b"OK"]),
        ([[ReplyError(f"MOVED {SLOT} b:2")], [b"OK"]], [(("a", 1), 1), (("b", 2), 1)], [b"OK"]),
        ([[ReplyError(f"MOVED {SLOT} :2")], [b"OK"]], [(("a", 1), 1), (("a", 2), 1)], [b"OK"]),
        ([[ReplyError(f"ASK {SLOT} ::1:2")], [b"OK", b"v"]], [(("a", 1), 1), (("::1", 2), 2)], [b"v"]),
        ([[ReplyError("ERR no")]], [(("a", 1), 1)], [ReplyError("ERR no")]),
        ([[ReplyError("TRYAGAIN later")]], [(("a", 1), 1)], [ReplyError("TRYAGAIN later")]),
    ],
)
def test_redirections_are_followed(
    answers: list[list[Reply]], asked: list[tuple[tuple[str, int], int]], result: list[Reply]
) -> None:
    steps = routed(ask_all([pack("GET", "k")], b"k"), SlotMap(dict.fromkeys(range(SLOTS), ("a", 1))))
    seen, ended = drive(steps, answers)
    assert (seen, str(ended)) == (asked, str(result))


def test_only_what_was_turned_away_is_sent_on() -> None:
    commands = [pack("SET", "k", 1), pack("SET", "k", 2), pack("SET", "k", 3)]
    steps = routed(ask_all(commands, b"k"), SlotMap(dict.fromkeys(range(SLOTS), ("a", 1))))
    next(steps)
    place, ask = steps.send([b"OK", ReplyError(f"MOVED {SLOT} b:2"), b"OK"])
    assert (place, ask.payload) == (("b", 2), commands[1])


def test_a_circle_of_redirections_ends_with_the_word_itself() -> None:
    steps = routed(ask_all([pack("GET", "k")], b"k"), SlotMap(dict.fromkeys(range(SLOTS), ("a", 1))))
    seen, result = drive(steps, [[ReplyError(f"MOVED {SLOT} b:2")]] * 20)
    assert len(seen) < 10
    assert str(result) == str([ReplyError(f"MOVED {SLOT} b:2")])


def spread() -> Conversation[list[Reply]]:
    told: list[Reply] = []
    for name in ("a", "b", "c", "d", "e", "f"):
        told += yield from ask_all([pack("SET", f"emq:{{{name}}}:x", name)], f"emq:{{{name}}}:".encode())
    return told


async def test_a_cluster_is_found_by_itself(cluster: Cluster) -> None:
    address = parse_address(cluster.url)
    client = await Client.open(address)
    assert sorted(node.port for node in client.nodes) == sorted(node.port for node in cluster.nodes)
    assert await client.run(spread()) == [b"OK"] * 6
    assert await client.read(ask_one("GET", "emq:{c}:x", key=b"emq:{c}:x")) == b"c"
    await client.close()
    bare = BareClient(address)
    assert len(bare.nodes) == 3
    assert bare.run(spread()) == [b"OK"] * 6
    bare.close()


async def test_further_hosts_lead_to_a_cluster_too(cluster: Cluster) -> None:
    places = ",".join(["127.0.0.1:1", *(f"127.0.0.1:{node.port}" for node in cluster.nodes)])
    client = await Client.open(parse_address(f"redis+cluster://{places}"))
    assert len(client.nodes) == 3
    await client.close()


async def test_a_node_that_cannot_answer_now_is_not_taken_for_a_server_alone(cluster: Cluster) -> None:
    first, second, _ = cluster.nodes
    with busy(first):
        for link in (Client.open(parse_address(first.url)), asyncio.to_thread(BareClient, parse_address(first.url))):
            with pytest.raises(NotNow, match="BUSY"):
                await link
        client = await Client.open(parse_address(f"redis+cluster://127.0.0.1:{first.port},127.0.0.1:{second.port}"))
        assert len(client.nodes) == 3
        await client.close()


@pytest.mark.parametrize("finish", [True, False])
async def test_slots_that_move_are_followed(cluster: Cluster, finish: bool) -> None:
    key = b"emq:{moving}:x"
    client = await Client.open(parse_address(cluster.url))
    bare = BareClient(parse_address(cluster.url))
    await client.run(ask_one("SET", key, "v", key=key))
    target = next(node for node in cluster.nodes if node is not cluster.owner(key))
    cluster.move(key, target, finish=finish)
    assert await client.run(ask_one("GET", key, key=key)) == b"v"
    assert bare.run(ask_one("GET", key, key=key)) == b"v"
    if not finish:
        cluster.finish(key, target)
    await client.close()
    bare.close()


async def test_sentinels_name_the_master_before_and_after_a_failover(sentinels: Trio) -> None:
    address = parse_address(sentinels.url())
    client = await Client.open(address)
    assert client.nodes[0].port == sentinels.first.port
    assert await client.run(ask_one("SET", "k", "v")) == b"OK"
    new = sentinels.fail_over()
    client.doubt()
    await client.settle()
    assert client.nodes[0].port == new.port
    assert await client.run(ask_one("SET", "k", "w")) == b"OK"
    await client.close()
    bare = BareClient(address)
    assert bare.run(ask_one("GET", "k")) == b"w"
    bare.close()


async def test_another_sentinel_is_asked_where_the_first_is_gone(sentinels: Trio) -> None:
    port = sentinels.sentinels[1].port
    client = await Client.open(parse_address(f"redis+sentinel://127.0.0.1:1,127.0.0.1:{port}/{MASTER}"))
    assert client.nodes[0].port == sentinels.first.port
    await client.close()


async def test_a_master_that_sentinels_do_not_know_is_said(sentinels: Trio) -> None:
    address = parse_address(sentinels.url().replace(MASTER, "nobody"))
    with pytest.raises(Unreachable, match="no master named 'nobody'"):
        await Client.open(address)
    with pytest.raises(Unreachable, match="no master named 'nobody'"):
        BareClient(address)


async def test_tls_over_both_links(tls_server: ServerProcess, mtls_server: ServerProcess) -> None:
    for server in (tls_server, mtls_server):
        address = parse_address(server.url)
        client = await Client.open(address)
        assert await client.run(ask_one("PING")) == b"PONG"
        await client.close()
        bare = BareClient(address)
        assert bare.run(ask_all([pack("ECHO", "x" * 500_000)] * 20)) == [b"x" * 500_000] * 20
        bare.close()


async def test_a_certificate_of_a_stranger_is_refused_unless_told_otherwise(tls_server: ServerProcess) -> None:
    plain = tls_server.url.partition("?")[0]
    for url in (plain, tls_server.url.replace("rediss", "redis")):
        with pytest.raises(Unreachable):
            await Client.open(parse_address(url), 2)
        with pytest.raises(Unreachable):
            BareClient(parse_address(url), 2)
    client = await Client.open(parse_address(f"{plain}?insecure=1"))
    assert await client.run(ask_one("PING")) == b"PONG"
    await client.close()
    bare = BareClient(parse_address(f"{plain}?insecure=1"))
    assert bare.run(ask_one("PING")) == b"PONG"
    bare.close()


async def test_redis_is_spoken_to_as_valkey_is(redis7: ServerProcess, valkey: Hand) -> None:
    client = await Client.open(parse_address(redis7.url))
    assert await client.run(ask_one("PING")) == b"PONG"
    await client.close()


@pytest.mark.parametrize("verb", ["EVAL", "EVALSHA"])
def test_a_script_follows_a_slot_that_has_moved_and_none_that_is_moving(verb: str) -> None:
    owners = SlotMap(dict.fromkeys(range(SLOTS), ("a", 1)))
    command = ask_all([pack(verb, "body", 1, "k")], b"k")
    asked, told = drive(routed(command, owners), [[ReplyError(f"ASK {SLOT} b:2")]])
    assert (asked, str(told)) == ([(("a", 1), 1)], f"[ReplyError('ASK {SLOT} b:2')]")
    command = ask_all([pack(verb, "body", 1, "k")], b"k")
    asked, told = drive(routed(command, owners), [[ReplyError(f"MOVED {SLOT} b:2")], [b"OK"]])
    assert (asked, told) == ([(("a", 1), 1), (("b", 2), 1)], [b"OK"])


@pytest.mark.parametrize("word", ["MOVED", "ASK"])
def test_a_transaction_is_never_sent_on_in_parts(word: str) -> None:
    slots = SlotMap(dict.fromkeys(range(SLOTS), ("a", 1)))
    answers: list[Reply] = [b"OK", ReplyError(f"{word} {SLOT} b:2"), ReplyError("EXECABORT discarded")]
    steps = routed(ask_all([pack("MULTI"), pack("SET", "k", "v"), pack("EXEC")], b"k"), slots)
    assert drive(steps, [answers]) == ([(("a", 1), 3)], answers)
