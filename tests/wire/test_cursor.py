"""Cursors: opaque to the user, safe against anything a user passes instead."""

import base64
import json
import math
from string import ascii_letters, digits

import pytest

from emqtop.wire.cursor import BadCursor, Cursor, parse_cursor


@pytest.mark.parametrize(
    "cursor",
    [
        Cursor(),
        Cursor(100, b"JOB0NgWEfAEJfs", 1.79e12),
        Cursor(3, b"\xff\x00 {}", 0.0, b"PRT0NgWEfAEJfs"),
        Cursor(3, b"a", math.inf),
        Cursor(3, b"a", -0.5),
        Cursor(7, b"a", scan=(1 << 64) - 1),
    ],
)
def test_a_cursor_survives_its_text(cursor: Cursor) -> None:
    text = cursor.text()
    assert set(text) <= set(ascii_letters + digits + "-_")
    assert parse_cursor(text) == cursor


def forged(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "100",
        "é",
        "a b",
        Cursor(1).text()[:-4],
        forged(1, None),
        forged(-1, None, "0", None, None),
        forged(1, None, "nan", None, None),
        forged(1, 5, "0", None, None),
        forged(1, "\ud800", "0", None, None),
        forged(1e400, None, "0", None, None),
        forged(1, None, "0", None, -3),
        forged("x", None, "0", None, None),
    ],
)
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(BadCursor):
        parse_cursor(text)
