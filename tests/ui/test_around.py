"""The tabs about what stands around the jobs: workers, schedulers, minutes; on real servers and in memory."""

import asyncio
import base64
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from emqtop.model.actions import Order, Verb
from emqtop.model.job import Job
from emqtop.model.queue import Family, Location, QueueId
from emqtop.model.recording import Recorder, Recording
from emqtop.sampling.live import Live
from emqtop.sampling.memory import MemorySource, Shelf
from emqtop.sampling.replay import Replay
from emqtop.settings import Secret, Settings
from emqtop.ui import queue_reader
from emqtop.ui.aim import Aim, NoAim
from emqtop.ui.dashboard import Dashboard
from emqtop.ui.queue_view import Tab
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.screens.queue import QueueScreen
from emqtop.ui.widgets.grid import Grid
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.repeat import register_repeat
from tests.conftest import Hand
from tests.servers.users import as_user, user
from tests.ui.scenes import EMAILS, ORDERS, small_server
from tests.ui.stage import Stage, stage
from tests.wire.bullmq.writing import Bull

KEYS = QueueKeys("emq", "orders")
MAIL = QueueId(Family.BULLMQ, "bull", "mail")
NOW_MS = 1_790_000_000_000


def text(app: Dashboard) -> str:
    """The whole screen."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips(app.size))


async def shows(app: Dashboard, *words: str) -> str:
    """Wait until the screen says all of that, blanks counted once."""
    end_s = time.monotonic() + 10
    while missing := [word for word in words if word not in re.sub(r"\s+", " ", text(app))]:
        assert time.monotonic() < end_s, f"{missing} in\n{text(app)}"
        await asyncio.sleep(0.01)
    return text(app)


@asynccontextmanager
async def looking(url: str, queue: QueueId, size: tuple[int, int] = (120, 30)) -> AsyncIterator[Dashboard]:
    """The dashboard on a queue of a real server."""
    source = Live(Settings(url=Secret(url)))
    app = Dashboard(source, interval_s=0.05)
    try:
        async with app.run_test(size=size):
            await app.push_screen(QueueScreen(queue, Tab.PENDING))
            await shows(app, "pending", "quit")
            yield app
    finally:
        await source.close()


async def test_echomq_on_a_real_server(valkey: Hand) -> None:
    worker, other = Hand(valkey.url), Hand(valkey.url)
    worker("CLIENT", "SETNAME", "emq:{orders}:w:ada")
    other("CLIENT", "SETNAME", "emq:{mails}:w:bob")
    valkey.link.run(register_repeat(KEYS, "nightly report", 3_600_000, b"x" * 99, first_ms=2_000_000_000_000))
    valkey("HSET", KEYS.part("metrics:completed"), "count", 4_711)
    async with looking(valkey.url, ORDERS) as app:
        app.simulate_key("8")
        said = await shows(app, "workers 1]", "ada does not wait", "EchoMQ workers register nowhere")
        assert "bob" not in said
        app.simulate_key("9")
        await shows(app, "schedulers 1]", "nightly report", "every 1h00 registered 99B")
        app.simulate_key("0")
        await shows(app, "metrics]", "completed 4711", "EchoMQ keeps two counters and no times")
    for hand in (worker, other):
        hand.link.close()


async def test_bullmq_on_a_real_server(valkey: Hand) -> None:
    bull = Bull(valkey, version="5.81.5")
    worker = Hand(valkey.url)
    worker("CLIENT", "SETNAME", f"bull:{base64.b64encode(b'mail').decode()}:w:ada")
    bull.active("1", "u:1", pb="ada")
    bull.active("2", pb="killed")
    bull.put("ZADD", "repeat", 2_000_000_000_000, "nightly", 5, "dead")
    bull.put("HSET", "repeat:nightly", "name", "report", "pattern", "0 3 * * *", "tz", "UTC", "ic", 7)
    bull.put("HSET", "repeat:dead", "name", "report", "every", 1_000, "ic", 7)
    bull.delayed("repeat:nightly:2000000000000")
    bull.put("HSET", "metrics:completed", "count", 110, "prevTS", time.time_ns() // 1_000_000, "prevCount", 100)
    bull.put("RPUSH", "metrics:completed:data", 7, 5)
    async with looking(valkey.url, MAIL) as app:
        app.simulate_key("7")
        await shows(
            app, "workers 1]", "ada does not wait 1 0", "killed no such connection 1 1", "1 connected, 0 waiting"
        )
        app.simulate_key("8")
        await shows(app, "schedulers 2]", "1 will never run again", "dead -", "0 3 * * * scheduled - 7 UTC report")
        app.simulate_key("9")
        await shows(app, "metrics]", "completed 110", "last 2 min 12", "Counted by the workers", "highest 10")
        app.simulate_key("8")
        await shows(app, "schedulers 2]")
        for key in ("down", "enter"):
            app.simulate_key(key)
        await shows(app, "› repeat:nightly:2000000000000", "schedule")
    worker.link.close()


@pytest.mark.parametrize(("queue", "key"), [(ORDERS, "8"), (MAIL, "7")])
async def test_what_the_server_withholds_is_said_once(valkey: Hand, queue: QueueId, key: str) -> None:
    bull = Bull(valkey)
    bull.active("1", "u:1", pb="ada")
    valkey("HSET", KEYS.part("metrics:completed"), "count", 1)
    with user(valkey, "~*", "&*", "+@all", "-client|list") as (name, password):
        async with looking(as_user(valkey.url, name, password), queue) as app:
            app.simulate_key(key)
            said = await shows(app, "The server withholds CLIENT LIST")
            assert said.count("withholds") == 1
            if queue is MAIL:
                await shows(app, "ada holds jobs 1 0")
            else:
                await shows(app, "EchoMQ workers register nowhere.", "not known")


@pytest.mark.parametrize(("key", "part"), [("8", "repeat"), ("9", "metrics:completed"), ("7", "active")])
async def test_what_the_server_refuses_is_said_in_its_words(valkey: Hand, key: str, part: str) -> None:
    bull = Bull(valkey)
    bull.waiting("1")
    bull.put("SET", part, "x")
    async with looking(valkey.url, MAIL) as app:
        app.simulate_key(key)
        await shows(app, "The server refuses this request: WRONGTYPE")
        bull.put("DEL", part)
        screen = app.screen
        assert isinstance(screen, QueueScreen)
        screen._reader.hurry()
        async with asyncio.timeout(10):
            while "refuses" in text(app):
                await asyncio.sleep(0.01)


async def around(held: Stage, *keys: str) -> QueueScreen:
    """Into `orders` and to a tab."""
    await held.press("down", "enter", *keys)
    screen = held.screen
    assert isinstance(screen, QueueScreen)
    return screen


@pytest.mark.parametrize(("key", "asked"), [("8", "team"), ("9", "timetable"), ("0", "metrics")])
async def test_it_is_read_once_when_it_is_opened_and_not_at_every_tick(key: str, asked: str) -> None:
    async with stage((100, 24)) as held:
        await around(held)
        await held.sample()
        assert held.source.reads.count(asked) == 0
        await held.press(key)
        for _ in range(3):
            await held.sample()
        assert held.source.reads.count(asked) == 1
        pages = sum(read.startswith("page") for read in held.source.reads)
        await held.sample()
        assert sum(read.startswith("page") for read in held.source.reads) == pages
        await held.press("1", key)
        assert held.source.reads.count(asked) == 2


async def test_what_takes_long_is_asked_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {"now": 100.0}
    monkeypatch.setattr(queue_reader.time, "monotonic", lambda: clock["now"])

    class Slow(MemorySource):
        async def team(self, queue: QueueId):  # type: ignore[no-untyped-def]
            clock["now"] += 1.0
            return await super().team(queue)

    posted: list[object] = []
    source = Slow(Shelf(ORDERS))
    reader = queue_reader.QueueReader(posted.append)
    view = QueueScreen(ORDERS, Tab.WORKERS).at
    for _ in range(30):
        await reader.read(source, view, None)
        clock["now"] += 1.0
    assert len(posted) == 2
    reader.hurry()
    await reader.read(source, view, None)
    assert len(posted) == 3


async def test_keys_answer_while_the_server_does_not() -> None:
    async with stage((100, 24)) as held:
        screen = await around(held)
        held.source.frozen = True
        await held.press("8")
        assert "[workers]" in held.text()
        assert "loading" in held.text()
        await held.press("0")
        assert screen.at.tab is Tab.METRICS
        held.source.frozen = False
        held.source.touch()
        await held.sample()
        assert "EchoMQ keeps two counters" in held.text()


async def test_the_filter_and_copying_work_on_rows_and_the_minutes_have_none() -> None:
    async with stage((120, 24)) as held:
        screen = await around(held, "8", "slash", *"api", "enter")
        assert [row.name for row in screen.grid.selection.items] == ["api-1"]
        assert screen.copied().text == "api-1"  # type: ignore[union-attr]
        await held.press("enter")
        assert "there is no job to open here" in held.status
        await held.press("9", "down")
        assert screen.copied().text == "daily digest"  # type: ignore[union-attr]
        assert screen.wanted == ""
        await held.press("space")
        assert not screen.grid.selection.marks
        assert "Space (mark) does nothing here" in held.status
        await held.press("0", "slash")
        assert "/ (filter) does nothing here" in held.status
        assert not screen.query_one(Grid).display
        await held.press("2")
        assert screen.query_one(Grid).has_focus
        assert screen.grid.current is not None


async def test_a_scheduler_opens_its_next_run() -> None:
    shelf = small_server().shelves[EMAILS]
    async with stage((120, 24), MemorySource(shelf)) as held:
        await held.press("enter", "8", "down", "down", "enter")
        assert isinstance(held.screen, JobScreen)
        assert held.screen.job_id.startswith("repeat:sync:")
        assert held.screen.location is Location.ACTIVE


async def test_the_end_of_a_series_is_aimed_at_the_scheduler_under_the_cursor() -> None:
    shelf = small_server().shelves[EMAILS]
    async with stage((120, 24), MemorySource(shelf)) as held:
        await held.press("enter", "8", "down")
        screen = held.screen
        assert screen.aim(Verb.UNSCHEDULE) == Aim(Order(Verb.UNSCHEDULE, EMAILS, scheduler="beat"))
        await held.press("1")
        with pytest.raises(NoAim, match="choose one in their tab"):
            screen.aim(Verb.UNSCHEDULE)


async def test_no_act_on_jobs_is_offered_there() -> None:
    async with stage((120, 24)) as held:
        await around(held, "8")
        assert "reap" not in held.text().splitlines()[-1]
        await held.press("r")
        assert "reap fits jobs, not workers" in held.status
        await held.press("7", "r")
        assert "open a lane to see its jobs" in held.status


@pytest.mark.parametrize(
    ("queue", "key", "row", "note"),
    [
        (ORDERS, "8", "no connection tells that it works on this queue", "EchoMQ workers register nowhere"),
        (ORDERS, "9", "no repeating job is registered", "EchoMQ repeats by an interval"),
        (EMAILS, "7", "no worker is connected", "No worker is connected, and 1 job to do."),
        (EMAILS, "8", "no scheduler and no repeatable", "Here stands what recurs"),
        (EMAILS, "9", "completed  -", "No worker keeps metrics of this queue"),
    ],
)
async def test_an_empty_tab_says_what_would_be_there(queue: QueueId, key: str, row: str, note: str) -> None:
    shelf = Shelf(queue)
    shelf.at(Location.PENDING).append(Job("1"))
    async with stage((80, 24), MemorySource(shelf)) as held:
        await held.press("enter", key)
        await held.sample()
        assert row in held.text()
        assert note in held.text()


async def test_what_nobody_counts_is_what_was_seen() -> None:
    shelf = Shelf(ORDERS, completed=10)
    source = MemorySource(shelf)
    source.now_ms = NOW_MS // 60_000 * 60_000 - 1_000
    async with stage((100, 30), source) as held:
        await held.press("enter", "0")
        for _ in range(182):
            shelf.completed += 2
            source.now_ms += 1_000
            await held.app._feed._sample(source)
        await held.settle()
        lines = held.text().splitlines()
        assert re.search(r"completed +37\d +last minute 120 +last 2 min 240", "\n".join(lines))


async def test_a_recording_says_that_it_has_none_of_it() -> None:
    recorder = Recorder(header=True)
    snapshot = await MemorySource(Shelf(ORDERS, completed=7)).sample()
    app = Dashboard(Replay(Recording(list(recorder.lines(snapshot)))), interval_s=0.01)
    async with app.run_test(size=(100, 24)):
        await shows(app, "orders")
        app.simulate_key("enter")
        for key, words in (
            ("8", "who worked on them"),
            ("9", "what recurred on them"),
            ("0", "minutes that workers keep"),
        ):
            app.simulate_key(key)
            said = await shows(app, words)
            assert "their jobs" not in said
        await shows(app, "completed 7")
