"""Where a page ended: opaque text that finds the place again although rows before it came or went."""

import base64
import binascii
import json
import math
from dataclasses import dataclass

from emqtop.wire.resp import raw, text


class BadCursor(ValueError):
    """This is no cursor of a page of jobs."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is no cursor of a page of jobs")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place right after the last job of a page."""

    rank: int = 0
    """Rank of the next job, if nothing moved; in a scan, jobs found so far."""
    anchor: bytes | None = None
    """Last member of the page; it is looked for before the rank is believed."""
    score: float = 0.0
    """Score of the anchor: its place is found by it once the anchor itself is gone."""
    lane: bytes | None = None
    """The lane the anchor lies in; None: the flat set."""
    scan: int | None = None
    """Cursor of a SCAN that goes on; None: the page was one of a set or list."""

    def text(self) -> str:
        """Letters, digits, `-` and `_` only."""
        score = repr(self.score)
        parts = [self.rank, _text(self.anchor), score, _text(self.lane), self.scan]
        return base64.urlsafe_b64encode(json.dumps(parts, separators=(",", ":")).encode()).rstrip(b"=").decode()


def parse_cursor(text: str) -> Cursor:
    """The cursor in what `Cursor.text` wrote.

    Raises:
        BadCursor: it is something else.
    """
    try:
        parts = json.loads(base64.b64decode(text.encode() + b"=" * (-len(text) % 4), b"-_", validate=True))
        rank, anchor, score, lane, scan = parts
        cursor = Cursor(int(rank), _raw(anchor), float(score), _raw(lane), None if scan is None else int(scan))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, binascii.Error):
        raise BadCursor(text) from None
    if cursor.rank < 0 or (cursor.scan or 0) < 0 or math.isnan(cursor.score):
        raise BadCursor(text)
    return cursor


def _text(part: bytes | None) -> str | None:
    return None if part is None else text(part)


def _raw(part: str | None) -> bytes | None:
    return None if part is None else raw(part)
