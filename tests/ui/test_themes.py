"""Themes: the same keys everywhere, readable in few colours, and no state told by colour alone."""

from pathlib import Path

import pytest
from rich.color import Color, ColorSystem
from rich.style import Style

from emqtop.ui.gate import Plain
from emqtop.ui.themes import BadTheme, Look, load_looks, parse_look, shipped
from tests.ui.stage import stage

LOOKS = load_looks(shipped())[0]
GOOD = (shipped() / "dark.toml").read_text("utf-8")
PAGE = ("plain", "dim", "strong", "good", "warn", "bad", "accent", "mark", "trend")


def test_all_that_are_shipped_are_good() -> None:
    looks, complaints = load_looks(shipped())
    assert complaints == ()
    assert set(looks) == {"dark", "light", "contrast", "colour-blind", "sixteen", "terminal"}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("dark = true", "dark ="), "mine: Invalid value"),
        (('plain = "#', 'plane = "#'), "mine: tones lacks plain, tones has plane"),
        (('background = "#16181c"', 'background = "mauve-ish"'), "mine: failed to parse"),
        (('good = "#84b58a"', 'good = "loud"'), "mine: unable to parse"),
        (("[colours]", "[colors]"), "mine: theme lacks colours, theme has colors"),
        (("dark = true", "dark = true\nsize = 3"), "mine: theme has size"),
        (('good = "#84b58a"', "good = 3"), "mine: "),
    ],
)
def test_a_bad_one_is_named_and_the_others_are_kept(change: tuple[str, str], complaint: str, tmp_path: Path) -> None:
    assert change[0] in GOOD
    (tmp_path / "mine.toml").write_text(GOOD.replace(*change, 1))
    (tmp_path / "other.toml").write_text(GOOD)
    looks, complaints = load_looks(shipped(), tmp_path)
    assert set(looks) == {*LOOKS, "other"}
    assert len(complaints) == 1
    assert complaints[0].startswith(complaint)
    with pytest.raises(BadTheme):
        parse_look("mine", GOOD.replace(*change, 1))


def luminance(color: Color) -> float:
    """Relative luminance of WCAG 2."""
    parts = [part / 255 for part in color.get_truecolor()]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """Contrast ratio of WCAG 2, from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("look", [look for look in LOOKS.values() if not look.native], ids=lambda look: look.name)
def test_text_stands_out_from_its_ground(look: Look) -> None:
    page = Color.parse(look.colours["background"])
    for tone in PAGE:
        assert contrast(_color(look.tones[tone]), page) >= 4.5, tone
    for tone in ("heading", "sorted", "bar", "key", "alarm"):
        style = look.tones[tone]
        assert style.bgcolor is not None
        assert contrast(_color(style), style.bgcolor) >= 4.5, tone
    cursor = look.tones["cursor"].bgcolor
    assert cursor is not None
    assert all(contrast(_color(look.tones[tone]), cursor) >= 3 for tone in PAGE)


def _color(style: Style) -> Color:
    assert style.color is not None
    return style.color


@pytest.mark.parametrize("system", [ColorSystem.STANDARD, ColorSystem.EIGHT_BIT], ids=lambda system: system.name)
@pytest.mark.parametrize("look", LOOKS.values(), ids=lambda look: look.name)
def test_nothing_vanishes_in_few_colours(look: Look, system: ColorSystem) -> None:
    if not look.native:
        page = Color.parse(look.colours["background"]).downgrade(system)
        for tone in PAGE:
            assert _color(look.tones[tone]).downgrade(system) != page, tone
    for tone, style in look.tones.items():
        if style.color is not None and style.bgcolor is not None and not style.color.is_default:
            assert style.color.downgrade(system) != style.bgcolor.downgrade(system), tone


@pytest.mark.parametrize("look", LOOKS.values(), ids=lambda look: look.name)
async def test_every_screen_is_the_same_text_in_every_theme(look: Look) -> None:
    async with stage((100, 24), theme=look.name) as held, stage((100, 24), theme="dark") as model:
        for keys in ((), ("down", "enter"), ("space", "4"), ("enter",), ("question_mark",), ("escape",), ("R",)):
            await held.press(*keys)
            await model.press(*keys)
            assert held.text() == model.text()


async def test_overdue_paused_and_broken_are_letters_too() -> None:
    async with stage((100, 24)) as held:
        for words in ("❯ E emq:broken", "  ! emq:orders", "  P mails", "  > tenants", "  · idle"):
            assert words in held.text()


async def test_the_next_theme_redraws_everything_and_is_named() -> None:
    async with stage((100, 24)) as held:

        def styles() -> list[object]:
            lines = held.strips()
            return [segment.style for strip in (*lines[:-2], lines[-1]) for segment in strip]

        before, names = styles(), []
        await held.press("t")
        assert before != styles()
        for _ in range(len(LOOKS)):
            names.append(next(look.label for look in LOOKS.values() if f" theme {look.label}2 overdue" in held.status))
            await held.press("t")
        assert sorted(names) == sorted(look.label for look in LOOKS.values())
        await held.press(*"t" * (len(LOOKS) - 1))
        assert styles() == before


async def test_a_dark_theme_brings_its_own_ground() -> None:
    async with stage((100, 24)) as held:
        grounds = {str(segment.style.bgcolor.name) for strip in held.strips() for segment in strip if segment.style}
        assert grounds <= {"#16181c", "#1d2025", "#31363e"}


def test_plain_draws_in_ascii_and_leaves_data_alone() -> None:
    from rich.segment import Segment
    from textual.color import Color as Ground

    drawn = Plain().apply([Segment("❯ ! 名前 ╭─│━█▁ … ▐")], Ground(0, 0, 0))
    assert drawn[0].text == "> ! 名前 +-|=#_ ~ #"
