"""The footer names what is worth most, and dims or drops what can do nothing."""

import pytest

from emqtop.model.job import Job
from emqtop.model.queue import Location
from emqtop.sampling.memory import MemorySource, Shelf
from emqtop.ui.footer import kept
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.widgets.grid import Grid
from tests.ui.scenes import MAILS, ORDERS, job_id
from tests.ui.stage import Stage, stage


@pytest.mark.parametrize(
    ("offers", "room", "stay"),
    [
        ([], 10, set()),
        ([(1, 5), (9, 5)], 4, set()),
        ([(1, 5), (9, 5)], 9, {1}),
        ([(1, 5), (9, 5)], 10, {0, 1}),
        ([(5, 6), (5, 6), (5, 3)], 10, {0, 2}),
    ],
)
def test_what_is_worth_most_stays(offers: list[tuple[int, int]], room: int, stay: set[int]) -> None:
    assert kept(offers, room) == stay


def footer(held: Stage) -> str:
    return held.text().splitlines()[-1]


@pytest.mark.parametrize("width", [80, 120])
async def test_doctor_errors_and_acts_are_named_at_common_widths(width: int) -> None:
    async with stage((width, 24)) as held:
        for named in ("Enter open", "r reap", "R requeue", "f errors", "D doctor", "a acts", "? help", "q quit"):
            assert named in footer(held)
        assert ("E events" in footer(held)) is (width == 120)


async def test_what_pauses_says_resume_of_what_is_paused() -> None:
    shelf = Shelf(ORDERS)
    async with stage((200, 24), MemorySource(shelf)) as held:
        assert "P pause" in footer(held)
        shelf.paused = True
        await held.sample()
        assert "P resume" in footer(held)
        await held.press("a")
        assert "resume           P" in held.text()


async def test_an_empty_list_has_nothing_to_open_or_mark() -> None:
    async with stage((120, 24), MemorySource(Shelf(MAILS))) as held:
        await held.press("enter", "enter")
        assert "there is nothing here to open" in held.status
        await held.press("space")
        assert "there is nothing here to mark" in held.status


async def test_of_a_job_that_is_gone_no_act_is_named() -> None:
    shelf = Shelf(MAILS)
    shelf.at(Location.ACTIVE).append(Job(job_id(1)))
    async with stage((120, 24), MemorySource(shelf)) as held:
        await held.press("enter", "enter")
        assert "d dead" in footer(held)
        held.app.push_screen(JobScreen(MAILS, job_id(2), None))
        await held.sample()
        assert "no such job" in held.text()
        assert footer(held).split("a acts")[0].strip() == "Esc back  Enter data  F flow  E events"


async def test_where_no_act_fits_there_is_no_menu() -> None:
    async with stage((120, 24)) as held:
        held.app.push_screen(JobScreen(MAILS, job_id(2), None))
        await held.sample()
        await held.press("a")
        assert held.status.strip() == "no act fits here"


async def test_a_menu_is_as_high_as_its_entries() -> None:
    async with stage((120, 36)) as held:
        await held.press("a")
        box = held.app.screen.query_one("#palette")
        shown = held.app.screen.query_one(Grid)
        assert shown.size.height == len(shown.selection.items) + 1
        assert box.size.height == shown.size.height + 2
        await held.pilot.resize_terminal(60, 11)
        await held.settle()
        assert box.size.height == 6


async def test_the_chosen_command_is_pointed_at_while_its_name_is_typed() -> None:
    async with stage((120, 36)) as held:
        await held.press("colon", *"doctor")
        assert [line.split("│ ❯")[1].split()[:2] for line in held.text().splitlines() if "│ ❯" in line] == [
            ["all", "findings"]
        ]


async def test_who_may_only_look_is_offered_no_menu_of_acts() -> None:
    async with stage((200, 24), can_act=False) as held:
        assert "D doctor" in footer(held)
        assert "a acts" not in footer(held)
