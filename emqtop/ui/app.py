"""The dashboard: wires feed, screens, themes and gate together."""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.app import App
from textual.filter import LineFilter

from emqtop.model.actions import Outcome
from emqtop.model.queue import QueueId
from emqtop.sampling.source import Source
from emqtop.settings import DEFAULT_THEME, ServerLabel, Settings, themes_folder
from emqtop.text import safe
from emqtop.ui.commands import Place, bindings, check_keymap
from emqtop.ui.feed import Feed, Reading
from emqtop.ui.gate import Gate, Plain
from emqtop.ui.handover import Begun, takeover
from emqtop.ui.messages import ActWanted, SnapshotArrived, SourceLost
from emqtop.ui.moment import NOTHING_YET, Moment
from emqtop.ui.report import report
from emqtop.ui.screens.live import LiveScreen, mark_parts
from emqtop.ui.screens.overview import OverviewScreen
from emqtop.ui.themes import Look, Palette, choose, load_looks, server_style, shipped
from emqtop.ui.widgets.line import Part

if TYPE_CHECKING:
    from emqtop.ui.acts import Acts
    from emqtop.ui.ledger import Ledger

CLOSING_S = 1.0
"""Longest wait for the source to hang up, seconds."""
NO_MARK = ServerLabel("")
"""A server that the user did not mark."""
NO_WISHES = Settings()
"""As if the user had asked for nothing."""


class Dashboard(App[int]):
    """The app; every screen gets its numbers from here.

    Args:
        source: where they come from.
        acts: plans and runs acts; None: only look.
        ledger: what was done from here; None: nothing can be.
        looks: the themes, by name.
        theme: the one to begin with.
        settings: what the user asked for: keymap, marks of servers, UTC, ASCII.
        begun: what the screen shows already.
        interval_s: seconds between two samples.
        clock: seconds of a monotonic clock.
    """

    TITLE = "emqtop"
    CSS_PATH = "dashboard.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = bindings(Place.ANYWHERE)

    def __init__(
        self,
        source: Source,
        *,
        acts: "Acts | None" = None,
        ledger: "Ledger | None" = None,
        looks: dict[str, Look] | None = None,
        theme: str = DEFAULT_THEME,
        settings: Settings = NO_WISHES,
        begun: Begun | None = None,
        interval_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.attended = threading.Event()
        super().__init__(driver_class=None if begun is None else takeover(begun, self.attended))
        self.animation_level = "none"
        self.source = source
        self.acts = acts
        self.ledger = ledger
        self.clock = clock
        self.settings = settings
        self.set_keymap(dict(settings.keymap))
        self.looks = looks if looks is not None else load_looks(shipped())[0]
        self.palette = Palette()
        self.crash: BaseException | None = None
        self._gate = Gate()
        self._plain = (Plain(),) if settings.ascii else ()
        self._moment = NOTHING_YET
        if begun is not None and begun.snapshot.at_ms:
            self._moment = Moment(begun.snapshot, begun.arrived_s)
        self._trouble = ""
        self._mark = NO_MARK
        self._feed = Feed(source, self.post_message, self._reading, self._shown, interval_s=interval_s, clock=clock)
        for look in self.looks.values():
            self.register_theme(look.theme())
        self.wear(theme)

    def wear(self, name: str) -> None:
        """Change the theme."""
        look = self.looks[name]
        self.palette = Palette(look, server_style(self._mark.colour))
        self.theme = look.theme().name

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The gate stands last."""
        return [*super().get_line_filters(), *self._plain, self._gate]

    def get_default_screen(self) -> OverviewScreen:
        """The overview is what one comes back to; it begins with what is known already."""
        screen = OverviewScreen()
        screen.set_reactive(LiveScreen.moment, self._moment)
        screen.set_reactive(LiveScreen.may_act, self.acts is not None)
        return screen

    def on_mount(self) -> None:
        """Begin to ask, and let times run."""
        self.run_worker(self._feed.run(), name="feed", exit_on_error=True)
        self.set_interval(1.0, self.advance)
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self.exit, None, 128 + number)

    def _front(self) -> LiveScreen | None:
        """The live screen that is seen, under dialogs too; None while there is none, at the start and at the end."""
        if not self.is_running:
            return None
        return next(
            (screen for screen in reversed(self.screen_stack) if isinstance(screen, LiveScreen) and screen.ready), None
        )

    def _reading(self) -> Reading | None:
        front = self._front()
        return None if front is None else front.read

    def _shown(self) -> frozenset[QueueId]:
        front = self._front()
        return frozenset() if front is None else frozenset(front.shown_queues())

    def advance(self) -> None:
        """Let the times on the screen run on."""
        if (front := self._front()) is not None:
            front.advance(self.clock())

    def on_snapshot_arrived(self, message: SnapshotArrived) -> None:
        """Give fresh numbers to the screen that is seen."""
        self._know(message.moment.snapshot.server.url)
        self._moment, self._trouble = message.moment, ""
        self._inform()

    def on_source_lost(self, message: SourceLost) -> None:
        """Tell the screen that is seen."""
        self._trouble = message.words
        self._inform()

    def on_view_changed(self) -> None:
        """Another screen is in front: give it what is known and let it read."""
        self.attended.set()
        self._inform()
        self._feed.poke()

    def _know(self, server: str) -> None:
        """Draw the server's mark, if the user gave it one."""
        mark = self.settings.label_for(server) or NO_MARK
        if mark != self._mark:
            self._mark = mark
            self.wear(self.theme.removeprefix("emqtop-"))

    def _inform(self) -> None:
        front = self._front()
        if front is None:
            return
        front.may_act = self.acts is not None
        front.mark = self._mark.label
        front.ledger = self.ledger
        front.prefers_utc = self.settings.utc
        front.trouble = self._trouble
        if front.moment is not self._moment:
            front.moment = self._moment

    def on_act_wanted(self, message: ActWanted) -> None:
        """Ask before anything is done."""
        # Planning and its dialog take 60 ms to import, which the first frame need not wait for.
        from emqtop.ui.screens.confirm import ConfirmScreen

        if self.acts is None:
            return
        server = (Part(safe(self._moment.snapshot.server.url), "dim"), *mark_parts(self._mark.label))
        now_ms = self._moment.now_ms(self.clock())
        self.push_screen(ConfirmScreen(self.acts, message.aim, server, now_ms), self._tell_outcome)

    def _tell_outcome(self, outcome: Outcome | None) -> None:
        from emqtop.ui.verdict import headline

        front = self._front()
        if outcome is not None and front is not None:
            said = headline(outcome)
            front.say(said.text, said.tone)
            self._feed.poke()

    def action_theme(self) -> None:
        """The next theme."""
        names = list(self.looks)
        current = self.theme.removeprefix("emqtop-")
        self.wear(names[(names.index(current) + 1) % len(names)])

    def action_help(self) -> None:
        """What the keys do."""
        from emqtop.ui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.acts is not None))

    async def action_quit(self) -> None:
        """Leave at once; nothing here waits for the server."""
        self.exit(0)

    def _fatal_error(self) -> None:
        """Keep the error for a short report; Textual's own prints every local variable, passwords too."""
        self.crash = self.crash or self._exception
        self._close_messages_no_wait()


def run_dashboard(
    source: Source,
    *,
    acts: "Acts | None" = None,
    ledger: "Ledger | None" = None,
    settings: Settings = NO_WISHES,
    begun: Begun | None = None,
    interval_s: float = 1.0,
) -> int:
    """Show the dashboard until the user leaves.

    Returns:
        The exit status: 0, 128 + the number of the signal that ended it, or 1 after an unexpected error, which is
        reported on stderr.

    Raises:
        BadTheme, BadKeymap: the settings name a theme or a command that is not there; nothing was shown.
    """
    check_keymap(settings.keymap)
    looks, complaints = load_looks(shipped(), themes_folder(os.environ))
    theme = choose(looks, settings.theme_name(os.environ))
    app = Dashboard(
        source,
        acts=acts,
        ledger=ledger,
        looks=looks,
        theme=theme,
        settings=settings,
        begun=begun,
        interval_s=interval_s,
    )

    async def live() -> None:
        await app.run_async(mouse=settings.mouse)
        try:
            async with asyncio.timeout(CLOSING_S):
                await source.close()
        except (TimeoutError, OSError):
            pass

    asyncio.run(live())
    for complaint in complaints:
        print(f"emqtop: theme {safe(complaint)}", file=sys.stderr)
    if app.crash is not None:
        print(report(app.crash), file=sys.stderr)
    return app.return_code or 0
