"""The documents of --json, key for key."""

import json

import pytest

from emqtop.model.actions import Outcome, Reason, Skip, Verb
from emqtop.model.job import Job, JobDetail, Odd, Page
from emqtop.model.queue import Family, Lane, Location, Queue, QueueId
from emqtop.model.snapshot import Server, Snapshot
from emqtop.present import jsonout
from tests.corpus import HOSTILE, NAMES

NOW = 1_790_000_000_000
ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
JOB = "JOB0NgWEfAEJhZ"


def test_ls() -> None:
    queue = Queue(
        ORDERS, pending=12, lanes=3, active=4, schedule=7, dead=1, held=0, completed=900, failed=2, overdue=1, due=0,
        paused=False, next_deadline_ms=NOW - 2_100, oldest_pending_ms=NOW - 5_300,
    )  # fmt: skip
    server = Server(url="redis://127.0.0.1:6379", kind="valkey", version="9.1.2", mode="standalone", role="master")
    assert jsonout.ls(Snapshot(at_ms=NOW, server=server, queues=(queue, Queue(ORDERS, error="NOPERM \x1b")))) == {
        "at_ms": NOW,
        "clock": "server",
        "server": {"url": "redis://127.0.0.1:6379", "kind": "valkey", "version": "9.1.2", "mode": "standalone"},
        "queues": [
            {
                "family": "echomq",
                "prefix": "emq",
                "name": "orders",
                "pending": 12,
                "lanes": 3,
                "active": 4,
                "schedule": 7,
                "dead": 1,
                "held": 0,
                "completed": 900,
                "failed": 2,
                "overdue": 1,
                "due": 0,
                "paused": False,
                "next_lease_ms": -2_100,
                "oldest_pending_ms": 5_300,
                "error": None,
            },
            {
                "family": "echomq",
                "prefix": "emq",
                "name": "orders",
                "pending": None,
                "lanes": None,
                "active": None,
                "schedule": None,
                "dead": None,
                "held": None,
                "completed": None,
                "failed": None,
                "overdue": None,
                "due": None,
                "paused": None,
                "next_lease_ms": None,
                "oldest_pending_ms": None,
                "error": "NOPERM ␛",
            },
        ],
    }


def test_lanes() -> None:
    assert jsonout.lanes("orders", (Lane("GRP0NgWEfAEJhZ", 3, 1, 1, None, False, False),)) == {
        "queue": "orders",
        "lanes": [
            {
                "group": "GRP0NgWEfAEJhZ",
                "pending": 3,
                "active": 1,
                "limit": 1,
                "weight": None,
                "paused": False,
                "in_ring": False,
            }
        ],
    }


RUNNING = Job(
    JOB, "active", 2, NOW - 9_000, NOW - 2_100, None, "GRP0NgWEfAEJhZ", "boom\x1b", 120, b"\xff{", (Odd.STATE_DIFFERS,)
)
RUNNING_LINE = {
    "id": JOB,
    "state": "active",
    "attempts": 2,
    "minted_ms": NOW - 9_000,
    "lease_ms": -2_100,
    "due_ms": None,
    "group": "GRP0NgWEfAEJhZ",
    "last_error": "boom␛",
    "payload_bytes": 120,
    "payload": "\\xff{",
    "odd": ["state-differs"],
}


def test_jobs() -> None:
    page = Page(ORDERS, Location.ACTIVE, NOW, 4, 0, (RUNNING, Job(JOB)), "abc")
    assert jsonout.jobs(page) == {
        "queue": "orders",
        "location": "active",
        "total": 4,
        "next": "abc",
        "jobs": [RUNNING_LINE, dict.fromkeys(RUNNING_LINE) | {"id": JOB, "odd": []}],
    }


def test_job() -> None:
    fields = (("state", b"active", 6), ("pay\x1bload", b"\xff{", 120), ("none", b"", 0), ("film", b"", 70_000))
    detail = JobDetail(ORDERS, RUNNING, NOW, Location.ACTIVE, fields, (b"one", b"t\nwo"), 7, "JOBparent", None, 2)
    assert jsonout.job(detail) == {
        "queue": "orders",
        **RUNNING_LINE,
        "location": "active",
        "row": {"state": "active", "pay␛load": "\\xff{", "none": "", "film": None},
        "logs": ["one", "t␊wo"],
        "parent": "JOBparent",
        "waiting_for": 2,
    }


def test_act() -> None:
    done = Outcome(
        Verb.REAP, ORDERS, 3, 1, ("JOBa",), (Skip("JOBb", Reason.RENEWED, "lease has 58 s left"),), ("JOBc",), True
    )
    assert jsonout.act(done) == {
        "verb": "reap",
        "family": "echomq",
        "queue": "orders",
        "matched": 3,
        "moved": 1,
        "deferred": ["JOBa"],
        "skipped": [{"id": "JOBb", "reason": "renewed", "detail": "lease has 58 s left"}],
        "unknown": ["JOBc"],
        "stopped": True,
    }
    assert jsonout.act(Outcome(Verb.DEAD_LETTER, ORDERS, 2, dry_run=True)) == {
        "verb": "dead-letter",
        "family": "echomq",
        "queue": "orders",
        "matched": 2,
        "moved": 0,
        "deferred": [],
        "skipped": [],
        "unknown": [],
        "stopped": False,
        "dry_run": True,
    }


@pytest.mark.parametrize("raw", [*NAMES, *HOSTILE.values()])
def test_names_are_exact_and_what_is_written_is_plain_ascii(raw: bytes) -> None:
    name = raw.decode("utf-8", "surrogateescape")
    written = jsonout.dumps(jsonout.lanes(name, ()))
    assert all(" " <= sign <= "~" for sign in written)
    read = json.loads(written)["queue"]
    try:
        raw.decode()
    except UnicodeDecodeError:
        assert read == name.encode("utf-8", "backslashreplace").decode().replace("\\udc", "\\x")
    else:
        assert read == name
