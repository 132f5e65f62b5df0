"""An act that was sent and not answered: unknown at first, then what really came of it, and never sent again."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.hands import hands_of
from emqtop.acting.plan import make_plan
from emqtop.acting.run import NEAR_BATCH
from emqtop.acting.runner import Runner
from emqtop.acting.tally import Tally
from emqtop.acting.truth import Truth, truth
from emqtop.demo.server import EmbeddedServer
from emqtop.model.actions import Order, Reason, Seen, Skip, Verb
from emqtop.model.queue import Family, Location, QueueId
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from emqtop.wire.errors import Frozen as Silent
from emqtop.wire.readings import JobReading
from emqtop.wire.scripts import script
from emqtop.wire.verdicts import DONE, UNKNOWN, Verdict
from tests.acting.acts import calls
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull
from tests.wire.echomq.operator.stage import GROUP, QUEUE, Stage, job

ORDERS = QueueId(Family.ECHOMQ, "emq", QUEUE)
MAIL = QueueId(Family.BULLMQ, "bull", "mail")
REQUEUE = Order(Verb.REQUEUE, ORDERS)


class Frozen:
    """A server of one's own that can be stopped in its tracks."""

    def __init__(self, server: EmbeddedServer) -> None:
        self.hand = Hand(server.url)
        self.stage = Stage(self.hand)
        info = self.hand("INFO", "server").decode()  # type: ignore[union-attr]
        self._pid = int(next(line for line in info.splitlines() if line.startswith("process_id:"))[11:])

    def freeze(self) -> None:
        os.kill(self._pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self._pid, signal.SIGCONT)


@pytest.fixture
async def frozen() -> AsyncIterator[tuple[Frozen, Client]]:
    with EmbeddedServer() as server:
        ice = Frozen(server)
        client = await Client.open(parse_address(server.url), timeout_s=0.3)
        yield ice, client
        ice.thaw()
        await client.close()
        ice.hand.link.close()


async def test_unknown_then_the_truth(frozen: tuple[Frozen, Client], audit: Audit) -> None:
    ice, client = frozen
    for number in range(1, 21):
        ice.stage.put(job(number), "dead")
    plan = await make_plan(client, REQUEUE)
    ice.hand("CONFIG", "RESETSTAT")
    runner = Runner(_FreezeAtTheAct(client, ice), audit, patience_s=20)
    outcome = await runner.carry_out(plan)
    left = ice.stage.dump()
    assert (outcome.matched, outcome.moved, outcome.unknown) == (20, 20, ())
    assert (len(left["pending"]), "dead" in left) == (20, False)
    sent = calls(ice.hand)
    assert (sent["evalsha"], sent.get("eval", 0)) == (1, 0)
    (entry,) = audit.entries()
    assert entry.result is not None
    assert (entry.result["moved"], entry.result["unknown"]) == (20, [])
    assert entry.result["moved_ids"] == [job(number) for number in range(1, 21)]


class _FreezeAtTheAct:
    """A client whose server freezes when an act is sent, and thaws once that was given up."""

    def __init__(self, client: Client, ice: Frozen) -> None:
        self._client = client
        self._ice = ice

    async def run(self, conversation):  # type: ignore[no-untyped-def]
        if conversation.__name__ != "requeue":
            return await self._client.run(conversation)
        # The script is known, so that the act is one command.
        self._ice.hand("SCRIPT", "LOAD", script("operator_requeue").body)
        self._ice.freeze()
        try:
            return await self._client.run(conversation)
        finally:
            self._ice.thaw()


async def test_a_server_that_never_comes_back(frozen: tuple[Frozen, Client], audit: Audit) -> None:
    ice, client = frozen
    for number in range(1, 151):
        ice.stage.put(job(number), "dead")
    plan = await make_plan(client, REQUEUE)

    class Dead(_FreezeAtTheAct):
        async def run(self, conversation):  # type: ignore[no-untyped-def]
            if conversation.__name__ == "requeue":
                self._ice.freeze()
            return await self._client.run(conversation)

    outcome = await Runner(Dead(client, ice), audit, patience_s=1).carry_out(plan)
    assert (outcome.matched, outcome.moved, len(outcome.unknown), outcome.stopped) == (150, 0, NEAR_BATCH, True)
    (entry,) = audit.entries()
    assert entry.result is not None
    assert len(entry.result["unknown"]) == NEAR_BATCH


async def test_a_stop_does_not_wait_for_a_frozen_server(frozen: tuple[Frozen, Client], audit: Audit) -> None:
    ice, client = frozen
    for number in range(1, 11):
        ice.stage.put(job(number), "dead")
    patient = await Client.open(client.address, timeout_s=60)
    plan = await make_plan(patient, REQUEUE)
    stop = asyncio.Event()

    class Freezing(_FreezeAtTheAct):
        async def run(self, conversation):  # type: ignore[no-untyped-def]
            if conversation.__name__ == "requeue":
                self._ice.freeze()
                stop.set()
            return await self._client.run(conversation)

    outcome = await asyncio.wait_for(Runner(Freezing(patient, ice), audit).carry_out(plan, stop=stop), 20)
    await patient.close()
    assert (outcome.moved, len(outcome.unknown), outcome.stopped) == (0, 10, True)


UNLOCKED = JobReading(b"1", attempts=1, deadline_ms=9_000, is_unlocked=True)
LOCKED = JobReading(b"1", attempts=1, deadline_ms=9_000)
REAP, EXTEND = Order(Verb.REAP, MAIL), Order(Verb.EXTEND, MAIL, by_ms=5_000)


@pytest.mark.parametrize(
    ("order", "seen_ms", "place", "now", "told"),
    [
        (REAP, 4_000, "active", UNLOCKED, Truth.AS_SEEN),
        (REAP, 4_000, "pending", JobReading(b"1", attempts=1), Truth.MOVED),
        (REAP, 4_000, "active", LOCKED, Skip("1", Reason.MOVED, "attempt 1 holds it now")),
        (REAP, 4_000, "active", replace(UNLOCKED, attempts=2), Truth.MOVED),
        (EXTEND, 8_998, "active", LOCKED, Truth.AS_SEEN),
        (EXTEND, 9_002, "active", LOCKED, Truth.AS_SEEN),
        (EXTEND, 4_002, "active", LOCKED, Truth.MOVED),
        (EXTEND, 6_000, "active", LOCKED, Skip("1", Reason.MOVED, "attempt 1 holds it now")),
        (EXTEND, 6_000, "active", replace(LOCKED, deadline_ms=None), Skip("1", Reason.MOVED, "attempt 1 holds it now")),
    ],
)
def test_a_lock_tells_its_deadline_by_the_time_left(
    order: Order, seen_ms: int, place: str, now: JobReading, told: Truth | Skip
) -> None:
    assert truth(order, Seen("1", Location.ACTIVE, 1, seen_ms), place, now) == told


@pytest.mark.parametrize("verb", [Verb.REAP, Verb.REMOVE])
def test_a_row_that_lies_nowhere_is_neither_gone_nor_removed(verb: Verb) -> None:
    seen, row = Seen("1", Location.ACTIVE, 1), JobReading(b"1", attempts=1, payload_bytes=2)
    assert truth(Order(verb, MAIL), seen, None, row) == Skip("1", Reason.MOVED, "moved to nowhere")


@pytest.mark.parametrize("requeued", [False, True])
async def test_a_job_in_whose_act_the_server_broke_off_is_read_again(
    client: Client, audit: Audit, valkey: Hand, requeued: bool
) -> None:
    bull = Bull(valkey, version="6.7.0")
    bull.failed("1")
    bull.failed("2")

    class Broken:
        async def run(self, conversation):  # type: ignore[no-untyped-def]
            if conversation.__name__ != "requeue":
                return await client.run(conversation)
            verdicts = await client.run(conversation) if requeued else [Verdict("1", DONE), Verdict("2", DONE)]
            return [verdicts[0], Verdict("2", UNKNOWN, "", "OOM command not allowed")]

    outcome = await Runner(Broken(), audit).carry_out(await make_plan(client, Order(Verb.REQUEUE, MAIL)))
    assert (outcome.matched, outcome.unknown) == (2, ())
    left = () if requeued else (Skip("2", Reason.NOT_PERMITTED, "OOM command not allowed"),)
    assert (outcome.moved, outcome.skipped) == (2 - len(left), left)


def test_an_unknown_verdict_counts_as_unknown() -> None:
    tally = Tally(REAP, total=2)
    assert tally.take([Verdict("1", UNKNOWN, "", "x"), Verdict("2", DONE)]) == ["2"]
    assert (tally.outcome().unknown, tally.outcome().skipped, tally.done) == (("1",), (), 1)


class _Unanswered:
    """A client whose server answers no act on a queue, though it may carry it out, and no look for a while.

    Args:
        client: the server.
        runs: is the act carried out?
        silent: looks that are not answered either.
    """

    def __init__(self, client: Client, *, runs: bool, silent: int = 0) -> None:
        self._client = client
        self._runs = runs
        self._silent = silent
        self._sent = False
        self.acts = 0

    async def run(self, conversation):  # type: ignore[no-untyped-def]
        if conversation.__name__ in {"pause", "resume", "set_limit", "set_concurrency", "set_rate_limit", "kick"}:
            self.acts += 1
            self._sent = True
            if self._runs:
                await self._client.run(conversation)
            raise Silent
        if self._sent and self._silent:
            self._silent -= 1
            raise Silent
        return await self._client.run(conversation)


WHOLE = [
    Order(Verb.PAUSE, ORDERS),
    Order(Verb.RESUME, ORDERS),
    Order(Verb.PAUSE, ORDERS, lane=GROUP),
    Order(Verb.RESUME, ORDERS, lane=GROUP),
    Order(Verb.LIMIT, ORDERS, lane=GROUP, ceiling=3),
    Order(Verb.PAUSE, MAIL),
    Order(Verb.RESUME, MAIL),
    Order(Verb.LIMIT, MAIL, ceiling=3),
    Order(Verb.RATE, MAIL, ceiling=3, by_ms=1000),
]


async def _set_up(client: Client, valkey: Hand, order: Order) -> None:
    Stage(valkey).put(job(1), "pending", group=GROUP)
    Bull(valkey, version="5.81.5").waiting("1")
    if order.verb is Verb.RESUME:
        await client.run(hands_of(order.queue.family).send_whole(replace(order, verb=Verb.PAUSE)))


def _names(orders: list[Order]) -> list[str]:
    return [f"{order.queue.family}-{order.verb}{'-lane' if order.lane else ''}" for order in orders]


@pytest.mark.parametrize("silent", [0, 2])
@pytest.mark.parametrize("order", WHOLE, ids=_names(WHOLE))
async def test_an_act_on_a_queue_without_an_answer_is_read_again(
    client: Client, audit: Audit, valkey: Hand, order: Order, silent: int
) -> None:
    await _set_up(client, valkey, order)
    link = _Unanswered(client, runs=True, silent=silent)
    outcome = await Runner(link, audit).carry_out(await make_plan(link, order))
    assert (outcome.matched, outcome.moved, outcome.skipped, outcome.unknown) == (1, 1, (), ())
    again = await Runner(link, audit).carry_out(await make_plan(link, order))
    assert (again.matched, again.moved, again.skipped, again.unknown) == (0, 0, (), ())
    assert link.acts == 2


@pytest.mark.parametrize("order", [WHOLE[0], WHOLE[3], WHOLE[6]], ids=_names([WHOLE[0], WHOLE[3], WHOLE[6]]))
async def test_an_act_on_a_queue_that_never_arrived_is_told_so(
    client: Client, audit: Audit, valkey: Hand, order: Order
) -> None:
    await _set_up(client, valkey, order)
    link = _Unanswered(client, runs=False)
    outcome = await Runner(link, audit).carry_out(await make_plan(link, order))
    left = Skip(order.queue.name, Reason.MOVED, "no answer came, and it is not so now")
    assert (outcome.matched, outcome.moved, outcome.skipped, outcome.unknown) == (1, 0, (left,), ())
    assert link.acts == 1


@pytest.mark.parametrize(
    ("order", "silent"), [(WHOLE[0], 10**9), (Order(Verb.WAKE, MAIL), 0)], ids=["silent", "nothing-tells"]
)
async def test_an_act_on_a_queue_stays_unknown_only_while_nothing_tells(
    client: Client, audit: Audit, valkey: Hand, order: Order, silent: int
) -> None:
    await _set_up(client, valkey, order)
    link = _Unanswered(client, runs=True, silent=silent)
    outcome = await Runner(link, audit, patience_s=0.5).carry_out(await make_plan(link, order))
    assert (outcome.matched, outcome.moved, outcome.skipped, outcome.unknown) == (1, 0, (), (order.queue.name,))
