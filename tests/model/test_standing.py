"""Findings from look to look: table of what is found when, and what stands then."""

import pytest

from emqtop.model.findings import Finding, Kind
from emqtop.model.queue import Family, QueueId
from emqtop.model.standing import FADE_MS, Watch

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
LATE, LATER = (Finding(ORDERS, Kind.OVERDUE, f"{count} late", {"overdue": count}) for count in (1, 2))
PAUSED = Finding(ORDERS, Kind.PAUSED, "paused")
FULL = Finding(None, Kind.MEMORY_FULL, "full")


def test_what_stands_is_told_with_its_time_and_the_worst_first() -> None:
    watch = Watch()
    assert [(each.finding, each.seen_ms) for each in watch.see([PAUSED, LATE], 1_000)] == [
        (LATE, 1_000),
        (PAUSED, 1_000),
    ]
    assert [(each.finding, each.seen_ms, each.told_ms) for each in watch.see([PAUSED, LATER, FULL], 3_000)] == [
        (FULL, 3_000, 3_000),
        (LATER, 1_000, 3_000),
        (PAUSED, 1_000, 3_000),
    ]


@pytest.mark.parametrize(
    ("looks", "wanted"),
    [
        ([(1_000, [LATE]), (2_000, [])], [(1_000, 2_000)]),
        ([(1_000, [LATE]), (2_000, []), (3_000, [])], [(1_000, 2_000)]),
        ([(1_000, [LATE]), (2_000, []), (3_000, [LATER])], [(1_000, None)]),
        ([(1_000, [LATE]), (2_000, []), (2_000 + FADE_MS, [])], []),
        ([(1_000, [LATE]), (2_000, []), (1_999 + FADE_MS, [])], [(1_000, 2_000)]),
        ([(1_000, [LATE]), (2_000, []), (2_000 + FADE_MS, []), (60_000, [LATE])], [(60_000, None)]),
        ([(5_000, [LATE]), (1_000, [LATE])], [(1_000, None)]),
        ([(5_000, [LATE]), (1_000, [])], []),
    ],
    ids=["over", "still over", "back again", "faded", "fading", "anew", "time went back", "back before it"],
)
def test_what_is_over_fades(looks: list[tuple[int, list[Finding]]], wanted: list[tuple[int, int | None]]) -> None:
    watch = Watch()
    for at_ms, found in looks:
        standing = watch.see(found, at_ms)
    assert [(each.seen_ms, each.over_ms) for each in standing] == wanted
    assert [each.is_over for each in standing] == [over_ms is not None for _, over_ms in wanted]
