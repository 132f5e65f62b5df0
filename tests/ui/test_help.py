"""What the keys do is told: in the help, in the menus, and where a key does nothing."""

import pytest

from emqtop.present.queue_columns import WATCHED
from emqtop.text import cells
from emqtop.ui.commands import COMMANDS, Place
from emqtop.ui.keymap import Keymap
from emqtop.ui.screens.help import HEADINGS, help_lines, keys_of
from emqtop.ui.widgets.paper import Text
from tests.ui.stage import stage


def words(lines: list[Text]) -> str:
    """The text with every run of blanks as one."""
    return " ".join(" ".join(part.text for line in lines for part in line).split())


@pytest.mark.parametrize("width", [80, 56, 40, 16])
def test_every_key_and_column_is_told_in_full_at_every_width(width: int) -> None:
    lines = list(help_lines(Keymap(), "", True, width, Place.OVERVIEW, WATCHED))
    told = words(lines)
    for command in COMMANDS:
        assert f"{keys_of(command.keys) or f': {command.id}'} {command.help}" in told
    for column in WATCHED:
        assert f"{column.title} {column.help}" in told
    longest = max(sum(cells(part.text) for part in line) for line in lines)
    assert longest <= max(width, cells("In the errors of a queue"))


def test_the_place_that_is_seen_comes_first_and_then_its_columns() -> None:
    headings = [line[0].text for line in help_lines(Keymap(), "", True, 80, Place.JOB, WATCHED) if len(line) == 1]
    assert headings[:3] == ["On a job", "What the columns tell", "Everywhere"]
    assert set(headings) == {*HEADINGS.values(), "What the columns tell"}


def test_without_the_right_to_act_no_act_is_told() -> None:
    assert "Bring dead jobs back" not in words(list(help_lines(Keymap(), "", False, 80)))


async def test_help_in_a_narrow_window_keeps_its_last_word() -> None:
    async with stage((60, 15)) as held:
        await held.press("question_mark", "slash", *"unless")
        assert "error is cleared" in " ".join(held.text().replace("│", " ").split())


@pytest.mark.parametrize(
    ("keys", "hint"),
    [
        (("x",), "x (remove) does nothing here; ? tells the keys"),
        (("space",), "Space (mark) does nothing here; ? tells the keys"),
        (("f7",), "F7 does nothing; ? tells the keys"),
        (("escape",), "nothing is behind the overview; q leaves"),
    ],
)
async def test_a_key_that_does_nothing_says_so_for_a_while(keys: tuple[str, ...], hint: str) -> None:
    async with stage((120, 24)) as held:
        await held.press(*keys)
        assert held.status.startswith(f" {hint}")
        for _ in range(5):
            await held.pass_time(1)
        assert held.status.startswith(f" {hint}")
        await held.pass_time(1)
        assert hint not in held.status


async def test_an_act_in_read_only_says_why_not() -> None:
    async with stage((120, 24), can_act=False) as held:
        await held.press("enter", "r")
        await held.pass_time(1)
        assert held.status.startswith(" emqtop was started read-only: no act is offered")


async def test_what_is_typed_into_a_field_is_no_key() -> None:
    async with stage((120, 24)) as held:
        await held.press("slash", "x")
        assert "does nothing" not in held.status


async def test_the_keys_that_a_menu_names_give_its_commands() -> None:
    async with stage((100, 24)) as held:
        await held.press("down", "a", "P")
        assert "Pause orders" in held.text()
