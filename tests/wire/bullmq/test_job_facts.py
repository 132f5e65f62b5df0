"""What a BullMQ job tells of itself: lock, holder, attempts, doom."""

import pytest

from emqtop.wire.bullmq.detail import detail
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull

Write = tuple[str | int, ...]

CASES: dict[str, tuple[list[Write], str]] = {
    "alive": ([("SET", "1:lock", "w:1", "PX", 30_000)], "30 s left"),
    "late": ([("SET", "1:lock", "w:1", "PX", 30_000), ("SADD", "stalled", "1")], "30 s left, its renewal is due"),
    "endless": ([("SET", "1:lock", "w:1")], "has no end: a foreign write, which nobody but an operator takes back"),
    "unwatched": ([], "none, and no worker checks for stalled jobs: it stays until one starts or an operator reaps it"),
    "to be listed": (
        [("SET", "stalled-check", 1, "PX", 12_000)],
        "none; the next check lists it in 12 s, the one after takes it back",
    ),
    "listed": (
        [("SET", "stalled-check", 1, "PX", 12_000), ("SADD", "stalled", "1")],
        "none; the next check takes the job back in 12 s",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_lock_of_a_running_job(valkey: Hand, case: str) -> None:
    writes, words = CASES[case]
    bull = Bull(valkey)
    bull.active("1")
    for verb, part, *rest in writes:
        bull.put(str(verb), str(part), *rest)
    found = bull.ask(detail(bull.keys, "1"))
    assert found is not None
    assert dict(found.facts)["lock"] == words


@pytest.mark.parametrize(
    ("fields", "facts"),
    [
        ({}, []),
        ({"ats": 3, "atm": 1, "stc": 2}, [("starts", "3; attempts made 1"), ("stalled", "2 times")]),
        ({"pb": "mailer"}, [("last run by", "mailer")]),
        ({"defa": "given up"}, [("next claim", "fails it without running it: given up")]),
        (
            {"priority": 3, "rjk": "nightly", "deid": "d"},
            [("priority", "3"), ("scheduler", "nightly"), ("deduplication", "d")],
        ),
        ({"priority": 0}, []),
    ],
)
def test_what_a_job_tells(valkey: Hand, fields: dict[str, str | int], facts: list[tuple[str, str]]) -> None:
    bull = Bull(valkey)
    bull.failed("1", **({"ats": "", "atm": ""} | fields))
    for name in ("ats", "atm"):
        if name not in fields:
            bull.put("HDEL", "1", name)
    found = bull.ask(detail(bull.keys, "1"))
    assert found is not None
    assert list(found.facts) == facts


def test_who_holds_it(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.active("1", "0f3a:7", pb="mailer")
    found = bull.ask(detail(bull.keys, "1"))
    assert found is not None
    assert ("held by", "mailer (0f3a)") in found.facts
