"""Findings and checks as documents and lines, whatever stands in names."""

import pytest

from emqtop.model.findings import Finding, Kind
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.model.thresholds import MEASURES, Threshold, breaches
from emqtop.present.check import check_document, check_line
from emqtop.present.findings import finding_lines, findings_document
from emqtop.present.jsonout import dumps
from tests.corpus import HOSTILE, unsafe

NOW = 1_790_000_000_000
ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
PENDING, AGE = (next(measure for measure in MEASURES if measure.name == name) for name in ("pending", "age"))
OVERDUE = Finding(ORDERS, Kind.OVERDUE, "2 active past their lease", {"overdue": 2}, act="emqtop reap orders")


def test_a_finding_has_its_act_below_it() -> None:
    lost = Finding(ORDERS, Kind.UNREADABLE, "it cannot be read whole: x\ny")
    assert list(finding_lines([OVERDUE, lost])) == [
        "orders  overdue: 2 active past their lease",
        "    emqtop reap orders",
        "orders  unreadable: it cannot be read whole: x y",
        "    (mend the key, or the right to read it)",
    ]
    assert findings_document([OVERDUE])["findings"] == [
        {
            "family": "echomq",
            "prefix": "emq",
            "queue": "orders",
            "lane": None,
            "kind": "overdue",
            "evidence": {"overdue": 2},
            "says": "2 active past their lease",
            "act": "emqtop reap orders",
        }
    ]


@pytest.mark.parametrize(
    ("queues", "wanted"),
    [
        ([], "OK: 0 queues | pending=0 age=0ms"),
        ([Queue(ORDERS, pending=3, oldest_pending_ms=NOW - 50)], "OK: 1 queue | pending=3 age=50ms"),
        (
            [Queue(ORDERS, pending=9, oldest_pending_ms=NOW - 90_000), Queue(ORDERS, pending=1)],
            (
                "CRITICAL: orders pending 9 (critical), orders age 1m30s (warning), orders age is not known"
                " | pending=10 age=90000ms"
            ),
        ),
        (
            [Queue(ORDERS, pending=0, error="pending: WRONGTYPE x\ny")],
            "UNKNOWN: orders cannot be read whole: pending: WRONGTYPE x y | pending=0 age=0ms",
        ),
        (
            [Queue(QueueId(Family.BULLMQ, "bull", "a|b"), pending=6, oldest_pending_ms=NOW)],
            "CRITICAL: a¦b pending 6 (critical) | pending=6 age=0ms",
        ),
    ],
    ids=["none", "well", "late", "unreadable", "bar"],
)
def test_a_check_is_one_line(queues: list[Queue], wanted: str) -> None:
    snapshot, limits = Snapshot(NOW, queues=tuple(queues)), {PENDING: Threshold(5), AGE: Threshold(100_000, 60_000)}
    assert check_line(snapshot, limits, breaches(snapshot, limits)) == wanted


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_names_and_errors_do_no_harm(value: bytes) -> None:
    text = value.decode("utf-8", "surrogateescape")
    queue = Queue(QueueId(Family.BULLMQ, text, text), pending=9, error=text)
    snapshot, limits = Snapshot(NOW, queues=(queue,)), {PENDING: Threshold(5)}
    found = breaches(snapshot, limits)
    finding = Finding(queue.id, Kind.UNREADABLE, text, lane=text)
    said = [*finding_lines([finding]), check_line(snapshot, limits, found)]
    assert len(said) == 3
    for line in (*said, dumps(check_document(snapshot, found)), dumps(findings_document([finding]))):
        assert not unsafe(line)
        assert "\n" not in line
