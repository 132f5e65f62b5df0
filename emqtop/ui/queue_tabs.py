"""The tabs of a queue: their counts, and what an empty one means."""

from collections.abc import Iterable, Mapping

from emqtop.model.queue import Family, Queue
from emqtop.text import safe
from emqtop.ui.queue_view import QueueView, Tab
from emqtop.ui.widgets.tabs import TabWords
from emqtop.units import count

_SHORT = {
    Tab.PENDING: "pend",
    Tab.ACTIVE: "act",
    Tab.SCHEDULE: "sched",
    Tab.DEAD: "dead",
    Tab.HELD: "held",
    Tab.DONE: "done",
    Tab.LANES: "lanes",
    Tab.WORKERS: "work",
    Tab.SCHEDULERS: "cron",
    Tab.METRICS: "metr",
}


_NONE: dict[Tab, dict[Family, str]] = {
    Tab.WORKERS: {
        Family.ECHOMQ: "no connection tells that it works on this queue",
        Family.BULLMQ: "no worker is connected",
    },
    Tab.SCHEDULERS: {
        Family.ECHOMQ: "no repeating job is registered",
        Family.BULLMQ: "no scheduler and no repeatable",
    },
}
"""What is said in place of what stands around the jobs."""


def queue_tabs(queue: Queue, tabs: Iterable[Tab], looked: Mapping[Tab, int]) -> list[TabWords]:
    """Each tab with how many jobs it holds.

    Args:
        queue: the queue in the newest snapshot.
        tabs: which tabs there are.
        looked: how much is in those that the snapshot does not count, once they were looked at.
    """
    numbers: dict[Tab, tuple[int | None, str]] = {
        Tab.PENDING: (queue.pending, "plain"),
        Tab.ACTIVE: (queue.active, "bad" if queue.overdue else "good"),
        Tab.SCHEDULE: (queue.schedule, "plain"),
        Tab.DEAD: (queue.dead, "warn"),
        Tab.HELD: (queue.held, "plain"),
        Tab.DONE: (queue.completed, "plain"),
    }
    words = []
    for tab in tabs:
        number, tone = numbers.get(tab) or (looked.get(tab), "plain")
        shown = "" if tab not in numbers and number is None else count(number)
        words.append(TabWords(tab.value, tab.value, _SHORT[tab], shown, tone if number else "dim"))
    return words


def first_tab(queue: Queue) -> Tab:
    """What one wants to see of a queue: what runs, else what waits, else what is dead or later."""
    filled = (
        (queue.active, Tab.ACTIVE),
        (queue.pending, Tab.PENDING),
        (queue.dead, Tab.DEAD),
        (queue.schedule, Tab.SCHEDULE),
    )
    return next((tab for number, tab in filled if number), Tab.ACTIVE)


def why_empty(view: QueueView, queue: Queue, loaded: bool, hidden: bool) -> str:
    """What is said in place of rows.

    Args:
        view: the tab in front.
        queue: the queue in the newest snapshot.
        loaded: did the rows come in?
        hidden: are there rows, all of which a filter hides?
    """
    if queue.error is not None:
        return safe(queue.error)
    if not loaded:
        return "loading"
    if hidden:
        return "nothing that is loaded matches"
    if view.tab is Tab.DONE and view.queue.family is Family.ECHOMQ:
        return "EchoMQ deletes a job that is done; only their number is kept"
    if view.tab is Tab.LANES:
        return "no lanes: no job of this queue belongs to a group"
    if view.tab in _NONE:
        return _NONE[view.tab][view.queue.family]
    return f"no {'scheduled' if view.tab is Tab.SCHEDULE else view.tab} jobs"
