"""The demo's queues of the BullMQ family on a real server."""

import time
from collections.abc import Callable
from typing import TypeVar

from emqtop.demo.bull_queues import BOOKS, INVOICES, MAIL, NAMES, NEWSLETTER, VIDEO
from emqtop.demo.workload import Workload
from emqtop.wire.bullmq.counts import counts
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.metrics import metrics
from emqtop.wire.bullmq.schedulers import schedulers
from emqtop.wire.bullmq.workers import workers
from emqtop.wire.numbers import Counts
from emqtop.wire.resp import Conversation
from tests.conftest import Hand

T = TypeVar("T")


def test_every_queue_shows_what_it_is_for(valkey: Hand) -> None:
    def look(name: str) -> Counts:
        return valkey.link.run(counts(QueueKeys("bull", name), 0))

    def ask(conversation: Conversation[T]) -> T:
        return valkey.link.run(conversation)

    mail = QueueKeys("bull", MAIL)

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
        until(lambda: [one.name for one in ask(workers(mail)) or ()] == [b"demo-mail"])
        until(lambda: [one.id for one in ask(schedulers(mail)).schedulers if one.last_ms] == [b"probe"])
        until(lambda: ask(metrics(mail)).completed.counted_ms)
        (digest,) = ask(schedulers(QueueKeys("bull", NEWSLETTER))).schedulers
        assert (digest.id, digest.every_ms, digest.next_lies in {"schedule", "pending"}) == (b"digest", 15_000, True)
    valkey("FLUSHALL")
