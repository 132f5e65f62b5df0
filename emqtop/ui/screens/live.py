"""What the screens with live numbers share: top line, status line, key line, and the way of the numbers into them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input

from emqtop.model.actions import Outcome, Verb
from emqtop.model.acts import ACTS
from emqtop.model.queue import QueueId
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.aim import Aim, NoAim, check_family
from emqtop.ui.clipboard import Copies
from emqtop.ui.commands import COMMANDS, Command, Place, commands_at, together
from emqtop.ui.crumbs import path_parts
from emqtop.ui.doors import Doors
from emqtop.ui.footer import kept
from emqtop.ui.keymap import key_name, keymap_of
from emqtop.ui.messages import ActWanted, ViewChanged
from emqtop.ui.moment import NOTHING_YET, Moment
from emqtop.ui.playback import Playback
from emqtop.ui.server_line import server_parts
from emqtop.ui.widgets.line import Line, Part, whole, width_of
from emqtop.units import duration

HINT_TICKS = 6
"""How long a hint stands, ticks of the clock."""
STALE_TICKS = 2
"""Age of the data, in ticks, from which on it is told."""


def mark_parts(label: str) -> tuple[Part, ...]:
    """The user's mark of the server, if there is one."""
    return (Part("  "), Part(f" {safe(label)} ", "server")) if label else ()


class LiveScreen(Doors, Copies):
    """A screen that is given moments.

    Attributes:
        moment: the newest numbers.
        ready: are its widgets there?
        mark: what the user calls the server; empty: nothing.
        may_act: may acts be offered?
        playback: plays the recording that is looked at; None: it is a server.
        trouble: why there are no newer ones; empty while all is well.
    """

    PLACE: ClassVar[Place]
    """Which commands it has."""

    moment: reactive[Moment] = reactive(NOTHING_YET, init=False, always_update=True, repaint=False)
    trouble: reactive[str] = reactive("", init=False, repaint=False)
    mark: reactive[str] = reactive("", init=False, repaint=False)
    playback: reactive[Playback | None] = reactive(None, init=False, repaint=False)
    may_act: reactive[bool] = reactive(False, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.ready = False
        self._notice: Part | None = None
        self._hint_ticks = 0
        self._clock_s = 0.0

    def compose(self) -> ComposeResult:
        """Lines above and below, the view between."""
        yield Line("bar", id="top")
        yield from self.view()
        yield Line("plain", id="status")
        yield Line("bar", id="keys")

    def view(self) -> Iterable[Widget]:
        """The widgets between the lines."""
        raise NotImplementedError

    def crumbs(self) -> tuple[str, ...]:
        """Where the user is, from the outside in; safe text."""
        raise NotImplementedError

    def summary(self) -> Sequence[Part]:
        """What the right end of the status line says."""
        return ()

    def shown_queues(self) -> tuple[QueueId, ...]:
        """The queues on the screen, which are read and remembered first."""
        return ()

    async def read(self, source: Source) -> None:
        """Read what this view needs beside the snapshot, and post it."""

    def advance(self, clock_s: float) -> None:
        """Go on with the clock: seconds of the viewer's monotonic clock."""
        self._clock_s = clock_s
        if self._hint_ticks:
            self._hint_ticks -= 1
            self._notice = self._notice if self._hint_ticks else None
        self.draw_status()
        if self.playback is not None:
            self.draw_top()

    @property
    def now_ms(self) -> int:
        """The server's time now, Unix ms."""
        return self.moment.now_ms(max(self._clock_s, self.moment.arrived_s))

    def settled(self, outcome: Outcome) -> None:
        """An act that was begun here is over."""

    def say(self, words: str, tone: str = "plain") -> None:
        """Put safe words onto the status line, until the next ones."""
        self._notice = Part(words, tone)
        self._hint_ticks = 0
        self.draw_status()

    def hint(self, words: str, tone: str = "warn") -> None:
        """Say it for a few seconds: it is about a key and not about the queues."""
        self.say(words, tone)
        self._hint_ticks = HINT_TICKS

    def hush(self) -> None:
        """Take the words off the status line."""
        self._notice = None
        self.draw_status()

    def watch_moment(self) -> None:
        """Draw fresh numbers."""
        self.draw_top()
        self.draw_status()

    def watch_trouble(self) -> None:
        """Tell that the server is lost, or back."""
        self.draw_status()

    def watch_mark(self) -> None:
        """Name the server as the user does."""
        self.draw_top()

    def watch_may_act(self) -> None:
        """Offer acts, or do not."""
        self.draw_top()
        self.draw_keys()

    def on_mount(self) -> None:
        """Draw the lines that do not wait for numbers, and ask for the numbers."""
        self.ready = True
        self.draw_top()
        self.draw_keys()
        self.wants_reading()

    def on_screen_resume(self) -> None:
        """In front again: read what this view needs."""
        self.wants_reading()

    def on_resize(self) -> None:
        """The lines say as much as fits."""
        if self.ready:
            self.draw_top()
            self.draw_status()
            self.draw_keys()

    def draw_top(self) -> None:
        """Where we are, and which server it is."""
        marks = list(mark_parts(self.mark))
        if self.playback is not None:
            marks += self.playback.parts(self.prefers_utc)
        elif not self.may_act:
            marks.append(Part("  read-only", "warn"))
        parts = [Part(" ", "bar"), *path_parts(self.crumbs(), self.size.width - 2 - width_of(marks)), *marks]
        self.query_one("#top", Line).show(parts, self._server(self.size.width - width_of(parts) - 2))

    def _server(self, width: int) -> Sequence[Part]:
        return server_parts(self.moment.snapshot, self.moment.vitals, width)

    def draw_status(self) -> None:
        """The age of the data once it is old; trouble, else the last words; a summary."""
        left: list[Part] = [Part(" ")]
        age_s = self.moment.age_s(max(self._clock_s, self.moment.arrived_s))
        known = self.moment is not NOTHING_YET
        # The age stands before the trouble, whose words may be longer than the line.
        if known and (self.trouble or age_s > STALE_TICKS) and age_s >= 1:
            left += [Part(f"numbers are {duration(1_000 * int(age_s))} old", "warn"), Part("  ")]
        if self.trouble:
            left.append(Part(self.trouble, "bad"))
        elif not known:
            left.append(Part("waiting for the server", "dim"))
        if self._notice is not None:
            left += [Part("  "), self._notice] if len(left) > 1 else [self._notice]
        right = [*whole(self.summary(), self.size.width - 1), Part(" ")]
        # Verdicts and trouble are read whole; the summary comes back after them.
        if len(left) > 1 and 0 < self.size.width < width_of(left + right) + 1:
            right = []
        self.query_one("#status", Line).show(left, right)

    def draw_keys(self) -> None:
        """The keys of this place, help and quit at the right end; those that cannot be used now are dim."""
        commands = self.footer()
        ends = [command for command in commands if Place.ANYWHERE in command.places]
        right = [part for command in ends for part in self._key(command)]
        here = [command for command in commands if command not in ends]
        keys = [self._key(command) for command in here]
        offers = [(command.footer, width_of(key)) for command, key in zip(here, keys, strict=True)]
        stay = kept(offers, self.size.width - 3 - width_of(right))
        left = [Part(" ", "bar"), *(part for place, key in enumerate(keys) if place in stay for part in key)]
        left += [Part("…", "bar")] * (len(stay) < len(keys))
        self.query_one("#keys", Line).show(left, right)

    def _key(self, command: Command) -> tuple[Part, Part]:
        tone = "key" if self.usable(command) else "bar"
        return Part(keymap_of(self).name(command.id), tone), Part(f" {self.worded(command).label}  ", "bar")

    def worded(self, command: Command) -> Command:
        """The command as it is to be called now: what pauses resumes what is paused."""
        if command.verb is not Verb.PAUSE or self.why_not(command):
            return command
        verb = self._aimed(command.verb).order.verb
        return command if verb is command.verb else replace(command, id=verb, label=verb, help=ACTS[verb].help)

    def footer(self) -> Sequence[Command]:
        """Which commands the key line names."""
        return [command for command in commands_at(*self.places()) if command.footer and self.offered(command)]

    def places(self) -> tuple[Place, ...]:
        """Whose commands can be given here."""
        return tuple(place for place in together(self.PLACE) if place is not Place.REPLAY or self.playback is not None)

    def on_key(self, event: events.Key) -> None:
        """Say so where a key does nothing here; a field that is typed into keeps its keys to itself."""
        if event.key not in self.active_bindings and not isinstance(self.focused, Input):
            self.hint(self._why_dead(event.key))

    def _why_dead(self, key: str) -> str:
        keymap = keymap_of(self)
        command = next((command for command in COMMANDS if key in keymap.of(command)), None)
        if command is None:
            return f"{safe(key_name(key))} does nothing; {keymap.name('help')} tells the keys"
        if command.verb is not None and not self.may_act:
            return "emqtop was started read-only: no act is offered"
        return f"{key_name(key)} ({command.label}) does nothing here; {keymap.name('help')} tells the keys"

    def wants_reading(self) -> None:
        """Ask for this view to be read now and not at the next tick."""
        self.post_message(ViewChanged())

    def offered(self, command: Command) -> bool:
        """Is the command there at all? Without the right to act no act is, and none that the queue's family lacks."""
        if command.verb is None:
            return self.may_act or command.id != "menu"
        queue = self.queue_meant()
        return self.may_act and (queue is None or queue.family in ACTS[command.verb].families)

    def usable(self, command: Command) -> bool:
        """Can it be given right now?"""
        return not self.why_not(command)

    def why_not(self, command: Command) -> str:
        """Why an act that is offered cannot be given right now; empty: it can."""
        if command.verb is None:
            return ""
        try:
            self._aimed(command.verb)
        except NoAim as refusal:
            return str(refusal)
        return ""

    def _aimed(self, verb: Verb) -> Aim:
        if (queue := self.queue_meant()) is not None:
            check_family(verb, queue.family)
        return self.aim(verb)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """The one place where acts are taken away from who may only look."""
        return self.may_act if action == "act" else True

    def action_palette(self) -> None:
        """All commands that can be given here, by name."""
        self._choose([command for command in commands_at(*self.places()) if command.call != "nth_tab"], search=True)

    def action_menu(self) -> None:
        """The acts that fit here, and why some of them cannot be given right now."""
        acts = [command for command in commands_at(*self.places()) if command.verb is not None]
        if self.may_act:
            self._choose(acts, search=False)
        else:
            self.hint("emqtop was started read-only: no act is offered")

    def _choose(self, commands: Sequence[Command], search: bool) -> None:
        # Opened now and then; the first frame need not wait for it.
        from emqtop.ui.screens.palette import PaletteScreen, entry

        keymap = keymap_of(self)
        told = [(command, self.why_not(command)) for command in commands if self.offered(command)]
        # Whatever is no act has nothing to say for itself.
        given = [(command, why) for command, why in told if why or self.usable(command)]
        if not given:
            self.hint("no act fits here")
            return
        entries = [entry(self.worded(command), keymap.of(command), why) for command, why in given]
        self.app.push_screen(PaletteScreen(entries, search=search), self._give)

    def _give(self, action: str | None) -> None:
        if action is not None:
            self.call_later(self.run_action, action)

    def action_back(self) -> None:
        """Back to where this was opened from."""
        self.dismiss()

    def aim(self, verb: Verb) -> Aim:
        """What an act would be pointed at now.

        Raises:
            NoAim: there is nothing here that it fits.
        """
        raise NoAim(f"{verb}: not here")

    def action_act(self, verb: str) -> None:
        """Ask for an act on what is marked, else on what is under the cursor."""
        try:
            self.post_message(ActWanted(self._aimed(Verb(verb))))
        except NoAim as refusal:
            self.hint(str(refusal))
