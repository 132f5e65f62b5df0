"""Foreign replies as plain values: exact for what a server sends, harmless for what anybody may have written."""

import math

import pytest

from emqtop.wire import replies
from emqtop.wire.replies import (
    FAR_MS,
    blob,
    blobs,
    bounded_ms,
    checked,
    count,
    fields,
    first_error,
    first_named_error,
    items,
    number,
    scan_step,
    score_ms,
    scored,
    server_ms,
    texts,
    whole,
)
from emqtop.wire.resp import Reply, ReplyError

REFUSED = ReplyError("WRONGTYPE Operation against a key")
ODD: list[Reply] = [None, b"", b"word", b"\xff", [], [b"1"], {}, {b"a": b"1"}, REFUSED]
"""What is neither a number nor a list of pairs."""


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (0, 0),
        (-2, -2),
        (True, 1),
        (b"17", 17),
        (b"-3", -3),
        (b"007", 7),
        (b" 5\n", 5),
        (b"9223372036854775807", 2**63 - 1),
        (b"-9223372036854775808", -(2**63)),
        (b"1790000000000.75", 1790000000000),
        (b"1.79e12", 1790000000000),
        (b"-0.5", 0),
        (b"9223372036854775808", None),
        (2**70, None),
        (b"9" * 400, None),
        (b"9" * 5000, None),
        (b"1e300", None),
        (b"inf", None),
        (b"-inf", None),
        (b"nan", None),
        (b"1_000", None),
        (b"0x10", None),
        (1.5, None),
        *((odd, None) for odd in ODD),
    ],
)
def test_whole_numbers(reply: Reply, wanted: int | None) -> None:
    assert whole(reply) == wanted
    assert count(reply) == (wanted or 0)


@pytest.mark.parametrize(
    ("reply", "score", "ms"),
    [
        (b"1.5", 1.5, 1),
        (b"-1.5", -1.5, -1),
        (2.75, 2.75, 2),
        (7, 7.0, 7),
        (b"1790000000000", 1.79e12, 1790000000000),
        (b"inf", math.inf, FAR_MS),
        (b"-inf", -math.inf, -FAR_MS),
        (math.inf, math.inf, FAR_MS),
        (b"1e300", 1e300, FAR_MS),
        (b"nan", None, None),
        (b"1_0", None, None),
        *((odd, None, None) for odd in ODD),
    ],
)
def test_scores(reply: Reply, score: float | None, ms: int | None) -> None:
    assert number(reply) == score
    assert score_ms(reply) == ms
    assert ms is None or bounded_ms(score or 0.0) == ms


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ([b"a", b"1", b"b", b"inf"], [(b"a", 1.0), (b"b", math.inf)]),
        ([[b"a", 1.0], [b"b", 2.5]], [(b"a", 1.0), (b"b", 2.5)]),
        ([b"a", b"1", b"b"], [(b"a", 1.0)]),
        ([b"a", b"word", b"b", b"2"], [(b"b", 2.0)]),
        ([None, b"1"], []),
        *((odd, []) for odd in ODD),
    ],
)
def test_members_with_scores(reply: Reply, wanted: list[tuple[bytes, float]]) -> None:
    assert scored(reply) == wanted


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ([b"a", b"1", b"b", None], {b"a": b"1", b"b": None}),
        ({b"a": b"1", b"b": 2}, {b"a": b"1", b"b": 2}),
        ([b"a", b"1", b"b"], {b"a": b"1"}),
        ([None, b"1", b"b", b"2"], {b"b": b"2"}),
        ([], {}),
        (None, {}),
        (REFUSED, {}),
    ],
)
def test_hashes_of_either_protocol(reply: Reply, wanted: dict[bytes, Reply]) -> None:
    assert fields(reply) == wanted


def test_hashes_as_text_keep_every_byte_and_drop_what_is_none() -> None:
    assert texts([b"a\xff", b"\xc3\xa9", b"b", 3]) == {"a\udcff": "é"}


@pytest.mark.parametrize(
    ("reply", "parts", "strings"),
    [
        ([b"a", 1, None, b"b"], [b"a", 1, None, b"b"], [b"a", b"b"]),
        ([], [], []),
        (b"ab", [], []),
        ({b"a": b"1"}, [], []),
        (None, [], []),
        (REFUSED, [], []),
    ],
)
def test_lists(reply: Reply, parts: list[Reply], strings: list[bytes]) -> None:
    assert items(reply) == parts
    assert blobs(reply) == strings


@pytest.mark.parametrize(("reply", "wanted"), [(b"", b""), (b"a", b"a"), (None, None), (1, None), (REFUSED, None)])
def test_byte_strings(reply: Reply, wanted: bytes | None) -> None:
    assert blob(reply) == wanted


@pytest.mark.parametrize(
    ("reply", "cursor", "found"),
    [
        ([b"17", [b"a", b"b"]], b"17", [b"a", b"b"]),
        ([b"0", []], b"0", []),
        ([b"5", None], b"5", []),
        ([b"5"], b"0", []),
        ([5, [b"a"]], b"0", []),
        (REFUSED, b"0", []),
        (None, b"0", []),
    ],
)
def test_a_step_of_a_scan(reply: Reply, cursor: bytes, found: list[Reply]) -> None:
    assert scan_step(reply) == (cursor, found)


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ([b"1790000000", b"123999"], 1790000000123),
        ([b"1790000000", b"0"], 1790000000000),
        ([b"1790000000"], 42),
        ([b"soon", b"1"], 42),
        ([1790000000, 1], 42),
        (REFUSED, 42),
        (None, 42),
    ],
)
def test_the_server_s_clock_or_else_the_local_one(reply: Reply, wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "now_ms", lambda: 42)
    assert server_ms(reply) == wanted


def test_refusals_are_raised_where_asked_for_and_told_in_order() -> None:
    assert checked(b"fine") == b"fine"
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        checked(REFUSED)
    assert first_error([1, REFUSED, ReplyError("ERR later")]) == "WRONGTYPE Operation against a key"
    assert first_error([1, None, [REFUSED]]) is None


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ([1, 2], None),
        ([1, REFUSED], "b: WRONGTYPE Operation against a key"),
        ([ReplyError("NOPERM no"), REFUSED], "a: NOPERM no"),
        ([ReplyError("MOVED 1 h:2"), REFUSED], "MOVED 1 h:2"),
    ],
)
def test_an_error_names_its_key(answers: list[Reply], wanted: str | None) -> None:
    assert first_named_error(zip("ab", answers, strict=True)) == wanted
