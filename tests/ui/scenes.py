"""Queues to look at: a small server with everything that can be seen on it.

`python -m tests.ui.play` shows them on the terminal.
"""

from emqtop.model.job import Job, Odd
from emqtop.model.queue import Family, Lane, Location, QueueId
from emqtop.model.snapshot import Server
from emqtop.sampling.memory import START_MS, MemorySource, Shelf

MINUTE = 60_000
ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
MAILS = QueueId(Family.ECHOMQ, "emq", "mails")
IDLE = QueueId(Family.ECHOMQ, "emq", "idle")
TENANTS = QueueId(Family.ECHOMQ, "emq", "tenants")
BROKEN = QueueId(Family.ECHOMQ, "emq", "broken")
EMAILS = QueueId(Family.BULLMQ, "bull", "{emails}")


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
    return shelf


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
