"""The queues of a large keyspace by the keys that hold them together: their sets, lists and `meta` hashes.

A queue with a million rows has a handful of sets. SCAN with TYPE passes the rows over on the server's side, at a third
to the whole of the price of a bare SCAN there, and next to nothing crosses the link. Rows that wait for children stand
in no set, but whoever holds one back gives it a counter, a string.
"""

import re

from emqtop.sampling.discovery import Discovery
from emqtop.sampling.sighting import COUNTER, ask_state
from emqtop.wire.errors import check_ready
from emqtop.wire.replies import blobs, scan_step
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, pack

_SETS, _LISTS = ("TYPE", "zset"), ("TYPE", "list")
_METAS, _COUNTERS = ("TYPE", "hash", "MATCH", "*:meta"), ("TYPE", "string", "MATCH", f"*{COUNTER.decode()}")
_SET = re.compile(rb"(.+?:\{.+\}:)(?:pending|active|schedule|dead)", re.DOTALL)
_AT_ONCE = 250


class Outline:
    """A walk in four passes over the whole keyspace, again and again.

    Args:
        discovery: reads the names, and is told what waits for children.
        counts_held: ask the rows that may wait for children for their state.
    """

    def __init__(self, discovery: Discovery, *, counts_held: bool = True) -> None:
        self.refused = False
        """Does the server know no TYPE here, or withhold SCAN?"""
        self._discovery = discovery
        self._counts_held = counts_held
        # A `meta` hash is what teaches a prefix, and the other passes pass over keys of prefixes that nobody knows.
        front = (_METAS, _SETS, _LISTS) if discovery.any_prefix else (_SETS, _LISTS, _METAS)
        self._passes = (*front, _COUNTERS)
        self._pass = 0
        self._cursor = b"0"
        self._told: dict[bytes, Reply] = {}

    def walk(self, calls: int, count: int) -> Conversation[bool]:
        """Go on, to the end of a pass at most; then `Discovery.finish`. A trip a call, one more for rows to look at.

        Returns: has the pass come to its end?

        Args:
            calls: how many.
            count: keys per call.

        Raises:
            NotNow: the server as a whole cannot answer now.
        """
        for _ in range(calls):
            (reply,) = yield Ask(pack("SCAN", self._cursor, *self._passes[self._pass], "COUNT", count), 1)
            check_ready((reply,))
            self.refused = isinstance(reply, ReplyError)
            self._cursor, keys = scan_step(reply)
            met = blobs(keys)
            self._discovery.meet(met)
            if self._discovery.any_prefix and self._passes[self._pass] is _SETS:
                yield from self._meet_members(met)
            if self._counts_held and self._passes[self._pass] is _COUNTERS:
                yield from self._ask([key.removesuffix(COUNTER) for key in met])
            if self._cursor == b"0":
                break
        ended = self._cursor == b"0"
        if ended and not self.refused:
            yield from self._end_pass()
        return ended

    def _meet_members(self, keys: list[bytes]) -> Conversation[None]:
        """A set makes no queue of a prefix that nobody named, the name of a job in it does."""
        strange = {
            match[1]: key for key in keys if (match := _SET.fullmatch(key)) and not self._discovery.knows(match[1])
        }
        pairs = list(strange.items())
        for at in range(0, len(pairs), _AT_ONCE):
            part = pairs[at : at + _AT_ONCE]
            firsts = yield Ask(b"".join(pack("ZRANGE", key, 0, 0) for _, key in part), len(part))
            members = ((base, member) for (base, _), reply in zip(part, firsts, strict=True) for member in blobs(reply))
            self._discovery.meet(base + b"job:" + member for base, member in members)

    def _end_pass(self) -> Conversation[None]:
        self._pass = (self._pass + 1) % len(self._passes)
        if self._pass:
            return
        if self._counts_held:
            yield from self._ask(list(self._discovery.known_held() - self._told.keys()))
        told, self._told = self._told, {}
        self._discovery.close_outline(told if self._counts_held else None)

    def _ask(self, keys: list[bytes]) -> Conversation[None]:
        rows = [key for key in keys if self._discovery.owner(key) is not None]
        for at in range(0, len(rows), _AT_ONCE):
            part = rows[at : at + _AT_ONCE]
            states = yield Ask(b"".join(map(ask_state, part)), len(part))
            self._told.update(zip(part, states, strict=True))
