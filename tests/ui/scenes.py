"""Queues to look at: a small server with everything that can be seen on it.

`python -m tests.ui.play` shows them on the terminal.
"""

from dataclasses import replace

from emqtop.model.job import Job, Odd
from emqtop.model.metrics import Metric, Metrics
from emqtop.model.queue import Family, Lane, Location, QueueId
from emqtop.model.snapshot import Server
from emqtop.model.team import Team, Tie, Worker
from emqtop.model.timetable import NextRun, Scheduler, Timetable
from emqtop.sampling.memory import START_MS, MemorySource, Shelf

MINUTE = 60_000
ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
MAILS = QueueId(Family.ECHOMQ, "emq", "mails")
IDLE = QueueId(Family.ECHOMQ, "emq", "idle")
TENANTS = QueueId(Family.ECHOMQ, "emq", "tenants")
BROKEN = QueueId(Family.ECHOMQ, "emq", "broken")
EMAILS = QueueId(Family.BULLMQ, "bull", "{emails}")
LEFT_OUT = Lane("GRP00000000009", 5, 0, None, None, False, False)


def job_id(number: int) -> str:
    """A branded id that ends in this number."""
    return f"JOB{number:011d}"


def _job(number: int, state: str, **rest: object) -> Job:
    payload = b'{"customer": %d, "total": "12.50", "items": ["a", "b"]}' % number
    fields: dict[str, object] = {
        "attempts": 1,
        "minted_ms": START_MS - number * 1_000,
        "payload_bytes": len(payload),
        "payload": payload,
    }
    return Job(job_id(number), state, **{**fields, **rest})  # type: ignore[arg-type]


def orders() -> Shelf:
    """A queue with jobs everywhere; two leases have run out."""
    shelf = Shelf(ORDERS, completed=123_456, failed=17)
    shelf.at(Location.PENDING).extend(_job(number, "pending", attempts=0) for number in range(1, 31))
    leases = (-125_000, -2_100, 4_000, 28_000, 59_000)
    shelf.at(Location.ACTIVE).extend(
        _job(100 + place, "active", attempts=2, deadline_ms=START_MS + left) for place, left in enumerate(leases)
    )
    shelf.at(Location.SCHEDULE).extend(
        _job(200 + place, "scheduled", due_ms=START_MS + due) for place, due in enumerate((-1_500, 30_000, 3 * MINUTE))
    )
    shelf.at(Location.DEAD).extend(
        _job(300 + place, "dead", attempts=3, last_error=error)
        for place, error in enumerate(("SMTP 550: no such user", "SMTP 550: no such user", "timeout after 30 s"))
    )
    shelf.at(Location.HELD).append(_job(400, "awaiting_children"))
    shelf.at(Location.PENDING).append(Job(job_id(999), None, odd=(Odd.NO_ROW,)))
    shelf.rows[job_id(300)] = (("state", b"dead"), ("attempts", b"3"), ("last_error", b"SMTP 550: no such user"))
    shelf.logs[job_id(300)] = (b"connecting to mx.example.org", b"550 5.1.1 no such user")
    shelf.team = echomq_team()
    shelf.timetable = Timetable(
        (
            Scheduler("late", START_MS - 65_000, NextRun.REGISTERED, every_ms=MINUTE, payload_bytes=120),
            Scheduler("daily digest", START_MS + MINUTE, NextRun.REGISTERED, every_ms=1_440 * MINUTE, payload_bytes=2),
            Scheduler("lost", START_MS + 2 * MINUTE, NextRun.NO_RECORD),
        ),
        3,
    )
    return shelf


def echomq_team() -> Team:
    """A worker that waits, one that works, and one that waits for nobody knows what."""
    return Team(
        (
            Worker("7", Tie.NAME, "api-1", "10.0.0.4:51210", 93_600, 0, True, "redis-py 8.1.0"),
            Worker("9", Tie.NAME, None, "10.0.0.5:40112", 65, 42, False),
            Worker("12", Tie.WAIT, "consumer", "[fe80::1]:40113", 5, 1, True),
        ),
        unlisted=3,
    )


def bullmq_team() -> Team:
    """Two workers of one name, one that was killed, and jobs of nobody knows whom."""
    return Team(
        (
            Worker("7", Tie.NAME, "mailer", "10.0.0.4:51210", 93_600, 0, True, "ioredis 5.4.1", 3, 0, 2),
            Worker("8", Tie.NAME, "mailer", "10.0.0.5:51211", 93_000, 12, False, "ioredis 5.4.1", 3, 0, 2),
            Worker("killed ", Tie.GONE, "killed", holds=1, lapsed=1),
            Worker(" 7f3a09c1d2", Tie.LOCKS, "7f3a09c1d2", holds=2),
        ),
        active=900,
        looked_at=200,
    )


def bullmq_timetable() -> Timetable:
    """Series whose next runs are in every place."""
    day, now = 24 * 60 * MINUTE, START_MS
    old = Scheduler("old", now - day, NextRun.ENDED, "report", "0 3 * * *", zone="Europe/Amsterdam", runs=7)
    beat = Scheduler("beat", now - MINUTE, NextRun.PENDING, "tick", every_ms=MINUTE, runs=4_711, last_ms=now - MINUTE)
    sync = Scheduler("sync", now - 900, NextRun.ACTIVE, "sync", every_ms=5_000, runs=3, limit=9)
    sync = replace(sync, last_ms=now - 5_000, last_failed=True)
    nightly = Scheduler("nightly", now + day // 2, NextRun.SCHEDULE, "report", "0 3 * * *", zone="UTC", runs=12)
    md5 = Scheduler("5f3c0d", now + 30_000, NextRun.SCHEDULE)
    return Timetable((old, beat, sync, replace(nightly, ends_ms=now + 30 * day), md5), 230)


def minutes() -> Metrics:
    """Two hours of minutes in waves, a failure now and then; nothing in the last two minutes."""
    now = START_MS // MINUTE
    waves = tuple(30 + 25 * (number % 20) // 20 for number in range(120))
    return Metrics(
        Metric(123_456, now - 2, waves, 1_439),
        Metric(17, now - 30, tuple(3 * (at % 17 == 0) for at in range(90)), 1_439),
    )


def small_server() -> MemorySource:
    """Six queues, of both families."""
    mails = Shelf(MAILS, completed=900, failed=2, paused=True)
    mails.at(Location.PENDING).extend(_job(number, "pending") for number in range(500, 512))
    tenants = Shelf(TENANTS, completed=40)
    tenants.lanes = [
        Lane("GRP00000000001", 90_000, 1, 1, None, False, False),
        Lane("GRP00000000002", 12, 2, 4, 3, False, True),
        Lane("GRP00000000003", 7, 0, None, None, True, False),
    ]
    tenants.at(Location.ACTIVE).append(_job(600, "active", deadline_ms=START_MS + 12_000, group="GRP00000000001"))
    emails = Shelf(EMAILS, completed=55, failed=4)
    emails.at(Location.PENDING).extend(Job(str(number), payload=b"{}", payload_bytes=2) for number in range(1, 5))
    emails.team, emails.timetable, emails.metrics = bullmq_team(), bullmq_timetable(), minutes()
    source = MemorySource(
        orders(),
        mails,
        Shelf(IDLE),
        tenants,
        Shelf(BROKEN, error="WRONGTYPE Operation against a key holding the wrong kind of value"),
        emails,
    )
    source.server = Server(
        url="redis://127.0.0.1:6379",
        kind="valkey",
        version="9.1.2",
        mode="standalone",
        role="master",
        memory_bytes=12_300_000,
        memory_limit_bytes=0,
        eviction="noeviction",
        clients=9,
    )
    return source


def ail(source: MemorySource) -> None:
    """Make worse what a doctor looks at: a lane out of the ring, a job past its time, a policy that throws keys out."""
    source.shelves[TENANTS].lanes.append(LEFT_OUT)
    schedule = source.shelves[ORDERS].at(Location.SCHEDULE)
    schedule[0] = replace(schedule[0], due_ms=START_MS - 61_000)
    source.server = replace(source.server, eviction="allkeys-lru")
