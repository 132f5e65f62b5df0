"""Acts from the dashboard on real servers: what is asked, which keys are there afterwards, and what came in between."""

import os
import signal
from pathlib import Path

import pytest

from emqtop.demo.server import EmbeddedServer
from emqtop.model.actions import Verb
from emqtop.ui.act_state import Stage as Step
from emqtop.ui.screens.confirm import ConfirmScreen
from emqtop.ui.widgets.grid import Grid
from emqtop.wire.scripts import script
from tests.conftest import Hand
from tests.ui.on_server import Seat, seat
from tests.wire.bullmq.writing import Bull
from tests.wire.echomq.operator.stage import GROUP, P, Stage, job


@pytest.fixture
def orders(valkey: Hand) -> Stage:
    """A queue with jobs everywhere, one of them in a lane."""
    laid = Stage(valkey)
    for number, place in enumerate(("pending", "schedule", "dead"), start=1):
        laid.put(job(number), place, at_ms=3_600_000)
    laid.put(job(4), "pending", group=GROUP)
    valkey("RPUSH", f"{P}ring", GROUP)
    return laid


@pytest.fixture
def mail(valkey: Hand) -> Bull:
    """A queue of BullMQ."""
    return Bull(valkey, version="6.7.0")


def offered(held: Seat) -> set[str]:
    """What the menu in front names."""
    return {entry.name for entry in held.app.screen.query_one(Grid).selection.items}


async def by_name(held: Seat, command: str) -> None:
    """Give a command by its name."""
    await held.press("colon")
    await held.until("COMMAND")
    await held.press(*command)
    assert held.app.screen.query_one(Grid).selection.items[0].name == command
    await held.press("enter")


def dialog(held: Seat) -> ConfirmScreen:
    """The dialog in front."""
    assert isinstance(held.app.screen, ConfirmScreen)
    return held.app.screen


async def test_drain_takes_what_waits_once_the_name_is_typed(orders: Stage, tmp_path: Path) -> None:
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders")
        await by_name(held, "drain")
        await held.until("Delete what waits in orders: 2 jobs?", job(1), job(4), "[ Cancel ]")
        assert "Drain (y)" not in held.text()
        await held.press(*"order", "y")
        assert len(orders.dump()["pending"]) == 1
        await held.press("backspace", "s", "enter", "enter")
        assert dialog_is_gone(held)
        assert len(orders.dump()["pending"]) == 1
        await by_name(held, "drain")
        await held.until("Delete what waits in orders: 2 jobs?")
        await held.press(*"orders", "enter", "right", "enter")
        await held.until("drain: 2 jobs deleted")
        left = orders.dump()
        assert {key for key in left if key.startswith("job:")} == {f"job:{job(2)}", f"job:{job(3)}"}
        assert not {"pending", f"g:{GROUP}:pending", "ring"} & left.keys()
        (entry,) = held.audit.entries()
        assert (entry.verb, entry.count, entry.undoable) == (Verb.DRAIN, 2, True)


def dialog_is_gone(held: Seat) -> bool:
    return not isinstance(held.app.screen, ConfirmScreen)


async def test_a_drain_is_taken_back_from_the_audit(orders: Stage, tmp_path: Path) -> None:
    before = orders.dump()
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders")
        await by_name(held, "drain")
        await held.until("Delete what waits in orders: 2 jobs?")
        await held.press(*"orders", "enter", "y")
        await held.until("drain: 2 jobs deleted")
        await held.press("A")
        await held.until("drain", "undo")
        await held.press("u")
        await held.until("Take back: drain of 2 jobs?")
        await held.press("y")
        await held.until("undo: 2 jobs put back")
    after = orders.dump()
    assert [after[key] for key in before] == list(before.values())


async def test_a_job_that_came_while_it_was_asked_is_not_drained(orders: Stage, tmp_path: Path) -> None:
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders")
        await by_name(held, "drain")
        await held.until("Delete what waits in orders: 2 jobs?")
        orders.put(job(5), "pending")
        orders.valkey("ZREM", f"{P}pending", job(1))
        orders.valkey("HSET", f"{P}job:{job(1)}", "state", "active")
        orders.member(job(1), "active", at_ms=60_000)
        await held.press(*"orders", "enter", "y")
        await held.until("drain: 1 job deleted, 1 left alone (moved on)", "moved to active")
    left = orders.dump()
    assert (set(left["pending"]), set(left["active"])) == ({job(5)}, {job(1)})
    assert f"job:{job(4)}" not in left


async def test_a_lane_is_drained_and_the_rest_stays(orders: Stage, tmp_path: Path) -> None:
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders")
        await held.press("enter", "7")
        await held.until(GROUP)
        await by_name(held, "drain")
        await held.until(f"Delete what waits in orders lane {GROUP}: 1 job?", job(4))
        await held.press(*"orders", "enter", "y")
        await held.until("drain: 1 job deleted")
    left = orders.dump()
    assert {key for key in left if key.startswith("job:")} == {f"job:{job(number)}" for number in (1, 2, 3)}


async def test_drain_is_not_meant_for_what_is_marked(orders: Stage, tmp_path: Path) -> None:
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders")
        await held.press("enter", "1")
        await held.until(job(1))
        await held.press("space", "a")
        await held.until("drain takes all that waits")
        await held.press("down", "down", "down", "down")
        await held.until("drain takes all that waits: remove takes what is marked or matches", "drain takes all that")


async def test_a_queue_is_obliterated_once_it_is_paused(orders: Stage, tmp_path: Path) -> None:
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders")
        await by_name(held, "obliterate")
        await held.until("obliterate wants a paused queue: pause it first")
        await held.press("P")
        await held.until("Pause orders?")
        await held.press("y")
        await held.until("pause: orders paused", "P orders")
        await by_name(held, "obliterate")
        await held.until("Delete orders whole: 4 jobs", "nothing brings it back", job(1), "[ Cancel ]")
        await held.press(*"orders", "enter", "enter")
        assert dialog_is_gone(held)
        await by_name(held, "obliterate")
        await held.until("Delete orders whole: 4 jobs")
        await held.press(*"order", "enter")
        await held.until("that is not the name of the queue")
        await held.press("s", "enter", "y")
        await held.until("obliterate: orders deleted with 4 jobs")
    assert orders.dump() == {}
    entries = held.audit.entries()
    assert [(entry.verb, entry.count, entry.undoable) for entry in entries][-1] == (Verb.OBLITERATE, 4, False)


@pytest.mark.parametrize(
    ("between", "said"),
    [("added", "5 jobs by now, 4 were seen"), ("claimed", "jobs are active"), ("resumed", "must be paused")],
)
async def test_what_came_while_it_was_asked_saves_the_queue(
    orders: Stage, tmp_path: Path, between: str, said: str
) -> None:
    orders.valkey("HSET", f"{P}meta", "paused", "1")
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders", "paused")
        await by_name(held, "obliterate")
        await held.until("Delete orders whole: 4 jobs")
        match between:
            case "added":
                orders.put(job(5), "pending")
            case "claimed":
                orders.valkey("ZREM", f"{P}pending", job(1))
                orders.member(job(1), "active", at_ms=60_000)
            case "resumed":
                orders.valkey("HDEL", f"{P}meta", "paused")
        before = orders.dump()
        await held.press(*"orders", "enter", "y")
        await held.until("left alone", said)
        assert dialog(held).stage is Step.OVER
        assert orders.dump() == before


async def test_an_active_job_holds_an_obliteration_back_before_it_is_asked(orders: Stage, tmp_path: Path) -> None:
    orders.valkey("HSET", f"{P}meta", "paused", "1")
    orders.put(job(6), "active", at_ms=60_000)
    before = orders.dump()
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders", "paused")
        await by_name(held, "obliterate")
        await held.until("orders stays as it is", "jobs are active; force takes them too")
        assert "type the name" not in held.text()
        await held.press("y")
        assert dialog(held).stage is Step.ASKING
    assert orders.dump() == before


async def test_the_limit_of_a_lane_is_typed(orders: Stage, tmp_path: Path) -> None:
    orders.valkey("HSET", f"{P}glimit", GROUP, 4)
    async with seat(orders.valkey.url, tmp_path) as held:
        await held.until("orders")
        await held.press("L")
        await held.until("limited lane by lane")
        await held.press("enter", "7")
        await held.until(GROUP)
        await held.press("L")
        await held.until("jobs at once", "now 4", "lane " + GROUP)
        await held.press("2", "enter")
        await held.until("jobs at once 4 → 2")
        await held.press("y")
        await held.until("limit: limit changed")
        assert orders.dump()["glimit"] == {GROUP: "2"}
        await held.press("L")
        await held.until("now 2")
        await held.press("enter")
        await held.until(f"that is the limit of orders lane {GROUP} already")
        await held.press("y", "escape", "L")
        await held.until("now 2")
        await held.press(*"none", "enter")
        await held.until("jobs at once 2 → none")
        await held.press("y")
        await held.until("limit: limit changed")
    assert "glimit" not in orders.dump()


async def test_acts_of_the_other_family_are_not_offered(orders: Stage, mail: Bull, tmp_path: Path) -> None:
    mail.waiting("1")
    async with seat(mail.valkey.url, tmp_path) as held:
        await held.until("orders", "mail")
        await held.press("slash", *"orders", "enter", "a")
        await held.until("COMMAND")
        assert offered(held) == {"reap", "promote", "requeue", "pause", "limit", "drain", "obliterate"}
        await held.press("escape", "escape", "slash", *"mail", "enter", "a")
        await held.until("COMMAND")
        assert offered(held) == {"reap", "promote", "requeue", "pause", "limit", "rate", "wake", "drain"}


async def test_nothing_is_offered_to_who_may_only_look(orders: Stage, tmp_path: Path) -> None:
    before = orders.dump()
    async with seat(orders.valkey.url, tmp_path, can_act=False) as held:
        await held.until("orders", "read-only")
        for command in ("drain", "obliterate", "limit"):
            await held.press("colon", *command)
            await held.until("no command of that name")
            await held.press("escape")
        await held.press("L")
        await held.until("emqtop was started read-only")
    assert orders.dump() == before


async def test_limit_rate_and_wake_of_a_bullmq_queue(mail: Bull, tmp_path: Path) -> None:
    mail.waiting("1")
    mail.put("HSET", "meta", "concurrency", "3")
    async with seat(mail.valkey.url, tmp_path) as held:
        await held.until("mail")
        await held.press("L")
        await held.until("jobs at once", "now 3")
        await held.press(*"12", "enter")
        await held.until("jobs at once 3 → 12")
        await held.press("y")
        await held.until("limit: limit changed")
        await by_name(held, "rate")
        await held.until("jobs that may start", "now none")
        await held.press(*"100/1m", "enter")
        await held.until("jobs that may start none → 100 per 1m")
        await held.press("y")
        await held.until("rate: rate limit changed")
        assert mail.put("HMGET", "meta", "concurrency", "max", "duration") == [b"12", b"100", b"60000"]
        mail.put("DEL", "marker")
        await by_name(held, "wake")
        await held.until("Wake an idle worker of mail?")
        await held.press("y")
        await held.until("wake: a worker woken")
        assert mail.put("ZRANGE", "marker", 0, -1) == [b"0"]
        await held.press("P", "y")
        await held.until("pause: mail paused")
        await held.until("paused")
        await by_name(held, "wake")
        await held.until("a paused queue wakes nobody")


async def test_priority_due_time_and_deduplication_of_a_bullmq_job(mail: Bull, tmp_path: Path) -> None:
    mail.prioritized("first", 5)
    mail.delayed("later", due_ms=mail_now(mail) + 7_200_000)
    mail.put("HSET", "first", "deid", "d")
    mail.put("SET", "de:d", "first")
    async with seat(mail.valkey.url, tmp_path) as held:
        await held.until("mail")
        await held.press("enter", "1")
        await held.until("first")
        await by_name(held, "prioritize")
        await held.until("priority (1 is served first", "now 5")
        await held.press("2", "enter")
        await held.until("Change the priority of 1 job of mail?", "priority 5 → 2")
        await held.press("y")
        await held.until("prioritize: priority of 1 job changed")
        assert mail.field("first", "priority") == b"2"
        await by_name(held, "free")
        await held.until("Free the deduplication ids of 1 job of mail?")
        await held.press("y")
        await held.until("free: deduplication ids of 1 job freed")
        assert mail.put("EXISTS", "de:d") == 0
        await held.press("3")
        await held.until("later")
        await by_name(held, "delay")
        await held.until("due from now in", "now 1h59m")
        await held.press(*"5m", "enter")
        await held.until("→ 5m")
        await held.press("y")
        await held.until("delay: due time of 1 job changed")
    due = int(float(mail.put("ZSCORE", "delayed", "later"))) // 4096  # type: ignore[arg-type]
    assert 240_000 < due - mail_now(mail) <= 300_000


def mail_now(mail: Bull) -> int:
    return Stage(mail.valkey).now_ms


async def test_a_done_job_runs_again(mail: Bull, tmp_path: Path) -> None:
    mail.row("1", returnvalue="42", finishedOn=9, processedOn=8, atm=1)
    mail.put("ZADD", "completed", 9, "1")
    async with seat(mail.valkey.url, tmp_path) as held:
        await held.until("mail")
        await held.press("enter", "6")
        await held.until("1-1 of 1")
        await held.press("a")
        await held.until("rerun")
        await held.press("escape")
        await by_name(held, "rerun")
        await held.until("Bring 1 job of mail back from done to pending?", "nothing brings those back")
        await held.press("y")
        await held.until("rerun: 1 job run again")
    assert (mail.places("1"), mail.field("1", "returnvalue")) == (["wait"], None)


async def test_a_series_is_ended_from_its_next_run(mail: Bull, tmp_path: Path) -> None:
    next_ms = mail_now(mail) + 60_000
    mail.put("ZADD", "repeat", next_ms, "night:ly")
    mail.put("HSET", "repeat:night:ly", "name", "n", "every", 60_000, "ic", 1)
    mail.delayed(f"repeat:night:ly:{next_ms}", due_ms=next_ms, rjk="night:ly")
    mail.delayed("plain")
    async with seat(mail.valkey.url, tmp_path) as held:
        await held.until("mail")
        await held.press("enter", "3")
        await held.until("night:ly", "1-2 of 2")
        await by_name(held, "unschedule")
        await held.until("End a series of mail", "scheduler night:ly", "only its application can begin it again")
        await held.press("enter")
        assert mail.put("ZCARD", "repeat") == 1
        await by_name(held, "unschedule")
        await held.until("scheduler night:ly")
        await held.press("y")
        await held.until("unschedule: series ended")
        assert (mail.put("ZCARD", "repeat"), mail.places("plain")) == (0, ["delayed"])
        await held.until("1-1 of 1")
        await held.press("a")
        await held.until("delay")
        assert Verb.UNSCHEDULE not in offered(held)


async def test_a_series_is_ended_from_the_list_of_schedulers(mail: Bull, tmp_path: Path) -> None:
    mail.waiting("1")
    mail.put("ZADD", "repeat", mail_now(mail) + 60_000, "nightly")
    mail.put("HSET", "repeat:nightly", "name", "n", "every", 60_000, "ic", 1)
    async with seat(mail.valkey.url, tmp_path) as held:
        await held.until("mail")
        await held.press("enter", "8")
        await held.until("nightly")
        await by_name(held, "unschedule")
        await held.until("End a series of mail", "scheduler nightly")
        mail.put("ZREM", "repeat", "nightly")
        await held.press("y")
        await held.until("unschedule: nothing to do")
        mail.put("ZADD", "repeat", mail_now(mail) + 60_000, "nightly")
        await held.until("nightly")
        await by_name(held, "unschedule")
        await held.until("scheduler nightly")
        await held.press("y")
        await held.until("unschedule: series ended")
    assert mail.put("ZCARD", "repeat") == 0


async def test_drain_of_a_bullmq_queue_keeps_what_a_scheduler_needs(mail: Bull, tmp_path: Path) -> None:
    mail.waiting("1", "2", "repeat:x:1", "3")
    mail.put("ZADD", "repeat", 1, "x")
    mail.put("HSET", "repeat:x", "name", "n")
    mail.put("HSET", "repeat:x:1", "rjk", "x")
    mail.prioritized("4", 1)
    async with seat(mail.valkey.url, tmp_path) as held:
        await held.until("mail")
        await by_name(held, "drain")
        await held.until("Delete what waits in mail: 4 jobs?", "left alone: 1 scheduler")
        mail.waiting("5")
        await held.press(*"mail", "enter", "y")
        await held.until("drain: 4 jobs deleted, 1 left alone (scheduler)")
    assert {job for job in ("1", "2", "3", "4", "5", "repeat:x:1") if mail.places(job)} == {"5", "repeat:x:1"}


async def test_an_act_on_a_frozen_server_tells_what_is_known(tmp_path: Path) -> None:
    with EmbeddedServer() as server:
        hand = Hand(server.url)
        laid = Stage(hand)
        for number in range(1, 4):
            laid.put(job(number), "active")
        async with seat(server.url, tmp_path, timeout_s=4) as held:
            await held.until("orders")
            await held.press("r")
            await held.until("Bring 3 jobs of orders back to pending?")
            # The script is known, so that it is one command, which runs once the server goes on.
            hand("SCRIPT", "LOAD", script("operator_reap").body)
            os.kill(server.pid, signal.SIGSTOP)
            try:
                await held.press("y")
                await held.until("0 of 3")
                await held.until("3 jobs were sent", "s ago, and the server has not answered")
                await held.until("whether they moved is not known; nothing is sent a second time")
                await held.until("once it answers they are read")
            finally:
                os.kill(server.pid, signal.SIGCONT)
            await held.until("reap: 3 jobs back in pending")
        assert (set(laid.dump()["pending"]), "active" in laid.dump()) == ({job(1), job(2), job(3)}, False)
        hand.link.close()


async def test_a_server_that_freezes_before_anything_was_sent_is_told_so(tmp_path: Path) -> None:
    with EmbeddedServer() as server:
        hand = Hand(server.url)
        laid = Stage(hand)
        laid.put(job(1), "dead")
        before = laid.dump()
        async with seat(server.url, tmp_path, timeout_s=4) as held:
            await held.until("orders")
            await held.press("R")
            await held.until("Bring 1 job of orders back from dead to pending?")
            os.kill(server.pid, signal.SIGSTOP)
            try:
                await held.press("y")
                # What an undo would need is read first.
                await held.until("the server has not answered for", "nothing is under way")
                await held.until("The server does not answer", "nothing was sent", "[ Close ]")
            finally:
                os.kill(server.pid, signal.SIGCONT)
        assert laid.dump() == before
        hand.link.close()
