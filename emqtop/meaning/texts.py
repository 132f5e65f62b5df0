"""Bytes that may be missing, as text."""

from emqtop.wire.resp import text


def maybe_text(raw: bytes | None) -> str | None:
    """The text that foreign bytes stand for; None stays None."""
    return None if raw is None else text(raw)
