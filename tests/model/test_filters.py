"""Which jobs a condition means."""

import pytest

from emqtop.model.filters import EVERY, Field, Op, Text, Word
from emqtop.model.job import Job, Odd
from emqtop.model.where import BadFilter, parse_filter

NOW = 10_000_000
JOB = Job(
    "JOB0NgWEfAEJfs",
    state="dead",
    attempts=3,
    minted_ms=NOW - 7_200_000,
    group="PRT0NgWEfAEJfs",
    last_error="Connection TIMED out (5 of 5)",
    payload_bytes=11,
    payload=b'{"to":"Ann"',
    odd=(Odd.NO_PAYLOAD,),
)
BARE = Job("b\udcffd")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", True),
        ("attempts=3", True),
        ("attempts == 3", True),
        ("attempts!=3", False),
        ("attempts>=3", True),
        ("attempts>3", False),
        ("attempts<4", True),
        ("attempts<=2", False),
        ("attempts>-1", True),
        ("age>1h59m", True),
        ("age>2h", False),
        ("age>=2h", True),
        ("age<1d", True),
        ("size=11", True),
        ("size<1kB", True),
        ("size>64kB", False),
        ("id=JOB0NgWEfAEJfs", True),
        ("id=job0ngwefaejfs", False),
        ("id~EfAE", True),
        ("id~efae", False),
        ("id!~efae", True),
        ("group=PRT0NgWEfAEJfs", True),
        ('group=""', False),
        ("error~timed", True),
        ('error~"timed out (5"', True),
        ("error~'timed OUT'", True),
        ("error=timed", False),
        ("error!~timed", False),
        ("error!~refused", True),
        ("payload~ann", True),
        ("payload~bob", False),
        ("state=dead", True),
        ("odd=no-payload", True),
        ("odd~row", False),
        ('odd=""', False),
        ("timed", True),
        ("EfAE", True),
        ("PRT0", True),
        ("ann", False),
        ("attempts>=3 and error~timed", True),
        ("attempts>=4 or error~timed", True),
        ("attempts>=3 error~refused", False),
        ("timed out", True),
        ("not attempts>=4", True),
        ("NOT attempts>=3 OR timed", True),
        ("not (attempts>=4 or error~refused)", True),
        ("attempts=1 or attempts=3 and age<1h", False),
        ("(attempts=1 or attempts=3) and age>1h", True),
        ("((timed))", True),
        ("error~a=b", False),
        ("don't", None),
        ("boom!", False),
    ],
)
def test_what_a_filter_says_of_a_job(text: str, wanted: bool | None) -> None:
    if wanted is None:
        with pytest.raises(BadFilter):
            parse_filter(text)
    else:
        assert parse_filter(text).verdict(JOB, NOW) is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("attempts>=0", None),
        ("attempts!=0", None),
        ("not attempts=0", None),
        ("age>0s", None),
        ("size>0", None),
        ("attempts>=0 or id~b", True),
        ("attempts>=0 and id~b", None),
        ("attempts>=0 and id~x", False),
        ("attempts>=0 or id~x", None),
        ('group=""', True),
        ('error=""', True),
        ("error!~x", True),
        ('odd=""', True),
        ('payload=""', True),
        ("id~\udcff", True),
    ],
)
def test_what_is_not_known_is_neither_true_nor_false(text: str, wanted: bool | None) -> None:
    found = parse_filter(text)
    assert found.verdict(BARE, NOW) is wanted
    assert found.matches(BARE, NOW) is (wanted is True)


@pytest.mark.parametrize(
    ("payload", "size", "op", "wanted"),
    [
        (b"abc", 3, Op.HAS, True),
        (b"abc", 9, Op.HAS, True),
        (b"abc", 9, Op.LACKS, False),
        (b"abx", 9, Op.HAS, None),
        (b"abx", 9, Op.LACKS, None),
        (b"c", 9, Op.EQUAL, None),
        (None, 9, Op.HAS, None),
        (None, 9, Op.LACKS, None),
        (b"", 0, Op.HAS, False),
        (b"\xffc", 2, Op.HAS, True),
    ],
)
def test_a_payload_that_was_read_in_part(payload: bytes | None, size: int, op: Op, wanted: bool | None) -> None:
    assert Text(Field.PAYLOAD, op, "c").verdict(Job("x", payload=payload, payload_bytes=size), NOW) is wanted


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("attempts>=x", 10, "'x' is not a number"),
        ("attempts>=", 10, "a value is missing"),
        ("attempts~3", 8, "attempts is a number"),
        ("age>2", 4, "'2' is not a duration"),
        ("size>big", 5, "'big' is not a size"),
        ("error>3", 5, "error is a text"),
        ("errors~x", 0, "'errors' is no field"),
        ("id=a and tries>2", 9, "'tries' is no field"),
        ("(id=a", 0, "this bracket is never closed"),
        ("id=a)", 4, "a bracket closes"),
        ("()", 1, "')' stands where"),
        ("not", 3, "a condition is missing"),
        ("id=a and", 8, "a condition is missing"),
        ("or id=a", 0, "a condition is missing before 'or'"),
        ('error~"open', 6, "this quote is never closed"),
        ("=3", 0, "'=' stands where"),
        ("(" * 60 + "a", 51, "too many brackets"),
        ("not " * 60 + "a", 203, "too many brackets"),
    ],
)
def test_a_fault_names_its_place(text: str, position: int, problem: str) -> None:
    with pytest.raises(BadFilter) as caught:
        parse_filter(text)
    assert problem in str(caught.value)
    assert caught.value.position == position
    assert f"(at character {position + 1})" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("attempts >= 3  age>2h", "attempts>=3 and age>2h"),
        ("size>64kB or id==x", "size>64kB or id=x"),
        ("(a or b) c", "(a or b) and c"),
        ("not (a b)", "not (a and b)"),
        ('error~"a \\"b\\""', 'error~"a \\"b\\""'),
        ("group=''", 'group=""'),
        ('"and" "x=y"', '"and" and "x=y"'),
        ("not not a", "not not a"),
        ("", ""),
    ],
)
def test_a_filter_describes_itself_in_its_own_language(text: str, described: str) -> None:
    found = parse_filter(text)
    assert str(found) == described
    assert parse_filter(described) == found


def test_filters_join() -> None:
    both = Word("a") & ~Text(Field.PAYLOAD, Op.HAS, "b") | EVERY
    assert str(Word("a") & ~Text(Field.PAYLOAD, Op.HAS, "b")) == "a and not payload~b"
    assert both.needs == {Field.ID, Field.GROUP, Field.ERROR, Field.PAYLOAD}
    assert both.needs_payload
    assert not parse_filter("attempts>1 and error~payload").needs_payload
