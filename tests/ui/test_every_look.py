"""Every screen in every theme: at 16 and at 256 colours, without colours, and without lines and blocks."""

from collections.abc import Iterator

import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual.filter import LineFilter, Monochrome
from textual.strip import Strip

from emqtop.ui.gate import Plain
from emqtop.ui.themes import Look, load_looks, shipped
from tests.ui.scenes import job_id
from tests.ui.shown import SCREENS, source
from tests.ui.stage import Stage, stage
from tests.ui.test_audit import ledger

LOOKS = load_looks(shipped())[0]
STANDARD, EIGHT_BIT = ColorSystem.STANDARD, ColorSystem.EIGHT_BIT
SIZE = (100, 24)

STATES = {
    "overview": ("❯ E emq:broken", "! emq:orders", "P mails", "> tenants", "· idle"),
    "active": ("!", job_id(100)),
    "question": ("Requeue",),
    "errors": ("SMTP <n>: no such user",),
    "events": ("failed",),
    "doctor": ("! critical broken", "* warning  mails", "· note     tenants"),
}
"""What says in letters and glyphs how things stand."""


async def go(held: Stage, name: str) -> None:
    """Open a screen."""
    await SCREENS[name](held)
    # The time of a sample is told from the third on.
    while held.source.reads.count("sample") < 4:
        await held.pilot.pause(0.001)
    await held.sample()


def styles(strips: list[Strip]) -> Iterator[tuple[str, Style]]:
    """Every run of text that is not blank, and its style."""
    for strip in strips:
        for text, style, _ in strip:
            if text.strip() and style is not None:
                yield text, style


def vanishes(style: Style, system: ColorSystem) -> bool:
    """Do letters of this style have the colour of their ground in so few colours?"""
    if style.color is None or style.bgcolor is None or style.color.is_default or style.bgcolor.is_default:
        return False
    return style.color.downgrade(system).number == style.bgcolor.downgrade(system).number


def filtered(held: Stage, strips: list[Strip], through: LineFilter) -> list[Strip]:
    """The lines as they come out of a filter."""
    return [strip.apply_filter(through, held.app.screen.background_colors[1]) for strip in strips]


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_in_every_look(name: str) -> None:
    async with stage(SIZE, source(), ledger=ledger()) as held:
        await go(held, name)
        texts: set[str] = set()
        for look in LOOKS:
            held.app.wear(look)
            await held.settle()
            strips = held.strips()
            texts.add("\n".join(strip.text for strip in strips))
            for system in (STANDARD, EIGHT_BIT):
                assert [text for text, style in styles(strips) if vanishes(style, system)] == [], (look, system)
            without = filtered(held, strips, Monochrome())
            assert not any(_coloured(style) for _, style in styles(without)), look
            assert [strip.text for strip in without] == [strip.text for strip in strips]
            plain = [strip.text for strip in filtered(held, strips, Plain())]
            assert "".join(plain).isascii(), look
            assert [len(line) for line in plain] == [strip.cell_length for strip in strips]
        # A theme changes colours alone, so what says how things stand says it in each of them, and without any.
        (text,) = texts
        for words in STATES.get(name, ()):
            assert words in text


def _coloured(style: Style) -> bool:
    return any(len(set(colour.get_truecolor())) > 1 for colour in (style.color, style.bgcolor) if colour is not None)


def test_no_look_is_left_out() -> None:
    assert all(isinstance(look, Look) for look in LOOKS.values())
    assert len(LOOKS) == len(list(shipped().glob("*.toml")))
