"""The demo's queues of the BullMQ family on a real server."""

import time
from collections.abc import Callable

from emqtop.demo.bull_queues import BOOKS, INVOICES, MAIL, NAMES, NEWSLETTER, VIDEO
from emqtop.demo.workload import Workload
from emqtop.wire.bullmq.counts import counts
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.numbers import Counts
from tests.conftest import Hand


def test_every_queue_shows_what_it_is_for(valkey: Hand) -> None:
    def look(name: str) -> Counts:
        return valkey.link.run(counts(QueueKeys("bull", name), 0))

    def until(condition: Callable[[], object]) -> None:
        while not condition():
            workload.poll()
            time.sleep(0.05)

    with Workload(valkey.url, rate=200, reaper=False, bullmq=True) as workload:
        until(lambda: all(look(name).pending is not None and look(name).error is None for name in NAMES))
        until(lambda: look(MAIL).completed and look(MAIL).dead)
        until(lambda: look(INVOICES).schedule and look(INVOICES).completed)
        until(lambda: look(NEWSLETTER).pending and look(NEWSLETTER).paused)
        until(lambda: look(BOOKS).completed)
        until(lambda: look(VIDEO).overdue)
    valkey("FLUSHALL")
