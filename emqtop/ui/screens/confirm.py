"""The question before every act: names server, queue, act and jobs, and what would be left alone."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from emqtop.acting.plan import Plan, Selection
from emqtop.model.actions import ACTS, Danger, Outcome
from emqtop.model.filters import EVERY
from emqtop.model.job import Job
from emqtop.text import safe
from emqtop.ui import verdict
from emqtop.ui.acts import TROUBLE, Acts
from emqtop.ui.aim import Aim
from emqtop.ui.commands import Place, bindings
from emqtop.ui.keymap import keymap_of
from emqtop.ui.messages import ActBegun, ActEnded
from emqtop.ui.progress import ActFailed, OutcomeArrived, PlanArrived, Progressed
from emqtop.ui.screens.ask import TOO_SMALL
from emqtop.ui.widgets.choices import Choices
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, Text, wrap_words
from emqtop.units import duration

WIDTH, FRAME, SIDES = 76, 4, 4
"""Cells of the box; lines that border and answers take; cells that border and padding take."""
ERRORS = 3
"""Errors that are named."""


class Stage(StrEnum):
    """How far the act is."""

    PLANNING = "planning"
    ASKING = "asking"
    RUNNING = "running"
    OVER = "over"


class ConfirmScreen(ModalScreen[Outcome | None]):
    """Plans an act, asks, runs it and tells what became of it. Nothing is sent before the answer but reads."""

    BINDINGS = bindings(Place.DIALOG)

    def __init__(self, acts: Acts, aim: Aim, server: tuple[Part, ...], now_ms: int) -> None:
        super().__init__()
        self.now_ms = now_ms
        self.acts = acts
        self.aim = aim
        self.server = server
        self.stage = Stage.PLANNING
        self.plan: Plan | None = None
        self.outcome: Outcome | None = None
        self.failure = ""
        self.moved = 0
        self.stop = asyncio.Event()

    @property
    def typed(self) -> bool:
        """Must the queue's name be typed first?"""
        return self.plan is not None and self.plan.wants_name

    def compose(self) -> ComposeResult:
        """Text, perhaps a field for the name, answers."""
        with Vertical(id="box"):
            yield Paper(words=True, id="question")
            yield Input(id="name", compact=True, placeholder="type the name of the queue")
            yield Choices(id="answers")

    def on_mount(self) -> None:
        """Look what the act would touch."""
        self.query_one(Input).display = False
        self.query_one(Input).cursor_blink = False
        self.query_one(Choices).focus()
        self.draw()
        self.run_worker(self._plan(), exit_on_error=True)

    async def _plan(self) -> None:
        try:
            aim = self.aim
            selection = Selection(aim.seen, location=aim.location, where=aim.where or EVERY)
            plan = await self.acts.plan(aim.order, selection, stop=self.stop, on_progress=self._tell)
            self.post_message(PlanArrived(plan))
        except TROUBLE as error:
            self.post_message(ActFailed(safe(str(error))))

    async def _run(self, plan: Plan) -> None:
        try:
            outcome = await self.acts.run(plan, stop=self.stop, on_progress=self._tell)
            self.post_message(OutcomeArrived(outcome))
            words = verdict.headline(outcome).text
        except TROUBLE as error:
            words = safe(str(error))
            self.post_message(ActFailed(words))
        self.post_message(ActEnded(self.halt, words))

    def halt(self) -> None:
        """Stop after the batch that runs."""
        self.stop.set()
        self.draw()

    def _tell(self, moved: int) -> None:
        self.post_message(Progressed(moved))

    def on_plan_arrived(self, message: PlanArrived) -> None:
        """Ask."""
        self.plan, self.stage = message.plan, Stage.ASKING
        self.query_one(Input).display = self.typed
        if self.typed:
            self.query_one(Input).focus()
        self.draw()

    def on_act_failed(self, message: ActFailed) -> None:
        """Tell that the server could not be asked."""
        self.failure, self.stage = message.words, Stage.OVER
        self.draw()

    def on_progressed(self, message: Progressed) -> None:
        """Tell how far a bulk act is."""
        self.moved = message.count
        self.draw()

    def on_outcome_arrived(self, message: OutcomeArrived) -> None:
        """Close where all went well, else stay and tell why not."""
        self.outcome, self.stage = message.outcome, Stage.OVER
        if verdict.is_whole(message.outcome):
            self.dismiss(message.outcome)
        else:
            self.draw()

    def action_step(self, places: int) -> None:
        """Another answer."""
        self.query_one(Choices).step(places)

    def action_answer(self) -> None:
        """The answer in front."""
        self.query_one(Choices).give()

    def action_yes(self) -> None:
        """Do it."""
        if self._may_run() and self.plan is not None:
            self.stage = Stage.RUNNING
            self.query_one(Input).display = False
            self.query_one(Choices).focus()
            self.draw()
            self.post_message(ActBegun(self.halt))
            self.run_worker(self._run(self.plan), exit_on_error=True)

    def action_no(self) -> None:
        """Leave, or stop what runs."""
        if self.stage is Stage.RUNNING:
            self.halt()
        else:
            self.dismiss(self.outcome)

    def on_choices_given(self, message: Choices.Given) -> None:
        """An answer was given."""
        message.stop()
        if message.answer == "yes":
            self.action_yes()
        else:
            self.action_no()

    def on_input_changed(self) -> None:
        """The name may be right by now."""
        self.draw()

    def on_input_submitted(self) -> None:
        """The name is typed: on to the answers, of which the safe one is in front."""
        self.query_one(Choices).focus()

    def _may_run(self) -> bool:
        if self.stage is not Stage.ASKING or self.plan is None or not self._fits():
            return False
        if not self._movable():
            return False
        return not self.typed or self.query_one(Input).value == self.aim.order.queue.name

    def _movable(self) -> bool:
        """Is there anything to do? A whole queue may have been refused before anything was sent."""
        plan = self.plan
        return plan is not None and (bool(plan.jobs) or (plan.is_whole and not plan.skipped))

    def on_resize(self) -> None:
        """The box fits the window, or refuses to ask."""
        self.draw()

    def _width(self) -> int:
        return max(1, min(WIDTH, self.app.size.width - 2) - SIDES)

    def _room(self) -> int:
        return max(1, self.app.size.height - FRAME - (1 if self.typed else 0))

    def _fits(self) -> bool:
        needed = sum(1 for line in self._essence() for _ in wrap_words(line, self._width()))
        return needed <= self._room() and self._width() >= 24

    def draw(self) -> None:
        """Text and answers of the stage."""
        paper, answers = self.query_one(Paper), self.query_one(Choices)
        if self.stage is Stage.ASKING and not self._fits():
            lines = list(TOO_SMALL)
            answers.offer([("no", "Close")])
        else:
            lines = list(self._lines())[: self._room()]
            answers.offer(self._answers())
        rows = sum(1 for line in lines for _ in wrap_words(line, self._width()))
        paper.styles.height = max(1, min(rows, self._room()))
        paper.show(lines)

    def _answers(self) -> list[tuple[str, str]]:
        if self.stage is Stage.RUNNING:
            return [("no", "Stopping" if self.stop.is_set() else "Stop")]
        if self.stage is Stage.ASKING and self._may_run():
            yes = f"{ACTS[self.aim.order.verb].label} ({keymap_of(self).name('yes')})"
            return [("no", "Cancel"), ("yes", yes)]
        return [("no", "Close" if self.stage is Stage.OVER else "Cancel")]

    def _lines(self) -> Iterator[Text]:
        if self.failure:
            yield from self._head()
            yield (Part(self.failure, "bad"),)
        elif self.outcome is not None:
            yield from self._head()
            yield (verdict.headline(self.outcome),)
            yield from verdict.details(self.outcome)
        elif self.stage is Stage.RUNNING and self.plan is not None:
            yield from self._head()
            yield (Part(f"{verdict.number(self.moved)} of {verdict.number(len(self.plan.jobs))}"),)
        elif self.plan is None:
            yield from self._head()
            found = f", {verdict.number(self.moved)} so far" if self.moved else ""
            yield (Part(f"looking what it would touch{found}", "dim"),)
        else:
            yield from self._essence()
            yield from self._rest(self.plan)

    def _head(self) -> Iterator[Text]:
        order = self.aim.order
        yield (
            Part(ACTS[order.verb].label, "strong"),
            Part(f"  {safe(order.queue.name)}", "accent"),
            Part("  "),
            *self.server,
        )
        yield ()

    def _essence(self) -> Iterator[Text]:
        """What must be seen for the answer to mean anything."""
        yield from self._head()
        order, plan = self.aim.order, self.plan
        what = verdict.jobs(0 if plan is None else len(plan.jobs))
        lane = f" lane {safe(order.lane)}" if order.lane is not None else ""
        question = ACTS[order.verb].asks.format(jobs=what, queue=safe(order.queue.name) + lane)
        danger = ACTS[order.verb].danger is Danger.DESTROYS
        yield (Part(question if self._movable() else "nothing here that can be moved", "bad" if danger else "plain"),)
        if self.aim.where is not None and (where := str(self.aim.where)):
            yield (Part(f"  only where {safe(where)}", "warn"),)
        if plan is not None and len(plan.jobs) == 1:
            yield from map(self._job, plan.sample)

    def _rest(self, plan: Plan) -> Iterator[Text]:
        if len(plan.jobs) > 1:
            yield from map(self._job, plan.sample)
            if len(plan.jobs) > len(plan.sample):
                yield (Part(f"  and {verdict.number(len(plan.jobs) - len(plan.sample))} more", "dim"),)
                yield from self._ends(plan)
        if plan.skipped:
            yield ()
        reasons = Counter(skip.reason for skip in plan.skipped)
        for reason, number in reasons.items():
            detail = next(skip.detail for skip in plan.skipped if skip.reason is reason)
            yield (Part(f"left alone: {number} {reason}", "warn"), Part(f"  {safe(detail)}", "dim"))
        for error, number in plan.errors[:ERRORS]:
            yield (Part(f"  {number} × ", "dim"), Part(safe(error), "warn"))

    def _ends(self, plan: Plan) -> Iterator[Text]:
        for word, job in (("oldest", plan.oldest), ("newest", plan.newest)):
            if job is not None and job.minted_ms is not None:
                ago = duration(max(0, self.now_ms - job.minted_ms))
                yield (Part(f"  {word} ", "dim"), Part(safe(job.id)), Part(f"  minted {ago} ago", "dim"))

    def _job(self, job: Job) -> Text:
        words = [] if job.attempts is None else [f"attempt {job.attempts}"]
        if job.deadline_ms is not None:
            left = job.deadline_ms - self.now_ms
            words.append(f"lease has {duration(left)} left" if left > 0 else f"lease ran out {duration(-left)} ago")
        if job.due_ms is not None:
            left = job.due_ms - self.now_ms
            words.append(f"due in {duration(left)}" if left > 0 else f"due since {duration(-left)}")
        if job.group is not None:
            words.append(f"lane {safe(job.group)}")
        return (Part(f"  {safe(job.id)}", "strong"), Part(f"  {', '.join(words)}", "dim"))
