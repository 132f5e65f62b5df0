"""The live source in bad weather: words, one attempt at a time, back within two seconds of the server."""

import asyncio
import time

import pytest

from emqtop.model.snapshot import Snapshot
from emqtop.sampling.live import Live
from emqtop.settings import Secret, Settings
from emqtop.wire.errors import LoginRefused, SourceError
from tests.conftest import Hand
from tests.sampling.queues import JOB, echomq, fill
from tests.sampling.watching import watching
from tests.servers import states
from tests.servers.process import ServerProcess
from tests.servers.users import as_user
from tests.servers.waiting import wait_for
from tests.servers.weather import Weather

BACK_WITHIN_S = 2.0


async def said(live: Live, words: str) -> None:
    """Sample until just this is said."""
    last = ""
    async with asyncio.timeout(10):
        while last != words:
            try:
                await live.sample()
            except SourceError as error:
                last = str(error)
            await asyncio.sleep(0.05)


async def back(live: Live) -> Snapshot:
    """The first snapshot that there is again, and that in time."""
    begun = time.monotonic()
    while True:
        try:
            snapshot = await live.sample()
        except SourceError:
            assert time.monotonic() - begun < BACK_WITHIN_S
            await asyncio.sleep(0.05)
        else:
            return snapshot


@pytest.mark.parametrize("state", states.WORDS, ids=lambda state: state.__name__)
async def test_a_state_is_said_and_over_within_two_seconds(lone_server: ServerProcess, state: states.State) -> None:
    lone_server("ZADD", "emq:{q}:pending", 0, JOB)
    async with watching(lone_server.url, timeout_s=0.3) as live:
        before = await live.sample()
        entered = state(lone_server)
        await asyncio.to_thread(entered.__enter__)
        try:
            await said(live, states.WORDS[state].format(kind="Valkey", url=lone_server.url))
        finally:
            await asyncio.to_thread(entered.__exit__, None, None, None)
        snapshot = await back(live)
        assert (snapshot.queues, snapshot.mode, snapshot.limits) == (before.queues, "tracking", ())


async def test_a_server_that_is_lost_meets_one_attempt_at_a_time() -> None:
    attempts, open_now, most_open = 0, 0, 0

    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal attempts, open_now, most_open
        attempts, open_now = attempts + 1, open_now + 1
        most_open = max(most_open, open_now)
        while await reader.read(1024):
            pass
        open_now -= 1
        writer.close()

    server = await asyncio.start_server(mute, "127.0.0.1", 0)
    begun = time.monotonic()
    async with watching(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}", timeout_s=0.05) as live:
        while time.monotonic() < begun + 2.5:
            with pytest.raises(SourceError):
                await live.sample()
            await asyncio.sleep(0.01)
    server.close()
    await server.wait_closed()
    assert most_open == 1
    # At 0, 0.25, 0.75, 1.5, 2.25 s, and a quarter more or less each time.
    assert 4 <= attempts <= 6


async def test_the_wait_before_an_attempt_grows_to_less_than_a_tick_and_is_never_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with watching("redis://127.0.0.1:1") as live:
        waits = []
        for _ in range(20):
            live._retry_at = 0.0
            with pytest.raises(SourceError):
                await live.sample()
            waits.append(live._retry_at - time.monotonic())
    assert waits[0] < 0.32
    assert all(0.5 < wait < 0.95 for wait in waits[2:])
    assert len({round(wait, 3) for wait in waits[2:]}) > 5


async def test_connections_that_the_server_closes_as_idle_cost_nothing(lone_server: ServerProcess) -> None:
    hand = Hand(lone_server.socket_url)
    fill(hand, 3)
    hand.link.close()
    async with watching(lone_server.url) as live:
        await live.sample()
        lone_server("CONFIG", "SET", "timeout", 1)
        await asyncio.to_thread(wait_for, lambda: lone_server.info("clients")["connected_clients"] == "1", "idleness")
        lone_server("ZADD", "emq:{q1}:pending", 0, "JOB0NgWEfAEJft")
        snapshot = await live.sample()
        assert ([queue.pending for queue in snapshot.queues], snapshot.mode) == ([1, 2, 1], "tracking")


async def test_a_far_link_that_loses_packets_is_read_without_holding_anything_up(valkey: Hand) -> None:
    fill(valkey, 50)
    longest_s = 0.0

    async def beat() -> None:
        nonlocal longest_s
        while True:
            begun = time.monotonic()
            await asyncio.sleep(0.005)
            longest_s = max(longest_s, time.monotonic() - begun)

    with Weather(valkey.url.removeprefix("unix://"), rtt_ms=300) as far:
        far.loss = 0.1
        async with watching(far.url, timeout_s=5) as live:
            beating = asyncio.create_task(beat())
            assert len((await live.sample()).queues) == 50
            valkey("ZADD", "emq:{q7}:pending", 0, "JOB0NgWEfAEJft")
            await asyncio.sleep(0.4)
            (node,) = live._nodes
            trips, begun = node._reading.round_trips, time.monotonic()
            snapshot = await live.sample()
            assert next(each for each in snapshot.queues if each.id == echomq("q7")).pending == 2
            assert (snapshot.mode, snapshot.limits) == ("tracking", ())
            assert node._reading.round_trips - trips <= 2
            assert time.monotonic() - begun < 3
            beating.cancel()
    assert longest_s < 0.1


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        ("SCAN", "SCAN is withheld: only queues asked for by name are shown"),
        ("INFO", "INFO is withheld: version, memory and clients are not known"),
        ("TIME", "TIME is withheld: leases and ages are told by the local clock"),
        ("CLIENT", "CLIENT TRACKING is withheld: queues are read in turn"),
        ("SUBSCRIBE", "SUBSCRIBE is withheld: events of EchoMQ queues are not shown"),
    ],
)
async def test_a_command_that_the_server_was_told_to_forget_is_withheld(command: str, limit: str) -> None:
    with ServerProcess("valkey", ("--rename-command", command, "")) as server:
        server("ZADD", "emq:{q}:pending", 0, JOB)
        live = Live(Settings(url=Secret(server.url), queues=("q",)))
        live.show((echomq("q"),))
        try:
            limits: tuple[str, ...] = ()
            async with asyncio.timeout(5):
                while not limits:
                    snapshot = await live.sample()
                    limits = snapshot.limits
            assert (limits, [queue.pending for queue in snapshot.queues]) == ((limit,), [1])
        finally:
            await live.close()


async def test_a_password_that_is_changed_meanwhile_is_said_and_taken_again(valkey: Hand) -> None:
    fill(valkey, 2)
    try:
        valkey("ACL", "SETUSER", "ops", "on", ">old", "~*", "&*", "+@all")
        async with watching(as_user(valkey.url, "ops", "old")) as live:
            assert len((await live.sample()).queues) == 2
            valkey("ACL", "SETUSER", "ops", "resetpass", ">new")
            # Who is in stays in.
            assert len((await live.sample()).queues) == 2
            valkey("CLIENT", "KILL", "USER", "ops")
            await said(
                live, "The server refuses the login: WRONGPASS invalid username-password pair or user is disabled."
            )
            with pytest.raises(LoginRefused):
                await live.sample()
            valkey("ACL", "SETUSER", "ops", ">old")
            assert len((await back(live)).queues) == 2
    finally:
        valkey("ACL", "DELUSER", "ops")
