"""Which queues the words of the command line mean."""

from dataclasses import replace

from emqtop.model.queue import QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.oneshot import OneShot, UnknownQueue
from emqtop.text import safe


def find(shot: OneShot, name: str) -> QueueId:
    """The one queue of a name that the options allow.

    A name may also be given in the visible form in which tables and documents show it: bytes that are no UTF-8 are
    hard to type.

    Raises:
        UnknownQueue, AmbiguousQueue: there is none, or there are several.
        SourceError: the server cannot be asked.
    """
    try:
        return shot.find(name)
    except UnknownQueue:
        shown = [queue.id for queue in shot.sample(sweep_keys=0).queues if safe(queue.id.name) == name]
        if len(shown) != 1:
            raise
        return shown[0]


def among(snapshot: Snapshot, named: set[QueueId]) -> Snapshot:
    """The moment with the queues that were named, or with all where none was."""
    if not named:
        return snapshot
    return replace(snapshot, queues=tuple(queue for queue in snapshot.queues if queue.id in named))
