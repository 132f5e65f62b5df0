"""The tail of events: what is kept, what is drawn, and how seldom."""

import pytest

from emqtop.model.queue import QueueId
from emqtop.present.event_columns import event_row
from emqtop.sampling.memory import START_MS, MemorySource
from emqtop.sampling.source import Event
from emqtop.ui.screens.events import EventsScreen
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.tail import Tail, next_failure
from tests.corpus import HOSTILE, unsafe
from tests.ui.scenes import MAILS, ORDERS, job_id
from tests.ui.stage import Stage, stage


def event(name: str = "completed", job: str | None = None, queue: QueueId = ORDERS, **extra: str) -> Event:
    return Event(START_MS, queue, name, job or job_id(1), tuple(extra.items()))


async def open_tail(held: Stage, *keys: str) -> EventsScreen:
    """Open a tail and wait until it listens."""
    await held.press(*keys, "E")
    screen = held.screen
    assert isinstance(screen, EventsScreen)
    while not held.source._events:
        await held.pilot.pause(0.001)
    return screen


async def tell(held: Stage, *events: Event) -> None:
    """Let queues announce something, and look."""
    screen = held.screen
    assert isinstance(screen, EventsScreen)
    wanted = screen.tail.taken + len(events)
    for each in events:
        held.source.announce(each)
    while screen.tail.taken < wanted:
        await held.pilot.pause(0.001)
    screen.look()
    await held.settle()


def test_the_tail_keeps_the_newest_and_only_a_part_of_long_values() -> None:
    tail = Tail(3)
    for number in range(10):
        tail.take(event(str(number), error="x" * 10_000))
    assert [row.event.name for row in tail.rows] == ["7", "8", "9"]
    assert tail.taken == 10
    assert {len(row.event.extra[0][1]) for row in tail.rows} == {200}


def test_the_rate_is_that_of_the_last_seconds() -> None:
    tail = Tail()
    assert tail.per_second(0.0) == 0
    for second in range(1, 11):
        for _ in range(20):
            tail.take(event())
        assert tail.per_second(float(second)) == 20


@pytest.mark.parametrize(("place", "step", "wanted"), [(0, 1, 2), (2, 1, 4), (4, 1, None), (4, -1, 2), (2, -1, None)])
def test_next_failure(place: int, step: int, wanted: int | None) -> None:
    names = ("completed", "progress", "failed", "completed", "stalled")
    rows = [event_row(number, event(name)) for number, name in enumerate(names)]
    found = next_failure(rows, place, step)
    assert (None if found is None else found.number) == wanted


async def test_a_tail_of_all_queues() -> None:
    async with stage((100, 8)) as held:
        await open_tail(held)
        assert "EchoMQ announces little" in held.text()
        await tell(held, event(), event("failed", queue=MAILS, error="SMTP 550"), event("progress", progress="40"))
        assert held.text().splitlines()[1:5] == [
            "  S RECEIVED QUEUE        EVENT        JOB            MORE",
            "    14:13:20 orders       completed    JOB00000000001",
            "  ! 14:13:20 mails        failed       JOB00000000001 error=SMTP 550",
            "❯   14:13:20 orders       progress     JOB00000000001 progress=40",
        ]
        assert "not every move is announced" in held.status
        assert held.status.rstrip().endswith("3 events  follows")


async def test_a_tail_of_one_queue_hears_no_other() -> None:
    async with stage((100, 12)) as held:
        screen = await open_tail(held, "down", "enter")
        held.source.announce(event("failed", queue=MAILS))
        await tell(held, event())
        assert [row.event.queue for row in screen.tail.rows] == [ORDERS]
        assert "QUEUE" not in held.text()


async def test_it_follows_until_the_cursor_is_moved_away() -> None:
    async with stage((100, 8)) as held:
        screen = await open_tail(held)
        await tell(held, *[event(f"e{number}") for number in range(20)])
        assert "e19" in held.text()
        await held.press("up")
        await tell(held, event("e20"))
        assert screen.grid.current is not None
        assert screen.grid.current.event.name == "e18"
        assert "stands" in held.status
        await held.press("end")
        await tell(held, event("e21"))
        assert screen.grid.current.event.name == "e21"


async def test_frozen_it_draws_nothing_but_goes_on_listening() -> None:
    async with stage((100, 8)) as held:
        await open_tail(held)
        await held.press("z")
        await tell(held, event("e1"))
        assert "e1" not in held.text()
        await held.press("z")
        assert "e1" in held.text()


async def test_failures_are_found_and_their_jobs_opened() -> None:
    async with stage((100, 12)) as held:
        screen = await open_tail(held)
        names = ("completed", "failed", "completed", "failed", "completed")
        await tell(held, *[event(name, job_id(300 + number)) for number, name in enumerate(names)])
        await held.press("N")
        assert screen.grid.current is not None
        assert screen.grid.current.number == 3
        await held.press("N", "N")
        assert screen.grid.current.number == 1
        assert "no failure before" in held.status
        await held.press("n", "enter")
        assert isinstance(held.screen, JobScreen)
        assert held.screen.job_id == job_id(303)


async def test_the_filter_works_on_all_that_is_kept() -> None:
    async with stage((100, 12)) as held:
        screen = await open_tail(held)
        await tell(held, event(), event("failed", error="SMTP 550"), event("failed", error="timeout"))
        await held.press("slash", *"smtp", "enter")
        assert [row.number for row in screen.items()] == [1]
        await held.press("escape")
        assert len(screen.items()) == 3


async def test_a_flood_is_drawn_once_a_look() -> None:
    async with stage((120, 36)) as held:
        screen = await open_tail(held)
        drawn = 0

        def counted() -> None:
            nonlocal drawn
            drawn += 1

        screen.draw_rows = counted  # type: ignore[method-assign]
        await tell(held, *[event() for _ in range(5_000)])
        assert drawn <= 2
        assert len(screen.tail.rows) == 2_000


async def test_leaving_ends_the_subscription() -> None:
    async with stage((100, 12)) as held:
        await open_tail(held)
        await held.press("escape")
        while held.source._events:
            await held.pilot.pause(0.001)
        assert len(held.app.screen_stack) == 1


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 15), (20, 5), (2, 1)])
async def test_any_size(size: tuple[int, int]) -> None:
    async with stage(size, MemorySource()) as held:
        await open_tail(held)
        await tell(held, event(), event("failed"))
        assert all(strip.cell_length <= size[0] for strip in held.strips())


async def test_hostile_events() -> None:
    async with stage((120, 60)) as held:
        await open_tail(held)
        texts = [value.decode("utf-8", "surrogateescape") for value in HOSTILE.values()]
        await tell(
            held, *[Event(START_MS, QueueId(ORDERS.family, "emq", text), text, text, ((text, text),)) for text in texts]
        )
        for strip in held.strips():
            assert not unsafe(strip.text)
            assert strip.cell_length == 120
