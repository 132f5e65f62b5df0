"""Charts: what is drawn of the past, where its marks stand, and how little is drawn again."""

import re

import pytest
from textual.geometry import Region

from emqtop.model.job import Job
from emqtop.model.queue import Location
from emqtop.sampling.memory import START_MS
from emqtop.text import cells
from emqtop.ui.screens.charts import CURVES
from emqtop.ui.span import SPANS, Span, axis, columns, zone
from emqtop.ui.widgets.plot import SCALE, Curve, Plot, top_of
from emqtop.units import rate
from tests.ui.scenes import ORDERS, job_id
from tests.ui.stage import Stage, stage

AT = 1_790_000_000_000
"""2026-09-21T14:13:20Z."""
MARK = r"╵\d\d:\d\d|\d\d:\d\d╵|╵\d\d [A-Z][a-z]{2}|\d\d [A-Z][a-z]{2}╵"


async def grow(held: Stage, seconds: int) -> None:
    """Let a job more wait in each second."""
    for second in range(seconds):
        held.source.now_ms += 1_000
        held.source.shelves[ORDERS].at(Location.PENDING).append(Job(job_id(10_000 + second)))
        await held.sample()


@pytest.mark.parametrize(
    ("name", "width", "step_s", "count"),
    [
        ("5 min", 113, 3, 100),
        ("5 min", 20, 15, 20),
        ("5 min", 400, 1, 300),
        ("1 h", 113, 32, 112),
        ("24 h", 113, 780, 110),
    ],
)
def test_columns_fill_the_width_with_whole_steps(name: str, width: int, step_s: int, count: int) -> None:
    span = next(span for span in SPANS if span.name == name)
    shown = columns(span, AT, width)
    assert (shown.step_s, shown.count) == (step_s, count)
    assert count <= width
    assert shown.first_s + shown.step_s * shown.count > AT // 1_000


def test_the_picture_stands_until_it_hops() -> None:
    places = {columns(SPANS[0], AT + second * 1_000, 113).first_s for second in range(10)}
    assert len(places) == 1
    assert columns(SPANS[0], AT + 30_000, 113).first_s == places.pop() + 30


def test_marks_stand_at_round_times() -> None:
    assert axis(SPANS[0], columns(SPANS[0], AT, 113), utc=True).split() == [
        f"╵14:{minute:02}" for minute in range(9, 14)
    ]


@pytest.mark.parametrize("span", SPANS, ids=lambda span: span.name)
@pytest.mark.parametrize("width", [12, 20, 32, 52, 72, 112, 192])
def test_marks_never_touch_and_one_is_in_the_middle(span: Span, width: int) -> None:
    for step in range(200):
        shown = columns(span, AT + step * (span.hop_s + 7) * 1_000, width)
        line = axis(span, shown, utc=True)
        assert len(line) == shown.count
        assert re.fullmatch(f" *(({MARK}) +)*({MARK})? *", line)
        marks = [place for place, sign in enumerate(line) if sign == "╵"]
        assert width < 52 or any(shown.count / 3 <= mark <= shown.count * 2 / 3 for mark in marks)


def test_the_time_stands_before_the_last_mark_where_there_is_no_room_behind_it() -> None:
    assert axis(SPANS[0], columns(SPANS[0], AT, 12), utc=True) == "   14:12╵   "


@pytest.mark.parametrize("curve", CURVES.values(), ids=lambda curve: curve.title)
def test_what_the_scale_says_has_room(curve: Curve) -> None:
    for value in (*curve.tops, *(10.0**power * step for power in range(13) for step in (1, 2, 5))):
        top = top_of(curve, [value])
        assert max(cells(curve.words(told)) for told in (top, top / 2, 0.0)) <= SCALE - 2
    assert cells(curve.unit) <= SCALE - 2
    assert curve.unit or curve.words(1.0).endswith("s")


def test_the_day_is_named_at_midnight() -> None:
    assert "╵21 Sep" in axis(SPANS[2], columns(SPANS[2], AT, 113), utc=True)


def test_the_zone_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        assert zone(AT, utc=False) == "+0545, UTC+05:45"
        assert axis(SPANS[0], columns(SPANS[0], AT, 113), utc=False).split()[0] == "╵19:54"
        assert zone(AT, utc=True) == "UTC"
    finally:
        monkeypatch.undo()
        time.tzset()


CURVE = Curve("a", rate)


@pytest.mark.parametrize(
    ("values", "top"),
    [([], 1.0), ([None, 0.2], 1.0), ([1.0], 1.0), ([1.1], 2.0), ([4.2], 5.0), ([51.0], 100.0), ([999.0], 1_000.0)],
)
def test_the_scale_ends_at_a_round_number(values: list[float | None], top: float) -> None:
    assert top_of(CURVE, values) == top


def test_the_scale_of_times_ends_at_a_round_time() -> None:
    assert top_of(Curve("a", rate, "", (2_000, 60_000), 1_000), [2_500.0]) == 60_000


async def test_charts_of_a_queue() -> None:
    async with stage((80, 24)) as held:
        held.source.now_ms = AT
        await held.press("down", "c")
        await grow(held, 9)
        text = held.text()
    lines = text.splitlines()
    assert lines[1].startswith(" [5 min] 1 h  24 h")
    assert lines[1].endswith("UTC")
    assert lines[2] == "    40  pending  highest 38"
    assert [line[:8] for line in lines[3:6]] == ["    50 ┤", "  jobs │", "     0 ┤"]
    assert "▇" in lines[3] or "▆" in lines[3] or "█" in lines[4]
    assert "in a second" in text
    assert "╵14:10" in lines[-3]


async def test_a_high_plot_tells_the_middle_of_its_scale_too() -> None:
    async with stage((120, 36)) as held:
        await held.press("down", "c")
        await held.sample()
        lines = held.text().splitlines()
        assert [line[:8] for line in lines[3:8]] == ["    50 ┤", "  jobs │", "    25 ┤", "       │", "     0 ┤"]
        assert [line[:8] for line in lines[9:14]] == ["   1.0 ┤", "jobs/s │", "   0.5 ┤", "       │", "     0 ┤"]
        assert [line[:8] for line in lines[27:33]] == [
            *("   30s ┤", "       │", "       │", "   15s ┤", "       │", "    0s ┤"),
        ]


async def test_only_the_newest_column_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage((80, 24)) as held:
        held.source.now_ms = AT
        await held.press("down", "c")
        await grow(held, 3)
        drawn: list[Region] = []
        plot = held.screen.query_one("#pending", Plot)
        monkeypatch.setattr(plot, "refresh", lambda *regions, **_: drawn.extend(regions))
        await grow(held, 2)
        assert drawn
        assert all(region.y == 0 or region.width <= 2 for region in drawn)
        drawn.clear()
        await held.sample()
        assert drawn == []


@pytest.mark.parametrize("size", [(200, 60), (120, 36), (80, 24), (60, 15), (20, 5), (6, 3), (2, 1)])
async def test_any_size(size: tuple[int, int]) -> None:
    async with stage(size) as held:
        held.source.now_ms = AT
        await held.press("down", "c")
        await grow(held, 2)
        for keys in (("w",), ("w",), ("U",), ("down", "end", "pageup"), ("escape",)):
            await held.press(*keys)
            assert len(held.strips()) == size[1]
            assert all(strip.cell_length <= size[0] for strip in held.strips())
        assert len(held.app.screen_stack) == 1


async def test_a_low_window_shows_some_plots_and_scrolls_to_the_rest() -> None:
    async with stage((60, 15)) as held:
        await held.press("down", "c")
        await held.sample()
        assert "pending" in held.text()
        assert "died a second" not in held.text()
        await held.press("end")
        assert "died a second" in held.text()
        assert "age of the oldest" in held.text()


async def test_the_clock_of_the_source_is_where_the_history_begins() -> None:
    async with stage((80, 24)) as held:
        await held.press("down", "c")
        assert held.source.now_ms == START_MS
        assert "as far as emqtop saw it" in held.status
