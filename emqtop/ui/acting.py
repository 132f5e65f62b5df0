"""How an app begins acts and leaves: not in the middle of one."""

import asyncio
import signal
from typing import TYPE_CHECKING

from emqtop.model.actions import Outcome
from emqtop.text import safe
from emqtop.ui.messages import ActBegun, ActEnded, ActWanted
from emqtop.ui.moment import NOTHING_YET, Moment
from emqtop.ui.reload import Reloading
from emqtop.ui.screens.live import LiveScreen, mark_parts
from emqtop.ui.widgets.line import Part

if TYPE_CHECKING:
    from emqtop.ui.acts import Acts

LEAVING_S = 5.0
"""Longest wait for the batch that is under way when the user leaves, seconds."""


class Acting(Reloading):
    """An app that asks before every act, and lets one that runs end in order before it ends itself.

    Attributes:
        acts: plans and runs acts; None: only look.
        moment: the newest numbers.
        last_words: what became of acts that were still under way when the user left; safe text.
    """

    acts: "Acts | None" = None
    moment: Moment = NOTHING_YET

    def prepare_to_leave(self) -> None:
        """Leave in order when a signal says so."""
        self.last_words: list[str] = []
        self._under_way: list[ActBegun] = []
        self._leaves_with: int | None = None
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self.leave, 128 + number)

    def front(self) -> LiveScreen | None:
        """The live screen that is seen, under dialogs too; None while there is none, at the start and at the end."""
        if not self.is_running:
            return None
        return next(
            (screen for screen in reversed(self.screen_stack) if isinstance(screen, LiveScreen) and screen.ready), None
        )

    def say(self, words: str) -> None:
        """Tell the user."""
        if (front := self.front()) is not None:
            front.say(words)

    def complain(self, words: str) -> None:
        """Say what is wrong with a file that was saved."""
        if (front := self.front()) is not None:
            front.say(words, "warn")

    def poke(self) -> None:
        """Have the view in front read anew."""
        raise NotImplementedError

    def now_ms(self) -> int:
        """The server's time now, Unix ms."""
        raise NotImplementedError

    def on_act_wanted(self, message: ActWanted) -> None:
        """Ask before anything is done."""
        # Planning and its dialog take 60 ms to import, which the first frame need not wait for.
        from emqtop.ui.screens.confirm import ConfirmScreen

        if self.acts is None:
            return
        server = (Part(safe(self.moment.snapshot.server.url), "dim"), *mark_parts(self.mark.label))
        self.push_screen(ConfirmScreen(self.acts, message.aim, server, self.now_ms), self._tell_outcome)

    def _tell_outcome(self, outcome: Outcome | None) -> None:
        from emqtop.ui.verdict import headline

        front = self.front()
        if outcome is not None and front is not None:
            front.settled(outcome)
            said = headline(outcome)
            front.say(said.text, said.tone)
            self.poke()

    def on_act_begun(self, message: ActBegun) -> None:
        """Remember what must not be cut off."""
        self._under_way.append(message)
        if self._leaves_with is not None:
            message.halt()

    def on_act_ended(self, message: ActEnded) -> None:
        """Leave, if that was what was waited for."""
        self._under_way = [begun for begun in self._under_way if begun.halt != message.halt]
        if self._leaves_with is not None:
            self.last_words.append(message.words)
            if not self._under_way:
                self.exit(return_code=self._leaves_with)

    def leave(self, status: int) -> None:
        """Leave with this exit status: at once, or when the running batch of each act is through; asked again, at once.

        What an act did is in the audit file in every case.
        """
        if not self._under_way or self._leaves_with is not None:
            self.exit(return_code=status)
            return
        self._leaves_with = status
        for begun in self._under_way:
            begun.halt()
        self.set_timer(LEAVING_S, lambda: self._cut_off(status))

    def _cut_off(self, status: int) -> None:
        self.last_words.append("an act was still waiting for the server; emqtop audit tells what became of it")
        self.exit(return_code=status)

    async def action_quit(self) -> None:
        """Leave; nothing here waits for the server but an act."""
        self.leave(0)
