"""Finding queues among a million keys, paging through a million jobs, and what the server's slow log says of it."""

import time

from emqtop.model.queue import Family, Location, QueueId
from emqtop.sampling.discovery import FIRST_LOOK, Discovery
from emqtop.sampling.live import Live
from emqtop.sampling.pages import page as page_of
from emqtop.sampling.source import PageRequest
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.resp import pack
from tests.bench import seeds
from tests.bench.floors import RawSocket
from tests.bench.gauges import cpu_ms, middle
from tests.bench.table import Row, against
from tests.bench.world import QUEUES, World, path_of, settings
from tests.servers.process import ServerProcess

_MILLION = 1_000_000
_NAMES = "beside the 50 calls it asks what kind of key stands at each name that tells no layout, 1 % of them"
_HURRY = (
    "until all were met it may take 5 %: what it misses is a small queue among large ones, which may be the stuck one, "
    "and a million keys take half a minute so, two and a half at 1 %"
)
_PLACES = "it looks, too, whether an id stands in a second location and whether each payload is there"
_FIELDS = ("state", "attempts", "group", "last_error", "due_at", "parent", "progress", "name")


async def discovery(world: World) -> list[Row]:
    """The first look among a million keys, and the search behind it."""
    server = world.deep
    raw = RawSocket(path_of(server))
    scan_ms = _full_scan(server, raw)
    look, found = Discovery(("emq",)), 0.0
    raw.ask("CONFIG", "SET", "slowlog-log-slower-than", 300)
    raw.ask("SLOWLOG", "RESET")
    with BareLink(parse_address(server.socket_url)) as link:
        before, began = cpu_ms(server.pid), time.perf_counter()
        link.run(look.look(FIRST_LOOK))
        link.hold(look.finish())
        wall, cost = (time.perf_counter() - began) * 1000, cpu_ms(server.pid) - before
        found = len(look.queues()) / 10
    slow = raw.ask("SLOWLOG", "LEN")
    first, later = await _search(server)
    raw.close()
    return [
        Row(
            "discovery", "found by the first look, of 1,000 queues among 1,000,000 keys", found, "%", "", None, 99, True
        ),
        against("discovery", "  its server CPU", cost, "ms", ("SCAN MATCH of all, same calls", scan_ms), 0.01, _NAMES),
        Row("discovery", "  its wall", wall, "ms"),
        Row("discovery", "  its calls over 0.3 ms", slow, "", budget=0),
        Row(
            "discovery",
            "search behind it, until all were met: server CPU at 1 Hz",
            first,
            "% of a core",
            budget=1,
            why=_HURRY,
        ),
        Row("discovery", "  and from then on", later, "% of a core", budget=1),
    ]


def _full_scan(server: ServerProcess, raw: RawSocket) -> float:
    before, cursor = cpu_ms(server.pid), b"0"
    while True:
        cursor, _ = raw.ask("SCAN", cursor, "MATCH", "emq:*:active", "COUNT", 100)
        if cursor == b"0":
            return cpu_ms(server.pid) - before


async def _search(server: ServerProcess, seconds: float = 8) -> tuple[float, float]:
    """Percent of a core that it costs the server: until every queue with jobs was met, and from then on."""
    source = Live(settings(server, prefixes=("emq",)))
    await source.sample()
    before, began = cpu_ms(server.pid), time.monotonic()
    while not (await source.sample()).swept:
        await source.moved(1)
    first = (cpu_ms(server.pid) - before) / (time.monotonic() - began) / 10
    before, began = cpu_ms(server.pid), time.monotonic()
    while (passed := time.monotonic() - began) < seconds:
        await source.moved(1)
        await source.sample()
    later = (cpu_ms(server.pid) - before) / passed / 10
    await source.close()
    return first, later


async def page(world: World) -> list[Row]:
    """A page of a hundred jobs in the middle of a million."""
    server = world.fresh()
    seeds.fill_dead(path_of(server), "huge", _MILLION, every_row=False, payload=b"x" * 10_000)
    queue = QueueId(Family.ECHOMQ, "emq", "huge")
    wanted = PageRequest(queue, Location.DEAD, limit=100, start=_MILLION // 2)
    raw, floor, ours, walls = RawSocket(path_of(server)), [], [], []
    with BareLink(parse_address(server.socket_url)) as link:
        for _ in range(21):
            floor.append(_cost(server, lambda: _bare_page(raw)))
            began = time.perf_counter()
            ours.append(_cost(server, lambda: link.run(page_of(wanted))))
            walls.append((time.perf_counter() - began) * 1000)
        before = (link.round_trips, link.received_bytes)
        told = link.run(page_of(wanted))
        trips, received = link.round_trips - before[0], link.received_bytes - before[1]
    raw.close()
    server.close()
    assert len(told.jobs) == 100
    what = "100 of 1,000,000 jobs, payloads of 10 kB"
    return [
        against(
            "page", f"{what}: server CPU", middle(ours), "ms", ("bare ZRANGE + HMGET", middle(floor)), 1.3, _PLACES
        ),
        Row("page", "  round trips", trips, "", budget=2),
        Row("page", "  received, payloads are 1,000,000 of it if read", received, "B", budget=100_000),
        Row("page", "  wall", middle(walls), "ms"),
    ]


def _bare_page(raw: RawSocket) -> None:
    base, middle_rank = "emq:{huge}:", _MILLION // 2
    members = raw.ask("ZRANGE", f"{base}dead", middle_rank, middle_rank + 99)
    raw.exchange(b"".join(pack("HMGET", f"{base}job:".encode() + member, *_FIELDS) for member in members), 100)


def _cost(server: ServerProcess, work: object) -> float:
    assert callable(work)
    before = cpu_ms(server.pid)
    work()
    return cpu_ms(server.pid) - before


async def slowlog(world: World) -> list[Row]:
    """10,000 queues and a million rows: the first whole sample, and calls over 5 ms in the server's own log."""
    server = world.wide
    server("CONFIG", "SET", "slowlog-log-slower-than", 5000)
    server("SLOWLOG", "RESET")
    source = Live(settings(server, prefixes=("emq",)))
    began = time.perf_counter()
    snapshot = await source.sample()
    first, known = (time.perf_counter() - began) * 1000, len(snapshot.queues) * 100 / QUEUES
    for _ in range(5):
        await source.sample()
        await source.page(PageRequest(snapshot.queues[0].id, Location.PENDING))
    await source.close()
    slow = server("SLOWLOG", "LEN")
    assert isinstance(slow, int)
    return [
        Row("slowlog", "10,000 queues, 1,000,000 rows: first sample", first, "ms", budget=2000),
        Row("slowlog", "  queues in it", known, "%", budget=99, least=True),
        Row("slowlog", "calls in a slow log set to 5 ms", slow, "", budget=0),
    ]
