"""The tail of the live source: who is heard, and what is said of those who are not."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from emqtop.model.queue import QueueId
from emqtop.sampling.live import Live
from emqtop.sampling.source import Event
from emqtop.settings import Secret, Settings
from emqtop.wire.errors import Unreachable
from tests.conftest import Hand
from tests.sampling.queues import bullmq, echomq, fill, settings
from tests.servers.users import as_user, user, withheld


async def next_event(events: AsyncIterator[Event]) -> Event:
    async with asyncio.timeout(10):
        return await anext(events)


async def test_events_of_both_families_are_told(live: Live, valkey: Hand) -> None:
    fill(valkey, 1)
    valkey("RPUSH", "bull:mail:wait", 1)
    valkey("XADD", "bull:mail:events", "*", "event", "old", "jobId", 1)
    await live.sample()
    events = live.events(())
    waiting = asyncio.create_task(next_event(events))
    async with asyncio.timeout(5):
        while not valkey("PUBLISH", "emq:{q0}:events", '{"event":"progress","job":"J","progress":"5"}'):
            await asyncio.sleep(0.01)
    told = await waiting
    assert (told.queue, told.name, told.job, told.extra) == (echomq("q0"), "progress", "J", (("progress", "5"),))
    valkey("XADD", "bull:mail:events", "*", "event", "failed", "jobId", 7, "failedReason", "boom")
    told = await next_event(events)
    assert (told.queue, told.name, told.job) == (bullmq("mail"), "failed", "7")
    assert told.extra == (("failedReason", "boom"),)
    await events.aclose()  # type: ignore[attr-defined]


async def test_a_queue_that_nobody_met_is_heard_at_once(live: Live, valkey: Hand) -> None:
    events = live.events(())
    waiting = asyncio.create_task(next_event(events))
    async with asyncio.timeout(5):
        while not valkey("PUBLISH", "emq:{a}b}:events", '{"event":"completed","job":"J"}'):
            await asyncio.sleep(0.01)
    assert (await waiting).queue == echomq("a}b")
    await events.aclose()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("rules", "limit"),
    [
        (("-psubscribe",), "PSUBSCRIBE is withheld: a new queue is heard once it is found"),
        (
            ("resetchannels", "&emq:{q1}:events"),
            "SUBSCRIBE is withheld for some channels, such as emq:{q0}:events: their events are not shown",
        ),
        (("resetchannels",), "SUBSCRIBE is withheld: events of EchoMQ queues are not shown"),
        (("-xrevrange",), "XREVRANGE is withheld: events of some BullMQ queues are not shown"),
    ],
    ids=["pattern", "some", "none", "streams"],
)
async def test_what_a_tail_may_not_hear_is_said_once_and_the_rest_is_heard(
    valkey: Hand, rules: tuple[str, ...], limit: str
) -> None:
    fill(valkey, 2)
    valkey("RPUSH", "bull:mail:wait", 1)
    said: list[str] = []
    live = Live(settings(valkey), on_limit=said.append)
    with user(valkey, "+publish", "&*") as login, withheld(valkey, *rules):
        speaker = Hand(as_user(valkey.url, *login))
        await live.sample()
        heard: list[QueueId] = []

        async def listen() -> None:
            async for event in live.events(()):
                heard.append(event.queue)  # noqa: PERF401 - it never ends

        listening = asyncio.create_task(listen())
        async with asyncio.timeout(5):
            while not said or not (heard or rules == ("resetchannels",)):
                speaker("PUBLISH", "emq:{q1}:events", '{"event":"progress","job":"J"}')
                await asyncio.sleep(0.01)
        speaker.link.close()
        assert said == [limit]
        assert (await live.sample()).limits == (limit,)
        assert set(heard) <= {echomq("q1")}
    listening.cancel()
    await asyncio.wait((listening,))
    await live.close()


async def test_queues_that_announce_without_a_pause_do_not_hide_a_stream(live: Live, valkey: Hand) -> None:
    fill(valkey, 1)
    valkey("RPUSH", "bull:mail:wait", 1)
    await live.sample()
    events = live.events(())
    first = asyncio.create_task(next_event(events))

    async def announce() -> None:
        while True:
            valkey("PUBLISH", "emq:{q0}:events", '{"event":"progress","job":"J"}')
            valkey("XADD", "bull:mail:events", "MAXLEN", 1, "*", "event", "failed", "jobId", 7)
            await asyncio.sleep(0.02)

    announcing = asyncio.create_task(announce())
    await first
    async with asyncio.timeout(10):
        while (await next_event(events)).queue != bullmq("mail"):
            pass
    announcing.cancel()
    await asyncio.wait((announcing,))
    await events.aclose()  # type: ignore[attr-defined]


async def test_events_of_a_server_that_is_not_there_say_so() -> None:
    live = Live(Settings(url=Secret("redis://127.0.0.1:1")))
    with pytest.raises(Unreachable):
        await anext(live.events((echomq("q"),)))
    await live.close()
