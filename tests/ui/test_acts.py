"""From a key to a verdict: what is asked, what is refused, what is told."""

import asyncio

import pytest

from emqtop.model.actions import Verb
from emqtop.model.job import Job
from emqtop.model.queue import Location
from emqtop.sampling.memory import START_MS, MemorySource, Shelf
from emqtop.settings import ServerLabel, Settings
from emqtop.ui.screens.confirm import ConfirmScreen, Stage
from emqtop.ui.widgets.choices import Choices
from emqtop.ui.widgets.grid import Grid
from emqtop.wire.errors import Frozen
from tests.ui import stage as stages
from tests.ui.scenes import MAILS, ORDERS, job_id
from tests.ui.stage import stage


def dialog(held: stages.Stage) -> ConfirmScreen:
    """The dialog in front."""
    assert isinstance(held.app.screen, ConfirmScreen)
    return held.app.screen


async def test_the_dialog_names_server_queue_act_and_full_id() -> None:
    async with stage((80, 24)) as held:
        await held.press("down", "enter", "r")
        text = held.text()
        for words in ("Reap", "orders", "redis://127.0.0.1:6379", job_id(100), "lease ran out 2m05s ago", "attempt 2"):
            assert words in text


async def test_enter_gives_the_safe_answer() -> None:
    async with stage() as held:
        await held.press("down", "enter", "r", "enter")
        assert held.acts is not None
        assert held.acts.ran == []
        assert len(held.app.screen_stack) == 2


@pytest.mark.parametrize("keys", [("y",), ("right", "enter"), ("tab", "enter")])
async def test_a_job_is_reaped_and_the_verdict_told(keys: tuple[str, ...]) -> None:
    async with stage() as held:
        await held.press("down", "enter", "r", *keys)
        assert held.status.startswith(" reap: 1 job back in pending")
        assert held.source.shelves[ORDERS].find(job_id(100))[0] is Location.PENDING  # type: ignore[index]


@pytest.mark.parametrize(
    ("keys", "verb", "ids"),
    [
        (("r",), Verb.REAP, [job_id(100), job_id(101)]),
        (("R",), Verb.REQUEUE, [job_id(300), job_id(301), job_id(302)]),
        (("enter", "3", "p"), Verb.PROMOTE, [job_id(200)]),
        (("enter", "4", "R"), Verb.REQUEUE, [job_id(300)]),
        (("enter", "4", "x"), Verb.REMOVE, [job_id(300)]),
        (("enter", "1", "d"), Verb.DEAD_LETTER, [job_id(1)]),
        (("enter", "2", "e", "enter"), Verb.EXTEND, [job_id(100)]),
        (("enter", "4", "enter", "R"), Verb.REQUEUE, [job_id(300)]),
    ],
)
async def test_each_act_from_the_keyboard(keys: tuple[str, ...], verb: Verb, ids: list[str]) -> None:
    async with stage() as held:
        await held.press("down", *keys, "y")
        assert held.acts is not None
        assert [(plan.order.verb, [job.id for job in plan.jobs]) for plan in held.acts.ran] == [(verb, ids)]


async def test_an_act_carries_what_was_seen() -> None:
    async with stage() as held:
        await held.press("down", "enter", "r", "y")
        assert held.acts is not None
        seen = held.acts.ran[0].jobs[0]
        assert (seen.location, seen.attempts, seen.deadline_ms) == (Location.ACTIVE, 2, START_MS - 125_000)


async def test_pause_turns_into_resume() -> None:
    async with stage() as held:
        await held.press("down", "P", "y")
        assert held.source.shelves[ORDERS].paused
        await held.sample()
        await held.press("P", "y")
        assert held.acts is not None
        assert [plan.order.verb for plan in held.acts.ran] == [Verb.PAUSE, Verb.RESUME]
        assert not held.source.shelves[ORDERS].paused


async def test_marked_jobs_are_meant_as_they_were_last_seen() -> None:
    async with stage() as held:
        await held.press("down", "enter", "4", "space", "space")
        held.source.shelves[ORDERS].move(job_id(301), Location.PENDING)
        await held.sample()
        await held.press("R")
        assert "left alone: 1 moved on  moved to pending" in held.text()
        await held.press("y")
        assert "requeue: 1 job back in pending, 1 left alone (moved on)" in held.text()
        assert dialog(held).stage is Stage.OVER


async def test_a_live_lease_is_respected_and_said() -> None:
    async with stage() as held:
        await held.press("down", "enter", "end", "r")
        assert "nothing here that can be moved" in held.text()
        assert "lease has 59 s left" in held.text()
        await held.press("y")
        assert held.acts is not None
        assert held.acts.ran == []


async def test_an_act_that_does_not_fit_is_refused_in_words() -> None:
    async with stage() as held:
        await held.press("down", "enter", "4", "r")
        assert "reap fits active jobs, not dead ones" in held.status
        assert not isinstance(held.app.screen, ConfirmScreen)


async def test_a_job_that_left_the_list_is_not_replaced_by_its_neighbour() -> None:
    async with stage() as held:
        await held.press("down", "enter", "down")
        shelf = held.source.shelves[ORDERS]
        shelf.at(Location.ACTIVE).pop(1)
        await held.sample()
        await held.press("r")
        assert "no job is chosen" in held.status
        await held.press("enter")
        assert "has left this list" in held.status
        await held.press("up", "r")
        assert job_id(100) in held.text()


async def test_the_dialog_keeps_its_id_while_the_list_moves_on() -> None:
    async with stage() as held:
        await held.press("down", "enter", "r")
        held.source.shelves[ORDERS].at(Location.ACTIVE).reverse()
        await held.sample()
        await held.press("y")
        assert held.acts is not None
        assert [job.id for job in held.acts.ran[0].jobs] == [job_id(100)]


async def test_removing_several_wants_the_name_of_the_queue() -> None:
    async with stage() as held:
        await held.press("down", "enter", "4", "space", "space", "x")
        await held.press(*"orderz")
        assert "Remove (y)" not in held.text()
        await held.press("backspace", "s", "enter")
        assert "Remove (y)" in held.text()
        await held.press("y")
        assert held.acts is not None
        assert len(held.acts.ran[0].jobs) == 2


async def test_a_window_too_small_to_ask_refuses() -> None:
    async with stage((30, 4)) as held:
        await held.press("down", "enter", "r")
        assert "too small to ask" in " ".join(held.text().split())
        await held.press("y")
        assert held.acts is not None
        assert held.acts.ran == []
        await held.pilot.resize_terminal(80, 24)
        await held.settle()
        await held.press("y")
        assert len(held.acts.ran) == 1


async def test_a_server_that_cannot_be_asked_is_told() -> None:
    async with stage() as held:
        assert held.acts is not None
        held.acts.fault = Frozen("no answer within 5 s")
        await held.press("down", "enter", "r")
        assert "The server does not answer: no answer within 5 s" in held.text()
        await held.press("y", "escape")
        assert held.acts.ran == []
        assert len(held.app.screen_stack) == 2


async def test_a_bulk_act_tells_how_far_it_is_and_stops() -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.DEAD).extend(Job(job_id(number)) for number in range(50))
    async with stage(source=MemorySource(shelf)) as held:
        assert held.acts is not None
        held.acts.gate = asyncio.Event()
        await held.press("R")
        assert "Bring 50 jobs of mails back" in held.text()
        assert "and 45 more" in held.text()
        await held.press("y")
        assert "0 of 50" in held.text()
        await held.press("escape")
        held.acts.gate.set()
        await held.settle()
        assert "stopped" in held.text()
        await held.press("escape")
        assert len(held.app.screen_stack) == 1


async def test_who_may_only_look_is_offered_no_act() -> None:
    async with stage(can_act=False) as held:
        assert "reap" not in held.text()
        await held.press("down", "r", "enter", "r", "x", "4", "R")
        assert len(held.app.screen_stack) == 2
        assert "read-only" in held.text()


async def test_the_answers_lie_under_the_pointer() -> None:
    async with stage() as held:
        await held.press("down", "enter", "r")
        await held.pilot.click(Choices, offset=(16, 0))
        await held.settle()
        assert held.acts is not None
        assert len(held.acts.ran) == 1


async def test_a_marked_server_is_named_above_and_in_the_dialog() -> None:
    wishes = Settings(servers=(ServerLabel("*127.0.0.1*", "PRODUCTION", "#aa0000"),))
    async with stage((110, 24), settings=wishes) as held:
        assert " PRODUCTION " in held.text().splitlines()[0]
        await held.press("down", "r")
        assert sum(" PRODUCTION " in line for line in held.text().splitlines()) == 2
        marks = [segment for strip in held.strips() for segment in strip if "PRODUCTION" in segment.text]
        assert {str(mark.style.bgcolor.name) for mark in marks if mark.style and mark.style.bgcolor} == {"#aa0000"}


async def test_the_menu_offers_the_acts_that_fit() -> None:
    async with stage((100, 24)) as held:
        await held.press("down", "enter", "4", "a")
        offered = {entry.name: entry.why_not for entry in held.app.screen.query_one(Grid).selection.items}
        assert offered == {
            "requeue": "",
            "remove": "",
            "pause": "",
            "limit": "an EchoMQ queue is limited lane by lane: choose one among its lanes",
            "obliterate": "obliterate wants a paused queue: pause it first",
        }
        await held.press("enter", "y")
        assert held.acts is not None
        assert [(plan.order.verb, plan.jobs[0].id) for plan in held.acts.ran] == [(Verb.REQUEUE, job_id(300))]


async def test_a_command_by_its_name() -> None:
    async with stage((100, 24)) as held:
        await held.press("down", "enter", "colon", *"dead", "enter")
        assert "Give up 1 job of orders?" in held.text()
        await held.press("escape", "ctrl+p", *"next t", "enter")
        assert "[schedule 3]" in held.text()


async def test_the_palette_offers_only_what_can_be_given() -> None:
    async with stage((100, 24), can_act=False) as held:
        await held.press("colon", *"reap")
        assert "no command of that name" in held.text()
        await held.press("enter", "escape", "a")
        assert "read-only" in held.status


async def test_all_that_match_are_meant_whether_loaded_or_not() -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.DEAD).extend(
        Job(job_id(number), last_error="SMTP" if number % 2 else "timeout") for number in range(500)
    )
    async with stage((100, 24), MemorySource(shelf)) as held:
        await held.press("enter", "ctrl+a")
        assert "all dead jobs" in held.status
        await held.press("R")
        assert "Bring 500 jobs of mails back" in held.text()
        await held.press("escape", "slash", *"smtp", "enter", "R")
        assert "Bring 250 jobs of mails back" in held.text()
        await held.press("escape", "u", "R")
        assert "Bring 1 job of mails back" in held.text()


async def test_marks_of_one_page_are_kept_on_the_next() -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.DEAD).extend(Job(job_id(number)) for number in range(450))
    async with stage((100, 24), MemorySource(shelf)) as held:
        await held.press("enter", "space", "greater_than_sign", "space")
        assert "2 marked" in held.status
        await held.press("R", "y")
        assert held.acts is not None
        assert [job.id for job in held.acts.ran[0].jobs] == [job_id(0), job_id(200)]
        await held.press("space", "tab")
        assert "marked" not in held.status


@pytest.mark.parametrize(
    "keys",
    [
        ("r",),
        ("R",),
        ("enter", "3", "p"),
        ("enter", "4", "x"),
        ("enter", "1", "d"),
        ("enter", "2", "e"),
        ("enter", "4", "asterisk", "R"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("size", [(30, 4), (24, 10)])
async def test_no_act_is_asked_for_where_the_question_is_not_seen(keys: tuple[str, ...], size: tuple[int, int]) -> None:
    async with stage(size) as held:
        await held.press("down", *keys)
        dialog(held)
        assert "too small" in " ".join(held.text().replace("│", " ").split())
        await held.press("y", "right", "enter")
        assert held.acts is not None
        assert held.acts.ran == []


@pytest.mark.parametrize(("size", "framed"), [((40, 9), False), ((40, 10), True)])
async def test_a_low_window_has_lines_for_the_question_and_none_for_a_frame(
    size: tuple[int, int], framed: bool
) -> None:
    async with stage(size) as held:
        await held.press("down", "enter", "4", "R")
        assert ("╭" in held.text()) is framed
        assert all(words in held.text() for words in ("Requeue  orders", job_id(300), "[ Cancel ]    Requeue (y)"))
        for key in ("escape", "question_mark"):
            await held.press(key)
        assert ("╭" in held.text()) is framed
        await held.press("escape", "a")
        assert ("╭" in held.text()) is framed
        assert "❯ requeue" in held.text()


async def test_a_question_that_is_seen_whole_is_asked_in_a_small_window_too() -> None:
    async with stage((40, 8)) as held:
        await held.press("down", "P")
        assert all(words in held.text() for words in ("Pause  orders", "redis://127.0.0.1:6379", "Pause orders?"))
        await held.press("y")
        assert held.acts is not None
        assert [plan.order.queue for plan in held.acts.ran] == [ORDERS]
