"""Where a queue of the model keeps what, and what time it is there."""

from dataclasses import dataclass

from tests.wire.echomq.machine.keyspace import Keyspace, Near


@dataclass(frozen=True, slots=True)
class Span:
    """The server's clock just before and just after a verb, ms."""

    low: int
    high: int

    def plus(self, ms: int) -> Near:
        """Where `now + ms` must lie."""
        return Near(self.low + ms, self.high + ms)


def known(text: bytes | None) -> str:
    """Bytes as the model keeps them."""
    return (text or b"").decode("utf-8", "surrogateescape")


@dataclass(slots=True)
class Rows:
    """The keys and rows of one queue, and the books of its lanes (echomq.md 4.6)."""

    space: Keyspace
    name: str
    now: Span

    @property
    def base(self) -> str:
        return f"emq:{{{self.name}}}:"

    def key(self, part: str) -> str:
        return self.base + part

    def row(self, job: str, part: str = "") -> str:
        return self.base + "job:" + job + part

    def lane(self, group: str) -> str:
        return f"{self.base}g:{group}:pending"

    def fields(self, job: str) -> dict[str, str]:
        return self.space.hashes[self.row(job)]

    def there(self, job: str) -> bool:
        return self.space.exists(self.row(job))

    def in_flight(self, group: str) -> int:
        return int(self.space.hashes[self.key("gactive")].get(group, 0))

    def below_limit(self, group: str, in_flight: int) -> bool:
        limit = self.space.hashes[self.key("glimit")].get(group)
        return limit is None or in_flight < int(limit)

    def ring_in(self, group: str) -> None:
        ring, wake = self.space.lists[self.key("ring")], self.space.lists[self.key("wake")]
        if group in self.space.sets[self.key("paused")] or group in ring:
            return
        if self.below_limit(group, self.in_flight(group)):
            ring.append(group)
            wake.insert(0, "1")
            del wake[64:]

    def ring_out(self, group: str) -> None:
        ring = self.space.lists[self.key("ring")]
        ring[:] = [other for other in ring if other != group]

    def one_less(self, group: str) -> None:
        if self.space.count(self.key("gactive"), group, -1) <= 0:
            del self.space.hashes[self.key("gactive")][group]

    def offer(self, group: str) -> None:
        if self.space.zsets[self.lane(group)]:
            self.ring_in(group)
