"""The job beside its list on a wide terminal."""

from emqtop.model.queue import Location
from emqtop.ui.widgets.beside import JobBeside
from tests.ui.scenes import ORDERS, job_id
from tests.ui.stage import Stage, stage


def side(held: Stage) -> JobBeside:
    """The widget."""
    return held.app.screen.query_one(JobBeside)


async def test_it_follows_the_cursor() -> None:
    async with stage((170, 24)) as held:
        await held.press("down", "enter", "4")
        assert "SMTP 550: no such user" in side(held).text
        await held.press("down", "down")
        assert f"id          {job_id(302)}" in side(held).text
        assert "timeout after 30 s" in side(held).text
        await held.press("7")
        assert side(held).text == ""


async def test_a_narrow_terminal_has_no_room_and_nothing_is_read_for_it() -> None:
    async with stage((120, 24)) as held:
        await held.press("down", "enter", "down")
        assert not side(held).display
        assert not any(read.startswith("job") for read in held.source.reads)
        await held.pilot.resize_terminal(170, 24)
        await held.settle()
        await held.sample()
        assert side(held).display
        assert f"id          {job_id(101)}" in side(held).text
        await held.pilot.resize_terminal(100, 24)
        await held.settle()
        assert not side(held).display


async def test_the_last_that_was_known_stays_when_the_job_goes() -> None:
    async with stage((170, 24)) as held:
        await held.press("down", "enter", "4", "down")
        held.source.shelves[ORDERS].at(Location.DEAD).pop(1)
        await held.sample()
        assert held.app.screen.query_one(JobBeside).job_id is None
        assert "gone" not in held.text()


async def test_the_page_does_not_wait_for_the_numbers_of_another() -> None:
    async with stage((170, 24)) as held:
        await held.press("down", "enter")
        held.source.frozen = True
        await held.press("down", "down")
        assert side(held).text == "loading"
        held.source.frozen = False
        held.source.touch()
        await held.sample()
        assert f"id          {job_id(102)}" in side(held).text
