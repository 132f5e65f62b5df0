"""The end of a whole queue, step by step (echomq.md 4.5, 10.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from emqtop.wire.echomq.groups import lane_sizes
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.locations import SETS
from emqtop.wire.echomq.operator import BATCH
from emqtop.wire.echomq.refusals import refusing
from emqtop.wire.replies import checked, count, items
from emqtop.wire.resp import Conversation, ask_all, pack
from emqtop.wire.scripts import call
from emqtop.wire.together import together


@dataclass(frozen=True, slots=True)
class Stock:
    """What a queue holds."""

    jobs: int
    """Jobs in its sets and lanes; one that lies in two places counts twice."""
    active: int
    """Those of them under a lease."""
    paused: bool
    """Is it held back? A queue that is gone is not."""


def stock(keys: QueueKeys, lanes: Sequence[bytes] = ()) -> Conversation[Stock]:
    """What a queue holds, with these lanes, by plain reads.

    Raises:
        ReplyError: a set has the wrong type or may not be read.
    """
    commands = [pack("HEXISTS", keys.meta, "paused"), *(pack("ZCARD", keys.part(name)) for name in SETS)]
    (paused, *sets), sizes = yield from together(ask_all(commands, keys.base), lane_sizes(keys, list(lanes)))
    flat = dict(zip(SETS, (count(checked(reply)) for reply in sets), strict=True))
    return Stock(sum(flat.values()) + sum(sizes.values()), flat["active"], count(checked(paused)) == 1)


def obliterate(
    keys: QueueKeys, *, force: bool = False, lanes: Sequence[bytes] = (), seen: int | None = None
) -> Conversation[tuple[int, bool]]:
    """Forget at most 100 jobs of a paused queue, at last the queue itself; how many went, and is it through?

    Args:
        keys: the queue.
        force: although jobs are active.
        lanes: groups that may have drifted out of the queue's books.
        seen: how many jobs it held when it was looked at; None: that is not compared.

    Raises:
        WrongState: it is not paused, jobs are active and force is not set, it holds more jobs than were seen, or one
            of them is awaited by a parent that stays; nothing changed.
    """
    expected = "" if seen is None else seen
    reply = yield from refusing(call("operator_obliterate", [keys.base], "1" if force else "", BATCH, expected, *lanes))
    gone, more = (count(part) for part in items(reply))
    return gone, more == 0
