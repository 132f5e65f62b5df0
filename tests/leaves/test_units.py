"""Numbers in few cells, times with their zone."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emqtop.units import BadDuration, count, counted, duration, iso, parse_duration, rate, size, time_of_day


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [
        (duration, None, "-"),
        (duration, 0, "0s"),
        (duration, 250, "250ms"),
        (duration, 2_199, "2.1s"),
        (duration, 9_999, "9.9s"),
        (duration, 42_000, "42s"),
        (duration, 80_000, "1m20s"),
        (duration, 11_100_000, "3h05"),
        (duration, 12 * 86_400_000, "12d"),
        (duration, -2_100, "-2.1s"),
        (duration, -80_000, "-1m20s"),
        (duration, 884_541_340_800_000, "28029y"),
        (duration, 10**18, ">99ky"),
        (count, None, "-"),
        (count, 0, "0"),
        (count, 99_999, "99999"),
        (count, 100_000, "100k"),
        (count, 999_999, "999k"),
        (count, 1_234_567, "1.2M"),
        (count, 12_345_678, "12.3M"),
        (count, 999_999_999, "999M"),
        (count, 4_000_000_000, "4.0G"),
        (count, -5, "-5"),
        (size, None, "-"),
        (size, 999, "999B"),
        (size, 1_023, "1023B"),
        (size, 1_024, "1.0K"),
        (size, 65_536, "64.0K"),
        (size, 5 << 20, "5.0M"),
        (rate, None, "-"),
        (rate, 0.0, "0"),
        (rate, 0.01, "<0.1"),
        (rate, 0.3, "0.3"),
        (rate, 12.54, "12.5"),
        (rate, 123.4, "123"),
        (rate, 45_678.0, "45.6k"),
    ],
)
def test_what_is_shown(unit: Callable[[float | None], str], value: float | None, shown: str) -> None:
    assert unit(value) == shown


@given(st.integers(-(2**63), 2**63))
def test_durations_fit_their_column(ms: int) -> None:
    assert len(duration(ms)) <= (6 if ms >= 0 else 7)


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 queues"), (1, "1 queue"), (12, "12 queues"), (100_000, "100k queues")]
)
def test_one_of_them_is_not_several(number: int, shown: str) -> None:
    assert counted(number, "queue") == shown


@given(st.integers(0, 2**63))
def test_counts_and_sizes_fit_their_column(number: int) -> None:
    assert len(count(number)) <= 5
    assert len(size(number)) <= 5


@pytest.mark.parametrize(
    ("text", "ms"),
    [("90s", 90_000), ("5m", 300_000), ("2h", 7_200_000), ("1d", 86_400_000), ("250ms", 250), ("1m30s", 90_000)],
)
def test_durations_are_read(text: str, ms: int) -> None:
    assert parse_duration(text) == ms


@pytest.mark.parametrize("text", ["", "90", "-5s", "5 s", "5x", "s", "1.5h", "5S", "٥s", "5s\n"])
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(BadDuration, match="wanted one like 90s, 5m or 2h"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("ms", "utc", "shown"),
    [
        (1_790_000_000_000, False, "2026-09-21T19:58:20+05:45"),
        (1_790_000_000_999, True, "2026-09-21T14:13:20+00:00"),
        (0, False, "-"),
        (None, False, "-"),
        (-1, False, "-"),
        (253_402_300_799_000, False, "9999-12-31T23:59:59+00:00"),
        (253_402_300_800_000, False, "+10000-01-01T00:00:00+00:00"),
        (884_541_340_800_000, False, "+30000-01-01T00:00:00+00:00"),
    ],
)
def test_times_carry_their_offset(monkeypatch: pytest.MonkeyPatch, ms: int | None, utc: bool, shown: str) -> None:
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "Asia/Kathmandu")
        time.tzset()
        assert iso(ms, utc) == shown
        assert time_of_day(ms, utc) == (shown if shown == "-" else shown.split("T")[1][:8])
    time.tzset()
