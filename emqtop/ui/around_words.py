"""What is said above the workers, schedulers and minutes of a queue: where they are known from, and what is amiss."""

from collections.abc import Iterator

from emqtop.model.metrics import Metrics
from emqtop.model.queue import Family, Queue
from emqtop.model.team import Team, Tie
from emqtop.model.timetable import Timetable
from emqtop.present.scheduler_columns import has_ended, is_late
from emqtop.ui.queue_view import Tab
from emqtop.ui.widgets.line import Part
from emqtop.units import count, counted, duration

NOT_RECORDED = {
    Tab.WORKERS: "A recording holds the numbers of queues: who worked on them is not recorded.",
    Tab.SCHEDULERS: "A recording holds the numbers of queues: what recurred on them is not recorded.",
    Tab.METRICS: "The minutes that workers keep are not recorded: the curves are what the recording saw.",
}
"""What a recording has nothing of."""

_WITHHELD = "The server withholds CLIENT LIST (it wants the right client|list): who is connected is not known."


def team_words(team: Team, queue: Queue, mode: str | None) -> Iterator[Part]:
    """Of the workers.

    Args:
        team: who they are.
        queue: the queue in the newest snapshot.
        mode: `cluster` where one node was asked of several.
    """
    if team.withheld:
        yield Part(_WITHHELD, "warn")
    if queue.id.family is Family.ECHOMQ:
        yield from _echomq_words(team, queue)
    else:
        yield from _bullmq_words(team, queue)
    if mode == "cluster" and not team.withheld:
        yield Part("As the node that holds the queue sees it.", "dim")


def _echomq_words(team: Team, queue: Queue) -> Iterator[Part]:
    if queue.active:
        late = f", {count(queue.overdue)} past the deadline" if queue.overdue else ""
        yield Part(f"{counted(queue.active, 'job')} under a lease{late}.", "warn" if late else "plain")
    where = "" if team.withheld else ": these are connections named after the queue, or waiting for some queue"
    yield Part(f"EchoMQ workers register nowhere{where}.", "dim")
    if team.unlisted:
        yield Part(f"{count(team.unlisted)} more wait for some queue.", "dim")


def _bullmq_words(team: Team, queue: Queue) -> Iterator[Part]:
    tied = {tie: [worker for worker in team.workers if worker.tie is tie] for tie in Tie}
    if not team.withheld:
        waiting = sum(bool(worker.waits) for worker in tied[Tie.NAME])
        if not team.connected and queue.pending:
            yield Part(f"No worker is connected, and {counted(queue.pending, 'job')} to do.", "warn")
        else:
            yield Part(f"{team.connected} connected, {waiting} waiting for a job.")
    if tied[Tie.GONE] or tied[Tie.LOCKS]:
        yield Part("Jobs of no connected worker stand by the name in their row, or by their lock.", "dim")
    if team.looked_at < team.active:
        yield Part(f"The {team.looked_at} longest running of {count(team.active)} jobs were asked.", "dim")


def timetable_words(timetable: Timetable, queue: Queue, now_ms: int) -> Iterator[Part]:
    """Of the schedulers, at the server's time, Unix ms."""
    found, family = timetable.schedulers, queue.id.family
    if ended := sum(map(has_ended, found)):
        yield Part(f"{ended} will never run again.", "bad")
    if late := sum(is_late(each, now_ms) for each in found):
        missing = "does a pump run?" if family is Family.ECHOMQ else "does a worker run?"
        yield Part(f"{late} due and not taken: {'the queue is paused.' if queue.paused else missing}", "warn")
    if len(found) < timetable.total:
        yield Part(f"The next {len(found)} of {count(timetable.total)}.", "plain")
    if family is Family.ECHOMQ:
        yield Part("EchoMQ repeats by an interval; next runs are by the clock of the pump that fires them.", "dim")
    elif not found:
        yield Part("Here stands what recurs by a pattern or an interval, and where its next run lies.", "dim")


def metrics_words(metrics: Metrics, family: Family) -> Iterator[Part]:
    """Of the minutes."""
    if metrics.has_minutes:
        kept = max(metrics.completed.kept, metrics.failed.kept) + 1
        yield Part(f"Counted by the workers, on their clock; {duration(kept * 60_000)} kept.", "dim")
    elif family is Family.ECHOMQ:
        yield Part("EchoMQ keeps two counters and no times: the curves are what emqtop saw.", "dim")
    else:
        yield Part("No worker keeps metrics of this queue: the curves are what emqtop saw.", "dim")
