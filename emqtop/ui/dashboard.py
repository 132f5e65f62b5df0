"""The dashboard: wires feed, screens and dialogs together."""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from emqtop.model.queue import QueueId
from emqtop.sampling.source import Source
from emqtop.settings import DEFAULT_THEME, Settings
from emqtop.ui.commands import Place, bindings
from emqtop.ui.feed import Feed, Reading
from emqtop.ui.handover import Begun, takeover
from emqtop.ui.keymap import Keymap
from emqtop.ui.messages import SnapshotArrived, SourceLost
from emqtop.ui.moment import NOTHING_YET, Moment
from emqtop.ui.playing import Playing
from emqtop.ui.screens.live import LiveScreen
from emqtop.ui.screens.overview import OverviewScreen
from emqtop.ui.themes import Look, load_looks, shipped

if TYPE_CHECKING:
    from emqtop.ui.acts import Acts
    from emqtop.ui.ledger import Ledger

NO_WISHES = Settings()
"""As if the user had asked for nothing."""


class Dashboard(Playing):
    """The app; every screen gets its numbers from here.

    Args:
        source: where they come from.
        acts: plans and runs acts; None: only look.
        ledger: what was done from here; None: nothing can be.
        looks: the themes, by name.
        theme: the one to begin with.
        settings: what the user asked for: keymap, marks of servers, UTC, ASCII.
        again: reads the settings again when the config was saved; None: they are read once.
        begun: what the screen shows already.
        interval_s: seconds between two samples.
        clock: seconds of a monotonic clock.
    """

    TITLE = "emqtop"
    CSS_PATH = "dashboard.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = bindings(Place.ANYWHERE, Place.REPLAY)

    def __init__(
        self,
        source: Source,
        *,
        acts: "Acts | None" = None,
        ledger: "Ledger | None" = None,
        looks: dict[str, Look] | None = None,
        theme: str = DEFAULT_THEME,
        settings: Settings = NO_WISHES,
        again: "Callable[[], Settings] | None" = None,
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
        self.again = again
        self.take_keys(Keymap(settings.keymap))
        self.moment = NOTHING_YET
        if begun is not None and begun.snapshot.at_ms:
            self.moment = Moment(begun.snapshot, begun.arrived_s)
        self._trouble = ""
        self._feed = Feed(source, self.post_message, self._reading, self._shown, interval_s=interval_s, clock=clock)
        self.dress(looks if looks is not None else load_looks(shipped())[0], theme, ascii=settings.ascii)

    def get_default_screen(self) -> OverviewScreen:
        """The overview is what one comes back to; it begins with what is known already."""
        screen = OverviewScreen(self.settings.hints)
        screen.set_reactive(LiveScreen.moment, self.moment)
        screen.set_reactive(LiveScreen.playback, self.playback)
        screen.set_reactive(LiveScreen.may_act, self.acts is not None)
        return screen

    def begin(self) -> None:
        """Ask, and let times run: redis-py is imported for it in a thread, which would hold the first frame up."""
        self.run_worker(self._feed.run(), name="feed", exit_on_error=True)
        self.set_interval(1.0, self.advance)
        self.watch_saves()

    def on_mount(self) -> None:
        """Be ready to be suspended and to be ended."""
        # What came onto the terminal meanwhile stands there until it is drawn over.
        self.app_resume_signal.subscribe(self, lambda _: self.redraw())
        self.prepare_to_leave()

    def _reading(self) -> Reading | None:
        front = self.front()
        return None if front is None else front.read

    def _shown(self) -> frozenset[QueueId]:
        front = self.front()
        return frozenset() if front is None else frozenset(front.shown_queues())

    def advance(self) -> None:
        """Let the times on the screen run on."""
        if (front := self.front()) is not None:
            front.advance(self.clock())

    def on_snapshot_arrived(self, message: SnapshotArrived) -> None:
        """Give fresh numbers to the screen that is seen."""
        self.moment, self._trouble = message.moment, ""
        self.recognise(message.moment.snapshot.server.url)
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

    def poke(self) -> None:
        """Have the view in front read anew."""
        self._feed.poke()

    def resample(self) -> None:
        """Ask the source at once."""
        self._feed.resample()

    def now_ms(self) -> int:
        """The server's time now, Unix ms."""
        return self.moment.now_ms(self.clock())

    def _inform(self) -> None:
        front = self.front()
        if front is None:
            return
        front.playback = self.playback
        front.may_act = self.acts is not None
        front.mark = self.mark.label
        front.ledger = self.ledger
        front.prefers_utc = self.settings.utc
        front.trouble = self._trouble
        if front.moment is not self.moment:
            front.moment = self.moment

    def action_help(self) -> None:
        """What the keys do."""
        from emqtop.ui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.acts is not None))
