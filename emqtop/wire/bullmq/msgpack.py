"""The few forms of msgpack that BullMQ's scripts are given (bullmq.md 6.1)."""

from typing import TypeAlias

from emqtop.wire.resp import raw

Value: TypeAlias = "str | bytes | int | list[Value] | dict[str, Value] | None"


def packed(value: Value) -> bytes:
    """A text, whole number, None, list, or map with text keys; numbers below 2^63, sizes below 2^32."""
    if value is None:
        return b"\xc0"
    if isinstance(value, int):
        return b"\xd3" + value.to_bytes(8, "big", signed=True)
    if isinstance(value, list):
        return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(packed, value))
    if isinstance(value, dict):
        pairs = b"".join(packed(name) + packed(part) for name, part in value.items())
        return b"\xdf" + len(value).to_bytes(4, "big") + pairs
    told = value if isinstance(value, bytes) else raw(value)
    return b"\xdb" + len(told).to_bytes(4, "big") + told
