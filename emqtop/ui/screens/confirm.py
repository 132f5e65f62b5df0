"""The question before every act: names server, queue, act and jobs, and what would be left alone."""

import asyncio
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from emqtop.acting.plan import Plan, Selection
from emqtop.acting.tally import Progress
from emqtop.model.actions import Outcome
from emqtop.model.acts import ACTS
from emqtop.model.filters import EVERY
from emqtop.model.typed import BadValue
from emqtop.text import safe
from emqtop.ui import act_text, verdict
from emqtop.ui.act_state import ActState, Stage
from emqtop.ui.acts import TROUBLE, Acts
from emqtop.ui.aim import Aim
from emqtop.ui.box import BREAKPOINTS, inside
from emqtop.ui.commands import Place, bindings
from emqtop.ui.keymap import keymap_of
from emqtop.ui.messages import ActBegun, ActEnded
from emqtop.ui.progress import ActFailed, Found, OutcomeArrived, PlanArrived, Progressed, StandingArrived
from emqtop.ui.screens.ask import TOO_SMALL
from emqtop.ui.widgets.choices import Choices
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, rows_of
from emqtop.wire.errors import SourceError

LEAST_WIDTH = 24
"""Cells below which no question is asked: names would be in pieces."""
NOTHING_SENT = "nothing was sent"
"""What is said of an act whose server was lost before it began."""


class ConfirmScreen(ModalScreen[Outcome | None]):
    """Plans an act, asks, runs it and tells what became of it. Nothing is sent before the answer but reads.

    Args:
        acts: does it.
        aim: what is meant.
        server: its name, and how the user marks it.
        clock: the server's time now, Unix ms.
    """

    BINDINGS = bindings(Place.DIALOG)
    VERTICAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, acts: Acts, aim: Aim, server: tuple[Part, ...], clock: Callable[[], int]) -> None:
        super().__init__()
        self.acts = acts
        self.clock = clock
        self.state = ActState(aim.order, aim, server, clock())
        self.stop = asyncio.Event()

    @property
    def stage(self) -> Stage:
        """How far the act is."""
        return self.state.stage

    def compose(self) -> ComposeResult:
        """Text, perhaps a field for a value or for the name, answers."""
        with Vertical(id="box"):
            yield Paper(words=True, id="question")
            yield Input(id="value", compact=True)
            yield Input(id="name", compact=True, placeholder="type the name of the queue")
            yield Choices(id="answers")

    def on_mount(self) -> None:
        """Look how it is now, where a value has to be typed, else what the act would touch."""
        for field in self.query(Input):
            field.cursor_blink = field.display = False
        self.query_one(Choices).focus()
        self.set_interval(1.0, self.advance)
        self._go_on(Stage.PLANNING if self.state.want is None else Stage.LOOKING)

    def advance(self) -> None:
        """Tell how long an answer is waited for."""
        if self.stage is Stage.RUNNING:
            self.state.now_ms = self.clock()
            self.draw()

    def _go_on(self, stage: Stage) -> None:
        """To a stage, with its field and its work."""
        self.state.now_ms = self.clock()
        self.state.stage = stage
        self.draw()
        match stage:
            case Stage.LOOKING:
                self.run_worker(self._look(), exit_on_error=True)
            case Stage.PLANNING:
                self.run_worker(self._plan(), exit_on_error=True)
            case Stage.RUNNING if self.state.plan is not None:
                self.state.heard_ms = self.state.now_ms
                self.post_message(ActBegun(self.halt))
                self.run_worker(self._run(self.state.plan), exit_on_error=True)

    async def _look(self) -> None:
        try:
            standing = await self.acts.standing(self.state.order, self.state.aim.seen)
            self.post_message(StandingArrived(standing))
        except TROUBLE as error:
            self._fail(error)

    async def _plan(self) -> None:
        try:
            aim, order = self.state.aim, self.state.order
            selection = Selection(aim.seen, location=aim.location, where=aim.where or EVERY, lane=order.lane)
            plan = await self.acts.plan(order, selection, stop=self.stop, on_progress=self._tell_found)
            self.post_message(PlanArrived(plan))
        except TROUBLE as error:
            self._fail(error)

    async def _run(self, plan: Plan) -> None:
        try:
            outcome = await self.acts.run(plan, stop=self.stop, on_progress=self._tell)
            self.post_message(OutcomeArrived(outcome))
            words = verdict.headline(outcome).text
        except TROUBLE as error:
            words = self._fail(error)
        self.post_message(ActEnded(self.halt, words))

    def _fail(self, error: Exception) -> str:
        words = safe(str(error))
        self.post_message(ActFailed(words, *[NOTHING_SENT] * isinstance(error, SourceError)))
        return words

    def halt(self) -> None:
        """Stop after the batch that runs."""
        self.stop.set()
        self.draw()

    def _tell_found(self, count: int) -> None:
        self.post_message(Found(count))

    def _tell(self, progress: Progress) -> None:
        self.post_message(Progressed(progress))

    def on_standing_arrived(self, message: StandingArrived) -> None:
        """Let the value be typed, with the present one to begin with."""
        self.state.standing = message.standing
        field, want = self.query_one("#value", Input), self.state.want
        if want is not None:
            field.placeholder = want.hint
            field.value = "" if message.standing is None else want.shown(message.standing)
        self._go_on(Stage.TYPING)

    def on_plan_arrived(self, message: PlanArrived) -> None:
        """Ask."""
        self.state.plan = message.plan
        self._go_on(Stage.ASKING)

    def on_act_failed(self, message: ActFailed) -> None:
        """Tell that the server could not be asked."""
        self.state.failure = message.words
        self._go_on(Stage.OVER)

    def on_found(self, message: Found) -> None:
        """Tell how many jobs are found."""
        self.state.found = message.count
        self.draw()

    def on_progressed(self, message: Progressed) -> None:
        """Tell how far the act is."""
        self.state.now_ms = self.clock()
        self.state.note(message.progress)
        self.draw()

    def on_outcome_arrived(self, message: OutcomeArrived) -> None:
        """Close where all went well, else stay and tell why not."""
        self.state.outcome = message.outcome
        if verdict.is_whole(message.outcome):
            self.dismiss(message.outcome)
        else:
            self._go_on(Stage.OVER)

    def action_step(self, places: int) -> None:
        """Another answer."""
        self.query_one(Choices).step(places)

    def action_answer(self) -> None:
        """The answer in front."""
        self.query_one(Choices).give()

    def action_yes(self) -> None:
        """Do it, or take what was typed."""
        if self.stage is Stage.TYPING:
            self._take_value()
        elif self._may_run():
            self._go_on(Stage.RUNNING)

    def action_no(self) -> None:
        """Leave, or stop what runs."""
        if self.stage is Stage.RUNNING:
            self.halt()
        else:
            self.dismiss(self.state.outcome)

    def on_choices_given(self, message: Choices.Given) -> None:
        """An answer was given."""
        message.stop()
        if message.answer == "yes":
            self.action_yes()
        else:
            self.action_no()

    def _take_value(self) -> None:
        """Look what an act with this value would touch, or say why there can be none."""
        want = self.state.want
        if want is None or not self._fits():
            return
        try:
            self.state.order = want.read(self.state.order, self.query_one("#value", Input).value.strip())
        except BadValue as error:
            self.state.complaint = str(error)
            self.draw()
        else:
            self._go_on(Stage.PLANNING)

    def on_input_changed(self) -> None:
        """The name may be right by now, or the value another one."""
        self.state.complaint = ""
        self.draw()

    def on_input_submitted(self) -> None:
        """The value is typed: on. Or the name is: on to the answers, of which the safe one is in front."""
        if self.stage is Stage.TYPING:
            self.query_one(Choices).give()
        elif self._may_run():
            self.query_one(Choices).focus()
        else:
            self.state.complaint = "that is not the name of the queue"
            self.draw()

    def _may_run(self) -> bool:
        if self.stage is not Stage.ASKING or not self.state.is_movable or not self._fits():
            return False
        return not self.state.is_named or self.query_one("#name", Input).value == self.state.order.queue.name

    def on_resize(self) -> None:
        """The box fits the window, or refuses to ask."""
        self.draw()

    def _width(self) -> int:
        return inside(self.app.size).width

    def _room(self) -> int:
        return max(1, inside(self.app.size).height - bool(self.state.field))

    def _fits(self) -> bool:
        needed = rows_of(act_text.essence(self.state), self._width())
        return needed <= self._room() and self._width() >= LEAST_WIDTH

    def draw(self) -> None:
        """Text, field and answers of the stage."""
        paper, answers = self.query_one(Paper), self.query_one(Choices)
        fits = self.stage not in {Stage.TYPING, Stage.ASKING} or self._fits()
        self._show_field(self.state.field if fits else "")
        if fits:
            lines = list(act_text.lines(self.state))[: self._room()]
            answers.offer(self._answers())
        else:
            lines = list(TOO_SMALL)
            answers.offer([("no", "Close")])
        paper.styles.height = max(1, min(rows_of(lines, self._width()), self._room()))
        paper.show(lines)

    def _show_field(self, name: str) -> None:
        """Have this field alone, or none; one that comes gets the keys."""
        for field in self.query(Input):
            if field.display != (field.id == name):
                field.display = not field.display
                (field if field.display else self.query_one(Choices)).focus()

    def _answers(self) -> list[tuple[str, str]]:
        match self.stage:
            case Stage.TYPING:
                # It only reads, so it stands in front, where Enter in the field gives it.
                return [("yes", "Go on"), ("no", "Cancel")]
            case Stage.RUNNING:
                return [("no", "Stopping" if self.stop.is_set() else "Stop")]
            case Stage.ASKING if self._may_run():
                yes = f"{ACTS[self.state.order.verb].label} ({keymap_of(self).name('yes')})"
                return [("no", "Cancel"), ("yes", yes)]
            case _:
                return [("no", "Close" if self.stage is Stage.OVER else "Cancel")]
