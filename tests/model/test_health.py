"""What is found wrong with a queue between two looks, and what is not."""

import subprocess
from dataclasses import replace

import pytest

from emqtop.model.findings import NATURES, Finding, Kind, Severity, worst_first
from emqtop.model.health import command, examine
from emqtop.model.job import Job, Page
from emqtop.model.lane_look import LaneLook, LaneLooks, counted
from emqtop.model.queue import Family, Lane, Location, Queue, QueueId
from emqtop.model.snapshot import Server, Snapshot

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
    next_due_ms=NOW + 9_000,
    oldest_pending_ms=NOW - 10_000,
)
LANE = Lane("GRP1", pending=4, active=2, limit=None, weight=None, paused=False, in_ring=True)


def looks(before: Queue, now: Queue, *lanes: Lane) -> list[Finding]:
    look = LaneLook(lanes, {LANE.group: now.active or 0})
    return examine(
        Snapshot(NOW - 2_000, queues=(before,)), Snapshot(NOW, queues=(now,)), {now.id: LaneLooks(look, look)}
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
            {"overdue": 1},
            {"overdue": 3, "next_deadline_ms": 0},
            [LANE],
            Finding(
                ORDERS,
                Kind.OVERDUE,
                "3 active past their lease, the first never had one",
                {"overdue": 3},
                act="emqtop reap orders",
            ),
        ),
        (
            {"due": 2, "next_due_ms": NOW - 61_000},
            {"due": 1, "next_due_ms": NOW - 61_000},
            [LANE],
            Finding(
                ORDERS,
                Kind.DUE,
                "1 scheduled past their time, the first for 1m01s, and nobody promotes them",
                {"due": 1, "due_before": 2, "late_ms": 61_000},
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
            {"oldest_pending_ms": NOW - 7_200_000},
            {"paused": True, "due": 2, "oldest_pending_ms": NOW - 7_200_000},
            [],
            Finding(
                ORDERS,
                Kind.PAUSED,
                "paused, with 4 pending and 2 past their time, the oldest made 2h00 ago",
                {"pending": 4, "due": 2, "oldest_ms": 7_200_000},
                act="emqtop resume orders",
            ),
        ),
        (
            {},
            {"paused": True, "pending": 0, "lanes": 0, "due": 1},
            [],
            Finding(
                ORDERS,
                Kind.PAUSED,
                "paused, with 1 past their time",
                {"pending": 0, "due": 1},
                act="emqtop resume orders",
            ),
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
            {"id": MAIL, "active": 0},
            {"id": MAIL, "active": 0, "pending": 9},
            [],
            Finding(
                MAIL,
                Kind.NOT_SERVED,
                "9 pending and none active: no worker takes them",
                {"pending": 9, "active": 0},
                act="emqtop wake mail",
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
            {"oldest_pending_ms": NOW - 3_700_000},
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
                "3 died within 2.0s, 4 dead in all",
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
            {"active": 0},
            [replace(LANE, limit=2, in_ring=False)],
            Finding(
                ORDERS,
                Kind.LANE_LEAKED,
                "lane GRP1 is full by its counter, 2 of 2, but 2 of them are not active",
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
        ({"due": 2, "next_due_ms": NOW - 9_000}, {"due": 2, "next_due_ms": NOW - 6_000}, []),
        ({"due": 2, "next_due_ms": NOW - 4_999}, {"due": 2, "next_due_ms": NOW - 4_999}, []),
        ({"due": 0, "next_due_ms": NOW - 9_000}, {"due": 9, "next_due_ms": NOW - 9_000}, []),
        ({"due": 2, "next_due_ms": None}, {"due": 2, "next_due_ms": None}, []),
        ({"paused": True}, {"paused": True, "pending": 0, "lanes": 0}, []),
        ({"active": 0}, {"active": 0, "completed": 901}, []),
        ({"active": 0, "paused": True}, {"active": 0}, []),
        ({"active": 0}, {"active": 0, "pending": 3}, []),
        ({"active": 0, "pending": 0}, {"active": 0}, []),
        ({"active": 3, "pending": 6}, {"active": 3, "pending": 6}, [LANE]),
        ({"pending": 6}, {"pending": 5}, [LANE]),
        ({"oldest_pending_ms": NOW - 899_999}, {"oldest_pending_ms": NOW - 899_999}, []),
        ({}, {"oldest_pending_ms": NOW - 3_600_000}, []),
        ({"dead": 4}, {"dead": 1}, []),
        ({"dead": None}, {"dead": 1}, []),
        ({}, {}, [replace(LANE, limit=2, in_ring=False)]),
        ({}, {}, [LANE, replace(LANE, group="GRP2", pending=0, active=0, paused=True, in_ring=False)]),
        (dict.fromkeys(("pending", "active", "overdue", "due", "paused", "dead")),) * 2 + ([],),
    ],
)
def test_what_is_nothing_to_speak_of(before: dict[str, object], now: dict[str, object], lanes: list[Lane]) -> None:
    assert looks(replace(WELL, **before), replace(WELL, **now), *lanes) == []  # type: ignore[arg-type]


AILING = replace(WELL, paused=True, overdue=2, next_deadline_ms=NOW - 60_000, oldest_pending_ms=NOW - 9_000_000)


@pytest.mark.parametrize(
    "before",
    [
        Snapshot(),
        Snapshot(NOW - 2_000),
        Snapshot(NOW + 1, queues=(AILING,)),
        Snapshot(NOW - 2_000, clock="local", queues=(AILING,)),
    ],
    ids=["no look", "new queue", "later", "another clock"],
)
def test_without_two_looks_only_what_one_shows_is_told(before: Snapshot) -> None:
    (found,) = examine(before, Snapshot(NOW, queues=(AILING,)), {})
    assert (found.kind, found.says) == (Kind.PAUSED, "paused, with 4 pending")


LEFT_OUT, PAUSED, FULL = replace(LANE, in_ring=False), replace(LANE, paused=True), replace(LANE, limit=2)


@pytest.mark.parametrize(
    ("before", "now", "wanted"),
    [
        (LaneLook([LEFT_OUT]), LaneLook([LANE]), []),
        (LaneLook([LANE]), LaneLook([LEFT_OUT]), []),
        (LaneLook([replace(LANE, pending=0)]), LaneLook([LEFT_OUT]), []),
        (LaneLook(), LaneLook([LEFT_OUT]), []),
        (LaneLook([PAUSED]), LaneLook([LEFT_OUT]), []),
        (LaneLook([LEFT_OUT]), LaneLook([LEFT_OUT]), [Kind.LANE_LEFT_OUT]),
        (LaneLook([PAUSED]), LaneLook([PAUSED]), [Kind.LANE_PAUSED]),
        (LaneLook([FULL], {"GRP1": 2}), LaneLook([FULL], {"GRP1": 1}), []),
        (LaneLook([FULL], {"GRP1": 1}), LaneLook([FULL], {"GRP1": 3, "GRP2": 1}), []),
        (LaneLook([FULL], None), LaneLook([FULL], {}), []),
        (LaneLook([FULL], {"GRP1": 1}), LaneLook([FULL], {"GRP2": 2}), [Kind.LANE_LEAKED]),
    ],
)
def test_of_lanes_only_what_two_looks_agree_on_is_told(before: LaneLook, now: LaneLook, wanted: list[Kind]) -> None:
    snapshot = Snapshot(NOW, queues=(WELL,))
    assert [finding.kind for finding in examine(snapshot, snapshot, {ORDERS: LaneLooks(before, now)})] == wanted


@pytest.mark.parametrize(("total", "wanted"), [(2, 1), (3, 0)], ids=["whole", "first part"])
def test_what_a_lane_counts_in_vain_is_known_where_all_that_runs_was_seen(total: int, wanted: int) -> None:
    jobs = (Job("JOB1", "active", group="GRP1"), Job("JOB2", "active"))
    look = counted([FULL], Page(ORDERS, Location.ACTIVE, NOW, total, 0, jobs))
    assert (look.is_held_up, look.leaked(FULL)) == (True, wanted)


def test_jobs_in_lanes_that_no_worker_is_offered_are_told_of_as_such() -> None:
    idle = replace(WELL, active=0)
    assert [finding.kind for finding in looks(idle, idle, replace(LANE, active=0, paused=True))] == [Kind.LANE_PAUSED]
    assert [finding.kind for finding in looks(idle, idle, replace(LANE, active=0))] == [Kind.NOT_SERVED]


GIB = 2**30


@pytest.mark.parametrize(
    ("server", "wanted"),
    [
        (Server(), []),
        (Server(role="master", eviction="noeviction", memory_bytes=GIB, memory_limit_bytes=0, silent_ms=14_999), []),
        (Server(eviction="noeviction", memory_bytes=900, memory_limit_bytes=1_000), []),
        (
            Server(eviction="noeviction", memory_bytes=19 * GIB, memory_limit_bytes=20 * GIB),
            [(Kind.MEMORY_NEAR, "memory 19.0G of 20.0G, 95 %")],
        ),
        (
            Server(eviction="noeviction", memory_bytes=GIB, memory_limit_bytes=GIB),
            [(Kind.MEMORY_FULL, "memory 1.0G of 1.0G, 100 %: writes are refused")],
        ),
        (
            Server(eviction="allkeys-lru", memory_bytes=GIB, memory_limit_bytes=GIB),
            [
                (Kind.MEMORY_FULL, "memory 1.0G of 1.0G, 100 %: keys are thrown out"),
                (Kind.EVICTS, "maxmemory-policy allkeys-lru: jobs vanish when memory is full"),
            ],
        ),
        (
            Server(eviction="volatile-ttl", memory_limit_bytes=0),
            [
                (
                    Kind.EVICTS,
                    "maxmemory-policy volatile-ttl: locks vanish when memory is full, though no limit is set",
                )
            ],
        ),
        (
            Server(role="master", silent_ms=15_000),
            [(Kind.LAGS, "nothing was heard of one of its replicas for 15s")],
        ),
        (
            Server(role="replica", silent_ms=61_000),
            [
                (Kind.LAGS, "nothing was heard of its master for 1m01s"),
                (Kind.REPLICA, "this is a replica: acts are refused, and what it shows may be behind"),
            ],
        ),
    ],
)
def test_what_is_found_wrong_with_a_server(server: Server, wanted: list[tuple[Kind, str]]) -> None:
    found = examine(Snapshot(), Snapshot(NOW, server=server), {})
    assert [(finding.kind, finding.says) for finding in found] == wanted
    assert {finding.queue for finding in found} <= {None}


def test_the_worst_stands_first_and_nothing_moves_while_numbers_grow() -> None:
    def of(kind: Kind, name: str, pending: int, lane: str | None = None) -> Finding:
        return Finding(QueueId(Family.ECHOMQ, "emq", name), kind, "", {"pending": pending}, lane)

    wanted = [
        of(Kind.OVERDUE, "a", 1),
        of(Kind.OVERDUE, "b", 9),
        Finding(None, Kind.EVICTS, ""),
        of(Kind.PAUSED, "a", 5),
        of(Kind.LANE_PAUSED, "a", 1, "GRP1"),
        of(Kind.LANE_PAUSED, "a", 7, "GRP2"),
    ]
    assert worst_first(wanted[::-1]) == wanted


def test_every_kind_is_placed_and_none_before_a_worse_one() -> None:
    assert set(NATURES) == set(Kind)
    ranks = [list(Severity).index(nature.severity) for nature in NATURES.values()]
    assert ranks == sorted(ranks)
    assert all(nature.verb is not None or nature.advice for nature in NATURES.values())


@pytest.mark.parametrize(
    ("kind", "evidence", "wanted"),
    [
        (Kind.OVERDUE, {"overdue": 2, "late_ms": 42_000}, 42_000),
        (Kind.OVERDUE, {"overdue": 2}, None),
        (Kind.WAITS_LONG, {"oldest_ms": 5}, 5),
        # How old a job is says nothing of how long its queue has been paused.
        (Kind.PAUSED, {"oldest_ms": 5}, None),
    ],
)
def test_for_how_long_it_has_been_so(kind: Kind, evidence: dict[str, int], wanted: int | None) -> None:
    assert Finding(ORDERS, kind, "", evidence).lasts_ms == wanted


@pytest.mark.parametrize(
    ("queue", "exactly", "wanted"),
    [
        (ORDERS, False, "emqtop reap orders"),
        (ORDERS, True, "emqtop reap --family echomq --prefix emq orders"),
        (QueueId(Family.BULLMQ, "bull", "-it's; rm"), False, "emqtop reap -- '-it'\"'\"'s; rm'"),
        (QueueId(Family.ECHOMQ, "emq", "a\x1b\n'é\udcff"), False, r"emqtop reap $'a\x1b\x0a\x27\xc3\xa9\xff'"),
        (QueueId(Family.ECHOMQ, "emq", "e\u200d日"), False, r"emqtop reap $'e\xe2\x80\x8d\xe6\x97\xa5'"),
        (QueueId(Family.ECHOMQ, "emq", "日本"), False, "emqtop reap '日本'"),
        (QueueId(Family.ECHOMQ, "emq", "a\0"), False, "emqtop reap 'a␀'"),
    ],
)
def test_a_command_line_is_safe_to_paste(queue: QueueId, exactly: bool, wanted: str) -> None:
    line = command(queue, "reap", exactly=exactly)
    assert line == wanted
    words = subprocess.run(
        ["bash", "-c", f'emqtop() {{ printf "%s\\0" "$@"; }}; {line}'], stdout=subprocess.PIPE, check=True
    )
    name = words.stdout.split(b"\0")[-2].decode("utf-8", "surrogateescape")
    assert name == queue.name.replace("\0", "␀")


def test_of_two_queues_of_one_name_one_alone_is_judged() -> None:
    twins = [replace(WELL, id=QueueId(family, "emq", "x"), paused=True) for family in Family]
    found = examine(Snapshot(), Snapshot(NOW, queues=tuple(twins)), {}, only={twins[0].id})
    assert [(finding.queue, finding.act) for finding in found] == [
        (twins[0].id, "emqtop resume --family echomq --prefix emq x")
    ]


def test_a_name_that_means_two_queues_is_told_apart() -> None:
    twins = [replace(WELL, id=QueueId(family, "emq", "x"), paused=True) for family in Family]
    acts = [finding.act for finding in examine(Snapshot(), Snapshot(NOW, queues=tuple(twins)), {})]
    assert acts == [
        "emqtop resume --family bullmq --prefix emq x",
        "emqtop resume --family echomq --prefix emq x",
    ]
