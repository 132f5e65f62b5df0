"""What is saved while the dashboard runs is taken up, and what is wrong with it is said."""

import asyncio
from pathlib import Path

import pytest

from emqtop.resources import folder
from emqtop.settings import BadSettings, ServerLabel, Settings
from emqtop.ui.reload import watch
from emqtop.ui.themes import shipped
from emqtop.wire import scripts
from tests.ui.stage import Stage, stage

DARK = (shipped() / "dark.toml").read_text("utf-8")


def own_themes(home: Path) -> Path:
    """The user's folder of themes."""
    folder = home / "emqtop" / "themes"
    folder.mkdir(parents=True)
    return folder


def grounds(held: Stage) -> set[str]:
    """Backgrounds on the screen."""
    return {segment.style.bgcolor.name for strip in held.strips() for segment in strip if segment.style}


@pytest.fixture
def config_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


async def test_a_theme_that_is_saved_is_worn_at_once(config_home: Path) -> None:
    mine = own_themes(config_home) / "dark.toml"
    async with stage((80, 12)) as held:
        mine.write_text(DARK.replace("#16181c", "#200020"))
        held.app.take_up(frozenset({mine}))
        await held.settle()
        assert "#200020" in grounds(held)
        mine.write_text("[")
        held.app.take_up(frozenset({mine}))
        await held.settle()
        assert "theme dark: Invalid" in held.status
        assert held.app.worn == "dark"


async def test_a_config_that_is_saved_is_taken_up(config_home: Path) -> None:
    config = config_home / "emqtop" / "config.toml"
    wanted: list[Settings | Exception] = []

    def again() -> Settings:
        answer = wanted.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async with stage((90, 12), settings=Settings(config=config), again=again) as held:
        wanted += [Settings(config=config, theme="light", servers=(ServerLabel("*", "PROD"),), keymap={"sort": "o"})]
        held.app.take_up(frozenset({config}))
        await held.settle()
        assert held.app.worn == "light"
        # The label stands in the server's line, which is drawn in a turn of its own; the test's timeout bounds this.
        while " PROD " not in held.text():
            await held.settle()
        await held.press("o")
        assert "by name" in held.status
        for wrong, words in (
            (BadSettings("config.toml: theme is no text"), "config: config.toml: theme is no text"),
            (Settings(config=config, theme="mauve"), "no theme 'mauve'"),
            (Settings(config=config, keymap={"fly": "f"}), "no command 'fly'"),
        ):
            wanted.append(wrong)
            held.app.take_up(frozenset({config}))
            await held.settle()
            assert words in held.status
            assert held.app.worn == "light"


async def test_a_script_that_is_saved_is_read_anew(config_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (config_home / "emqtop").mkdir()
    saved = config_home / "emqtop" / "operator_requeue-1.lua"
    monkeypatch.setattr(scripts, "folder", lambda _: saved.parent)
    scripts.forget()
    try:
        async with stage((80, 12)) as held:
            for body in ("return 1", "return 2"):
                saved.write_text(body)
                held.app.take_up(frozenset({saved}))
                await held.settle()
                assert "lua" in held.status
                assert scripts.script("operator_requeue").body == body.encode()
    finally:
        monkeypatch.undo()
        scripts.forget()
    assert scripts.script("operator_requeue").body.startswith(b"--")


@pytest.mark.parametrize("dev", [True, False])
async def test_who_develops_has_themes_and_scripts_watched(dev: bool) -> None:
    async with stage((80, 12), settings=Settings(dev=dev)) as held:
        places = held.app.watched()
        assert {shipped(), folder("lua"), folder("lua") / "include"}.issubset(places) is dev


async def test_a_save_is_noticed(tmp_path: Path) -> None:
    seen: asyncio.Queue[frozenset[Path]] = asyncio.Queue()
    watching = asyncio.create_task(watch([tmp_path, tmp_path / "absent"], seen.put_nowait))
    saved = tmp_path / "dark.toml"
    async with asyncio.timeout(20):
        while seen.empty():
            # The watcher begins to look some time after it was asked to.
            saved.write_text(DARK)
            await asyncio.sleep(0.1)
    assert saved in seen.get_nowait()
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


async def test_nothing_is_watched_where_there_is_no_folder(tmp_path: Path) -> None:
    async with asyncio.timeout(5):
        await watch([tmp_path / "absent"], lambda _: None)
