"""What keys do to the screens on the path overview, queue, job."""

import pytest

from emqtop.model.job import Job
from emqtop.model.queue import Location
from emqtop.sampling.memory import MemorySource, Shelf
from emqtop.ui.queue_view import Tab
from emqtop.ui.screens.job import JobScreen
from emqtop.ui.screens.overview import OverviewScreen
from emqtop.ui.screens.queue import QueueScreen
from emqtop.wire.errors import Unreachable
from tests.ui.scenes import IDLE, MAILS, ORDERS, TENANTS, job_id, small_server
from tests.ui.stage import Stage, stage


async def open_orders(held: Stage, *keys: str) -> QueueScreen:
    """Go from the overview into the queue `orders`."""
    await held.press("down", "enter")
    screen = held.screen
    assert isinstance(screen, QueueScreen)
    await held.press(*keys)
    return screen


@pytest.mark.parametrize("size", [(200, 60), (120, 36), (80, 24), (60, 15), (40, 8), (20, 5), (6, 3), (2, 1)])
async def test_every_screen_at_every_size(size: tuple[int, int]) -> None:
    async with stage(size) as held:
        for keys in ((), ("down", "enter"), ("tab",) * 5, ("4", "enter"), ("tab",) * 6, ("r",), ("escape", "escape")):
            await held.press(*keys)
            assert len(held.strips()) == size[1]
            assert all(strip.cell_length <= size[0] for strip in held.strips())


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_every_location_has_its_whole_count(size: tuple[int, int]) -> None:
    shelf = Shelf(ORDERS, completed=124_000)
    shelf.at(Location.DEAD).extend(Job(job_id(number)) for number in range(100_000))
    shelf.at(Location.ACTIVE).append(Job(job_id(1), deadline_ms=1))
    async with stage(size, MemorySource(shelf)) as held:
        row = held.text().splitlines()[2]
        assert "100k" in row
        await held.press("enter")
        tabs = held.text().splitlines()[1]
        for count in ("active 1", "De100k", "Do124k") if size[0] < 80 else ("active 1", "dead 100k", "done 124k"):
            assert count in tabs


async def test_resize_at_any_moment() -> None:
    async with stage((120, 36)) as held:
        await open_orders(held)
        for size in ((20, 5), (6, 2), (80, 24), (200, 60)):
            await held.pilot.resize_terminal(*size)
            await held.settle()
            assert len(held.strips()) == size[1]
        assert "JOB00000000104" in held.text()


async def test_tabs_by_number_key_and_tab() -> None:
    async with stage() as held:
        screen = await open_orders(held, "3")
        assert screen.at.tab is Tab.SCHEDULE
        await held.press("tab")
        assert screen.at.tab is Tab.DEAD
        await held.press("shift+tab", "shift+tab")
        assert screen.at.tab is Tab.ACTIVE
        assert screen.grid.current is not None
        assert screen.grid.current.job.id == job_id(100)


async def test_a_page_of_a_view_already_left_is_dropped() -> None:
    async with stage() as held:
        screen = await open_orders(held)
        left = screen.page
        assert left is not None
        await held.press("4")
        screen.post_message(left)
        await held.settle()
        assert [row.location for row in screen.items()] == [Location.DEAD] * 3


async def test_the_way_in_and_out_keeps_the_place() -> None:
    async with stage() as held:
        overview = held.screen
        assert isinstance(overview, OverviewScreen)
        await open_orders(held, "down", "down", "enter")
        assert isinstance(held.screen, JobScreen)
        assert held.screen.job_id == job_id(102)
        await held.press("escape", "left")
        assert held.screen is overview
        assert overview.grid.selection.key == ORDERS


async def test_filter_narrows_and_its_letters_are_no_acts() -> None:
    async with stage() as held:
        await held.press("slash", "o", "r", "d", "x", "backspace")
        assert [row.queue.id for row in held.screen.items()] == [ORDERS]  # type: ignore[attr-defined]
        assert held.acts is not None
        assert held.acts.ran == []
        assert len(held.app.screen_stack) == 1
        await held.press("enter", "down", "escape")
        assert len(held.screen.items()) == 6  # type: ignore[attr-defined]


async def test_brackets_in_a_filter_are_letters() -> None:
    async with stage() as held:
        await held.press("slash", "[", "/", "]")
        assert "no queue matches" in held.text()


async def test_negated_filter() -> None:
    async with stage() as held:
        await held.press("slash", "!", "i", "l")
        names = {row.queue.id.name for row in held.screen.items()}  # type: ignore[attr-defined]
        assert names == {"orders", "tenants", "idle", "broken"}


async def test_orders_by_each_column_and_back() -> None:
    async with stage() as held:
        firsts = []
        for _ in range(9):
            firsts.append(held.screen.items()[0].queue.id.name)  # type: ignore[attr-defined]
            await held.press("s")
        assert firsts == ["broken", "broken", "tenants", "orders", "orders", "orders", "orders", "broken", "mails"]


async def test_leases_run_on_by_the_servers_clock() -> None:
    async with stage((80, 12)) as held:
        await open_orders(held)
        held.source.frozen = True
        await held.pass_time(5)
        lines = held.text().splitlines()
        assert lines[5].split()[:3] == ["!", job_id(102), "-1.0s"]
        assert lines[6].split()[:2] == [job_id(103), "23s"]


async def test_a_lost_server_is_told_with_the_age_of_the_numbers() -> None:
    async with stage((80, 12)) as held:
        held.source.fault = Unreachable("127.0.0.1:6379 refused")
        await held.sample()
        await held.pass_time(2)
        await held.pass_time(3)
        assert "refused" in held.status
        assert "numbers are 5.0s old" in held.status
        assert "orders" in held.text()
        held.source.fault = None
        await held.pass_time(600)
        await held.sample()
        assert "refused" not in held.status
        assert "old" not in held.status


async def test_keys_are_answered_while_the_server_hangs() -> None:
    async with stage() as held:
        held.source.frozen = True
        held.source.touch()
        await held.press("down", "enter", "4", "escape", "s", "question_mark", "down", "q")
        assert held.app.return_code == 0


async def test_frozen_numbers_stand_still() -> None:
    async with stage() as held:
        before = held.text()
        await held.press("z")
        held.source.shelves[IDLE].at(Location.PENDING).append(Job(job_id(1)))
        await held.sample()
        assert "frozen" in held.status
        assert held.text().splitlines()[:10] == before.splitlines()[:10]
        await held.press("z")
        assert held.text().splitlines()[:10] != before.splitlines()[:10]


async def test_a_job_that_is_gone_stays_readable() -> None:
    async with stage((80, 20)) as held:
        await open_orders(held, "4", "enter")
        held.source.shelves[ORDERS].jobs[Location.DEAD].pop(0)
        await held.sample()
        assert "gone since then" in held.status
        assert "SMTP 550" in held.text()


async def test_lanes_are_counted_as_waiting() -> None:
    async with stage((120, 20)) as held:
        row = next(line for line in held.text().splitlines() if "tenants" in line)
        assert row.split()[:3] == [">", "tenants", "90019"]
        assert held.source.shelves[TENANTS].lanes[0].pending == 90_000


async def test_a_filter_that_hides_the_chosen_row_chooses_the_first_that_is_left() -> None:
    async with stage((80, 17)) as held:
        await held.press("end", "slash", *"mails", "enter")
        screen = held.screen
        assert isinstance(screen, OverviewScreen)
        assert screen.grid.current is not None
        assert screen.grid.current.queue.id == MAILS


async def test_a_long_list_is_walked_to_its_end_and_back() -> None:
    shelf = Shelf(ORDERS)
    shelf.at(Location.DEAD).extend(Job(job_id(number)) for number in range(450))
    async with stage((100, 24), MemorySource(shelf)) as held:
        await held.press("enter")
        assert "1-200 of 450" in held.status
        await held.press("G")
        assert "401-450 of 450" in held.status
        await held.press("up")
        assert "201-400 of 450" in held.status
        await held.press("less_than_sign", "end", "home")
        assert "1-200 of 450" in held.status
        await held.press(*["pagedown"] * 12, "down")
        assert "201-400 of 450" in held.status
        assert job_id(200) in held.text()


async def test_groups_have_headings_that_no_cursor_stands_on() -> None:
    async with stage((80, 24)) as held:
        screen = held.screen
        assert isinstance(screen, OverviewScreen)
        seen = []
        for _ in range(7):
            assert screen.grid.current is not None
            seen.append(screen.grid.current.queue.id.name)
            await held.press("down")
        assert seen == ["broken", "orders", "mails", "tenants", "idle", "{emails}", "{emails}"]
        await held.press("up")
        assert "❯ · idle" in held.text()


async def test_a_click_on_a_heading_chooses_nothing() -> None:
    async with stage((80, 24)) as held:
        assert "EchoMQ · emq" in held.text().splitlines()[5]
        for line, chosen in ((5, "❯ E emq:broken"), (6, "❯ P mails"), (2, "❯ P mails"), (10, "❯ · {emails}")):
            await held.pilot.click(offset=(10, line))
            await held.settle()
            assert chosen in held.text()


async def test_who_orders_by_a_column_gets_the_first_of_all_queues() -> None:
    async with stage((80, 24)) as held:
        await held.press("s", "s")
        assert "by pending" in held.status
        names = [line.split()[1:3] for line in held.text().replace("❯", " ").splitlines()[2:8]]
        assert [name for name, _ in names] == ["tenants", "orders", "mails", "{emails}", "idle", "broken"]
        assert "EchoMQ" not in held.text()


async def test_groups_alone_keep_every_queue_in_its_group() -> None:
    async with stage((80, 24)) as held:
        await held.press(*"s" * 9)
        assert "by family and prefix" in held.status
        lines = held.text().splitlines()[2:10]
        assert [line[2:].split("  ")[0] for line in lines] == [
            *("EchoMQ · emq", "E broken", "! orders", "P mails", "> tenants", "· idle"),
            *("BullMQ · bull", "· {emails}"),
        ]
        await held.press("S")
        assert held.text().splitlines()[2].startswith("  BullMQ · bull")


async def test_a_filter_keeps_the_headings_of_what_is_left() -> None:
    async with stage((80, 24)) as held:
        await held.press("slash", *"mails", "enter")
        lines = [line[2:].split("  ")[0] for line in held.text().splitlines()[2:7]]
        assert lines == ["EchoMQ · emq", "P mails", "BullMQ · bull", "· {emails}", ""]


async def test_one_group_alone_has_no_heading() -> None:
    shelves = small_server().shelves
    async with stage((80, 24), MemorySource(shelves[ORDERS], shelves[MAILS])) as held:
        assert held.text().splitlines()[2].startswith("❯ ! orders")
        assert "EchoMQ" not in held.text()


async def test_a_low_window_has_no_room_for_headings() -> None:
    async with stage((80, 24)) as held:
        for height, headed in ((12, True), (11, False), (5, False), (15, True)):
            await held.pilot.resize_terminal(80, height)
            await held.settle()
            assert ("overdue or in error" in held.text()) is headed
            assert "❯ E emq:broken" in held.text()


async def test_the_mark_of_a_server_stays_where_the_path_is_too_long() -> None:
    async with stage((30, 8), can_act=False) as held:
        await held.press("down", "enter", "4", "enter")
        assert held.text().splitlines()[0] == f" {job_id(300)}  read-only"


@pytest.mark.parametrize(("height", "titles", "rows"), [(4, 0, 1), (5, 0, 2), (6, 1, 2)])
async def test_rows_are_worth_more_than_titles(height: int, titles: int, rows: int) -> None:
    async with stage((40, height)) as held:
        lines = held.text().splitlines()
        assert sum("S QUEUE" in line for line in lines) == titles
        assert sum("emq:" in line for line in lines) == rows
        await held.pilot.click(offset=(5, titles + rows))
        await held.settle()
        assert ("❯ ! emq:orders" if rows > 1 else "❯ E emq:broken") in held.text()
