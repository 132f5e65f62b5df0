"""The rights that scripts of BullMQ need, asked for before any of them runs: none is rolled back (bullmq.md 6.1)."""

import re
from collections.abc import Iterable
from functools import cache

from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.resp import Conversation
from emqtop.wire.scripts import Call, Script, call

_COMMAND = re.compile(rb"rcall\(\s*[\"']([A-Za-z]+)[\"']")
_PUSH = b"rcall(pushCmd"


def require(keys: QueueKeys, commands: Iterable[Call | bytes], granted: set[str]) -> Conversation[None]:
    """Make sure that scripts may do all that they could do; one round trip where that is not known yet.

    Args:
        keys: which queue.
        commands: what is to be sent.
        granted: commands that may be run as is known; those found out are added.

    Raises:
        ReplyError: NOPERM, or the server runs no scripts for this user.
    """
    needs = {need for each in commands if isinstance(each, Call) for need in _needs(each.script)} - granted
    if needs:
        yield from call("permitted", [keys.base], *sorted(needs))
        granted |= needs


@cache
def _needs(script: Script) -> frozenset[str]:
    """Every command in the text of a script; a user who may not run one that is not reached is refused all the same."""
    named = {found.decode().upper() for found in _COMMAND.findall(script.body)}
    return frozenset(named | ({"LPUSH", "RPUSH"} if _PUSH in script.body else set()))
