"""The live table by its lines: which cells are drawn again, and where the cursor stays."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region

from emqtop.present.columns import Cell, Column, fit
from emqtop.present.queue_columns import WATCHED
from emqtop.text import Align
from emqtop.ui.themes import Palette
from emqtop.ui.widgets.grid import Grid
from emqtop.ui.widgets.grid_line import DOWN, GUTTER, Heading, title_strip
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.selection import Selection


@dataclass(frozen=True)
class Thing:
    """A row."""

    name: str
    count: int = 0
    until_ms: int = 0


COLUMNS: tuple[Column[Thing], ...] = (
    Column("name", "NAME", 6, Align.LEFT, 1, lambda thing, _: Cell(thing.name)),
    Column("count", "COUNT", 5, Align.RIGHT, 2, lambda thing, _: Cell(str(thing.count))),
    Column("left", "LEFT", 5, Align.RIGHT, 3, lambda thing, now: Cell(str(max(0, thing.until_ms - now)))),
)
COUNT, LEFT = 9, 15
"""First cells of the columns of that name, five cells wide each."""


class Table(Grid[Thing]):
    """A grid that notes what it draws again."""

    def __init__(self) -> None:
        super().__init__(COLUMNS, lambda thing: thing.name, empty="nothing")
        self.asked: list[Region] = []

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> "Table":
        self.asked.extend(regions or [Region(0, 0, *self.size)])
        super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        return self


class Bench(App[None]):
    """Holds one grid, a line of titles and some rows high."""

    CSS = "Screen { layout: vertical; } Grid { width: 24; }"

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.rows = rows

    def compose(self) -> ComposeResult:
        table = Table()
        table.styles.height = self.rows + 1
        yield table


@asynccontextmanager
async def table(*things: Thing, headings: tuple[Heading, ...] = (), rows: int = 5) -> AsyncIterator[Table]:
    """A grid that shows these and has nothing left to draw."""
    app = Bench(rows)
    async with app.run_test(size=(30, 14)) as pilot:
        grid = app.query_one(Table)
        grid.focus()
        grid.show(things, 0, headings)
        await pilot.pause()
        grid.asked.clear()
        yield grid


def spans(grid: Table) -> list[tuple[int, int, int]]:
    """What was drawn again: line, first cell, cells."""
    return sorted((region.y, region.x, region.width) for region in grid.asked)


FIVE = tuple(Thing(name, 1, 9_000) for name in "abcde")


async def test_lines() -> None:
    async with table(Thing("a", 7, 5), Thing("b")) as grid:
        assert [grid.render_line(y).text for y in range(4)] == [
            "  NAME   COUNT  LEFT    ",
            "❯ a          7     5    ",
            "  b          0     0    ",
            " " * 24,
        ]


async def test_a_heading_may_get_a_scroll_mark_and_lose_it() -> None:
    words = (Heading(0, (Part("first", "dim"),)), Heading(2, (Part("second", "dim"),)))
    few, many = [[Thing(f"t{number}") for number in range(count)] for count in (4, 30)]
    async with table(*few, headings=words, rows=12) as grid:
        for things, mark in ((many, "▐"), (few, " ")):
            grid.show(things, 0, words)
            assert grid.render_line(1).text == f"{'  first':23}{mark}"


@pytest.mark.parametrize(
    ("order", "titles"),
    [
        (None, "  NAME   COUNT  LEFT    "),
        (("name", False), "  NAME▲  COUNT  LEFT    "),
        (("count", True), "  NAME  ▼COUNT  LEFT    "),
        (("left", True), "  NAME   COUNT ▼LEFT    "),
        (("gone", True), "  NAME   COUNT  LEFT    "),
    ],
)
async def test_the_arrow_of_the_order_leaves_the_title_whole(order: tuple[str, bool] | None, titles: str) -> None:
    async with table() as grid:
        grid.set_sorted(None if order is None else order[0], order is not None and order[1])
        strip = grid.render_line(0)
        assert strip.text == titles
        assert strip.cell_length == 24


def test_every_title_is_whole_beside_its_arrow_at_every_width() -> None:
    for width in range(20, 250):
        placed = fit(WATCHED, width - GUTTER - 1)
        titles = [at.column.title for at in placed]
        for at in placed:
            strip = title_strip(placed, (at.column.key, True), width, Palette())
            title = at.column.title
            assert (DOWN + title if at.column.align is Align.RIGHT else title + DOWN) in strip.text
            assert (strip.text.replace(DOWN, " ").split(), strip.cell_length) == (titles, width)


async def test_the_same_again_draws_nothing() -> None:
    async with table(*FIVE) as grid:
        grid.show(tuple(Thing(name, 1, 9_000) for name in "abcde"), 0)
        assert spans(grid) == []


async def test_only_changed_cells_are_drawn() -> None:
    async with table(*FIVE) as grid:
        grid.show((FIVE[0], Thing("b", 2, 9_000), FIVE[2], Thing("d", 1, 8_000), FIVE[4]), 0)
        assert spans(grid) == [(2, COUNT + 4, 1), (4, LEFT + 1, 1)]


async def test_only_running_times_are_drawn_on_a_tick() -> None:
    async with table(Thing("a", 1, 9_000), Thing("b", 1, 0)) as grid:
        grid.tick(1_000)
        assert spans(grid) == [(1, LEFT + 1, 1)]


async def test_rows_out_of_view_cost_nothing() -> None:
    many = [Thing(f"r{number}") for number in range(100)]
    async with table(*many) as grid:
        grid.show([*many[:50], *(Thing(thing.name, 5) for thing in many[50:])], 0)
        assert spans(grid) == []


async def test_one_row_more_draws_that_row_alone() -> None:
    async with table(*FIVE[:3]) as grid:
        grid.show(FIVE[:4], 0)
        assert spans(grid) == [(4, 0, 24)]


async def test_the_cursor_draws_two_rows() -> None:
    async with table(*FIVE) as grid:
        grid.move(1)
        assert spans(grid) == [(1, 0, 24), (2, 0, 24)]
        assert grid.render_line(2).text.startswith("❯ b")


async def test_an_empty_list_says_so() -> None:
    async with table() as grid:
        assert grid.render_line(2).text.strip() == "nothing"


@pytest.mark.parametrize("rows", [1, 2, 5])
async def test_the_first_rows_draw_over_the_words_of_an_empty_list(rows: int) -> None:
    async with table() as grid:
        assert "nothing" in grid.render_line(2).text
        grid.render_line(1)
        grid.asked.clear()
        grid.show(FIVE[:rows], 0)
        assert {(line, first) for line, first, _ in spans(grid)} >= {(1, 0), (2, 0)}
        assert "nothing" not in grid.render_line(2).text
        grid.asked.clear()
        grid.show((), 0)
        assert {(line, first) for line, first, _ in spans(grid)} >= {(1, 0), (2, 0)}
        assert grid.render_line(2).text.strip() == "nothing"


async def test_other_words_for_an_empty_list_are_drawn() -> None:
    async with table() as grid:
        grid.empty = "nothing"
        assert grid.asked == []
        grid.empty = "none"
        assert spans(grid) == [(2, 0, 24)]


async def test_the_thumb_follows_the_view() -> None:
    async with table(*(Thing(f"r{number}") for number in range(50))) as grid:
        thumbs = [grid.render_line(y).text[-1] for y in range(1, 6)]
        grid.to_end(last=True)
        assert (thumbs, [grid.render_line(y).text[-1] for y in range(1, 6)]) == (
            ["▐", " ", " ", " ", " "],
            [" ", " ", " ", " ", "▐"],
        )


async def test_the_thumb_is_seen_where_the_columns_fill_the_line() -> None:
    wide = Column("note", "NOTE", 5, Align.LEFT, 4, lambda thing, _: Cell("x" * 40), stretch=True)
    async with table(*(Thing(f"r{number}") for number in range(50))) as grid:
        grid.set_columns((COLUMNS[0], wide))
        assert [grid.render_line(y).text[-2:] for y in range(1, 3)] == ["…▐", "… "]


HEADED = (Heading(0, (Part("one"),)), Heading(2, (Part("two"),)))


def firsts(grid: Table, rows: int = 8) -> list[str]:
    """How each line of the rows begins."""
    return [grid.render_line(y).text[:5].rstrip() for y in range(1, rows + 1)]


async def test_headings_stand_above_their_rows_and_draw_nothing_again() -> None:
    async with table(*FIVE, headings=HEADED, rows=8) as grid:
        assert firsts(grid) == ["  one", "❯ a", "  b", "  two", "  c", "  d", "  e", ""]
        grid.show(tuple(Thing(name, 1, 9_000) for name in "abcde"), 0, (*HEADED,))
        assert spans(grid) == []
        grid.move(2)
        assert spans(grid) == [(2, 0, 24), (5, 0, 24)]
        assert firsts(grid)[3:5] == ["  two", "❯ c"]


async def test_another_heading_draws_its_line_alone() -> None:
    async with table(*FIVE, headings=HEADED, rows=8) as grid:
        grid.show(FIVE, 0, (HEADED[0], Heading(2, (Part("2"),))))
        assert spans(grid) == [(4, 0, 24)]


async def test_up_at_the_top_shows_the_heading_too() -> None:
    async with table(*(Thing(f"r{number}") for number in range(20)), headings=HEADED, rows=8) as grid:
        grid.to_end(last=True)
        assert firsts(grid)[-1] == "❯ r19"
        grid.move(-17)
        assert firsts(grid)[:3] == ["  two", "❯ r2", "  r3"]
        grid.to_end(last=False)
        assert firsts(grid)[:3] == ["  one", "❯ r0", "  r1"]


async def test_a_low_table_has_no_headings() -> None:
    async with table(*FIVE, headings=HEADED, rows=7) as grid:
        assert firsts(grid, 5) == ["❯ a", "  b", "  c", "  d", "  e"]


def chosen(names: str, *, height: int = 5) -> Selection[Thing]:
    """A selection over rows of these names."""
    selection: Selection[Thing] = Selection(lambda thing: thing.name)
    selection.replace([Thing(name) for name in names], height)
    return selection


@pytest.mark.parametrize("breaks", [(), (0,), (0, 3), (2,), (0, 1, 2, 3, 4), (4,)])
def test_lines_and_rows_lead_to_each_other(breaks: tuple[int, ...]) -> None:
    selection = chosen("")
    selection.replace([Thing(name) for name in "abcde"], 20, breaks)
    rows = [selection.row_at(line)[0] for line in range(selection.lines)]
    assert [row for row in rows if row is not None] == list(range(5))
    assert rows.count(None) == len(breaks)
    assert [selection.row_at(selection.line_of(place))[0] for place in range(5)] == list(range(5))
    assert all(rows[selection.line_of(place) - 1] is None for place in breaks)


def test_the_rows_in_view_are_those_of_its_lines() -> None:
    selection = chosen("")
    selection.replace([Thing(name) for name in "abcdefgh"], 4, (0, 3))
    seen = []
    for _ in range(4):
        seen.append("".join(thing.name for thing in selection.in_view(4)))
        selection.scroll(2, 4)
    assert seen == ["abc", "bcd", "def", "efgh"]


def test_the_line_of_the_cursor_stays_when_headings_come_and_go() -> None:
    selection = chosen("abcdefghijklmnopqrst")
    selection.move(9, 5)
    line = selection.line_of(selection.index) - selection.top
    for breaks in ((0, 4, 8), (), (9,)):
        selection.part(breaks, 5)
        assert selection.line_of(selection.index) - selection.top == line


@pytest.mark.parametrize(
    ("before", "moves", "after", "key", "index", "lost"),
    [
        ("abc", 0, "cab", "c", 0, False),  # not moved yet: it rests on the top
        ("abc", 1, "cab", "b", 2, False),  # moved: it goes with its row
        ("abc", 1, "ac", "b", 1, True),  # its row left: nobody takes its place
        ("abc", 2, "", "c", 2, True),
        ("", 1, "ab", None, 1, False),
        ("abc", 9, "abcd", "c", 2, False),
    ],
)
def test_cursor(before: str, moves: int, after: str, key: str | None, index: int, lost: bool) -> None:
    selection = chosen(before)
    if moves:
        selection.move(moves, 5)
    selection.replace([Thing(name) for name in after], 5)
    assert (selection.key, selection.lost) == (key, lost)
    if key is not None and not lost:
        assert selection.index == index


def test_a_lost_cursor_is_found_by_moving() -> None:
    selection = chosen("abc")
    selection.move(1, 5)
    selection.replace([Thing("a"), Thing("c")], 5)
    assert selection.current is None
    selection.move(-1, 5)
    assert selection.current == Thing("a")


def test_a_row_that_comes_back_is_chosen_again() -> None:
    selection = chosen("abc")
    selection.move(1, 5)
    selection.replace([Thing("a")], 5)
    selection.replace([Thing("a"), Thing("x"), Thing("b", 4)], 5)
    assert selection.current == Thing("b", 4)


def test_the_line_of_the_cursor_stays_when_its_row_moves() -> None:
    names = "abcdefghijklmnopqrst"
    selection = chosen(names)
    selection.move(2, 5)
    selection.replace([Thing(name) for name in names[3:] + names[:3]], 5)
    assert (selection.index, selection.index - selection.top) == (19, 4)
    selection.replace([Thing(name) for name in "zy" + names], 5)
    assert (selection.index, selection.key) == (4, "c")


def test_marks_keep_what_was_last_seen() -> None:
    selection = chosen("abc")
    selection.toggle()
    selection.move(2, 5)
    selection.mark_range()
    selection.replace([Thing("b", 8), Thing("a", 7)], 5)
    assert selection.marks == {"a": Thing("a", 7), "b": Thing("b", 8), "c": Thing("c")}
