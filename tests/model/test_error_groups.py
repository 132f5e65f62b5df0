"""Errors folded and counted."""

import pytest

from emqtop.model.error_groups import ErrorGroup, ErrorTally, fold
from emqtop.model.job import Job
from emqtop.model.where import parse_filter


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        ("", ""),
        ("  \n\n", ""),
        ("timeout after 5000 ms", "timeout after <n> ms"),
        ("timeout after 5,000.5ms", "timeout after <n>ms"),
        ("at 2026-11-29T15:00:00.123Z", "at <n>-<n>-<n>T<n>Z"),
        ("connect 10.0.0.1:6379: refused", "connect <n>: refused"),
        ("user 3f2504e0-4f89-11d3-9a0c-0305e82c3301 gone", "user <uuid> gone"),
        ("user 3F2504E0-4F89-11D3-9A0C-0305E82C3301 gone", "user <uuid> gone"),
        ("no row for USR0KHTOWnGLuC", "no row for <id>"),
        ("XMLHttpRequest failed", "XMLHttpRequest failed"),
        ("segfault at 0xDEADbeef", "segfault at <hex>"),
        ("commit 9f8e7d6c5b broke", "commit <hex> broke"),
        ("charge ch_9f8e7d6c5b declined", "charge ch_<hex> declined"),
        ("defaced facade", "defaced facade"),
        ("deadbeef stays, 12345678 is a number", "deadbeef stays, <n> is a number"),
        ('key "a \\"b\\" c" missing', 'key "…" missing'),
        ("key 'it' missing", "key '…' missing"),
        ("can't and won't", "can't and won't"),
        ("relation `users_7` missing", "relation `…` missing"),
        ("#PID<0.123.0> is down", "#PID<<n>> is down"),
        ("\n  first\tline \nsecond line", "first line"),
        ("x" * 300, "x" * 199 + "…"),
        ('open "never closed', 'open "never closed'),
        ("non-utf8 \udcff byte", "non-utf<n> \udcff byte"),
    ],
)
def test_what_is_folded_away(error: str, wanted: str) -> None:
    assert fold(error) == wanted


def test_groups_are_counted_dated_and_sampled() -> None:
    jobs = [
        Job("a", minted_ms=20, last_error="timeout after 1 ms"),
        Job("b", minted_ms=30, last_error="timeout after 2 ms\n  in worker"),
        Job("c", minted_ms=10, last_error="timeout after 3 ms"),
        Job("d", last_error="timeout after 4 ms"),
        Job("e", minted_ms=5, last_error="boom"),
        Job("f"),
    ]
    tally = ErrorTally()
    tally.add(jobs[:3])
    tally.add(jobs[3:])
    assert tally.groups() == (
        ErrorGroup("timeout after <n> ms", 4, 10, 30, "b", "timeout after 2 ms\n  in worker"),
        ErrorGroup("", 1, None, None, "f", ""),
        ErrorGroup("boom", 1, 5, 5, "e", "boom"),
    )


def test_errors_that_are_all_different_are_bounded() -> None:
    tally = ErrorTally(most_groups=2)
    tally.add(Job(str(at), last_error=letter) for at, letter in enumerate("abcab"))
    assert [(group.pattern, group.count) for group in tally.groups()] == [("a", 2), ("b", 2)]
    assert tally.rest == 1


def test_a_group_is_chosen_by_its_pattern() -> None:
    chosen = parse_filter('like="timeout after <n> ms"')
    assert chosen.matches(Job("a", last_error="timeout after 77 ms"), 0)
    assert not chosen.matches(Job("a", last_error="timeout after 77 s"), 0)
    assert parse_filter('like=""').matches(Job("a"), 0)
