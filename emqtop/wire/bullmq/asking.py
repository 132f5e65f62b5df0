"""Plain reads of one queue's keys in as few writes as its server allows."""

from collections.abc import Sequence
from typing import TypeAlias

from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.resp import Arg, Ask, Conversation, Reply, pack

Read: TypeAlias = tuple[bytes, bytes]
"""The key that a command reads, and the command, packed."""


def read(verb: str, key: bytes, *args: Arg) -> Read:
    """One command on one key."""
    return key, pack(verb, key, *args)


def clock(keys: QueueKeys) -> Read:
    """TIME of the node that holds the queue."""
    return keys.base, pack("TIME")


def ask_each(keys: QueueKeys, reads: Sequence[Read]) -> Conversation[list[Reply]]:
    """Send reads in one write, or one by one where a cluster scatters the queue; error replies stay in the list."""
    if not reads:
        return []
    if not keys.scattered:
        return (yield Ask(b"".join(command for _, command in reads), len(reads), keys.base))
    replies: list[Reply] = []
    for key, command in reads:
        replies += yield Ask(command, 1, key)
    return replies
