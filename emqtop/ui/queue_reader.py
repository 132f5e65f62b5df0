"""What the look into a queue reads beside the snapshot."""

import time
from collections.abc import Callable

from textual.message import Message

from emqtop.model.queue import Family
from emqtop.sampling.source import Source
from emqtop.ui.messages import AboutArrived, JobArrived, LanesArrived, PageArrived
from emqtop.ui.queue_view import QueueView

ABOUT_S = 10.0
"""How often it is asked what else is known of a BullMQ queue, seconds."""


class QueueReader:
    """Asks for the tab in front, the job beside it, and now and then for what else is known of the queue.

    Args:
        post: takes what came in.
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self._ask_about_s = 0.0

    async def read(self, source: Source, view: QueueView, beside: str | None) -> None:
        """Read a view, and a job by its id where one is shown beside the list."""
        source.show((view.queue,))
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
