"""Plain tables: aligned for people, one row a line for awk, no control byte."""

import pytest

from emqtop.model.actions import Outcome, Reason, Skip, Verb
from emqtop.model.job import Job, JobDetail, Odd
from emqtop.model.queue import Family, Lane, Location, QueueId
from emqtop.present import plain
from emqtop.present.job_columns import job_columns
from emqtop.present.job_rows import JobRow
from emqtop.present.lane_columns import LANES
from emqtop.text import cells
from tests.corpus import HOSTILE, unsafe

NOW = 1_790_000_000_000
ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
JOB = "JOB0NgWEfAEJhZ"


def test_a_table_is_aligned_and_has_the_same_number_of_words_in_every_line() -> None:
    lanes = [
        Lane("GRP0NgWEfAEJhZ", 3, 1, 1, None, False, False),
        Lane("順番", 123_456, 0, None, 2, True, False),
    ]
    assert list(plain.table(LANES, lanes, NOW)) == [
        "S  LANE            PEND  ACTIVE  LIMIT  WEIGHT  RING",
        "=  GRP0NgWEfAEJhZ     3       1      1       -  at its limit",
        "P  順番            123k       0      -       2  paused",
    ]


@pytest.mark.parametrize("width", [20, 80, 120])
@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_values_keep_the_columns(value: bytes, width: int) -> None:
    text = value.decode("utf-8", "surrogateescape")
    job = Job(text, state=text, group=text, last_error=text, payload=value)
    rows = [JobRow(job, Location.DEAD), JobRow(Job(JOB), Location.DEAD)]
    columns = job_columns(Location.DEAD, Family.ECHOMQ)
    fitted = list(plain.table(columns, rows, NOW, width))
    assert len(fitted) == 3
    assert all(cells(line) <= width for line in fitted)
    assert not unsafe("".join([*fitted, *plain.table(columns, rows, NOW)]))


def test_a_job_is_told_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(JOB, "dead", 3, NOW, None, None, None, "boom", 5 << 20, None, (Odd.STATE_DIFFERS,))
    fields = (("state", b"dead", 4), ("payload", b"{\x1b", 5 << 20))
    detail = JobDetail(ORDERS, job, NOW, Location.DEAD, fields, (b"t\nwo",), 7, "JOBparent", "other", 2)
    assert list(plain.job(detail, utc=True)) == [
        "job          JOB0NgWEfAEJhZ",
        "queue        orders",
        "location     dead",
        "state        dead",
        "attempts     3",
        "minted       2026-09-21T14:13:20+00:00",
        "parent       JOBparent in other",
        "waiting for  2 children",
        "odd          state-differs: its row names another state",
        "row.state  dead",
        "row.payload  {␛ … 5.0M in all",
        "log  t␊wo",
        "log  … 7 lines in all, the newest shown",
    ]


@pytest.mark.parametrize(
    ("deadline_ms", "said"), [(NOW + 58_000, "lease     58s left"), (NOW - 2_100, "lease     2.1s overdue")]
)
def test_a_lease_is_told_by_the_time_it_has(deadline_ms: int, said: str) -> None:
    assert said in plain.job(JobDetail(ORDERS, Job(JOB, deadline_ms=deadline_ms), NOW, Location.ACTIVE))


def test_an_outcome_is_told_in_words() -> None:
    done = Outcome(Verb.REAP, ORDERS, 4, 2, (), (Skip("JOBb", Reason.RENEWED, "lease has 58 s left"),), ("JOBc",), True)
    assert list(plain.outcome(done)) == [
        "reap orders: moved 2 of 4, skipped 1, unknown 1, stopped",
        "JOBb  renewed  lease has 58 s left",
        "JOBc  unknown  sent, and no answer came",
    ]
