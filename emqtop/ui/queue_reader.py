"""What the look into a queue reads beside the snapshot."""

import time
from collections.abc import Callable

from textual.message import Message

from emqtop.model.metrics import Metrics
from emqtop.model.queue import Family
from emqtop.model.team import Team
from emqtop.model.timetable import Timetable
from emqtop.sampling.source import Source
from emqtop.text import safe
from emqtop.ui.messages import AboutArrived, AroundArrived, JobArrived, LanesArrived, PageArrived
from emqtop.ui.queue_view import AROUND, QueueView, Tab
from emqtop.wire.errors import Refused

ABOUT_S = 10.0
"""How often it is asked what else is known of a BullMQ queue, seconds."""
AROUND_S = 3.0
"""How often workers, schedulers or minutes are read while they are shown, seconds."""
_SHARE = 20
"""A reading that takes long is made more rarely: this many times what it took lies between two."""


class QueueReader:
    """Asks for the tab in front, the job beside it, and now and then for what else is known of the queue.

    Args:
        post: takes what came in.
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self._ask_about_s = 0.0
        self._last_around: QueueView | None = None
        self._ask_around_s = 0.0

    async def read(self, source: Source, view: QueueView, beside: str | None) -> None:
        """Read a view, and a job by its id where one is shown beside the list."""
        source.show((view.queue,))
        if view.tab in AROUND:
            await self._read_around(source, view)
            return
        self._last_around = None
        request = view.request
        if request is None:
            self._post(LanesArrived(view.queue, await source.lanes(view.queue)))
        else:
            self._post(PageArrived(request, await source.page(request)))
        if beside is not None:
            self._post(JobArrived(await source.job(view.queue, beside)))
        if view.queue.family is Family.BULLMQ and time.monotonic() >= self._ask_about_s:
            self._ask_about_s = time.monotonic() + ABOUT_S
            self._post(AboutArrived(view.queue, await source.about(view.queue)))

    def hurry(self) -> None:
        """Read at the next chance, whenever the last time was: something was changed from here."""
        self._last_around = None

    async def _read_around(self, source: Source, view: QueueView) -> None:
        began_s = time.monotonic()
        if view == self._last_around and began_s < self._ask_around_s:
            return
        self._last_around, self._ask_around_s = view, began_s + AROUND_S
        try:
            around = await _ask(source, view)
        except Refused as refusal:
            self._post(AroundArrived(view.queue, view.tab, None, safe(str(refusal))))
        else:
            self._post(AroundArrived(view.queue, view.tab, around))
        ended_s = time.monotonic()
        self._ask_around_s = ended_s + max(AROUND_S, _SHARE * (ended_s - began_s))


async def _ask(source: Source, view: QueueView) -> Team | Timetable | Metrics:
    if view.tab is Tab.WORKERS:
        return await source.team(view.queue)
    if view.tab is Tab.SCHEDULERS:
        return await source.timetable(view.queue)
    return await source.metrics(view.queue)
