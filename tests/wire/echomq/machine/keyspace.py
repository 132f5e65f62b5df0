"""Every key of a server as plain Python values, and the same read from a real one."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TypeAlias

from emqtop.wire.resp import Reply, text
from tests.conftest import Hand

Value: TypeAlias = dict[str, float] | dict[str, str] | list[str] | set[str] | str

_DUMP = """
local reads = { zset = { 'ZRANGE', 0, -1, 'WITHSCORES' }, hash = { 'HGETALL' }, list = { 'LRANGE', 0, -1 },
  set = { 'SMEMBERS' }, string = { 'GET' } }
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key).ok
  local read = reads[kind]
  found[#found + 1] = { key, kind, redis.call(read[1], key, unpack(read, 2)) }
end
return found
"""


@dataclass(slots=True)
class Near:
    """A time that a script took from the server's clock: known to lie between two readings."""

    low: float
    """No earlier, ms."""
    high: float
    """No later, ms."""


@dataclass(slots=True)
class Keyspace:
    """All keys, by type; what is empty does not exist."""

    zsets: defaultdict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    hashes: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    lists: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    sets: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    strings: dict[str, str] = field(default_factory=dict)
    near: dict[tuple[str, str], Near] = field(default_factory=dict)
    """Scores that are not known exactly until they have been compared, by key and member."""

    def delete(self, *keys: str) -> None:
        """DEL."""
        for key in keys:
            for kind in (self.zsets, self.hashes, self.lists, self.sets, self.strings):
                kind.pop(key, None)

    def score(self, key: str, member: str, near: Near) -> None:
        """ZADD with a time of the server."""
        self.zsets[key][member] = near.low
        self.near[key, member] = near

    def remove(self, key: str, member: str) -> bool:
        """ZREM."""
        return self.zsets[key].pop(member, None) is not None

    def ordered(self, key: str) -> list[str]:
        """Members as the server orders them: by score, then by bytes."""
        return sorted(self.zsets[key], key=lambda member: (self.zsets[key][member], member.encode()))

    def count(self, key: str, name: str, by: int = 1) -> int:
        """HINCRBY."""
        number = int(self.hashes[key].get(name, 0)) + by
        self.hashes[key][name] = str(number)
        return number

    def exists(self, key: str) -> bool:
        """EXISTS."""
        return any(kind.get(key) for kind in (self.zsets, self.hashes, self.lists, self.sets)) or key in self.strings

    def everything(self) -> dict[str, Value]:
        """Key to value, of those that exist."""
        kinds: list[dict[str, Value]] = [
            {key: value for key, value in kind.items() if value}
            for kind in (self.zsets, self.hashes, self.lists, self.sets)
        ]
        together: dict[str, Value] = dict(self.strings)
        for kind in kinds:
            together |= kind
        return together

    def settle(self, real: dict[str, Value]) -> None:
        """Take the exact value of each time that the server's own is near enough to; the others stay as they are."""
        for (key, member), near in self.near.items():
            seen, mine = real.get(key), self.zsets[key]
            if member in mine and isinstance(seen, dict):
                score = seen.get(member)
                if isinstance(score, float) and near.low <= score <= near.high:
                    mine[member] = score
        self.near.clear()


def server_ms(valkey: Hand) -> int:
    """The server's clock, ms."""
    reply = valkey("TIME")
    assert isinstance(reply, list)
    seconds, micros = (int(part) for part in reply if isinstance(part, bytes))
    return seconds * 1000 + micros // 1000


def dump(valkey: Hand) -> dict[str, Value]:
    """Key to value on a real server."""
    reply = valkey("EVAL", _DUMP, 0)
    assert isinstance(reply, list)
    found: dict[str, Value] = {}
    for entry in reply:
        match entry:
            case [bytes(key), bytes(kind), value]:
                found[text(key)] = _value(kind, value)
    return found


def _value(kind: bytes, value: Reply) -> Value:
    if isinstance(value, bytes):
        return text(value)
    assert isinstance(value, list)
    words = [text(word) for word in value if isinstance(word, bytes)]
    match kind:
        case b"zset":
            return {member: float(score) for member, score in zip(words[::2], words[1::2], strict=True)}
        case b"hash":
            return dict(zip(words[::2], words[1::2], strict=True))
        case b"set":
            return set(words)
        case _:
            return words
