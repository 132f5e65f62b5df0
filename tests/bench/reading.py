"""Reading many queues: the wall, the client's CPU, the server's CPU, and what the server's other clients feel."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from redis.asyncio import Redis

from emqtop.model.queue import QueueId
from emqtop.sampling.node import Node
from emqtop.sampling.sampler import Sampler
from emqtop.wire.address import parse_address
from emqtop.wire.link import Link
from emqtop.wire.resp import Ask
from tests.bench.floors import RawSocket, pipeline, unpacked
from tests.bench.gauges import cpu_ms, middle
from tests.bench.neighbour import Neighbour
from tests.bench.seeds import names
from tests.bench.table import Row, against, beside
from tests.bench.world import QUEUES, World, path_of, settings
from tests.servers.process import ServerProcess

SIZES = ((5, 41), (100, 21), (1_000, 9), (5_000, 5), (10_000, 3))
"""Queues, and how often each way is taken."""

_SLICE = 200

_TURN = "a write and its answer are turns of the event loop, 15 to 70 us, whatever they carry"
_PARSING = "the raw socket, which only parses the same replies, takes about 1/17 itself (the row before)"


async def sample(world: World) -> list[Row]:
    """One sample of N queues: wall beside a raw socket, CPU beside redis-py's asyncio pipeline."""
    server = world.wide
    link = await Link.open(parse_address(server.socket_url))
    raw, client = RawSocket(path_of(server)), Redis.from_url(server.socket_url)
    sampler = Sampler(("emq",))
    await _acquaint(link, sampler)
    rows = []
    for size, rounds in SIZES:
        chosen = list(sampler.entries)[:size]
        await _read(link, sampler, chosen)
        asks = _asks(sampler, chosen)
        commands = unpacked(asks)
        floor, ours, theirs = [], [], []
        for turn in range(rounds):
            floor.append(await _took(partial(raw.stream, asks)))
            ours.append(await _took(partial(_read, link, sampler, chosen)))
            if turn < max(1, rounds // 3):
                theirs.append(await _took(partial(pipeline, client, commands)))
        rows += _sample_rows(size, *(_middles(each) for each in (floor, ours, theirs)))
    await link.close()
    await client.aclose()
    raw.close()
    return rows


def _sample_rows(
    size: int, floor: tuple[float, float], ours: tuple[float, float], theirs: tuple[float, float]
) -> list[Row]:
    what = f"{size:,} queues"
    return [
        against("sample", f"{what}: wall", ours[0], "ms", ("raw socket, same bytes", floor[0]), 1.15, _TURN),
        beside("sample", f"{what}: client CPU", ours[1], "ms", ("raw socket", floor[1])),
        against(
            "sample", f"{what}: client CPU", ours[1], "ms", ("redis-py asyncio pipeline", theirs[1]), 1 / 20, _PARSING
        ),
        beside("sample", f"{what}: wall", ours[0], "ms", ("redis-py asyncio pipeline", theirs[0])),
    ]


async def tracking(world: World) -> list[Row]:
    """A tick when 1 % of 10,000 queues changed: the server's CPU beside that of a full poll."""
    server = world.wide
    raw = RawSocket(path_of(server))
    async with _watching(server) as node:
        asks = _asks(node.sampler, names(QUEUES))
        polls, ticks, idle, client = [], [], [], []
        for turn in range(7):
            changed = names(QUEUES)[turn::100]
            before = cpu_ms(server.pid)
            raw.stream(asks)
            polls.append(cpu_ms(server.pid) - before)
            # The search takes its share of the time that passed; what a full poll took is not the tick's.
            await node.sample(())
            _change(raw, changed)
            while not all(node.signals.is_told(queue) for queue in changed):
                await asyncio.sleep(0.001)
            before, own = cpu_ms(server.pid), time.process_time()
            await node.sample(())
            ticks.append(cpu_ms(server.pid) - before)
            client.append((time.process_time() - own) * 1000)
            before = cpu_ms(server.pid)
            await node.sample(())
            idle.append(cpu_ms(server.pid) - before)
    raw.close()
    full = middle(polls)
    return [
        Row(
            "tracking",
            "tick, 1 % of 10,000 queues changed: server CPU",
            middle(ticks),
            "ms",
            "1 % of a full poll",
            full / 100,
            3 * full / 100 + 0.3,
        ),
        beside("tracking", "tick, nothing changed: server CPU", middle(idle), "ms", ("full poll", full)),
        Row("tracking", "tick, 1 % changed: client CPU", middle(client), "ms"),
    ]


async def neighbour(world: World) -> list[Row]:
    """How long another client waits while 10,000 queues are read without pause."""
    server = world.wide
    raw = RawSocket(path_of(server))
    with Neighbour(path_of(server)) as alone:
        await asyncio.sleep(2)
    async with _watching(server) as node:
        asks = _asks(node.sampler, names(QUEUES))
        with Neighbour(path_of(server)) as beside_raw:
            await _for_seconds(3, lambda: asyncio.to_thread(raw.stream, asks))
        with Neighbour(path_of(server)) as beside_us:
            await _for_seconds(3, lambda: _read_all(node))
    raw.close()
    floor = ("nobody reads", alone.p99_ms)
    return [
        Row("neighbour", "p99 while 10,000 queues are read without pause", beside_us.p99_ms, "ms", *floor, 1.0),
        beside("neighbour", "  the same", beside_us.p99_ms, "ms", ("raw socket, same writes", beside_raw.p99_ms)),
        beside("neighbour", "  longest wait", beside_us.most_ms, "ms", ("raw socket", beside_raw.most_ms)),
    ]


@asynccontextmanager
async def _watching(server: ServerProcess) -> AsyncIterator[Node]:
    """A node that knows all 10,000 queues, has read them once and is through with the first search."""
    node = Node(parse_address(server.socket_url), settings(server, prefixes=("emq",)), lambda _: None)
    link = await Link.open(parse_address(server.socket_url))
    await _acquaint(link, node.sampler)
    await link.close()
    await node.sample(())
    while not node.sampler.discovery.is_whole:
        await asyncio.sleep(0.2)
        await node.sample(())
    try:
        yield node
    finally:
        await node.close()


async def _acquaint(link: Link, sampler: Sampler) -> None:
    """Name the queues to it, so that no sweep has to find them first."""
    sampler.discovery.ask_for(names(QUEUES))
    await link.hold(sampler.discovery.finish())
    sampler.learn()


async def _read_all(node: Node) -> None:
    node.signals.take([b"invalidate", None])
    await node.sample(())


async def _read(link: Link, sampler: Sampler, queues: Sequence[QueueId]) -> None:
    """As a node reads them where nothing is tracked."""
    for at in range(0, len(queues), _SLICE):
        await link.hold(sampler.read(queues[at : at + _SLICE]))


def _asks(sampler: Sampler, queues: Sequence[QueueId]) -> list[Ask]:
    """What a sampler sends to read these, slice by slice."""
    asks: list[Ask] = []
    for at in range(0, len(queues), _SLICE):
        reading = sampler.read(queues[at : at + _SLICE])
        asks += next(reading)
        reading.close()
    return asks


def _change(raw: RawSocket, queues: Sequence[QueueId]) -> None:
    """Take one job of each queue from pending to active, as a claim does."""
    for queue in queues:
        base = f"{queue.prefix}:{{{queue.name}}}:"
        (job, _) = raw.ask("ZPOPMIN", f"{base}pending")
        raw.ask("ZADD", f"{base}active", 4_000_000_000_000, job)


async def _took(work: Callable[[], Awaitable[object] | None]) -> tuple[float, float]:
    """Wall and own CPU, ms."""
    own, began = time.process_time(), time.perf_counter()
    if (rest := work()) is not None:
        await rest
    return (time.perf_counter() - began) * 1000, (time.process_time() - own) * 1000


async def _for_seconds(seconds: float, work: Callable[[], Awaitable[object]]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        await work()


def _middles(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return middle(wall for wall, _ in pairs), middle(own for _, own in pairs)
