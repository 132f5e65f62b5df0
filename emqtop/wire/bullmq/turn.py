"""When the turn of one job comes: its due time, its priority (bullmq.md 1.1)."""

from emqtop.wire.bullmq.keyed_reads import ask_each, clock, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.scores import due_ms
from emqtop.wire.replies import checked, count, number, server_ms
from emqtop.wire.resp import Conversation, ask_one, raw


def time_left(keys: QueueKeys, job: str) -> Conversation[int | None]:
    """Time until a delayed job is due, ms, 0 for one that is; None: it is not delayed.

    Raises:
        ReplyError: the server refused.
    """
    now, score = yield from ask_each(keys, [clock(keys), read("ZSCORE", keys.part("delayed"), raw(job))])
    due = number(checked(score))
    return None if due is None else max(0, due_ms(due) - server_ms(now))


def priority_of(keys: QueueKeys, job: str) -> Conversation[int]:
    """The class of priority of a job; 0: none.

    Raises:
        ReplyError: the server refused.
    """
    return count((yield from ask_one("HGET", keys.row(raw(job)), "priority", key=keys.base)))
