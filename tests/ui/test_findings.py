"""The doctor's screen: what it shows of which look, where it leads, and which act a finding begins."""

from dataclasses import replace
from itertools import pairwise

import pytest

from emqtop.model.actions import Verb
from emqtop.model.findings import Finding, Kind
from emqtop.model.job import Job
from emqtop.model.queue import Family, Lane, Location, Queue, QueueId
from emqtop.model.recording import Recorder, Recording
from emqtop.model.snapshot import Server, Snapshot
from emqtop.sampling.memory import START_MS, MemorySource, Shelf
from emqtop.sampling.replay import Replay
from emqtop.ui.dashboard import Dashboard
from emqtop.ui.gate import Gate
from emqtop.ui.lane_rounds import AT_ONCE
from emqtop.ui.queue_view import Tab
from emqtop.ui.screens.errors import ErrorsScreen
from emqtop.ui.screens.findings import FindingsScreen
from emqtop.ui.screens.overview import OverviewScreen
from emqtop.ui.screens.queue import QueueScreen
from emqtop.ui.screens.server import ServerScreen
from tests.ui.scenes import BROKEN, EMAILS, IDLE, LEFT_OUT, MAILS, ORDERS, TENANTS, ail, job_id, small_server
from tests.ui.stage import Clock, Stage, stage
from tests.ui.test_foreign import HOSTILE, check, hostile_source


def ailing() -> MemorySource:
    """The small server with more that is wrong."""
    source = small_server()
    ail(source)
    return source


def doctor(held: Stage) -> FindingsScreen:
    assert isinstance(held.screen, FindingsScreen)
    return held.screen


def kinds(held: Stage) -> list[tuple[str, str | None, str]]:
    """Kind, queue and severity of each row."""
    found = [(row.standing.finding, row.severity) for row in doctor(held).grid.selection.items]
    return [(each.kind.value, None if each.queue is None else each.queue.name, severity) for each, severity in found]


async def look(held: Stage, seconds: int = 2) -> None:
    """Let the server's time go on, and look again."""
    held.source.now_ms += 1_000 * seconds
    await held.sample()


async def to(held: Stage, kind: Kind, queue: QueueId | None) -> Finding:
    """Put the cursor on a finding."""
    screen = doctor(held)
    row = next(
        row
        for row in screen.grid.selection.items
        if (row.standing.finding.kind, row.standing.finding.queue) == (kind, queue)
    )
    screen.grid.go_to(screen.key_of(row))
    await held.settle()
    return row.standing.finding


ALL = [
    ("unreadable", "broken", "critical"),
    ("overdue", "orders", "critical"),
    ("not-served", "{emails}", "critical"),
    ("lane-left-out", "tenants", "critical"),
    ("due", "orders", "critical"),
    ("evicts", None, "warning"),
    ("paused", "mails", "warning"),
    ("lane-paused", "tenants", "note"),
]


async def test_everything_that_is_wrong_stands_there_the_worst_first() -> None:
    async with stage((120, 24), ailing()) as held:
        await held.press("D")
        for _ in range(2):
            await look(held)
        assert kinds(held) == ALL
        assert "5 critical  2 warning  1 note" in held.status


async def test_of_one_queue_only_what_concerns_it_and_the_server() -> None:
    async with stage((120, 24), ailing()) as held:
        await held.press("slash", *"mails", "enter", "enter", "D")
        await look(held)
        assert "emqtop › mails › doctor" in held.text()
        assert kinds(held) == [("evicts", None, "warning"), ("paused", "mails", "warning")]
        await held.press("escape")
        assert isinstance(held.screen, QueueScreen)


@pytest.mark.parametrize(
    ("kind", "queue", "tab", "lane"),
    [
        (Kind.OVERDUE, ORDERS, Tab.ACTIVE, None),
        (Kind.DUE, ORDERS, Tab.SCHEDULE, None),
        (Kind.NOT_SERVED, EMAILS, Tab.PENDING, None),
        (Kind.PAUSED, MAILS, Tab.PENDING, None),
        (Kind.UNREADABLE, BROKEN, Tab.ACTIVE, None),
        (Kind.LANE_LEFT_OUT, TENANTS, Tab.LANES, LEFT_OUT),
    ],
)
async def test_enter_leads_where_it_is_seen_and_escape_back(
    kind: Kind, queue: QueueId, tab: Tab, lane: Lane | None
) -> None:
    async with stage((120, 24), ailing()) as held:
        await held.press("D")
        for _ in range(2):
            await look(held)
        await to(held, kind, queue)
        await held.press("enter")
        assert isinstance(held.screen, QueueScreen)
        assert (held.screen.at.queue, held.screen.at.tab) == (queue, tab)
        if lane is not None:
            assert held.screen.grid.current == lane
        await held.press("escape")
        assert doctor(held).finding is not None
        assert doctor(held).finding.kind is kind


async def test_what_is_wrong_with_the_server_leads_to_it() -> None:
    async with stage((120, 24), ailing()) as held:
        await held.press("D")
        await look(held)
        await to(held, Kind.EVICTS, None)
        await held.press("f")
        assert "no queue is chosen" in held.status
        await held.press("enter")
        assert isinstance(held.screen, ServerScreen)


@pytest.mark.parametrize(
    ("kind", "queue", "key", "verb", "lane"),
    [
        (Kind.OVERDUE, ORDERS, "r", Verb.REAP, None),
        (Kind.DUE, ORDERS, "p", Verb.PROMOTE, None),
        (Kind.PAUSED, MAILS, "P", Verb.RESUME, None),
        (Kind.LANE_PAUSED, TENANTS, "P", Verb.RESUME, "GRP00000000003"),
        (Kind.LANE_LEFT_OUT, TENANTS, "P", Verb.RESUME, LEFT_OUT.group),
    ],
)
async def test_the_act_that_helps_begins_by_its_key(
    kind: Kind, queue: QueueId, key: str, verb: Verb, lane: str | None
) -> None:
    async with stage((120, 30), ailing()) as held:
        await held.press("D")
        for _ in range(2):
            await look(held)
        finding = await to(held, kind, queue)
        assert doctor(held).helps(finding) == f"{key} {verb}"
        await held.press(key)
        assert held.acts is not None
        assert held.acts.ran == []
        await held.press("y")
        (plan,) = held.acts.ran
        assert (plan.order.verb, plan.order.queue, plan.order.lane) == (verb, queue, lane)
        # Like the command of the same name: only what is due, only what has expired.
        assert not plan.order.early
        assert {seen.location for seen in plan.jobs} <= {Location.ACTIVE, Location.SCHEDULE}


async def test_what_was_helped_is_over_and_stays_a_while_in_its_place() -> None:
    async with stage((120, 30), ailing()) as held:
        await held.press("D")
        await look(held)
        await to(held, Kind.PAUSED, MAILS)
        await held.press("P", "y")
        await look(held)
        assert ("paused", "mails", "over") in kinds(held)
        assert doctor(held).finding is not None
        await held.press("P")
        assert "this is over" in held.status
        await look(held, 7)
        assert ("paused", "mails", "over") in kinds(held)
        await look(held, 1)
        assert "paused" not in {kind for kind, _, _ in kinds(held)}
        await held.press("P")
        assert "it has left this list" in held.status


async def test_an_act_that_does_not_help_is_not_begun() -> None:
    async with stage((120, 30), ailing()) as held:
        await held.press("D")
        await look(held)
        await to(held, Kind.PAUSED, MAILS)
        await held.press("r")
        assert "reap does not help here: P resume" in held.status
        await to(held, Kind.EVICTS, None)
        await held.press("P")
        assert "pause does not help here: set maxmemory-policy to noeviction" in held.status


async def test_who_may_only_look_is_told_what_helps_without_a_key() -> None:
    async with stage((120, 30), ailing(), can_act=False) as held:
        await held.press("D")
        await look(held)
        finding = await to(held, Kind.OVERDUE, ORDERS)
        assert doctor(held).helps(finding) == "reap"
        assert "r reap" not in held.text()
        await held.press("r")
        assert "read-only" in held.status


async def test_the_cursor_stays_on_its_finding_while_worse_ones_come() -> None:
    source = small_server()
    async with stage((120, 30), source) as held:
        await held.press("D")
        await look(held)
        await to(held, Kind.PAUSED, MAILS)
        source.server = replace(source.server, memory_bytes=99, memory_limit_bytes=99)
        await look(held)
        assert kinds(held)[0] == ("memory-full", None, "critical")
        assert doctor(held).finding is not None
        assert doctor(held).finding.kind is Kind.PAUSED


async def test_the_filter_and_the_copy() -> None:
    async with stage((120, 30), ailing()) as held:
        await held.press("D")
        await look(held)
        await held.press("slash", *"orders", "enter")
        assert kinds(held) == [("overdue", "orders", "critical"), ("due", "orders", "critical")]
        await held.press("y")
        assert held.app.clipboard == "emqtop reap orders"
        await held.press("escape", "slash", *"nothing", "enter")
        assert "no finding matches" in held.text()
        await held.press("escape")
        await to(held, Kind.EVICTS, None)
        await held.press("y")
        assert held.app.clipboard.startswith("maxmemory-policy allkeys-lru: ")
        await held.press("escape")
        assert isinstance(held.screen, OverviewScreen)


async def test_dying_leads_to_the_errors() -> None:
    source = MemorySource(Shelf(ORDERS))
    async with stage((120, 30), source) as held:
        await held.press("D")
        await look(held)
        source.shelves[ORDERS].at(Location.DEAD).append(Job(job_id(1), "dead", last_error="boom"))
        await look(held)
        assert kinds(held) == [("dying", "orders", "warning")]
        assert "1 died within 4.0s, 1 dead in all" in held.text()
        assert "f errors" in held.text()
        await held.press("f")
        assert isinstance(held.screen, ErrorsScreen)


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("D",), "nothing found wrong with 2 queues, the lanes of 1 of 1 and the server"),
        (("slash", *"tenants", "enter", "enter", "D"), "nothing found wrong with this queue, its lanes and the server"),
        (("slash", *"idle", "enter", "enter", "D"), "nothing found wrong with this queue and the server"),
    ],
)
async def test_where_nothing_is_wrong_it_is_told_what_was_looked_at(keys: tuple[str, ...], wanted: str) -> None:
    tenants = Shelf(TENANTS, completed=9)
    tenants.lanes = [Lane("GRP00000000001", 3, 1, 1, None, False, False)]
    tenants.at(Location.ACTIVE).append(Job(job_id(1), "active", deadline_ms=START_MS + 90_000, group="GRP00000000001"))
    async with stage((120, 24), MemorySource(Shelf(IDLE), tenants)) as held:
        await held.press(*keys)
        await look(held)
        await look(held)
        assert kinds(held) == []
        assert wanted in held.text()


async def test_lanes_are_looked_at_in_turn_and_only_while_it_is_open() -> None:
    queues = [QueueId(Family.ECHOMQ, "emq", f"q{number}") for number in range(2 * AT_ONCE + 1)]
    shelves = [Shelf(queue, lanes=[replace(LEFT_OUT, active=1)], completed=1) for queue in queues]
    for shelf in shelves:
        shelf.at(Location.ACTIVE).append(Job(job_id(1), "active", deadline_ms=START_MS + 900_000))
    source = MemorySource(*shelves)

    def looks() -> list[str]:
        return [read for read in source.reads if read.startswith("lanes")]

    async with stage((120, 24), source) as held:
        await held.sample()
        assert looks() == []
        await held.press("D")
        for _ in range(6):
            await held.sample()
        # Time stands still: each was looked at once, and one look alone accuses nobody.
        assert sorted(looks()) == sorted(f"lanes {queue.name}" for queue in queues)
        samples = [at for at, read in enumerate(source.reads) if read == "sample"]
        for first, second in pairwise(samples):
            assert sum(read.startswith("lanes") for read in source.reads[first:second]) <= AT_ONCE
        assert kinds(held) == []
        source.now_ms += 2_000
        for _ in range(4):
            await held.sample()
        assert kinds(held) == [("lane-left-out", queue.name, "critical") for queue in sorted(queues)]
        await held.press("escape")
        asked = len(looks())
        await look(held)
        assert len(looks()) == asked


async def test_many_queues_are_judged_beside_the_keys() -> None:
    shelves = [Shelf(QueueId(Family.ECHOMQ, "emq", f"q{number:04}")) for number in range(1_000)]
    for shelf in shelves[-3:]:
        shelf.paused = True
        shelf.at(Location.PENDING).append(Job(job_id(1), "pending"))
    async with stage((120, 24), MemorySource(*shelves)) as held:
        await held.press("D")
        while len(doctor(held).standing) < 3:
            await held.sample()
        assert [name for _, name, _ in kinds(held)] == ["q0997", "q0998", "q0999"]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("size", [(100, 24), (60, 15), (20, 5)])
async def test_foreign_words_do_no_harm(text: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gate, "apply", lambda self, segments, background: segments)
    source = hostile_source(text)
    laned = Shelf(QueueId(Family.ECHOMQ, text, text), lanes=[Lane(text, 1, 1, None, None, True, False)], paused=True)
    source.shelves[laned.id] = laned
    async with stage(size, source) as held:
        await held.press("D")
        for _ in range(2):
            await look(held)
        assert len(kinds(held)) >= 3
        for _ in kinds(held):
            check(held)
            await held.press("down")


async def test_a_recording_is_judged_by_its_numbers_alone() -> None:
    recorder = Recorder(header=True)
    queue = Queue(TENANTS, pending=7, lanes=7, active=0, completed=1, failed=0, paused=False)
    lines = [
        line for at in range(3) for line in recorder.lines(Snapshot(START_MS + 1_000 * at, queues=(queue,), swept=True))
    ]
    clock = Clock()
    app = Dashboard(Replay(Recording(lines), clock_s=clock), interval_s=0.01, clock=clock)
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.press("D")
        clock.now_s += 2
        while not isinstance(app.screen, FindingsScreen) or not app.screen.standing:
            await pilot.pause(0.01)
        assert [each.finding.says for each in app.screen.standing] == [
            "7 pending and none active: no worker takes them"
        ]
        assert app.screen.trouble == ""


async def test_a_server_that_tells_nothing_of_itself_is_not_accused() -> None:
    async with stage((120, 24), MemorySource(Shelf(IDLE), server=Server(url="redis://h"))) as held:
        await held.press("D")
        await look(held)
        assert kinds(held) == []
