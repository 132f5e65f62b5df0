"""Which queue a word of the command line means."""

from emqtop.model.queue import QueueId
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
