"""The doctor: what is wrong with queues and their server, worst first, and what helps."""

import asyncio
from collections.abc import Hashable, Iterator, Sequence

from textual.widget import Widget

from emqtop.model.actions import Outcome, Verb
from emqtop.model.findings import Finding, Kind
from emqtop.model.fuzzy import matches
from emqtop.model.health import examine
from emqtop.model.queue import Queue, QueueId
from emqtop.model.snapshot import EMPTY
from emqtop.model.standing import Standing, Watch
from emqtop.present.columns import Column
from emqtop.present.finding_columns import FINDINGS
from emqtop.present.finding_rows import FindingRow, finding_rows, looked_at, severities
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.aim import Aim, NoAim, at_queue
from emqtop.ui.clipboard import Copied
from emqtop.ui.commands import Command, Place, bindings
from emqtop.ui.feed import MANY
from emqtop.ui.keymap import keymap_of
from emqtop.ui.lane_rounds import LaneRounds
from emqtop.ui.queue_tabs import first_tab
from emqtop.ui.queue_view import Tab
from emqtop.ui.screens.listing import ListScreen
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Paper, Text
from emqtop.units import NOTHING

HIGH = 12
"""Lines of a window from which on some are spared for the finding under the cursor."""


class FindingsScreen(ListScreen[FindingRow]):
    """Judges each moment; the lanes, which cost reads, are looked at in turn while it is open.

    Args:
        queue: only what is wrong with it, and with the server; None: with any queue.
    """

    PLACE = Place.DOCTOR
    BINDINGS = bindings(Place.DOCTOR, Place.LIST)

    def __init__(self, queue: QueueId | None) -> None:
        super().__init__()
        self.queue = queue
        self.standing: list[Standing] = []
        self._watch = Watch()
        self._rounds = LaneRounds()
        self._is_judging = False

    def view(self) -> Iterator[Widget]:
        """The findings, and below them that under the cursor in full."""
        yield from super().view()
        about = Paper(words=True, id="about-finding")
        about.can_focus = False
        yield about

    def on_resize(self) -> None:
        """A low window has no lines for more than the list."""
        super().on_resize()
        self.query("#about-finding").set(display=self.app.size.height >= HIGH)

    def columns(self) -> Sequence[Column[FindingRow]]:
        """Those of a finding."""
        return FINDINGS

    def key_of(self, item: FindingRow) -> Hashable:
        """Queue, kind and lane: its numbers change."""
        return item.standing.finding.key

    def items(self) -> Sequence[FindingRow]:
        """The findings that match, the worst first."""
        rows = finding_rows(self.standing, (queue.id for queue in self.moment.snapshot.queues), self.helps)
        return [row for row in rows if matches(self.wanted, _searched(row), loose=False)] if self.wanted else rows

    def crumbs(self) -> tuple[str, ...]:
        """Server, queue, doctor."""
        return ("emqtop", *(() if self.queue is None else (safe(self.queue.name),)), "doctor")

    @property
    def finding(self) -> Finding | None:
        """That under the cursor."""
        row = self.grid.current
        return None if row is None else row.standing.finding

    def queue_meant(self) -> QueueId | None:
        """That of the finding."""
        return self.queue if self.finding is None else self.finding.queue

    def copied(self) -> Copied | None:
        """The command line that helps, else what is wrong."""
        found = self.finding
        if found is None:
            return None
        return Copied("finding", found.says) if found.act is None else Copied("command", found.act)

    def helps(self, finding: Finding) -> str:
        """The key of what helps, and its name; else advice."""
        keymap, nature = keymap_of(self), finding.nature
        if nature.verb is not None:
            return f"{keymap.name(_asked(nature.verb).value)} {nature.verb}" if self.may_act else nature.verb.value
        if finding.kind is Kind.DYING:
            return f"{keymap.name('errors')} errors"
        return nature.advice or NOTHING

    def _judged(self) -> list[Queue]:
        queues = self.moment.snapshot.queues
        return [queue for queue in queues if self.queue is None or queue.id == self.queue]

    def shown_queues(self) -> tuple[QueueId, ...]:
        """This one alone; of all of them none is before another."""
        return () if self.queue is None else (self.queue,)

    async def read(self, source: Source) -> None:
        """Look at some lanes; a recording has none."""
        source.show(self.shown_queues())
        if self.playback is None:
            await self._rounds.go_round(source, self._judged(), self.moment.snapshot.at_ms)

    def watch_moment(self) -> None:
        """Judge what is new, unless it is held still; many queues are judged beside the event loop."""
        super(ListScreen, self).watch_moment()
        if self.frozen or self._is_judging:
            return
        if len(self.moment.snapshot.queues) < MANY:
            self._take(self._judge(), self.moment.snapshot.at_ms)
        else:
            self._is_judging = True
            self.run_worker(self._judge_beside(), exit_on_error=True)

    def _judge(self) -> list[Finding]:
        only = () if self.queue is None else (self.queue,)
        return examine(self.moment.before, self.moment.snapshot, dict(self._rounds.looks), only=only)

    async def _judge_beside(self) -> None:
        at_ms = self.moment.snapshot.at_ms
        found = await asyncio.to_thread(self._judge)
        self._is_judging = False
        self._take(found, at_ms)

    def _take(self, found: list[Finding], at_ms: int) -> None:
        self.standing = self._watch.see(found, at_ms)
        self.draw_rows()

    def draw_rows(self) -> None:
        """Say what an empty list means."""
        self.grid.empty = "no finding matches" if self.wanted and self.standing else self._why_empty()
        super().draw_rows()
        self._draw_about()

    def _why_empty(self) -> str:
        if self.moment.before is EMPTY:
            return "waiting for a second look"
        rounds, swept = self._rounds, self.moment.snapshot.swept
        return looked_at(
            len(self._judged()), len(rounds.looks), rounds.laned, by_name=self.queue is not None, swept=swept
        )

    def on_grid_chosen(self) -> None:
        """Tell of another finding."""
        super().on_grid_chosen()
        self._draw_about()

    def _draw_about(self) -> None:
        row = self.grid.current
        self.query_one("#about-finding", Paper).show([] if row is None else list(self._about(row)))

    def _about(self, row: FindingRow) -> Iterator[Text]:
        finding = row.standing.finding
        yield (Part(f" {row.severity} ", row.tone), Part(f" {row.name}  ", "strong"), Part(row.says))
        act = () if finding.act is None else (Part("   as a command: ", "dim"), Part(finding.act))
        yield (Part(" helps  ", "dim"), Part(row.helps, "accent"), *act)

    def summary(self) -> Sequence[Part]:
        """How many there are, by severity."""
        told = [Part(f"{cell.text}  ", cell.tone) for cell in severities(self.grid.selection.items)]
        return [*super().summary(), *told]

    def aim(self, verb: Verb) -> Aim:
        """What the finding under the cursor names, where it names this act."""
        row, finding = self.grid.current, self.finding
        if row is None or finding is None:
            raise NoAim("no finding is chosen: it has left this list, or the list is empty")
        helping = finding.nature.verb
        if finding.queue is None or helping is None or verb is not _asked(helping):
            raise NoAim(f"{verb} does not help here: {row.helps}")
        if row.standing.is_over:
            raise NoAim("this is over: there is nothing to be done")
        return at_queue(verb, finding.queue, helping is Verb.RESUME, finding.lane)

    def settled(self, outcome: Outcome) -> None:
        """Look at the lanes anew."""
        self._rounds.forget(outcome.queue)

    def opened(self, item: FindingRow) -> None:
        """Go where it is seen: the jobs or lanes of the queue, or the server."""
        from emqtop.ui.screens.queue import QueueScreen

        finding = item.standing.finding
        if finding.queue is None:
            self.action_server()
        else:
            screen = QueueScreen(finding.queue, self._tab(finding))
            screen.expected = finding.lane
            self.app.push_screen(screen)

    def _tab(self, finding: Finding) -> Tab:
        if finding.lane is not None:
            return Tab.LANES
        if finding.nature.place is not None:
            return Tab(finding.nature.place.value)
        found = (queue for queue in self.moment.snapshot.queues if queue.id == finding.queue)
        return next((first_tab(queue) for queue in found), Tab.ACTIVE)

    def usable(self, command: Command) -> bool:
        """Errors are those of a queue."""
        return super().usable(command) and (command.id != "errors" or self.queue_meant() is not None)


def _asked(helping: Verb) -> Verb:
    """The act whose key begins it: that of pause turns into resume where something is paused."""
    return Verb.PAUSE if helping is Verb.RESUME else helping


def _searched(row: FindingRow) -> str:
    finding = row.standing.finding
    return " ".join((row.severity, finding.kind, row.name, row.says, row.helps, finding.act or ""))
