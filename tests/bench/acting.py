"""Acts: how long one script call holds the server, and what a bulk act costs everybody else."""

import asyncio
import tempfile
import time
from pathlib import Path

from emqtop.acting.audit import Audit
from emqtop.acting.plan import make_plan
from emqtop.acting.runner import Runner
from emqtop.model.actions import Order, Seen, Verb
from emqtop.model.queue import Family, Location, QueueId
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.client import Client
from emqtop.wire.echomq import mutation, operator
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.resp import Ask, Conversation, ask_one, pack
from tests.bench.neighbour import Neighbour
from tests.bench.seeds import dead_id, fill_dead
from tests.bench.table import Row, beside
from tests.bench.world import World, path_of

BULK = 100_000
SINGLE = 5_000
"""Jobs that are moved one at a time, to be scaled up."""

_KEYS = QueueKeys("emq", "orders")
_GROUP = "GRP00000000001"
_CALLS = 30
_ACTS = {
    ("reap", "active"): lambda jobs: operator.reap(_KEYS, jobs),
    ("promote", "schedule"): lambda jobs: operator.promote(_KEYS, jobs),
    ("dead-letter", "active"): lambda jobs: operator.dead_letter(_KEYS, jobs, "by hand"),
    ("requeue", "dead"): lambda jobs: operator.requeue(_KEYS, jobs),
    ("remove", "dead"): lambda jobs: operator.remove(_KEYS, jobs),
    ("extend", "active"): lambda jobs: operator.extend(_KEYS, jobs, 1_000),
}


async def acting(world: World) -> list[Row]:
    """A call of a hundred jobs by act; 100,000 dead jobs requeued beside the same done one at a time."""
    server = world.fresh()
    with BareLink(parse_address(server.socket_url)) as link:
        rows = [_held(link, name, place, group) for name, place in _ACTS for group in (None, _GROUP)]
        link.run(ask_one("FLUSHALL"))
        fill_dead(path_of(server), _KEYS.name, SINGLE, every_row=True)
        with Neighbour(path_of(server)) as beside_single:
            begun = time.perf_counter()
            for number in range(SINGLE):
                link.run(mutation.reprocess(_KEYS, dead_id(number)))
            single = (time.perf_counter() - begun) * BULK / SINGLE
        link.run(ask_one("FLUSHALL"))
    fill_dead(path_of(server), _KEYS.name, BULK, every_row=True)
    client = await Client.open(parse_address(server.socket_url))
    with tempfile.TemporaryDirectory() as folder:
        looked = time.perf_counter()
        plan = await make_plan(client, Order(Verb.REQUEUE, QueueId(Family.ECHOMQ, "emq", _KEYS.name)))
        begun = time.perf_counter()
        with Neighbour(path_of(server)) as neighbour:
            watch = _Turns()
            begun_act = time.perf_counter()
            outcome = await Runner(client, Audit("bench", Path(folder))).carry_out(plan)
            took = time.perf_counter() - begun_act
            longest = await watch.end()
    await client.close()
    what = f"requeue of {outcome.moved:,} dead jobs"
    return [
        *rows,
        Row("acting", f"  looking {outcome.matched:,} dead jobs up", begun - looked, "s"),
        beside("acting", what, took, "s", ("one at a time", single)),
        beside(
            "acting", f"{what}: another client's p99", neighbour.p99_ms, "ms", ("one at a time", beside_single.p99_ms)
        ),
        Row("acting", f"{what}: the longest that a key waits", longest * 1000, "ms", budget=100),
    ]


class _Turns:
    """How long the event loop keeps another task waiting."""

    def __init__(self) -> None:
        self._longest = 0.0
        self._task = asyncio.create_task(self._watch())

    async def end(self) -> float:
        """The longest wait so far, seconds."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        return self._longest

    async def _watch(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            self._longest = max(self._longest, time.perf_counter() - before - 0.001)


def _held(link: BareLink, name: str, place: str, group: str | None) -> Row:
    """Server time of a call of a hundred jobs that are not in the CPU's cache."""
    act = _ACTS[name, place]
    link.run(ask_one("FLUSHALL"))
    link.run(_seed(place, group))
    link.run(act([Seen(dead_id(0), Location(place))]))
    link.run(ask_one("CONFIG", "RESETSTAT"))
    for begin in range(100, 100 * _CALLS, 100):
        verdicts = link.run(act([Seen(dead_id(number), Location(place)) for number in range(begin, begin + 100)]))
        assert all(verdict.done for verdict in verdicts)
    told = link.run(ask_one("INFO", "commandstats"))
    assert isinstance(told, bytes)
    line = next(line for line in told.decode().splitlines() if line.startswith("cmdstat_evalsha:"))
    ms = float(line.split("usec_per_call=")[1].split(",")[0]) / 1000
    return Row("acting", f"{name} of 100 {'lane' if group else 'flat'} jobs holds the server", ms, "ms", budget=1)


def _seed(place: str, group: str | None) -> Conversation[None]:
    state = "scheduled" if place == "schedule" else place
    lane = ("group", group) if group else ()
    commands = []
    for number in range(100 * _CALLS):
        row = ("state", state, "attempts", 1, "payload", "x" * 120, "last_error", "boom", *lane)
        commands += [pack("HSET", _KEYS.row(dead_id(number)), *row)]
        commands += [pack("ZADD", _KEYS.part(place), 0, dead_id(number))]
    yield Ask(b"".join(commands), len(commands))
    if group:
        yield Ask(pack("HSET", _KEYS.part("gactive"), group, 100 * _CALLS), 1)
