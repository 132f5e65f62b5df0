"""The events stream of BullMQ queues, read without blocking and without a group (bullmq.md 5)."""

from collections.abc import Mapping
from dataclasses import dataclass

from emqtop.wire.errors import check_ready, is_withheld
from emqtop.wire.replies import blob, blobs, fields, items
from emqtop.wire.resp import Conversation, Reply, ask_all, pack, text

_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One entry."""

    key: bytes
    """The stream."""
    id: bytes
    """Its id: server's ms, a dash, a number."""
    name: str
    """Field `event`."""
    job: str | None
    """Field `jobId`."""
    extra: tuple[tuple[str, str], ...]
    """The other fields."""


def newest(keys: list[bytes]) -> Conversation[dict[bytes, bytes | None]]:
    """Id of the last entry of each stream, `0` where there is none: what to read after; None: it may not be read.

    Raises:
        NotNow: the server as a whole cannot answer now.
    """
    replies = yield from ask_all([pack("XREVRANGE", key, "+", "-", "COUNT", 1) for key in keys])
    check_ready(replies)
    return dict(zip(keys, map(_last, replies), strict=True))


def _last(reply: Reply) -> bytes | None:
    if is_withheld(reply):
        return None
    return next((id_ for entry in items(reply) for id_ in blobs(entry)[:1]), b"0")


def read_after(places: Mapping[bytes, bytes]) -> Conversation[list[StreamEvent]]:
    """Entries after these ids, at most a hundred of each stream; a stream that cannot be read has none."""
    replies = yield from ask_all(
        [pack("XRANGE", key, b"(" + last, "+", "COUNT", _AT_ONCE) for key, last in places.items()]
    )
    pairs = zip(places, replies, strict=True)
    return [event for key, reply in pairs for entry in items(reply) if (event := _event(key, entry)) is not None]


def _event(key: bytes, entry: Reply) -> StreamEvent | None:
    id_, told = (*items(entry), None, None)[:2]
    if not isinstance(id_, bytes):
        return None
    said = {text(name): text(blob(value) or b"") for name, value in fields(told).items()}
    name, job = said.pop("event", "unknown"), said.pop("jobId", None)
    return StreamEvent(key, id_, name, job, tuple(said.items()))
