"""Conversations side by side: how much goes out in one write."""

import pytest

from emqtop.wire.resp import Ask, Conversation, Reply
from emqtop.wire.together import all_together, together


def talk(name: str, *counts: int, key: bytes | None = None) -> Conversation[str]:
    heard: list[Reply] = []
    for count in counts:
        heard += yield Ask(name.encode() * count, count, key)
    return "".join(str(reply) for reply in heard)


def held(conversation: Conversation[object]) -> tuple[list[tuple[bytes, bytes | None]], object]:
    """The writes of a conversation, and its result when the replies count up from 0."""
    writes: list[tuple[bytes, bytes | None]] = []
    number = 0
    try:
        ask = next(conversation)
        while True:
            writes.append((ask.payload, ask.key))
            replies: list[Reply] = list(range(number, number + ask.replies))
            number += ask.replies
            ask = conversation.send(replies)
    except StopIteration as end:
        return writes, end.value


def test_the_longest_sets_the_round_trips() -> None:
    writes, result = held(together(talk("a", 1, 2, 1), talk("b", 2, key=b"k")))
    assert writes == [(b"abb", b"k"), (b"aa", None), (b"a", None)]
    assert result == ("0345", "12")


def test_one_that_asks_nothing_costs_nothing() -> None:
    assert held(all_together([talk("a"), talk("b", 1), talk("c")])) == ([(b"b", None)], ["", "0", ""])
    assert held(all_together([])) == ([], [])


def test_they_nest() -> None:
    writes, result = held(together(together(talk("a", 1), talk("b", 1)), all_together([talk("c", 1, 1)])))
    assert [payload for payload, _ in writes] == [b"abc", b"c"]
    assert result == (("0", "1"), ["23"])


def test_an_exception_ends_them_all() -> None:
    def faulty() -> Conversation[str]:
        yield Ask(b"x", 1)
        raise LookupError

    with pytest.raises(LookupError):
        held(together(faulty(), talk("a", 1, 1)))
