"""A queue in any state, laid out by hand, and everything that the server holds of it."""

from typing import Any

from emqtop.wire.echomq.branded_id import encode
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.resp import Reply
from tests.conftest import Hand

QUEUE = "orders"
KEYS = QueueKeys("emq", QUEUE)
P = "emq:{orders}:"
STATE = {"pending": "pending", "active": "active", "schedule": "scheduled", "dead": "dead", "held": "awaiting_children"}
HOUR_MS = 3_600_000

Dump = dict[str, Any]


def job(number: int) -> str:
    """The id of the job of this number."""
    return encode("JOB", number << 22)


GROUP = encode("GRP", 1)


def now_ms(valkey: Hand) -> int:
    """The server's clock."""
    seconds, micros = valkey("TIME")  # type: ignore[misc]
    return int(seconds) * 1000 + int(micros) // 1000  # type: ignore[arg-type]


class Stage:
    """Lays jobs out; remembers the clock that leases and due times were reckoned from."""

    def __init__(self, valkey: Hand) -> None:
        self.valkey = valkey
        self.now_ms = now_ms(valkey)

    def put(
        self,
        name: str,
        location: str,
        *,
        group: str | None = None,
        attempts: int = 1,
        at_ms: int = -HOUR_MS,
        **row: str,
    ) -> None:
        """One job at a location with its whole row; at_ms is its lease or due time from now."""
        lane = {"group": group} if group else {}
        fields = {"state": STATE[location], "attempts": str(attempts), "payload": "cargo", **lane, **row}
        self.valkey("HSET", f"{P}job:{name}", *[part for pair in fields.items() for part in pair])
        self.member(name, location, group=group, at_ms=at_ms)
        if group and location == "active":
            self.valkey("HINCRBY", f"{P}gactive", group, 1)

    def member(self, name: str, location: str, *, group: str | None = None, at_ms: int = -HOUR_MS) -> None:
        """An id in a set, whatever its row says."""
        if location == "pending" and group:
            self.valkey("ZADD", f"{P}g:{group}:pending", 0, name)
        elif location in {"active", "schedule"}:
            self.valkey("ZADD", f"{P}{location}", self.now_ms + at_ms, name)
        elif location != "held":
            self.valkey("ZADD", f"{P}{location}", 0, name)

    def dump(self) -> Dump:
        """Every key of the server with its value, as Python has it."""
        names = sorted(name.decode() for name in self.valkey("KEYS", "*"))  # type: ignore[union-attr]
        return {name.removeprefix(P): self._value(name) for name in names}

    def _value(self, name: str) -> object:
        kind = self.valkey("TYPE", name)
        match kind:
            case b"zset":
                return {
                    member: float(score) for member, score in _pairs(self.valkey("ZRANGE", name, 0, -1, "WITHSCORES"))
                }
            case b"hash":
                return dict(_pairs(self.valkey("HGETALL", name)))
            case b"list":
                return [item.decode() for item in self.valkey("LRANGE", name, 0, -1)]  # type: ignore[union-attr]
            case b"set":
                return {item.decode() for item in self.valkey("SMEMBERS", name)}  # type: ignore[union-attr]
            case _:
                return self.valkey("GET", name).decode()  # type: ignore[union-attr]


def _pairs(reply: Reply) -> list[tuple[str, str]]:
    flat = [item.decode() for item in reply]  # type: ignore[union-attr]
    return list(zip(flat[::2], flat[1::2], strict=True))
