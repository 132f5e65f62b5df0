"""Foreign text: nothing invisible comes out, nothing is lost, columns keep their width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emqtop.text import Align, cells, cut, pad, safe, whole_letters
from tests.corpus import HOSTILE, unsafe

ANY = st.one_of(st.binary(), st.text(st.characters(exclude_categories=[])))


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[2J", "␛[2J"),
        ("\x00\x07\x7f", "␀␇␡"),
        ("a\nb\r\tc", "a␊b␍␉c"),
        (b"\xff\xfea", "\\xff\\xfea"),
        ("\udcff", "\\xff"),
        ("\ud800", "‹U+D800›"),
        ("\x9b2J", "‹U+009B›2J"),
        ("\u202egnp", "‹U+202E›gnp"),
        ("a\u200bb", "a‹U+200B›b"),
        ("\u2028", "‹U+2028›"),
        ("\ufeffx", "‹U+FEFF›x"),
        ("\U000e0067", "‹U+E0067›"),
        ("\\x1b \\u001b", "\\x1b \\u001b"),
        ("[/red] [bold", "[/red] [bold"),
        ("順番", "順番"),
        ("👍\U0001f3fd", "👍‹U+1F3FD›"),
        ("a\u0378\U000dfffd", "a‹U+0378›‹U+DFFFD›"),
        ("का नि", "का नि"),
        ("\ue0b0\U000f0001", "\ue0b0\U000f0001"),
        ("\u0301x", "◌\u0301x"),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4 + "‹U+0301›\u0301"),
    ],
)
def test_what_foreign_text_becomes(foreign: str | bytes, shown: str) -> None:
    assert safe(foreign) == shown


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_corpus_comes_out_harmless(value: bytes) -> None:
    assert unsafe(safe(value)) == set()


@given(ANY)
def test_no_invisible_sign_comes_out_and_twice_is_once(value: str | bytes) -> None:
    shown = safe(value)
    assert unsafe(shown) == set()
    assert safe(shown) == shown
    shown.encode()


# Signs that no visible form is made of.
FREE = st.text(st.sampled_from("ab \u0301\u0302\x00\x1b\n\x7f\x9b\u200b\u202e\udcff\ud800順"), max_size=8)


@given(FREE, FREE)
def test_what_differs_still_differs(left: str, right: str) -> None:
    assert (safe(left) == safe(right)) == (left == right)


def test_lines_are_kept_where_they_are_wanted() -> None:
    assert safe("a\nb\x1b", newline="\n") == "a\nb␛"


@given(ANY, st.integers(0, 30), st.sampled_from(Align))
def test_columns_keep_their_width(value: str | bytes, width: int, align: Align) -> None:
    shown = safe(value)
    assert cells(pad(shown, width, align)) == width
    assert cells(cut(shown, width)) <= width
    if cells(shown) <= width:
        assert cut(shown, width) == shown


@pytest.mark.parametrize(
    ("text", "width", "left", "right"),
    [
        ("abc", 5, "abc  ", "  abc"),
        ("abcdef", 5, "abcd…", "abcd…"),
        ("順番待ち", 5, "順番…", "順番…"),
        ("順番待ち", 4, "順… ", " 順…"),
        ("順", 1, "…", "…"),
        ("ab", 1, "…", "…"),
        ("abc", 0, "", ""),
        ("", 3, "   ", "   "),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…", "e\u0301…"),
    ],
)
def test_cut_and_pad(text: str, width: int, left: str, right: str) -> None:
    assert pad(text, width) == left
    assert pad(text, width, Align.RIGHT) == right


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        (b"abc", b"abc"),
        (b"", b""),
        ("aé".encode(), "aé".encode()),
        ("aé".encode()[:-1], b"a"),
        ("a順".encode()[:-1], b"a"),
        ("a順".encode()[:-2], b"a"),
        ("a🚀".encode()[:-1], b"a"),
        ("a🚀".encode(), "a🚀".encode()),
        (b"a\x80\x80\x80\x80\x80", b"a\x80\x80\x80\x80\x80"),
    ],
)
def test_a_letter_that_was_cut_through_is_left_out(head: bytes, kept: bytes) -> None:
    assert whole_letters(head) == kept
