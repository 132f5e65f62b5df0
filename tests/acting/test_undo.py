"""An act and its undo leave the queue as it was, and never more."""

import asyncio

import pytest

from emqtop.acting.audit import Audit
from emqtop.acting.plan import Selection, make_plan
from emqtop.acting.runner import Runner
from emqtop.acting.tally import Progress
from emqtop.acting.undo import NotUndoable, find, undo
from emqtop.model.actions import Order, Reason, Seen, Verb
from emqtop.model.queue import Family, Location, QueueId
from emqtop.wire.client import Client
from emqtop.wire.errors import Unreachable
from emqtop.wire.scripts import script
from tests.acting.acts import calls
from tests.wire.echomq.operator.stage import GROUP, HOUR_MS, QUEUE, Dump, Stage, job

ORDERS = QueueId(Family.ECHOMQ, "emq", QUEUE)
ROW = f"emq:{{orders}}:job:{job(1)}"


async def _act(client: Client, audit: Audit, order: Order, *ids: str) -> str:
    plan = await make_plan(client, order, Selection(ids=ids))
    await Runner(client, audit).carry_out(plan)
    return audit.entries()[-1].id


def _settled(dump: Dump) -> Dump:
    return {key: value for key, value in dump.items() if key not in {"wake", "metrics:failed"}}


@pytest.mark.parametrize("group", [None, GROUP], ids=["flat", "lane"])
@pytest.mark.parametrize("place", ["pending", "active", "schedule", "dead"])
async def test_a_removed_job_comes_back_whole(
    client: Client, audit: Audit, stage: Stage, place: str, group: str | None
) -> None:
    stage.put(job(1), place, group=group, attempts=2, last_error="no \udcff route", progress="7")
    stage.valkey("RPUSH", f"{ROW}:logs", "one", b"two\xff")
    stage.valkey("SET", "emq:{orders}:de:once", job(1))
    stage.valkey("HSET", f"{ROW}:processed", job(8), "done")
    stage.valkey("SET", f"{ROW}:dependencies", 0)
    if group and place == "pending":
        stage.valkey("RPUSH", "emq:{orders}:ring", group)
    before = _bytes(stage)
    entry = await _act(client, audit, Order(Verb.REMOVE, ORDERS), job(1))
    assert _bytes(stage) == {}
    outcome = await undo(client, audit, find(audit, entry))
    after = _bytes(stage)
    if place == "active":
        # Whoever held it stays fenced off.
        before[f"job:{job(1)}"][b"attempts"] = b"3"
    assert (outcome.matched, outcome.moved) == (1, 1)
    assert after == before


async def test_an_undo_that_would_double_is_refused(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead")
    entry = await _act(client, audit, Order(Verb.REMOVE, ORDERS), job(1))
    stage.put(job(1), "schedule", at_ms=HOUR_MS)
    before = stage.dump()
    outcome = await undo(client, audit, find(audit, entry))
    assert [(left.id, left.reason, left.detail) for left in outcome.skipped] == [
        (job(1), Reason.MOVED, "moved to schedule")
    ]
    assert stage.dump() == before


async def test_a_job_that_finished_first_is_not_put_back(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead")
    stage.put(job(2), "dead")
    plan = await make_plan(client, Order(Verb.REMOVE, ORDERS), Selection(ids=(job(1), job(2))))
    stage.valkey("DEL", ROW)
    stage.valkey("ZREM", "emq:{orders}:dead", job(1))
    await Runner(client, audit).carry_out(plan)
    outcome = await undo(client, audit, find(audit, audit.entries()[-1].id))
    assert (outcome.matched, outcome.moved, set(stage.dump()["dead"])) == (1, 1, {job(2)})


@pytest.mark.parametrize(("place", "back"), [("pending", "pending"), ("schedule", "schedule"), ("active", "pending")])
async def test_a_death_by_hand_is_taken_back(client: Client, audit: Audit, stage: Stage, place: str, back: str) -> None:
    stage.put(job(1), place, attempts=2)
    before = stage.dump()
    entry = await _act(client, audit, Order(Verb.DEAD_LETTER, ORDERS, error="parked"), job(1))
    outcome = await undo(client, audit, find(audit, entry))
    after = _settled(stage.dump())
    if place == "active":
        before = {
            f"job:{job(1)}": {**before[f"job:{job(1)}"], "state": "pending", "attempts": "3"},
            back: {job(1): 0.0},
        }
    assert outcome.moved == 1
    assert after == before


async def test_a_requeue_is_taken_back_with_each_jobs_error(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead", last_error="timed out")
    stage.put(job(2), "dead", last_error="no route", group=GROUP)
    before = stage.dump()
    entry = await _act(client, audit, Order(Verb.REQUEUE, ORDERS), job(1), job(2))
    outcome = await undo(client, audit, find(audit, entry))
    assert outcome.moved == 2
    assert _settled(stage.dump()) == before


async def test_what_cannot_be_taken_back(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "active")
    stage.put(job(2), "dead")
    reaped = await _act(client, audit, Order(Verb.REAP, ORDERS), job(1))
    removed = await _act(client, audit, Order(Verb.REMOVE, ORDERS), job(2))
    await undo(client, audit, find(audit, removed))
    for name, words in ((reaped, "nothing was kept"), (removed, "already"), ("nonsense", "no such entry")):
        with pytest.raises(NotUndoable, match=words):
            find(audit, name)


MANY = [job(number) for number in range(1, 61)]
pytestmark = pytest.mark.usefixtures("near")


@pytest.mark.parametrize(
    ("order", "place"),
    [
        (Order(Verb.REMOVE, ORDERS), "dead"),
        (Order(Verb.REQUEUE, ORDERS), "dead"),
        (Order(Verb.DEAD_LETTER, ORDERS, error="parked"), "schedule"),
    ],
    ids=["remove", "requeue", "dead-letter"],
)
async def test_a_large_act_comes_back_as_one_and_goes_on_where_it_was_stopped(
    client: Client, audit: Audit, stage: Stage, order: Order, place: str
) -> None:
    for number, name in enumerate(MANY, 1):
        stage.put(name, place, at_ms=HOUR_MS + number, last_error=f"error {number}")
    before = stage.dump()
    if order.verb is Verb.DEAD_LETTER:
        # Requeued by hand, a job has no error any more.
        for name in MANY:
            before[f"job:{name}"].pop("last_error")
    entry = await _act(client, audit, order, *MANY)
    stop, told = asyncio.Event(), list[tuple[int, int]]()

    def tell(progress: Progress) -> None:
        if not progress.under_way:
            told.append((progress.done, progress.total))
            stop.set()

    first = await undo(client, audit, find(audit, entry), stop=stop, on_progress=tell)
    assert (first.matched, first.moved, first.stopped, told) == (60, 25, True, [(25, 60)])
    second = await undo(client, audit, find(audit, entry))
    assert (second.matched, second.moved, second.skipped, second.stopped) == (35, 35, (), False)
    assert _settled(stage.dump()) == before
    assert [(each.verb, each.undoes, each.count) for each in audit.entries()[1:]] == [
        (Verb.UNDO, entry, 60),
        (Verb.UNDO, entry, 35),
    ]
    with pytest.raises(NotUndoable, match="already"):
        find(audit, entry)


async def test_each_batch_of_an_undo_is_one_script(client: Client, audit: Audit, stage: Stage) -> None:
    for number, name in enumerate(MANY, 1):
        stage.put(name, "dead", last_error=f"error {number}")
    entry = await _act(client, audit, Order(Verb.REQUEUE, ORDERS), *MANY)
    stage.valkey("SCRIPT", "LOAD", script("operator_dead_letter").body)
    stage.valkey("CONFIG", "RESETSTAT")
    await undo(client, audit, find(audit, entry))
    sent = calls(stage.valkey)
    # A server that a loaded machine keeps waiting looks far, and is sent more at a time.
    assert sent["evalsha"] in {2, 3}
    assert sent.get("eval", 0) == 0


async def test_jobs_that_moved_on_do_not_keep_an_act_open(client: Client, audit: Audit, stage: Stage) -> None:
    for name in MANY[:3]:
        stage.put(name, "dead")
    entry = await _act(client, audit, Order(Verb.REQUEUE, ORDERS), *MANY[:3])
    stage.valkey("DEL", ROW)
    stage.valkey("ZREM", "emq:{orders}:pending", job(1))
    outcome = await undo(client, audit, find(audit, entry))
    assert (outcome.moved, [(left.id, left.reason) for left in outcome.skipped]) == (2, [(job(1), Reason.GONE)])
    assert entry in audit.undone()


async def test_a_lost_undo_can_be_taken_up_again(client: Client, audit: Audit, stage: Stage) -> None:
    for number, name in enumerate(MANY, 1):
        stage.put(name, "dead", last_error=f"error {number}")
    before = stage.dump()
    entry = await _act(client, audit, Order(Verb.REQUEUE, ORDERS), *MANY)

    class Losing:
        batches = 0

        async def run(self, conversation):  # type: ignore[no-untyped-def]
            self.batches += conversation.__name__ == "dead_letter"
            if self.batches > 1:
                raise Unreachable("connection reset")
            return await client.run(conversation)

    lost = await undo(Losing(), audit, find(audit, entry), patience_s=0.2)
    assert (lost.matched, lost.moved, lost.unknown, lost.stopped) == (60, 25, tuple(MANY[25:50]), True)
    again = await undo(client, audit, find(audit, entry))
    assert (again.matched, again.moved, again.skipped) == (35, 35, ())
    assert _settled(stage.dump()) == before


async def test_read_only_undoes_nothing(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead")
    entry = await _act(client, audit, Order(Verb.REMOVE, ORDERS), job(1))
    outcome = await undo(client, audit, find(audit, entry), read_only=True)
    assert [left.reason for left in outcome.skipped] == [Reason.READ_ONLY]
    assert stage.dump() == {}


async def test_an_undone_dead_letter_that_ran_again_is_left_alone(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "pending", attempts=1)
    plan = await make_plan(
        client, Order(Verb.DEAD_LETTER, ORDERS, error="x"), Selection(seen=(Seen(job(1), Location.PENDING, 1),))
    )
    await Runner(client, audit).carry_out(plan)
    stage.valkey("HSET", ROW, "attempts", 2)
    outcome = await undo(client, audit, find(audit, audit.entries()[-1].id))
    assert [left.detail for left in outcome.skipped] == ["attempt 2 holds it now"]


def _bytes(stage: Stage) -> dict[str, dict[bytes, object]]:
    """As `dump`, for values that are no UTF-8."""
    found: dict[str, dict[bytes, object]] = {}
    for name in sorted(stage.valkey("KEYS", "*")):  # type: ignore[arg-type]
        kind = stage.valkey("TYPE", name)
        short = name.decode().removeprefix("emq:{orders}:")  # type: ignore[union-attr]
        if short == "wake":
            continue
        if kind == b"hash":
            flat = stage.valkey("HGETALL", name)
            found[short] = dict(zip(flat[::2], flat[1::2], strict=True))  # type: ignore[index,arg-type]
        elif kind == b"zset":
            flat = stage.valkey("ZRANGE", name, 0, -1, "WITHSCORES")
            found[short] = dict(zip(flat[::2], flat[1::2], strict=True))  # type: ignore[index,arg-type]
        elif kind == b"list":
            found[short] = dict(enumerate(stage.valkey("LRANGE", name, 0, -1)))  # type: ignore[arg-type]
        else:
            found[short] = {b"": stage.valkey("GET", name)}
    return found


async def test_a_foreign_version_fence_lets_nothing_be_put_back(client: Client, audit: Audit, stage: Stage) -> None:
    stage.put(job(1), "dead")
    entry = await _act(client, audit, Order(Verb.REMOVE, ORDERS), job(1))
    stage.valkey("SET", "{emq}:version", "other")
    outcome = await undo(client, audit, find(audit, entry))
    assert [(left.id, left.reason) for left in outcome.skipped] == [(job(1), Reason.NOT_SUPPORTED)]
    assert _bytes(stage) == {"{emq}:version": {b"": b"other"}}
