"""Numbers above their thresholds, and numbers that are not known."""

from dataclasses import replace

import pytest

from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.model.thresholds import MEASURES, Status, Threshold, breaches, worst

NOW = 1_790_000_000_000
BY_NAME = {measure.name: measure for measure in MEASURES}
QUEUE = Queue(
    QueueId(Family.ECHOMQ, "emq", "orders"),
    pending=12,
    active=4,
    schedule=7,
    dead=1,
    overdue=1,
    due=0,
    next_deadline_ms=NOW - 2_100,
    oldest_pending_ms=NOW - 5_300,
)


@pytest.mark.parametrize(
    ("value", "threshold", "wanted"),
    [
        (5, Threshold(5), Status.OK),
        (6, Threshold(5), Status.CRITICAL),
        (3, Threshold(5, 3), Status.OK),
        (4, Threshold(5, 3), Status.WARNING),
        (6, Threshold(5, 3), Status.CRITICAL),
        (1, Threshold(0), Status.CRITICAL),
        (None, Threshold(5), Status.UNKNOWN),
    ],
)
def test_how_a_value_stands(value: int | None, threshold: Threshold, wanted: Status) -> None:
    assert threshold.judge(value) is wanted


@pytest.mark.parametrize(
    ("name", "changes", "wanted"),
    [
        ("pending", {}, 12),
        ("active", {}, 4),
        ("schedule", {}, 7),
        ("dead", {}, 1),
        ("overdue", {}, 1),
        ("due", {}, 0),
        ("age", {}, 5_300),
        ("age", {"oldest_pending_ms": NOW + 9}, 0),
        ("age", {"oldest_pending_ms": None}, None),
        ("age", {"oldest_pending_ms": None, "pending": 0}, 0),
        ("lease-late", {}, 2_100),
        ("lease-late", {"next_deadline_ms": NOW + 9}, 0),
        ("lease-late", {"next_deadline_ms": None}, 0),
        ("lease-late", {"next_deadline_ms": None, "active": None}, None),
    ],
)
def test_what_is_measured(name: str, changes: dict[str, object], wanted: int | None) -> None:
    assert BY_NAME[name].of(replace(QUEUE, **changes), NOW) == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "limits", "wanted", "status"),
    [
        ({}, {}, [], Status.OK),
        ({}, {"pending": Threshold(12)}, [], Status.OK),
        ({}, {"pending": Threshold(20, 10), "dead": Threshold(0)}, ["dead", "pending"], Status.CRITICAL),
        ({}, {"pending": Threshold(20, 10)}, ["pending"], Status.WARNING),
        ({"pending": None}, {"pending": Threshold(20)}, ["pending"], Status.UNKNOWN),
        ({"pending": None}, {"pending": Threshold(20), "dead": Threshold(5, 0)}, ["dead", "pending"], Status.WARNING),
        ({"error": "x"}, {"pending": Threshold(20)}, [None], Status.UNKNOWN),
        ({"error": "x", "pending": None}, {"pending": Threshold(20)}, ["pending"], Status.UNKNOWN),
    ],
)
def test_the_worst_stands_first(
    changes: dict[str, object], limits: dict[str, Threshold], wanted: list[str | None], status: Status
) -> None:
    snapshot = Snapshot(NOW, queues=(replace(QUEUE, **changes),))  # type: ignore[arg-type]
    found = breaches(snapshot, {BY_NAME[name]: limit for name, limit in limits.items()})
    assert [breach.measure and breach.measure.name for breach in found] == wanted
    assert worst(found) is status
