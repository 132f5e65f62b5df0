"""Takes up what the user saves while the dashboard runs: themes, the config, and under development the scripts."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from emqtop.resources import folder
from emqtop.settings import BadSettings, Settings, themes_folder
from emqtop.text import safe
from emqtop.ui.dressed import NO_MARK, Dressed
from emqtop.ui.keymap import BadKeymap, Keymap
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.themes import BadTheme, choose, load_looks, shipped
from emqtop.wire import scripts

DEBOUNCE_MS, STEP_MS = 300, 250
"""How long saves are gathered, and how often the watcher looks whether there was one."""


async def watch(places: Iterable[Path], changed: Callable[[frozenset[Path]], None]) -> None:
    """Tell which files of some folders were saved, until cancelled.

    Args:
        places: folders; those that are not there are not watched.
        changed: told the files.
    """
    there = [place for place in dict.fromkeys(places) if place.is_dir()]
    if not there:
        return
    # Takes 40 ms to import, which the first frame need not wait for.
    from watchfiles import awatch

    async for changes in awatch(*there, debounce=DEBOUNCE_MS, step=STEP_MS, recursive=False):
        changed(frozenset(Path(path) for _, path in changes))


class Reloading(Dressed):
    """An app that takes up themes and config when they are saved. What is wrong is said, and the old ones stay.

    Attributes:
        settings: what the user asks for now.
        again: reads the settings again; None: they are read once.
        keymap: which keys give which command.
        server: address of the server without password, once it is known.
    """

    settings: Settings
    again: "Callable[[], Settings] | None"
    keymap: Keymap
    server: str = ""

    def take_keys(self, keymap: Keymap) -> None:
        """Have these keys give the commands, and name them wherever keys are named."""
        self.keymap = keymap
        self.set_keymap(keymap.textual())
        for screen in self.screen_stack if self.is_running else ():
            if isinstance(screen, LiveScreen) and screen.ready:
                screen.draw_keys()

    def complain(self, words: str) -> None:
        """Say what is wrong with a file that was saved."""
        raise NotImplementedError

    def say(self, words: str) -> None:
        """Tell the user."""
        raise NotImplementedError

    def watched(self) -> list[Path]:
        """Whose saves are taken up: the config, own themes, and for who develops emqtop its themes and scripts."""
        config = self.settings.config
        places = [] if config is None or self.again is None else [config.parent]
        places.append(themes_folder(os.environ))
        if self.settings.dev:
            places += [shipped(), folder("lua"), folder("lua") / "include"]
        return places

    def watch_saves(self) -> None:
        """Begin to watch."""
        self.run_worker(watch(self.watched(), self.take_up), name="reload", exit_on_error=False)

    def recognise(self, server: str) -> None:
        """Mark the server as the user wants it marked."""
        self.server = server
        self.set_mark(self.settings.label_for(server) or NO_MARK)

    def take_up(self, saved: frozenset[Path]) -> None:
        """Read what was saved."""
        config = self.settings.config
        if self.again is not None and config in saved:
            self._take_settings(self.again)
        if any(path.suffix == ".lua" for path in saved):
            scripts.forget()
            self.say("lua: the scripts are read anew at their next call")
        if any(path.suffix == ".toml" and path != config for path in saved):
            looks, complaints = load_looks(shipped(), themes_folder(os.environ))
            self.take_looks({**self.looks, **looks})
            self.wear(self.worn)
            if complaints:
                self.complain(f"theme {safe('; '.join(complaints))}")

    def _take_settings(self, again: Callable[[], Settings]) -> None:
        before = self.settings.theme_name(os.environ)
        try:
            settings = again()
            keymap = Keymap(settings.keymap)
            theme = choose(self.looks, settings.theme_name(os.environ))
        except (BadSettings, BadKeymap, BadTheme) as error:
            self.complain(f"config: {safe(str(error))}")
            return
        self.settings = settings
        self.take_keys(keymap)
        self.recognise(self.server)
        if theme != before:
            self.wear(theme)
