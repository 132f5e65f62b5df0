"""A worker that still holds a job which the operator took away: EMQSTALE in every word, and nothing changes."""

from collections.abc import Callable

import pytest

from emqtop.model.actions import Seen
from emqtop.model.queue import Location
from emqtop.wire.echomq import lanes, lifecycle, operator, recovery
from emqtop.wire.echomq.refusals import StaleToken
from emqtop.wire.resp import Conversation
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import GROUP, KEYS, Stage, job

LEASE_MS = 3_600_000
JOB = job(1)

WORDS: dict[str, Callable[[int], Conversation[object]]] = {
    "complete": lambda token: lifecycle.complete(KEYS, JOB, token),
    "retry": lambda token: lifecycle.retry(KEYS, JOB, token, "late", delay_ms=0, attempts=9),
    "retry at the cap": lambda token: lifecycle.retry(KEYS, JOB, token, "late", delay_ms=0, attempts=1),
    "extend": lambda token: recovery.extend(KEYS, JOB, token, LEASE_MS),
    "delay": lambda token: lifecycle.delay_in(KEYS, JOB, token, 0),
}
TAKEN = {
    "reap --force": lambda seen: operator.reap(KEYS, [seen], force=True),
    "dead-letter --force": lambda seen: operator.dead_letter(KEYS, [seen], "by hand", force=True),
}


@pytest.mark.parametrize("group", [None, GROUP], ids=["flat", "lane"])
@pytest.mark.parametrize("revived", [False, True], ids=["once", "requeued"])
@pytest.mark.parametrize("act", TAKEN)
@pytest.mark.parametrize("word", WORDS)
def test_a_late_holder(valkey: Hand, word: str, act: str, revived: bool, group: str | None) -> None:
    stage, run = Stage(valkey), valkey.link.run
    if group is None:
        run(lifecycle.enqueue(KEYS, JOB, b"cargo"))
        claim = run(lifecycle.claim(KEYS, LEASE_MS))
    else:
        run(lanes.enqueue_grouped(KEYS, group, JOB, b"cargo"))
        claim = run(lanes.claim_lane(KEYS, LEASE_MS))
    assert claim is not None
    (taken,) = run(TAKEN[act](Seen(JOB, Location.ACTIVE, claim.token)))
    assert taken.done
    if revived and act.startswith("dead-letter"):
        (back,) = run(operator.requeue(KEYS, [Seen(JOB, Location.DEAD, claim.token + 1)]))
        assert back.done
    before = stage.dump()
    with pytest.raises(StaleToken):
        run(WORDS[word](claim.token))
    assert stage.dump() == before
    assert before.get("gactive") is None


def test_a_reap_of_an_expired_lease_leaves_the_token(valkey: Hand) -> None:
    run = valkey.link.run
    run(lifecycle.enqueue(KEYS, JOB, b"cargo"))
    claim = run(lifecycle.claim(KEYS, 0))
    assert claim is not None
    (reaped,) = run(operator.reap(KEYS, [Seen(JOB, Location.ACTIVE, claim.token)]))
    assert (reaped.done, run(lifecycle.complete(KEYS, JOB, claim.token))) == (True, lifecycle.Settled.DONE)
    assert set(Stage(valkey).dump()) == {"metrics:completed", "wake"}


def test_a_lane_at_its_limit_is_served_again_after_its_job_was_taken(valkey: Hand) -> None:
    run = valkey.link.run
    run(operator.set_limit(KEYS, GROUP, 1))
    for number in (1, 2):
        run(lanes.enqueue_grouped(KEYS, GROUP, job(number), b"cargo"))
    first = run(lanes.claim_lane(KEYS, LEASE_MS))
    assert (first and first.id, run(lanes.claim_lane(KEYS, LEASE_MS))) == (job(1), None)
    run(operator.dead_letter(KEYS, [Seen(job(1), Location.ACTIVE, 1)], "stuck", force=True))
    second = run(lanes.claim_lane(KEYS, LEASE_MS))
    assert second is not None
    assert second.id == job(2)
