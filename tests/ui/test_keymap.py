"""Keys of the user's own: they are the ones that work and the ones that are shown, and two commands never share one."""

import importlib
import pkgutil
import re

import pytest
from textual.screen import Screen

from emqtop.settings import Settings
from emqtop.ui import screens
from emqtop.ui.commands import COMMANDS, Place, bindings, commands_at, together
from emqtop.ui.keymap import BadKeymap, Keymap, _shared, key_name
from emqtop.ui.screens.help import help_lines
from emqtop.ui.screens.overview import OverviewScreen
from tests.ui.stage import stage
from tests.ui.test_help import words

CHOSEN = {"reap": "f5, ctrl+r", "yes": "f9", "help": "f2", "quit": "f10", "undo": "f4", "search": "f7", "sort": "o"}

ENTRY = re.compile(r"reap +F5 Ctrl\+R +Bring active")
"""The act in a menu."""


def mine() -> Settings:
    """The settings of somebody with keys of their own."""
    return Settings(keymap=CHOSEN, hints=("{reap} frees, {yes} says yes, {help} helps",))


async def test_the_footer_and_the_hints_name_the_keys_that_work() -> None:
    async with stage((120, 24), settings=mine()) as held:
        lines = held.text().splitlines()
        assert lines[-3] == " F5 frees, F9 says yes, F2 helps"
        for named in (" o sort ", " F5 reap ", " F2 help ", " F10 quit"):
            assert named in f" {lines[-1]}"
        assert " r reap" not in lines[-1]
        await held.press("r")
        assert held.status.startswith(" r does nothing; F2 tells the keys")
        await held.press("escape")
        assert "F10 leaves" in held.status


async def test_the_menus_and_the_question_name_the_keys_that_work() -> None:
    async with stage((120, 24), settings=mine()) as held:
        await held.press("down", "a")
        assert ENTRY.search(held.text())
        await held.press("ctrl+r")
        assert "Reap (F9)" in held.text()
        await held.press("f9", "colon", *"reap")
        assert ENTRY.search(held.text())


async def test_an_act_without_a_key_can_be_given_one() -> None:
    async with stage((120, 36), settings=Settings(keymap={"drain": "ctrl+d"})) as held:
        await held.press("down", "ctrl+d")
        assert "Delete what waits in orders: 31 jobs?" in held.text()
        await held.press("escape", "a")
        assert re.search(r"drain +Ctrl\+D +Delete every job", held.text())
        await held.press("escape", "question_mark", "slash", *"every job that waits")
        assert "Ctrl+D" in held.text()


async def test_every_chosen_key_works_and_the_old_one_does_not() -> None:
    async with stage((120, 24), settings=mine()) as held:
        await held.press("down", "r")
        assert len(held.app.screen_stack) == 1
        for key in ("f5", "ctrl+r"):
            await held.press(key)
            assert "Reap (F9)" in held.text()
            await held.press("y")
            assert "Reap (F9)" in held.text()
            await held.press("escape")
        await held.press("o")
        assert isinstance(held.screen, OverviewScreen)
        assert "by name" in held.status


def test_the_help_names_the_keys_that_work() -> None:
    told = words(list(help_lines(Keymap(CHOSEN), "", True, 80)))
    assert "F5 Ctrl+R Bring active jobs" in told
    assert "r Bring active jobs" not in told.replace("Ctrl+R", "")


def test_the_help_tells_keys_with_long_names_in_full() -> None:
    keymap = Keymap({"reap": "ctrl+shift+left,ctrl+shift+right"})
    told = words(list(help_lines(keymap, "", True, 80)))
    assert "Ctrl+Shift+← Ctrl+Shift+→ Bring active jobs" in told


async def test_keys_of_a_saved_config_are_named_at_once_on_every_screen() -> None:
    async with stage((120, 24)) as held:
        await held.press("down", "enter")
        held.app.take_keys(Keymap({"reap": "f5"}))
        await held.settle()
        assert "F5 reap" in held.text().splitlines()[-1]
        await held.press("escape")
        assert "F5 reap" in held.text().splitlines()[-1]


@pytest.mark.parametrize(
    ("chosen", "complaint"),
    [
        ({"reap": "p"}, "reap cannot have p: that is promote (overview)"),
        ({"promote": "r"}, "promote cannot have r: that is reap (overview)"),
        ({"reap": "f5", "promote": "p,f5"}, "reap cannot have F5: that is promote (overview)"),
        ({"reap": "?"}, "reap cannot have ?: that is help (overview)"),
        ({"extend": "v"}, "extend cannot have v: that is mark-range (queue)"),
        ({"sort": "j"}, "sort cannot have j: that is down (overview)"),
        ({"close": "j"}, "close cannot have j: that is scroll-down (help)"),
        ({"theme": "k"}, "theme cannot have k: that is up (lists); theme cannot have k: that is scroll-up (texts)"),
        ({"next-tab": "3"}, "next-tab cannot have 3: that is tab-by-number (queue)"),
        ({"freeze": "comma"}, "freeze cannot have ,: that is play-back (replay)"),
        ({"reap": "ctrl+q"}, "reap cannot have Ctrl+Q: that always is quit"),
        ({"reap": "esc"}, "reap: no key 'esc'; keys are named r, f5, ctrl+r, escape"),
        ({"reap": "strg+r"}, "reap: no key 'strg+r'; keys are named r, f5, ctrl+r, escape"),
        ({"reap": "r,"}, "reap has no key"),
    ],
)
def test_a_keymap_that_cannot_be_is_refused_by_name(chosen: dict[str, str], complaint: str) -> None:
    with pytest.raises(BadKeymap) as refused:
        Keymap(chosen)
    assert str(refused.value) == f"keymap: {complaint}"


@pytest.mark.parametrize(
    "chosen",
    [
        {"reap": "p", "promote": "r"},  # they change places
        {"undo": "z", "freeze": "f8"},
        {"fold": "s"},  # sorting is elsewhere
        {"reap": "comma"},  # acts are never offered where a recording is wound
        {"mark": "space,m"},  # the table has Space for both already
        {"reap": " f5 , é,!"},
    ],
)
def test_a_keymap_that_can_be_is_taken(chosen: dict[str, str]) -> None:
    keymap = Keymap(chosen)
    for command in COMMANDS:
        assert (keymap.of(command) == command.keys) != (command.id in chosen)


def test_the_table_gives_no_key_twice_but_where_a_recording_yields_to_the_screen() -> None:
    assert {(one, other) for _, one, other, _ in _shared(Keymap())} == {
        ("mark", "play-pause"),
        ("play-pause", "unfold"),
        ("fold-all", "play-slower"),
        ("unfold-all", "play-faster"),
    }


def test_every_screen_has_the_commands_of_its_places() -> None:
    seen = set()
    for module in pkgutil.iter_modules(screens.__path__, f"{screens.__name__}."):
        for kind in vars(importlib.import_module(module.name)).values():
            place = getattr(kind, "PLACE", None)
            if not isinstance(kind, type) or not issubclass(kind, Screen) or place is None:
                continue
            seen.add(place)
            here = [each for each in together(place) if each not in {Place.REPLAY, Place.ANYWHERE}]
            assert kind.__dict__["BINDINGS"] == bindings(*here), kind
    assert seen >= {place for command in COMMANDS for place in command.places} - {
        *(Place.ANYWHERE, Place.LIST, Place.TEXT, Place.REPLAY, Place.DIALOG, Place.HELP, Place.PALETTE)
    }


def test_every_place_has_a_command() -> None:
    assert all(commands_at(place) for place in Place)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("r", "r"),
        ("R", "R"),
        ("f7", "F7"),
        ("ctrl+r", "Ctrl+R"),
        ("exclamation_mark", "!"),
        ("delete", "Delete"),
        ("escape", "Esc"),
        ("ctrl+pageup", "Ctrl+PgUp"),
        ("greater_than_sign", ">"),
        ("é", "é"),
    ],
)
def test_a_key_is_written_as_people_know_it(key: str, name: str) -> None:
    assert key_name(key) == name
