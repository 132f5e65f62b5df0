"""Branded ids: validity, mint time, order (the vectors of echomq.md 2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emqtop.wire.echomq.branded_id import (
    EPOCH_MS,
    BadId,
    Minter,
    decode,
    encode,
    group_id,
    is_branded,
    job_id,
    minted_ms,
)

LARGEST = 2**63 - 1
NUMBERS = st.integers(0, LARGEST)


@pytest.mark.parametrize(
    ("text", "number", "minted", "node", "seq"),
    [
        ("USR0KHTOWnGLuC", 274557032793636864, 1769526697641, 0, 0),
        ("USR0NgWEfAEJfs", 320636799581945856, 1780512970164, 0, 0),
        ("ORD0NgWEfAEJfs", 320636799581945856, 1780512970164, 0, 0),
        ("EVT000xY9Wvvcd", 209715201620567, 1704117200000, 395, 2647),
        ("JOB00000000000", 0, EPOCH_MS, 0, 0),
        ("JOB0000000000z", 61, EPOCH_MS, 0, 61),
        ("JOB00000000010", 62, EPOCH_MS, 0, 62),
        ("JOBAzL8n0Y58m7", LARGEST, 3_903_090_455_551, 1023, 4095),
        ("JOB0003VLrOWLi", 12345678901234, EPOCH_MS + 2_943_439, 226, 4082),
    ],
)
def test_vectors(text: str, number: int, minted: int, node: int, seq: int) -> None:
    assert is_branded(text)
    assert decode(text) == number
    assert encode(text[:3], number) == text
    assert minted_ms(text) == minted

    assert ((number >> 12) & 1023, number & 4095) == (node, seq)


@pytest.mark.parametrize(
    "text",
    [
        *("USRzzzzzzzzzzz", "JOBAzL8n0Y58m8", "usr0KHTOWnGLuC", "Usr0KHTOWnGLuC", "US10KHTOWnGLuC", "JOB", ""),
        *("JOB0KHTOWnGLu", "JOB0KHTOWnGLuCC", "JOB0KHTOWnGLu-", "JOB0KHTOWnGLu ", "JOB0KHTOWnGLuC\n", "JOB0KHTOWnGL{C"),
        *("JOB0KHTOWnGLu\u0660", "ÄOB0KHTOWnGLuC", "JOB0KHTOWnGLu\udcff", "JOB\x00KHTOWnGLuC"),
    ],
)
def test_what_is_no_branded_id(text: str) -> None:
    assert not is_branded(text)
    assert minted_ms(text) is None
    for gate in (job_id, group_id):
        with pytest.raises(BadId) as refused:
            gate(text)
        assert refused.value.text == text


def test_the_gate_of_jobs() -> None:
    assert job_id("JOB0KHTOWnGLuC") == "JOB0KHTOWnGLuC"
    with pytest.raises(BadId, match="'ORD0KHTOWnGLuC' is not a JOB id"):
        job_id("ORD0KHTOWnGLuC")
    assert group_id("ORD0KHTOWnGLuC") == "ORD0KHTOWnGLuC"
    with pytest.raises(BadId, match="'acme' is not a branded id"):
        group_id("acme")


@given(NUMBERS)
def test_decode_undoes_encode(number: int) -> None:
    text = encode("JOB", number)
    assert (is_branded(text), decode(text)) == (True, number)


@given(NUMBERS, NUMBERS)
def test_byte_order_is_the_order_of_numbers(one: int, other: int) -> None:
    assert (encode("JOB", one).encode() < encode("JOB", other).encode()) is (one < other)


def test_minted_ids_rise_whatever_the_clock_does() -> None:
    ticks = iter([EPOCH_MS + ms for ms in (1000, 1000, 1000, 900, 1, 1001, 1001)])
    minter = Minter(7, lambda: next(ticks))
    ids = [minter.mint() for _ in range(7)]
    assert ids == sorted(set(ids))
    assert [(decode(text) >> 12) & 1023 for text in ids] == [7] * 7
    assert [minted_ms(text) for text in ids] == [EPOCH_MS + ms for ms in (1000, 1000, 1000, 1000, 1000, 1001, 1001)]


def test_more_than_a_millisecond_holds_borrow_from_the_next() -> None:
    minter = Minter(1, lambda: EPOCH_MS + 5)
    ids = [minter.mint("EVT") for _ in range(4098)]
    assert ids == sorted(set(ids))
    assert [minted_ms(ids[at]) for at in (0, 4095, 4096, 4097)] == [EPOCH_MS + ms for ms in (5, 5, 6, 6)]
    assert ids[0].startswith("EVT")


def test_nodes_do_not_collide() -> None:
    one, other = (Minter(node, lambda: EPOCH_MS + 5).mint() for node in (1, 2))
    assert one != other
    assert Minter(1024 + 1, lambda: EPOCH_MS + 5).mint() == one
