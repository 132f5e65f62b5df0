"""The least rights, made into a user with exactly what is printed."""

import asyncio
import contextlib
import re
from collections.abc import Iterator
from itertools import product

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.cli.console import Exit
from emqtop.model.actions import Order, Reason, Verb
from emqtop.model.queue import Family, Location, QueueId
from emqtop.sampling.live import Live
from emqtop.sampling.source import PageRequest
from emqtop.settings import Secret, Settings
from emqtop.wire.address import parse_address
from emqtop.wire.bullmq.library_scripts import CHECKED, _script
from emqtop.wire.client import Client
from emqtop.wire.echomq import flows
from emqtop.wire.echomq.flows import Node, Policy
from emqtop.wire.scripts import _files, script
from tests.cli.conftest import Cli, Stock
from tests.conftest import Hand
from tests.servers.process import ServerProcess
from tests.servers.users import as_user, user
from tests.wire.bullmq.writing import Bull

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
SPARE = QueueId(Family.ECHOMQ, "emq", "spare")
MAIL, OLD = QueueId(Family.BULLMQ, "bull", "mail"), QueueId(Family.BULLMQ, "bull", "old")
BIG = "x" * 100_000


READS_OF: dict[bytes, tuple[str | int, ...]] = {
    b"string": ("GET",),
    b"hash": ("HGETALL",),
    b"set": ("SMEMBERS",),
    b"list": ("LRANGE", 0, -1),
    b"zset": ("ZRANGE", 0, -1, "WITHSCORES"),
    b"stream": ("XRANGE", "-", "+"),
}


class Town:
    """Queues of both families with everything in them that reads and acts can meet."""

    def __init__(self, valkey: Hand) -> None:
        self.valkey = valkey
        self.stock = stock = Stock(valkey)
        valkey("SET", "{emq}:version", "echomq:3.0.0")
        valkey("HSET", stock.keys.row(stock.pending), "blob", BIG)
        self.child = stock.mint()
        root = Node(
            stock.mint(), b"root", "orders", children=(Node(self.child, b"child", "orders", Policy.FAIL_PARENT),)
        )
        valkey.link.run(flows.add_flow(stock.keys, root))
        self.bulls = [Bull(valkey, name=MAIL.name, version="6.7.0"), Bull(valkey, name=OLD.name, version="5.81.5")]
        for bull in self.bulls:
            bull.waiting("w1", "w2", "w3")
            bull.prioritized("p", 3)
            bull.delayed("d")
            bull.failed("f1", data=BIG)
            bull.failed("f2")
            bull.active("lapsed")
            bull.active("held", "worker:1")
            bull.put("ZADD", "completed", 5, "c")
            bull.row("c", returnvalue="1", finishedOn=5)
            bull.put("ZADD", "repeat", 2_000_000_000_000, "nightly")
            bull.put("HSET", "repeat:nightly", "name", "n", "every", 1000)
            bull.put("XADD", "events", "*", "event", "completed", "jobId", "c")

    @property
    def is_old(self) -> bool:
        """Does it know no rules of keys by what is done to them? `acl --help` tells what to write there."""
        told = self.valkey("INFO", "server")
        return isinstance(told, bytes) and b"redis_version:6." in told

    def dump(self) -> dict[bytes, object]:
        """Every key and its value; hashes and sets lie in no order."""
        keys = self.valkey("KEYS", "*")
        assert isinstance(keys, list)
        return {key: self._value(key) for key in sorted(keys)}  # type: ignore[type-var,arg-type]

    def _value(self, key: bytes) -> object:
        kind = self.valkey("TYPE", key)
        assert isinstance(kind, bytes)
        verb, *args = READS_OF[kind]
        value = self.valkey(verb, key, *args)
        match kind:
            case b"hash":
                return dict(zip(value[::2], value[1::2], strict=True))  # type: ignore[index]
            case b"set":
                return set(value)  # type: ignore[arg-type]
            case _:
                return value

    def denied(self) -> set[object]:
        """What the server noted as refused."""
        entries = self.valkey("ACL", "LOG")
        assert isinstance(entries, list)
        return {dict(zip(entry[::2], entry[1::2], strict=True))[b"object"] for entry in entries}


@pytest.fixture
def town(any_server: ServerProcess) -> Iterator[Town]:
    hand = Hand(any_server.socket_url)
    yield Town(hand)
    hand.link.close()


@contextlib.contextmanager
def allowed(cli: Cli, town: Town, *argv: str) -> Iterator[str]:
    """The URL of a user with exactly what is printed."""
    ran = cli("acl", *argv)
    assert (ran.code, ran.err) == (Exit.DONE, "")
    rules = ran.out.replace("%R~", "~" if town.is_old else "%R~").split()
    with user(town.valkey, *rules) as (name, password):
        town.valkey("ACL", "LOG", "RESET")
        yield as_user(town.valkey.url, name, password)


def settings(url: str) -> Settings:
    return Settings(url=Secret(url))


async def look(url: str, town: Town) -> tuple[str, ...]:
    """Read all that the dashboard reads; what it says is withheld."""
    source = Live(settings(url))
    try:
        while not (snapshot := await source.sample()).swept:
            pass
        assert {queue.id: queue.error for queue in snapshot.queues} == dict.fromkeys((ORDERS, MAIL, OLD))
        assert (snapshot.clock, snapshot.mode, snapshot.server.wire_version) == ("server", "tracking", "echomq:3.0.0")
        source.show((ORDERS, MAIL))
        for queue, location in product((ORDERS, MAIL, OLD), Location):
            for job in (await source.page(PageRequest(queue, location, payload=True))).jobs:
                assert (await source.job(queue, job.id)) is not None
        assert await source.field(ORDERS, town.stock.pending, "blob", 10, 5) == b"xxxxx"
        assert await source.field(MAIL, "f1", "data", 10, 5) == b"xxxxx"
        assert [lane.pending for lane in await source.lanes(ORDERS)] == [1]
        for queue in (ORDERS, MAIL, OLD):
            assert not (await source.team(queue)).withheld
            assert (await source.timetable(queue)).total == (queue is not ORDERS)
            assert (await source.metrics(queue)).failed.count is None
        events = source.events((ORDERS, MAIL))
        waiting = asyncio.ensure_future(anext(events))
        while not waiting.done():
            town.bulls[0].put("XADD", "events", "*", "event", "active", "jobId", "w1")
            await asyncio.wait((waiting,), timeout=0.1)
        assert waiting.result().name == "active"
        return (await source.sample()).limits
    finally:
        await source.close()


READS = [
    ("ls",),
    ("lanes", "orders"),
    ("errors", "orders"),
    ("errors", "mail"),
    ("job", "mail", "f1"),
    ("job", "mail", "f1", "--raw", "data"),
    *(("jobs", queue, location) for queue, location in product(("orders", "mail"), Location)),
    ("jobs", "mail", "dead", "--where", "error~boom"),
]


async def test_view_sees_everything_and_is_never_refused(cli: Cli, town: Town) -> None:
    with allowed(cli, town, "view") as url:
        assert await look(url, town) == ()
        for argv in READS:
            ran = await asyncio.to_thread(cli, *argv, "--url", url)
            assert (argv, ran.code, ran.err) == (argv, Exit.DONE, "")
        # Without scripts the server sends a large field whole where a part of it is asked for.
        assert town.denied() == {b"eval"}


def acts(town: Town) -> list[tuple[str, ...]]:
    stock = town.stock
    return [
        ("extend", "orders", stock.active, "--by", "60s"),
        ("reap", "orders", stock.overdue),
        ("reap", "orders", stock.active, "--force"),
        ("promote", "orders", stock.schedule),
        ("dead-letter", "orders", stock.pending, "--reason", "x"),
        ("dead-letter", "orders", stock.grouped, "--reason", "x"),
        ("dead-letter", "orders", town.child, "--reason", "x"),
        ("requeue", "orders", stock.dead, "--reset-attempts"),
        ("remove", "orders", stock.pending),
        ("pause", "orders"),
        ("resume", "orders"),
        ("pause", "orders", "--lane", stock.group),
        ("resume", "orders", "--lane", stock.group),
        *(
            command
            for queue in ("mail", "old")
            for command in [
                ("extend", queue, "held", "--by", "60s"),
                ("reap", queue, "lapsed"),
                ("reap", queue, "held", "--force"),
                ("promote", queue, "d"),
                ("dead-letter", queue, "w1", "--reason", "x"),
                ("dead-letter", queue, "p", "--reason", "x"),
                ("requeue", queue, "f1", "--reset-attempts"),
                ("remove", queue, "w2"),
                ("pause", queue),
                ("resume", queue),
            ]
        ),
    ]


def test_view_cannot_act(cli: Cli, town: Town) -> None:
    before = town.dump()
    with allowed(cli, town, "view") as url:
        for argv in acts(town):
            # Resuming what runs is nothing to refuse.
            if argv[0] == "resume":
                continue
            ran = cli(*argv, "--json", "--url", url)
            reasons = {skip["reason"] for skip in ran.document["skipped"]}
            assert (argv, ran.code, reasons) == (argv, Exit.FINDINGS, {"not-permitted"})
            assert ran.document["matched"] == len(ran.document["skipped"])
    assert town.dump() == before


def test_act_does_everything_and_is_never_refused(cli: Cli, town: Town) -> None:
    with allowed(cli, town, "act") as url:
        for argv in [*acts(town), ("requeue", "orders", town.stock.grouped)]:
            ran = cli(*argv, "--json", "--url", url)
            assert (argv, ran.code, ran.document["skipped"]) == (argv, Exit.DONE, [])
        entries = cli("audit", "--json").document["entries"]
        removed = [entry["id"] for entry in entries if entry["verb"] == "remove"]
        assert len(removed) == 3
        for entry in removed:
            ran = cli("audit", "--undo", entry, "--json", "--url", url)
            assert (ran.code, ran.document["moved"]) == (Exit.DONE, 1)
        for argv in READS:
            assert cli(*argv, "--url", url).code == Exit.DONE
        assert town.denied() == set()


async def test_act_may_do_what_takes_a_whole_lane_or_queue(cli: Cli, town: Town) -> None:
    orders = [
        Order(Verb.LIMIT, ORDERS, lane=town.stock.group, ceiling=2),
        Order(Verb.DRAIN, ORDERS),
        Order(Verb.PAUSE, SPARE),
        Order(Verb.OBLITERATE, SPARE, force=True),
    ]
    Stock(town.valkey, SPARE.name)
    with allowed(cli, town, "act") as url:
        client = await Client.open(parse_address(url))
        try:
            for order in orders:
                outcome = await Runner(client, Audit("")).carry_out(await make_plan(client, order, Selection()))
                assert (order.verb, outcome.unknown, outcome.stopped) == (order.verb, (), False)
                assert {left.reason for left in outcome.skipped} <= {Reason.FLOW_CHILD}
        finally:
            await client.close()
        assert town.denied() == set()
    assert town.valkey("KEYS", "emq:{spare}:*") == []


_CALLED = re.compile(rb"(?:rcall|redis\.p?call)\(\s*['\"](\w+)['\"]")


def test_act_may_call_what_the_scripts_call(cli: Cli) -> None:
    may = {word[1:] for word in cli("acl", "act").out.split() if word.startswith("+")}
    bodies = [script(name).body for name in _files() if name.startswith("operator_")]
    bodies += [_script(name).body for name in CHECKED]
    called = {word.decode().lower() for body in bodies for word in _CALLED.findall(body)}
    assert "hset" in called
    assert called <= may


@pytest.mark.parametrize(
    ("argv", "keys"),
    [
        ((), ["~emq:*", "~bull:*", "~{emq}:version", "&emq:{*}:events", "&bull:{*}:events"]),
        (("--family", "echomq", "--prefix", "a"), ["~a:{*}:*", "~{emq}:version", "&a:{*}:events"]),
        (("--family", "bullmq", "--prefix", "a*[b] c"), ["~a\\*\\[b\\]?c:*"]),
    ],
)
def test_only_the_prefixes_are_open(cli: Cli, argv: tuple[str, ...], keys: list[str]) -> None:
    document = cli("acl", "view", *argv, "--json").document
    rules = document["rules"]
    assert (document["role"], rules[:3]) == ("view", ["resetkeys", "resetchannels", "-@all"])
    assert [rule for rule in rules[3:] if rule[0] != "+"] == keys
    assert cli("acl", "view", *argv).out.split() == rules


def test_a_user_of_one_family_sees_its_queues(cli: Cli, town: Town) -> None:
    with allowed(cli, town, "view", "--family", "echomq") as url:
        names = [queue["name"] for queue in cli("ls", "--json", "--url", url).document["queues"]]
        assert "orders" in names
    with allowed(cli, town, "view", "--prefix", "bull") as url:
        ran = cli("ls", "--json", "--prefix", "bull", "--url", url)
        assert [queue["name"] for queue in ran.document["queues"]] == ["mail", "old"]


@pytest.mark.parametrize("argv", [(), ("rule",), ("view", "act")])
def test_a_role_is_view_or_act(cli: Cli, argv: tuple[str, ...]) -> None:
    ran = cli("acl", *argv)
    assert (ran.code, ran.out, ran.err.count("\n")) == (Exit.USAGE, "", 1)
