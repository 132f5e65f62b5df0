"""The data of a job: its forms, searching them, loading large ones, taking it outside."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from emqtop.model.job import Job
from emqtop.model.queue import Location
from emqtop.sampling.memory import MemorySource, Shelf
from emqtop.ui import outside
from emqtop.ui.clipboard import MOST_BYTES, clean
from emqtop.ui.forms import HexLines, matching, places_in, text_lines
from emqtop.ui.outside import NoProgram, editor, pager, show_in
from emqtop.ui.screens.ask import AskScreen
from emqtop.ui.screens.payload import PART_BYTES, PayloadScreen
from tests.corpus import HOSTILE, unsafe
from tests.ui.scenes import ORDERS, job_id
from tests.ui.stage import Stage, stage

ORDER = b'{"customer": 300, "items": ["apples", {"sku": "x-1"}], "paid": true}'


def holding(payload: bytes, **row: bytes) -> MemorySource:
    shelf = Shelf(ORDERS)
    shelf.at(Location.DEAD).append(Job(job_id(1), "dead", payload=payload, payload_bytes=len(payload)))
    shelf.rows[job_id(1)] = tuple(row.items())
    return MemorySource(shelf)


async def open_data(held: Stage) -> PayloadScreen:
    await held.press("enter", "4", "enter", "enter")
    await held.sample()
    assert isinstance(held.screen, PayloadScreen)
    return held.screen


async def test_json_is_folded() -> None:
    async with stage((60, 12), holding(ORDER)) as held:
        await open_data(held)
        assert held.text().splitlines()[1:9] == [
            " payload 1/1  [json] text  hex                          68B",
            "▾ {3}",
            "    customer: 300",
            "  ▾ items: [2]",
            '      0: "apples"',
            "    ▾ 1: {1}",
            '        sku: "x-1"',
            "    paid: true",
        ]
        await held.press("down", "down", "enter")
        assert "apples" not in held.text()


async def test_forms_and_fields() -> None:
    async with stage((80, 12), holding(b"{} is no JSON with \x00 in it", state=b"dead", note=b"\x01\x02\x03")) as held:
        screen = await open_data(held)
        assert (screen.field, screen.form) == ("payload", "text")
        assert "with ␀ in it" in held.text()
        await held.press("tab")
        assert "00000000  7b 7d 20 69" in held.text()
        await held.press("shift+tab", "shift+tab")
        assert (screen.field, screen.form) == ("note", "hex")


async def test_search_unfolds_what_it_finds() -> None:
    async with stage((80, 12), holding(ORDER)) as held:
        screen = await open_data(held)
        await held.press("minus", "slash", *"SKU", "enter")
        assert held.text().splitlines()[screen.sheet.index + 2].strip() == 'sku: "x-1"'
        assert "1 found" in held.status
        await held.press("slash", "a", "enter")
        places = [screen.sheet.index]
        for key in ("n", "n", "N"):
            await held.press(key)
            places.append(screen.sheet.index)
        assert places == [6, 3, 6, 3]


async def test_a_large_payload_is_loaded_only_after_a_question() -> None:
    big = b"[" + b"1," * 40_000 + b"1]"
    source = holding(big)
    async with stage((80, 12), source) as held:
        screen = await open_data(held)
        assert screen.form == "text"
        assert "64.0K of 78.1K" in held.text()
        await held.sample()
        assert not any(read.startswith("field") for read in source.reads)
        await held.press("m")
        assert isinstance(held.app.screen, AskScreen)
        await held.press("enter")
        assert not any(read.startswith("field") for read in source.reads)
        await held.press("m", "y")
        await held.sample()
        assert screen.data == big
        assert source.reads.count("field payload") == 1
        assert screen.form == "json"
        assert "loading" not in held.status


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("enter",), "only json is folded; Tab shows another form"),
        (("plus",), "only json is folded; Tab shows another form"),
        (("n",), "nothing is looked for yet: / looks for a text"),
        (("slash", "z", "z", "enter"), "zz: not found"),
        (("slash", "z", "z", "enter", "N"), "zz: not found"),
    ],
)
async def test_a_key_that_finds_nothing_to_do_says_so(keys: tuple[str, ...], said: str) -> None:
    async with stage((100, 12), holding(b"plain words")) as held:
        await open_data(held)
        await held.press(*keys)
        assert held.status.strip().startswith(said)


async def test_what_is_not_loaded_is_not_copied() -> None:
    source = holding(b"x" * 100_000)
    async with stage((100, 12), source) as held:
        screen = await open_data(held)
        screen.data = b""
        await held.press("y")
        assert held.status.strip().startswith("nothing of it is loaded yet: m loads it")


async def test_a_huge_one_comes_in_parts() -> None:
    source = holding(b"x" * (PART_BYTES + 100_000))
    async with stage((80, 12), source) as held:
        screen = await open_data(held)
        for _ in range(2):
            await held.press("m", "y")
            await held.sample()
        assert len(screen.data) == PART_BYTES + 100_000
        await held.press("m")
        assert "all of it is loaded" in held.status


async def test_copying_the_value_under_the_cursor_and_the_whole() -> None:
    async with stage((80, 12), holding(ORDER)) as held:
        await open_data(held)
        await held.press("down", "down", "down", "y")
        assert held.app.clipboard == "apples"
        assert "value (6B) sent to the terminal's clipboard, if it allows that" in held.status
        await held.press("Y")
        assert held.app.clipboard == ORDER.decode()


async def test_too_much_is_not_copied() -> None:
    async with stage((80, 12), holding(b"x" * (MOST_BYTES + 1))) as held:
        await open_data(held)
        await held.press("m", "y")
        await held.sample()
        await held.press("y")
        assert held.app.clipboard == ""
        assert "a clipboard takes 73.2K" in held.status


@pytest.mark.parametrize(
    ("keys", "copied"),
    [
        (("y",), "orders"),
        (("enter", "4", "y"), job_id(1)),
        (("enter", "4", "enter", "y"), job_id(1)),
        (("enter", "4", "enter", "2", "y"), ORDER.decode()),
        (("enter", "4", "enter", "3", "y"), "SMTP 550"),
        (("enter", "4", "enter", "Y"), f"last_error\tSMTP 550\npayload\t{ORDER.decode()}"),
        (("f", "y"), ""),
    ],
)
async def test_what_is_copied_where(keys: tuple[str, ...], copied: str) -> None:
    async with stage((80, 24), holding(ORDER, last_error=b"SMTP 550")) as held:
        await held.press(*keys)
        assert held.app.clipboard == copied


async def test_the_row_of_a_list_is_copied_with_tabs() -> None:
    async with stage((40, 24), holding(ORDER)) as held:
        await held.press("Y")
        assert held.app.clipboard.split("\t")[:2] == ["·", "orders"]


def test_clean_text_keeps_lines_and_tabs() -> None:
    assert clean("a\tb\nc\x1b[2J\r") == "a\tb\nc␛[2J␍"


def test_hex_rows_fit_the_width() -> None:
    lines = HexLines(bytes(range(20)), 80)
    assert ["".join(part.text for part in line) for line in lines] == [
        "00000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  ················",
        "00000010  10 11 12 13                                       ····",
    ]
    assert [HexLines(b"", width).each for width in (200, 76, 60, 30, 5)] == [16, 16, 8, 4, 1]


@pytest.mark.parametrize(("wanted", "found"), [("bc", [0]), ("0x6566", [2]), ("zz", []), ("", []), ("0xq", [])])
def test_search_in_bytes(wanted: str, found: list[int]) -> None:
    assert places_in(b"abcdef", wanted, 2) == found


def test_search_in_lines_ignores_case() -> None:
    assert matching(text_lines(b"one\nTwo\nthree two", 80), "two") == [1, 2]


def test_text_that_is_too_long_says_so() -> None:
    lines = text_lines(b"x" * 100 + b"\n" + b"y" * (2 << 20), 1_000)
    assert "more: see it as hex" in lines[-1][0].text


@pytest.mark.parametrize("size", [(200, 60), (80, 24), (60, 15), (20, 5), (2, 1)])
@pytest.mark.parametrize("name", ["clear screen", "no utf-8", "wide", "long", "empty", "json", "lines"])
async def test_hostile_payloads_at_any_size(name: str, size: tuple[int, int]) -> None:
    async with stage(size, holding(HOSTILE[name], note=HOSTILE[name])) as held:
        await open_data(held)
        for key in ("tab", "tab", "shift+tab", "tab", "end"):
            await held.press(key)
            for strip in held.strips():
                assert not unsafe(strip.text)
                assert strip.cell_length == size[0]


class Terminal:
    """Stands for the app: notes in which order the terminal is given away and comes back."""

    def __init__(self) -> None:
        self.order: list[str] = []

    @contextmanager
    def batch_update(self) -> Iterator[None]:
        self.order.append("hold")
        yield
        self.order.append("draw")

    @contextmanager
    def suspend(self) -> Iterator[None]:
        self.order.append("away")
        yield
        self.order.append("back")


async def test_a_program_gets_a_copy_and_no_repaint_happens_meanwhile(tmp_path: Path) -> None:
    app: Any = Terminal()
    seen_at = tmp_path / "seen"
    script = "import sys, pathlib as p; p.Path(sys.argv[1]).write_text(sys.argv[2] + p.Path(sys.argv[2]).read_text())"
    await show_in(app, [sys.executable, "-c", script, str(seen_at)], b"hello", "value.txt")
    seen = seen_at.read_text()
    assert seen.endswith("value.txthello")
    assert not Path(seen.removesuffix("hello")).exists()
    assert app.order == ["hold", "away", "back", "draw"]


async def test_a_program_that_is_not_there_gives_the_terminal_back() -> None:
    app: Any = Terminal()
    with pytest.raises(NoProgram, match="no-such-pager"):
        await show_in(app, ["no-such-pager"], b"", "value.txt")
    assert app.order == ["hold", "away", "back", "draw"]


def test_which_programs() -> None:
    assert (pager({}), editor({})) == (["less"], ["vi"])
    assert pager({"PAGER": "less -S"}) == ["less", "-S"]
    assert editor({"VISUAL": "code --wait", "EDITOR": "ed"}) == ["code", "--wait"]


async def test_the_pager_gets_visible_controls_and_the_editor_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[bytes] = []

    async def note(_app: object, _command: list[str], data: bytes, _name: str) -> None:
        given.append(data)

    monkeypatch.setattr("emqtop.ui.screens.payload.show_in", note)
    async with stage((80, 12), holding(b"a\x1b[2J\nb")) as held:
        await open_data(held)
        await held.press("vertical_line", "v")
        while len(given) < 2:
            await held.pilot.pause(0.001)
    assert given == ["a␛[2J\nb".encode(), b"a\x1b[2J\nb"]


async def test_a_terminal_that_cannot_be_left_is_told() -> None:
    async with stage((80, 12), holding(b"x")) as held:
        await open_data(held)
        await held.press("v")
        while "cannot be given" not in held.status:
            await held.pilot.pause(0.001)
    assert outside.pager({}) == ["less"]


async def test_what_was_seen_of_a_job_stays_readable_when_it_is_gone() -> None:
    source = holding(ORDER)
    async with stage((80, 12), source) as held:
        await held.press("enter", "4", "enter")
        source.shelves[ORDERS].at(Location.DEAD).clear()
        await held.press("enter")
        assert "customer: 300" in held.text()


async def test_nothing_is_not_taken_outside() -> None:
    async with stage((80, 12), holding(b"")) as held:
        await open_data(held)
        await held.press("vertical_line")
        assert "nothing of it is here" in held.status
