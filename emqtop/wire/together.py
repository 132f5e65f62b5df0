"""Several conversations in the round trips of the longest one."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from emqtop.wire.resp import Ask, Conversation, Reply

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


def together(first: Conversation[A], second: Conversation[B]) -> Conversation[tuple[A, B]]:
    """Hold two conversations side by side; as `all_together`, for two kinds of result."""
    one, other = yield from all_together(cast("Sequence[Conversation[Any]]", (first, second)))
    return one, other


def all_together(talks: Sequence[Conversation[T]]) -> Conversation[list[T]]:
    """Hold conversations side by side: what all of them want to ask next goes out in one write.

    All must be for the same node. An exception in one ends them all.
    """
    results: dict[int, T] = {}
    inbox: dict[int, list[Reply] | None] = dict.fromkeys(range(len(talks)))
    while inbox:
        asks: dict[int, Ask] = {}
        for at, replies in inbox.items():
            try:
                asks[at] = next(talks[at]) if replies is None else talks[at].send(replies)
            except StopIteration as end:
                results[at] = end.value
        inbox = yield from _ask_joined(asks)
    return [results[at] for at in range(len(talks))]


def nothing(answer: T) -> Conversation[T]:
    """A conversation that asks nothing."""
    yield from ()
    return answer


def negated(talk: Conversation[bool]) -> Conversation[bool]:
    """The opposite of what it tells."""
    return not (yield from talk)


def _ask_joined(asks: dict[int, Ask]) -> Conversation[dict[int, list[Reply] | None]]:
    if not asks:
        return {}
    key = next((ask.key for ask in asks.values() if ask.key is not None), None)
    replies = yield Ask(b"".join(ask.payload for ask in asks.values()), sum(ask.replies for ask in asks.values()), key)
    shared: dict[int, list[Reply] | None] = {}
    taken = 0
    for at, ask in asks.items():
        shared[at] = replies[taken : taken + ask.replies]
        taken += ask.replies
    return shared
