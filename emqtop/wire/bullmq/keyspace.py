"""The keys of a BullMQ queue (bullmq.md 1). Nothing is gated: any id can be met, `wait` and `a:b:c` too."""

from dataclasses import dataclass, field

from emqtop.wire.resp import raw


@dataclass(frozen=True, slots=True)
class QueueKeys:
    """Every key of one queue."""

    prefix: str
    """Key prefix; `bull` unless told."""
    name: str
    """Queue name as BullMQ gives it, braces included."""
    base: bytes = field(init=False)
    """`prefix:name:`, the root of every key, ending in a colon."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", raw(f"{self.prefix}:{self.name}:"))

    def part(self, suffix: str) -> bytes:
        """A key of the queue by its last part: `wait`, `active`, `stalled-check`, `metrics:completed`, …"""
        return self.base + raw(suffix)

    def parts(self, *suffixes: str) -> tuple[bytes, ...]:
        """Several keys of the queue, in order."""
        return tuple(self.base + raw(suffix) for suffix in suffixes)

    def row(self, job: bytes) -> bytes:
        """HASH: the row of a job; stands directly under the base."""
        return self.base + job

    def sub(self, job: bytes, suffix: str) -> bytes:
        """A subkey of a job: `lock`, `logs`, `dependencies`, `processed`, `failed`, `unsuccessful`."""
        return self.base + job + b":" + raw(suffix)
