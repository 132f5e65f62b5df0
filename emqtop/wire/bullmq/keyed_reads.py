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
    """Send reads in one write; error replies stay in the list.

    In a cluster, where a queue without braces lies on several nodes, each is sent on to its own by the link.
    """
    if not reads:
        return []
    return (yield Ask(b"".join(command for _, command in reads), len(reads), keys.base))
