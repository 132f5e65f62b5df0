"""The line of tabs says as much as its width allows, and never a part of a number."""

import pytest
from textual.app import App, ComposeResult

from emqtop.ui.screens.queue import QueueScreen
from emqtop.ui.themes import load_looks, shipped
from emqtop.ui.widgets.tabs import TabLine, TabWords
from tests.ui.scenes import ORDERS
from tests.ui.stage import stage

TABS = [
    TabWords("pending", "pending", "pend", "100k"),
    TabWords("active", "active", "act", "12345"),
    TabWords("dead", "dead", "dead", "0"),
    TabWords("workers", "workers", "work"),
    TabWords("metrics", "metrics", "metr"),
]


class Shown(App[None]):
    """One line of tabs."""

    def __init__(self, front: str) -> None:
        super().__init__()
        self.front = front
        self.chosen: list[str] = []
        self.look = load_looks(shipped())[0]["dark"]

    def compose(self) -> ComposeResult:
        yield TabLine()

    def on_mount(self) -> None:
        self.query_one(TabLine).show_tabs(TABS, self.front)

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        self.chosen.append(message.key)


@pytest.mark.parametrize(
    ("width", "front", "words"),
    [
        (80, "dead", " 1 pending 100k   2 active 12345  [3 dead 0]  4 workers   5 metrics"),
        (65, "dead", " 1 pending 100k  2 active 12345 [3 dead 0] 4 workers  5 metrics"),
        (62, "dead", " 1 pend 100k  2 act 12345 [3 dead 0] 4 work  5 metr"),
        (52, "dead", " pend 100k  act 12345 [dead 0] work  metr"),
        (41, "dead", " pend 100k act 12345 [dead 0] work metr"),
        (38, "dead", " Pe100k Ac12345 [dead 0] Wo Me"),
        (38, "metrics", " Pe100k Ac12345 De0 Wo [metrics]"),
        (29, "dead", "‹ act 12345 [dead 0] work ›"),
        (29, "pending", "[pending 100k] act 12345 ›"),
        (29, "metrics", "‹ dead 0  work [metrics]"),
        (12, "active", "‹[active]›"),
        (1, "active", ""),
    ],
)
async def test_wordings(width: int, front: str, words: str) -> None:
    app = Shown(front)
    async with app.run_test(size=(width, 1)) as pilot:
        await pilot.pause()
        line = app.query_one(TabLine)
        drawn = "".join(part.text for part in line._fitted()).rstrip()
        assert drawn == words.rstrip()


@pytest.mark.parametrize(
    ("width", "front", "clicks"),
    [
        (80, "dead", {2: "pending", 16: "pending", 17: "active", 55: "workers", 79: None}),
        (29, "dead", {0: "active", 5: "active", 14: "dead", 24: "workers"}),
    ],
)
async def test_a_click_chooses_the_tab_below_the_pointer(width: int, front: str, clicks: dict[int, str | None]) -> None:
    app = Shown(front)
    async with app.run_test(size=(width, 1)) as pilot:
        for x, key in clicks.items():
            app.chosen.clear()
            await pilot.click(TabLine, offset=(x, 0))
            assert app.chosen == ([] if key is None else [key]), x


async def test_every_tab_of_a_queue_is_reached_by_number_and_by_steps() -> None:
    async with stage((60, 15)) as held:
        await held.press("down", "enter")
        screen = held.screen
        assert isinstance(screen, QueueScreen)
        assert screen.at.queue == ORDERS
        by_number = []
        for key in "1234567890":
            await held.press(key)
            by_number.append(screen.at.tab)
            assert f"[{screen.at.tab}" in held.text().splitlines()[1]
        assert by_number == list(screen.at.tabs)
        for key in ("tab", "right_square_bracket"):
            await held.press("1")
            by_steps = []
            for _ in by_number:
                by_steps.append(screen.at.tab)
                await held.press(key)
            assert by_steps == by_number
            assert screen.at.tab is by_number[0]
        await held.press("left_square_bracket")
        assert screen.at.tab is by_number[-1]
