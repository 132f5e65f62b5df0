"""The asyncio link: one conversation at a time, nothing sent twice, pushes apart from replies."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import UnixDomainSocketConnection

from emqtop.demo.server import EmbeddedServer
from emqtop.wire import inbox
from emqtop.wire.address import parse_address
from emqtop.wire.errors import Frozen, LoginRefused, Unreachable
from emqtop.wire.inbox import stream_of
from emqtop.wire.link import Link
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, ask_all, ask_one, pack
from tests.conftest import Hand


@pytest.fixture(params=["stream", "redis-py's own"])
async def link(request: pytest.FixtureRequest, valkey: Hand, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Link]:
    """A link, read both ways."""
    if request.param != "stream":
        monkeypatch.setattr(inbox, "stream_of", lambda connection: None)
    opened = await Link.open(parse_address(valkey.url), timeout_s=2)
    yield opened
    await opened.close()


async def pushes(valkey: Hand, got: list[list[Reply]]) -> Link:
    return await Link.open(parse_address(valkey.url), resp3=True, on_push=got.append)


async def until(condition: object) -> None:
    assert callable(condition)
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.005)


async def test_the_stream_lies_where_the_link_borrows_it(valkey: Hand) -> None:
    connection = UnixDomainSocketConnection(path=valkey.url.removeprefix("unix://"))
    await connection.connect()
    assert stream_of(connection) is not None
    await connection.disconnect()


async def test_replies_come_in_order_with_errors_as_values(link: Link) -> None:
    commands = [pack("SET", "k", "v"), pack("INCR", "k"), pack("GET", "k"), pack("NO-SUCH"), pack("LRANGE", "l", 0, -1)]
    stored, refused, got, unknown, nothing = await link.run(ask_all(commands))
    assert (stored, got, nothing) == (b"OK", b"v", [])
    assert isinstance(refused, ReplyError)
    assert refused.word == "ERR"
    assert isinstance(unknown, ReplyError)
    assert "NO-SUCH" in str(unknown)


async def test_class_words_of_refusals_survive(link: Link) -> None:
    with pytest.raises(ReplyError) as caught:
        await link.run(ask_one("EVALSHA", "0" * 40, 0))
    assert caught.value.word == "NOSCRIPT"


async def test_a_conversation_may_raise_and_the_link_lives_on(link: Link) -> None:
    with pytest.raises(ReplyError):
        await link.run(ask_one("NO-SUCH"))
    assert await link.run(ask_one("PING")) == b"PONG"
    assert link.opened == 1


async def test_conversations_side_by_side_do_not_mix(link: Link) -> None:
    def talk(name: str) -> Conversation[list[Reply]]:
        told = []
        for _ in range(3):
            told += yield Ask(pack("ECHO", name), 1)
        return told

    names = [f"n{number}" for number in range(20)]
    assert await asyncio.gather(*(link.run(talk(name)) for name in names)) == [[name.encode()] * 3 for name in names]


async def test_a_late_answer_is_never_taken_for_the_next(link: Link, valkey: Hand) -> None:
    with pytest.raises(Frozen):
        await link.run(ask_one("BLPOP", "queue", 30), timeout_s=0.05)
    assert not link.connected
    valkey("RPUSH", "queue", "late")
    assert await link.run(ask_one("PING")) == b"PONG"
    assert link.opened == 2


async def test_a_cancelled_conversation_closes_the_connection(link: Link, valkey: Hand) -> None:
    task = asyncio.create_task(link.run(ask_one("BLPOP", "queue", 30)))
    await until(lambda: b"cmd=blpop" in bytes(valkey("CLIENT", "LIST")))  # type: ignore[arg-type]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await link.run(ask_one("PING")) == b"PONG"
    assert link.opened == 2


async def test_an_answer_that_meets_a_cancellation_ends_nothing_else(valkey: Hand) -> None:
    link = await Link.open(parse_address(valkey.url))
    receiving = [task for task in asyncio.all_tasks() if task.get_name() == "emqtop-link"]
    task = asyncio.create_task(link.run(ask_one("BLPOP", "queue", 30)))
    await until(lambda: b"cmd=blpop" in bytes(valkey("CLIENT", "LIST")))  # type: ignore[arg-type]
    assert link._connection is not None
    stream = stream_of(link._connection)
    assert stream is not None
    # In one turn of the loop: the receiver wakes first, and finds an ask whose future is cancelled already.
    stream.feed_data(b"+late\r\n")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    outcomes = await asyncio.gather(*receiving, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [asyncio.CancelledError]
    await link.close()


async def test_a_cancellation_while_logging_in_leaves_no_socket_open() -> None:
    gone = asyncio.Event()

    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        while await reader.read(1024):
            pass
        writer.close()
        gone.set()

    asked = asyncio.Event()
    server = await asyncio.start_server(mute, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    task = asyncio.create_task(Link.open(parse_address(f"redis://:word@127.0.0.1:{port}")))
    await asyncio.wait_for(asked.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(gone.wait(), 5)
    server.close()
    await server.wait_closed()


async def test_a_killed_connection_is_unreachable_once_and_nothing_is_sent_again(link: Link, valkey: Hand) -> None:
    task = asyncio.create_task(link.run(ask_one("BLPOP", "queue", 30)))
    await until(lambda: b"cmd=blpop" in bytes(valkey("CLIENT", "LIST")))  # type: ignore[arg-type]
    valkey("CLIENT", "KILL", "TYPE", "normal")
    with pytest.raises(Unreachable):
        await task
    assert b"cmd=blpop" not in bytes(valkey("CLIENT", "LIST"))  # type: ignore[arg-type]
    assert await link.run(ask_one("PING")) == b"PONG"


async def test_large_writes_and_answers_do_not_lock_up(link: Link, valkey: Hand) -> None:
    valkey("SET", "big", "x" * 2_000_000)
    commands = [pack("GET", "big"), pack("SET", "other", "y" * 2_000_000)] * 5
    replies = await link.run(ask_all(commands))
    assert [len(reply) for reply in replies[::2]] == [2_000_000] * 5  # type: ignore[arg-type]


async def test_near_asks_go_two_by_two_and_far_ones_together(link: Link) -> None:
    asks = [Ask(pack("PING"), 1)] * 12
    link.rtt_ms = 0.3
    before = link.round_trips
    assert await link.stream(asks) == [[b"PONG"]] * 12
    assert 6 <= link.round_trips - before <= 12
    link.rtt_ms = 20
    before = link.round_trips
    assert await link.stream(asks) == [[b"PONG"]] * 12
    assert link.round_trips - before < 6


async def test_counters_tell_what_it_cost(link: Link) -> None:
    commands, sent = link.commands, link.sent_bytes
    await link.run(ask_all([pack("PING")] * 3))
    assert link.commands == commands + 3
    assert link.sent_bytes == sent + 3 * len(pack("PING"))


async def test_an_ask_without_replies_is_done_at_once(link: Link) -> None:
    assert await link.stream([Ask(b"", 0), Ask(pack("PING"), 1)]) == [[], [b"PONG"]]


async def test_pushes_never_stand_among_replies(valkey: Hand) -> None:
    got: list[list[Reply]] = []
    link = await pushes(valkey, got)
    await link.run(ask_one("CLIENT", "TRACKING", "ON"))
    await link.run(ask_all([pack("GET", f"k{number}") for number in range(50)]))
    valkey.link.run(ask_all([pack("SET", f"k{number}", 1) for number in range(50)]))
    assert await link.run(ask_all([pack("ECHO", number) for number in range(50)])) == [b"%d" % n for n in range(50)]
    await until(lambda: len(got) == 50)
    assert sorted(push[1][0] for push in got) == sorted(b"k%d" % n for n in range(50))  # type: ignore[index]
    await link.close()


async def test_posted_commands_answer_by_pushes(valkey: Hand) -> None:
    got: list[list[Reply]] = []
    link = await pushes(valkey, got)
    await link.post(pack("SUBSCRIBE", "news"))
    await until(lambda: got)
    valkey("PUBLISH", "news", "hello")
    await until(lambda: len(got) == 2)
    assert got == [[b"subscribe", b"news", 1], [b"message", b"news", b"hello"]]
    await link.close()


async def test_its_name_is_shown_to_the_server(link: Link, valkey: Hand) -> None:
    assert b"name=emqtop " in bytes(valkey("CLIENT", "LIST"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("redis://127.0.0.1:1", Unreachable),
        ("unix:///nowhere/at/all", Unreachable),
        ("{server}?password=wrong", LoginRefused),
        ("{server}?db=99", LoginRefused),
    ],
)
async def test_what_cannot_be_opened_says_why(server: EmbeddedServer, url: str, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        await Link.open(parse_address(url.format(server=server.url)), timeout_s=2)
    assert "wrong" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("redis://127.0.0.1:1", "redis://127.0.0.1:1: Connection refused"),
        ("rediss://127.0.0.1:1", "rediss://127.0.0.1:1: Connection refused"),
        ("unix:///nowhere/at/all", "unix:///nowhere/at/all: No such file or directory"),
    ],
)
async def test_the_reason_is_the_systems_and_names_the_address_once(url: str, words: str) -> None:
    with pytest.raises(Unreachable) as caught:
        await Link.open(parse_address(url), timeout_s=2)
    assert caught.value.detail == words


async def test_a_user_of_its_own_logs_in(valkey: Hand) -> None:
    valkey("ACL", "SETUSER", "ops", "on", ">p@ss:w/rd", "+@all", "~*", "-client")
    link = await Link.open(parse_address(f"unix://ops:p@ss:w/rd@{valkey.url.removeprefix('unix://')}"), timeout_s=2)
    assert await link.run(ask_one("ACL", "WHOAMI")) == b"ops"
    await link.close()
    valkey("ACL", "DELUSER", "ops")


async def test_resp3_falls_back_where_hello_is_withheld(valkey: Hand) -> None:
    valkey("ACL", "SETUSER", "default", "-hello")
    try:
        link = await Link.open(parse_address(valkey.url), timeout_s=2, resp3=True)
        assert await link.run(ask_one("PING")) == b"PONG"
        await link.close()
    finally:
        valkey("ACL", "SETUSER", "default", "+hello")


async def test_closing_does_not_wait_for_a_server_that_takes_nothing() -> None:
    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"emqtop\r\n")
        writer.write(b"+OK\r\n")
        await left.wait()
        while await reader.read(1 << 20):
            pass
        writer.close()
        emptied.set()

    left, emptied = asyncio.Event(), asyncio.Event()
    server = await asyncio.start_server(answer_once, "127.0.0.1", 0, limit=1024)
    port = server.sockets[0].getsockname()[1]
    link = await Link.open(parse_address(f"redis://127.0.0.1:{port}"), timeout_s=0.2)
    task = asyncio.create_task(link.run(ask_one("SET", "big", b"x" * 20_000_000), timeout_s=20))
    await until(lambda: link.sent_bytes > 20_000_000)
    await link.close()
    task.cancel()
    await asyncio.wait({task})
    left.set()
    await asyncio.wait_for(emptied.wait(), 10)
    server.close()
    await server.wait_closed()


async def test_closing_twice_is_harmless(valkey: Hand) -> None:
    link = await Link.open(parse_address(valkey.url))
    await link.close()
    await link.close()
    assert not link.connected
