"""Foreign text in every place of the screen: no control byte, no markup, no link, and the columns stand."""

import re

import pytest
from rich.segment import Segment
from textual.color import Color

from emqtop.model.job import Job
from emqtop.model.queue import Family, Lane, Location, QueueId
from emqtop.model.snapshot import Server
from emqtop.model.team import Team, Tie, Worker
from emqtop.model.timetable import NextRun, Scheduler, Timetable
from emqtop.sampling.memory import START_MS, MemorySource, Shelf
from emqtop.ui.gate import Gate
from emqtop.wire.errors import Frozen
from tests.ui.stage import Stage, stage

HOSTILE = [
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b[2J\x1b[H",
    "\x9b31m\x85\x00\x7f",
    "\u202egnp.exe\u2066\u200b",
    "[/red][bold]loud[/]",
    "[@click=app.quit]leave[/]",
    "[link=http://example.org]here[/link]",
    "[/]",
    "{0}{jobs}%s$x",
    "名前 ＷＩＤＥ 👩‍👩‍👧 e\u0301\u0301\u0301\u0301\u0301\u0301",
    "two\nlines\r\tand a tab",
    "\udcff\udcfe not UTF-8",
    "long " * 2_000,
    "",
]
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def hostile_source(text: str) -> MemorySource:
    """A server on which everything is called so."""
    shelf = Shelf(QueueId(Family.BULLMQ, text, text))
    raw = text.encode("utf-8", "surrogateescape")
    for place in Location:
        job = Job(text, text, 1, START_MS, START_MS, START_MS, text, text, len(raw), raw)
        shelf.at(place).append(job)
    shelf.rows[text] = ((text, raw), ("failedReason", raw))
    shelf.logs[text] = (raw,)
    shelf.lanes = [Lane(text, 1, 1, None, None, False, True)]
    shelf.team = Team(tuple(Worker(tie + text, tie, text, text, 1, 1, True, text) for tie in Tie))
    shelf.timetable = Timetable((Scheduler(text, START_MS, NextRun.SCHEDULE, text, text, 1, text, ends_ms=1),), 1)
    server = Server(text, text, text, text, text, 1, 2, text, 3, text)
    broken = Shelf(QueueId(Family.ECHOMQ, text, text + "x"), error=text)
    return MemorySource(shelf, broken, server=server)


def check(held: Stage) -> None:
    """Is everything on the screen text that a terminal may be sent?"""
    width = held.app.size.width
    for strip in held.strips():
        assert not FORBIDDEN.search(strip.text), strip.text
        assert strip.cell_length == width
        for segment in strip:
            style = segment.style
            assert style is None or (style.link is None and "@click" not in style.meta), segment


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_every_screen(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without the gate, so that a value that was not cleaned where it became text is found.
    monkeypatch.setattr(Gate, "apply", lambda self, segments, background: segments)
    async with stage((100, 30), hostile_source(text)) as held:
        check(held)
        for keys in (("down", "enter"), *[("tab",)] * 9, ("1", "enter"), *[("tab",)] * 6, ("x",)):
            await held.press(*keys)
            check(held)
        await held.press("escape", "escape")
        held.source.withheld = text
        for tab in "789":
            await held.press(tab)
            check(held)
        held.source.fault = Frozen(text)
        await held.press("y")
        await held.sample()
        check(held)
        assert not held.app.return_code


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_the_gate(text: str) -> None:
    passed = Gate().apply([Segment("ok "), Segment(text)], Color(0, 0, 0))
    assert not FORBIDDEN.search("".join(segment.text for segment in passed))


def test_the_gate_lets_clean_lines_through_as_they_are() -> None:
    line = [Segment("orders ❯ 名前")]
    assert Gate().apply(line, Color(0, 0, 0)) is line


async def test_the_gate_is_the_last_filter_of_the_app() -> None:
    async with stage((80, 10)) as held:
        assert isinstance(held.app.get_line_filters()[-1], Gate)
