"""Reads that belong together, answered at one moment, so that nothing moves between them."""

from collections.abc import Sequence

from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, pack

AT_ONCE = 200
"""Commands of one transaction at most, about, since a transaction holds the server as a whole."""


def at_one_moment(groups: Sequence[Sequence[bytes]], key: bytes) -> Conversation[list[list[Reply] | None]]:
    """Send groups of packed reads, each group answered at one moment, all in one write; without groups, nothing.

    Where the server withholds MULTI, they are a pipeline, whose commands lie microseconds apart.

    Args:
        groups: reads that belong together, whose keys are in one slot.
        key: names the node to ask.

    Returns:
        The replies of each group, errors in their place; None for one that was not answered at all.
    """
    if not groups:
        return []
    transactions = _transactions(groups)
    payload = [pack("MULTI") + b"".join(b"".join(group) for group in each) + pack("EXEC") for each in transactions]
    counts = [sum(map(len, each)) + 2 for each in transactions]
    replies = yield Ask(b"".join(payload), sum(counts), key)
    answers: list[list[Reply] | None] = []
    begin = 0
    for each, count in zip(transactions, counts, strict=True):
        answers += _shared(each, _results(replies[begin : begin + count]))
        begin += count
    return answers


def _transactions(groups: Sequence[Sequence[bytes]]) -> list[list[Sequence[bytes]]]:
    found: list[list[Sequence[bytes]]] = []
    size = AT_ONCE
    for group in groups:
        if size + len(group) > AT_ONCE:
            found.append([])
            size = 0
        found[-1].append(group)
        size += len(group)
    return found


def _results(replies: list[Reply]) -> list[Reply] | None:
    """The answers to the commands between MULTI and EXEC; None: a command was refused, so none of them ran."""
    begun, *queued, ended = replies
    if isinstance(begun, ReplyError):
        return queued
    return ended if isinstance(ended, list) else None


def _shared(groups: Sequence[Sequence[bytes]], results: list[Reply] | None) -> list[list[Reply] | None]:
    if results is None:
        return [None] * len(groups)
    shared: list[list[Reply] | None] = []
    begin = 0
    for group in groups:
        shared.append(results[begin : begin + len(group)])
        begin += len(group)
    return shared
