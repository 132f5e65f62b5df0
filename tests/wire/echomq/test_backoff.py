"""How long a job that failed waits for its next attempt, ms."""

import random

import pytest

from emqtop.wire.echomq.backoff import Backoff, exponential, fixed, jittered


@pytest.mark.parametrize(
    ("backoff", "delays"),
    [
        (fixed(7), [7, 7, 7, 7]),
        (exponential(100, 500), [100, 200, 400, 500]),
        (jittered(fixed(0), random.Random(1)), [0, 0, 0, 0]),
    ],
    ids=["fixed", "exponential", "jittered"],
)
def test_backoff(backoff: Backoff, delays: list[int]) -> None:
    assert [backoff(attempts) for attempts in (1, 2, 3, 4)] == delays


def test_jitter_takes_up_to_the_whole_delay() -> None:
    backoff = jittered(exponential(10, 1_000), random.Random(5))
    drawn = {backoff(2) for _ in range(1_000)}
    assert drawn == set(range(21))
