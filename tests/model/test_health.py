"""What is found wrong with a queue between two looks, and what is not."""

from dataclasses import replace

import pytest

from emqtop.model.health import Finding, Kind, command, examine
from emqtop.model.queue import Family, Lane, Queue, QueueId
from emqtop.model.snapshot import Snapshot

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
MAIL = QueueId(Family.BULLMQ, "bull", "mail")
NOW = 1_790_000_000_000
WELL = Queue(
    ORDERS,
    pending=4,
    lanes=4,
    active=2,
    schedule=3,
    dead=1,
    held=0,
    completed=900,
    failed=2,
    overdue=0,
    due=0,
    paused=False,
    next_deadline_ms=NOW + 20_000,
    oldest_pending_ms=NOW - 10_000,
)
LANE = Lane("GRP1", pending=4, active=2, limit=None, weight=None, paused=False, in_ring=True)


def looks(before: Queue, now: Queue, *lanes: Lane) -> list[Finding]:
    return examine(
        Snapshot(NOW - 2_000, queues=(before,)), Snapshot(NOW, queues=(now,)), {now.id: lanes} if lanes else {}
    )


def test_a_queue_that_moves_is_well() -> None:
    assert looks(WELL, replace(WELL, completed=905, pending=3), LANE) == []


@pytest.mark.parametrize(
    ("before", "now", "lanes", "wanted"),
    [
        (
            {},
            {"error": "ring: WRONGTYPE x"},
            [LANE],
            Finding(ORDERS, Kind.UNREADABLE, "it cannot be read whole: ring: WRONGTYPE x"),
        ),
        (
            {"overdue": 1},
            {"overdue": 3, "next_deadline_ms": NOW - 42_000},
            [LANE],
            Finding(
                ORDERS,
                Kind.OVERDUE,
                "3 active past their lease, the first for 42s",
                {"overdue": 3, "late_ms": 42_000},
                act="emqtop reap orders",
            ),
        ),
        (
            {"id": MAIL, "overdue": 1},
            {"id": MAIL, "overdue": 2, "next_deadline_ms": NOW - 1},
            [],
            Finding(MAIL, Kind.OVERDUE, "2 active without a live lock", {"overdue": 2}, act="emqtop reap mail"),
        ),
        (
            {"due": 2},
            {"due": 2},
            [LANE],
            Finding(
                ORDERS,
                Kind.DUE,
                "2 scheduled past their time, and nobody promotes them",
                {"due": 2, "due_before": 2},
                act="emqtop promote orders",
            ),
        ),
        (
            {},
            {"paused": True},
            [],
            Finding(ORDERS, Kind.PAUSED, "paused, with 4 pending", {"pending": 4}, act="emqtop resume orders"),
        ),
        (
            {"active": 0},
            {"active": 0},
            [],
            Finding(
                ORDERS,
                Kind.NOT_SERVED,
                "4 pending and none active: no worker takes them",
                {"pending": 4, "active": 0},
            ),
        ),
        (
            {"pending": 6},
            {"pending": 7},
            [LANE],
            Finding(
                ORDERS,
                Kind.FLAT_NOT_SERVED,
                "3 pending outside of lanes, while only lanes are served",
                {"flat": 3, "flat_before": 2, "active": 2},
            ),
        ),
        (
            {},
            {"oldest_pending_ms": NOW - 3_600_000},
            [LANE],
            Finding(
                ORDERS,
                Kind.WAITS_LONG,
                "the oldest of 4 pending was made 1h00 ago",
                {"pending": 4, "oldest_ms": 3_600_000},
            ),
        ),
        (
            {},
            {"dead": 4},
            [LANE],
            Finding(
                ORDERS,
                Kind.DYING,
                "3 died between the looks, 4 dead in all",
                {"dead": 4, "dead_before": 1},
                act="emqtop errors orders",
            ),
        ),
        (
            {},
            {},
            [replace(LANE, paused=True, in_ring=False)],
            Finding(
                ORDERS,
                Kind.LANE_PAUSED,
                "lane GRP1 is paused, with 4 pending",
                {"pending": 4},
                "GRP1",
                "emqtop resume --lane GRP1 orders",
            ),
        ),
        (
            {"active": 0},
            {"active": 0, "completed": 901},
            [replace(LANE, limit=2, in_ring=False)],
            Finding(
                ORDERS,
                Kind.LANE_LEAKED,
                "lane GRP1 is full by its counter, 2 of 2, and lanes count 2 more in flight than there are",
                {"pending": 4, "counted": 2, "limit": 2, "leaked": 2},
                "GRP1",
                "emqtop limit --lane GRP1 --jobs 4 orders",
            ),
        ),
        (
            {},
            {},
            [replace(LANE, in_ring=False)],
            Finding(
                ORDERS,
                Kind.LANE_LEFT_OUT,
                "lane GRP1 has 4 pending, and no worker will be offered it",
                {"pending": 4},
                "GRP1",
                "emqtop resume --lane GRP1 orders",
            ),
        ),
    ],
    ids=lambda value: value.kind if isinstance(value, Finding) else "",
)
def test_what_is_found(before: dict[str, object], now: dict[str, object], lanes: list[Lane], wanted: Finding) -> None:
    assert looks(replace(WELL, **before), replace(WELL, **now), *lanes) == [wanted]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "now", "lanes"),
    [
        ({"overdue": 0}, {"overdue": 1, "next_deadline_ms": NOW - 60_000}, []),
        ({"overdue": 1}, {"overdue": 1, "next_deadline_ms": NOW - 4_999}, []),
        ({"due": 2}, {"due": 1}, []),
        ({"due": 0}, {"due": 9}, []),
        ({"due": 2, "paused": True}, {"due": 2, "paused": True, "pending": 0, "lanes": 0}, []),
        ({"active": 0}, {"active": 0, "completed": 901}, []),
        ({"active": 0}, {"active": 0, "pending": 3}, []),
        ({"active": 0, "pending": 0}, {"active": 0}, []),
        ({"active": 3, "pending": 6}, {"active": 3, "pending": 6}, [LANE]),
        ({"pending": 6}, {"pending": 5}, [LANE]),
        ({}, {"oldest_pending_ms": NOW - 899_999}, []),
        ({"dead": 4}, {"dead": 1}, []),
        ({"dead": None}, {"dead": 1}, []),
        ({}, {}, [replace(LANE, limit=2, in_ring=False)]),
        ({}, {}, [LANE, replace(LANE, group="GRP2", pending=0, active=0, paused=True, in_ring=False)]),
        (dict.fromkeys(("pending", "active", "overdue", "due", "paused", "dead")),) * 2 + ([],),
    ],
)
def test_what_is_nothing_to_speak_of(before: dict[str, object], now: dict[str, object], lanes: list[Lane]) -> None:
    assert looks(replace(WELL, **before), replace(WELL, **now), *lanes) == []  # type: ignore[arg-type]


def test_a_queue_that_is_new_is_judged_by_what_it_is() -> None:
    paused = replace(WELL, paused=True)
    assert [finding.kind for finding in examine(Snapshot(), Snapshot(NOW, queues=(paused,)), {})] == [Kind.PAUSED]


@pytest.mark.parametrize(
    ("queue", "exactly", "wanted"),
    [
        (ORDERS, False, "emqtop reap orders"),
        (ORDERS, True, "emqtop reap --family echomq --prefix emq orders"),
        (QueueId(Family.BULLMQ, "bull", "-it's; rm"), False, "emqtop reap -- '-it'\"'\"'s; rm'"),
        (QueueId(Family.ECHOMQ, "emq", "a\x1b\n"), False, "emqtop reap 'a␛␊'"),
    ],
)
def test_a_command_line_is_safe_to_paste(queue: QueueId, exactly: bool, wanted: str) -> None:
    assert command(queue, "reap", exactly=exactly) == wanted


def test_a_name_that_means_two_queues_is_told_apart() -> None:
    twins = [replace(WELL, id=QueueId(family, "emq", "x"), paused=True) for family in Family]
    acts = [finding.act for finding in examine(Snapshot(), Snapshot(NOW, queues=tuple(twins)), {})]
    assert acts == [
        "emqtop resume --family echomq --prefix emq x",
        "emqtop resume --family bullmq --prefix emq x",
    ]
