"""The tail of events: it ends when it is told to, whatever comes along."""

import asyncio

import pytest

from emqtop.model.queue import Family, QueueId
from emqtop.sampling.announcements import Tail
from emqtop.sampling.source import Event
from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from tests.conftest import Hand

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
TOLD = Event(1, ORDERS, "completed", None)


async def test_a_cancellation_that_comes_along_with_an_event_is_heard(valkey: Hand) -> None:
    client = Client(parse_address(valkey.url))
    tail = Tail(client, lambda: (ORDERS,))
    events = tail.events()
    task = asyncio.create_task(anext(events))  # type: ignore[arg-type]
    async with asyncio.timeout(5):
        while not tail._waiting._getters:  # type: ignore[attr-defined]
            await asyncio.sleep(0)
    tail._put(TOLD)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await client.close()


async def test_a_slow_reader_gets_the_newest(valkey: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emqtop.sampling.announcements.MOST_WAITING", 3)
    client = Client(parse_address(valkey.url))
    tail = Tail(client, lambda: ())
    for number in range(5):
        tail._put(Event(number, ORDERS, "completed", None))
    events = tail.events()
    assert [(await anext(events)).at_ms for _ in range(3)] == [2, 3, 4]
    await events.aclose()  # type: ignore[attr-defined]
    await client.close()
