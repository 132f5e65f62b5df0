"""A history in a run of glyphs."""

import pytest

from emqtop.model.history import History
from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.snapshot import Snapshot
from emqtop.present.trend import run, trend

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([], ""),
        ([0.0, 0.0], "▁▁"),
        ([None, 0.0, 1.0], " ▁█"),
        ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], "▁▂▃▄▅▆▇█"),
        ([700.0, 100.0], "█▂"),
        ([-1.0, 2.0], "▁█"),
    ],
)
def test_run(values: list[float | None], shown: str) -> None:
    assert run(values) == shown


def test_a_trend_shows_whole_steps_alone() -> None:
    past = History()
    for second in range(1_000, 1_040):
        waiting = {100: 10, 101: 20, 102: 40, 103: 999}[second // 10]
        past.add(Snapshot(at_ms=second * 1_000, queues=(Queue(ORDERS, pending=waiting),)), {}, {ORDERS})
        if second >= 1_030:
            assert trend(past, ORDERS) == "     ▃▅█"
    for second in range(1_040, 1_120):
        past.add(Snapshot(at_ms=second * 1_000, queues=(Queue(ORDERS, pending=999),)), {}, {ORDERS})
    assert trend(past, ORDERS) == " " * 8
