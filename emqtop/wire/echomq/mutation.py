"""Changes to one job that are no step of its life (echomq.md 4.7)."""

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.refusals import refusing
from emqtop.wire.replies import blobs
from emqtop.wire.resp import Conversation, ReplyError, ask_all, pack
from emqtop.wire.scripts import call


def update_data(keys: QueueKeys, job: str, payload: bytes) -> Conversation[bool]:
    """Replace the payload; False: the job is gone.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    return (yield from call("update_data", [keys.row(job)], payload)) == 1


def update_progress(keys: QueueKeys, job: str, progress: str | bytes) -> Conversation[bool]:
    """Note how far the job is and tell listeners; False: the job is gone.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    return (yield from call("update_progress", [keys.row(job)], progress, job, keys.base)) == 1


def add_log(keys: QueueKeys, job: str, line: str | bytes, keep: int | None = None) -> Conversation[int | None]:
    """Add a line and keep the newest, None: all; returns how many there are now, None: the job is gone.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    declared = [keys.row(job), keys.sub(job, "logs")]
    length = yield from call("add_log", declared, line, "" if keep is None else keep)
    return length if isinstance(length, int) and length >= 0 else None


def get_logs(keys: QueueKeys, job: str) -> Conversation[list[bytes] | None]:
    """Every log line, oldest first; None: the job is gone.

    Raises:
        BadId: not the id of a job; nothing was sent.
    """
    row = keys.row(job)
    stands, lines = yield from ask_all([pack("EXISTS", row), pack("LRANGE", keys.sub(job, "logs"), 0, -1)], row)
    if isinstance(lines, ReplyError):
        raise lines
    return blobs(lines) if stands == 1 else None


def remove(keys: QueueKeys, job: str, dedup: str = "") -> Conversation[bool]:
    """Forget a flat job and release its dedup id if that points at it; False: the job is gone.

    Raises:
        BadId: not the id of a job; nothing was sent.
        JobLocked: a worker holds its lock; nothing changed.
    """
    flat = [keys.pending, keys.active, keys.schedule, keys.dead]
    declared = [keys.row(job), *flat, keys.part("de:" + dedup)]
    return (yield from refusing(call("remove", declared, job, dedup))) == 1


def reprocess(keys: QueueKeys, job: str) -> Conversation[bool]:
    """Make a dead job ready in the flat set; False: the job is gone.

    Raises:
        BadId: not the id of a job; nothing was sent.
        WrongState: the job is not dead; nothing changed.
    """
    return (yield from refusing(call("reprocess", [keys.row(job), keys.dead, keys.pending], job))) == 1
