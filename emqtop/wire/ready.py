"""Reads that end where the server as a whole cannot answer: its refusals would look like things that are absent."""

from typing import TypeVar

from emqtop.wire.errors import check_ready
from emqtop.wire.resp import Conversation

T = TypeVar("T")


def ready(talk: Conversation[T]) -> Conversation[T]:
    """The same conversation, which may only read.

    Raises:
        NotNow: the server as a whole cannot answer now.
    """
    try:
        ask = next(talk)
        while True:
            replies = yield ask
            check_ready(replies)
            ask = talk.send(replies)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
