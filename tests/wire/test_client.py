"""The whole server: acts and pages each on a link of their own."""

import asyncio

import pytest

from emqtop.wire.address import parse_address
from emqtop.wire.client import Client
from emqtop.wire.errors import Unreachable
from emqtop.wire.resp import ask_one
from tests.conftest import Hand


async def test_an_act_does_not_wait_for_a_page(valkey: Hand) -> None:
    client = await Client.open(parse_address(valkey.url))
    page = asyncio.create_task(client.read(ask_one("BLPOP", "queue", 30)))
    assert await client.run(ask_one("RPUSH", "queue", "job")) == 1
    assert await page == [b"queue", b"job"]
    await client.close()


async def test_links_are_named_for_what_they_do(valkey: Hand) -> None:
    client = await Client.open(parse_address(valkey.url))
    await client.read(ask_one("PING"))
    listed = bytes(valkey("CLIENT", "LIST"))  # type: ignore[arg-type]
    assert b"name=emqtop-act " in listed
    assert b"name=emqtop-page " in listed
    await client.close()
    await client.close()


async def test_a_server_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(Unreachable):
        await Client.open(parse_address("redis://127.0.0.1:1"))


async def test_one_server_is_one_node(valkey: Hand) -> None:
    address = parse_address(valkey.url)
    client = await Client.open(address)
    assert client.nodes == (address,)
    await client.close()
