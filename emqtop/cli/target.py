"""Which queue a word of the command line means."""

from collections.abc import Sequence

from emqtop.cli.console import UsageError
from emqtop.model.queue import QueueId
from emqtop.text import safe


def choose(name: str, found: Sequence[QueueId]) -> QueueId:
    """The one queue of this name.

    Args:
        name: as typed, or in the visible form in which documents and tables show a name.
        found: queues that exist and that the options allow.

    Raises:
        UsageError: there is none, or there are several; the message names the candidates.
    """
    fitting = [queue for queue in found if queue.name == name] or [queue for queue in found if safe(queue.name) == name]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise UsageError(f"unknown queue: {name}")
    candidates = ", ".join(f"{queue.name} (--family {queue.family} --prefix {queue.prefix})" for queue in fitting)
    raise UsageError(f"ambiguous queue: {name}; --family and --prefix choose among {candidates}")
