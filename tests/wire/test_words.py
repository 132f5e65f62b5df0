"""Why a server cannot be reached: the same few words of either link."""

import asyncio
from collections.abc import Callable

import pytest

from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.errors import SourceError
from emqtop.wire.link import Link
from emqtop.wire.resp import ask_one
from tests.conftest import Hand
from tests.servers.certificates import Authority, Pair
from tests.servers.process import ServerProcess

DENIED = (
    "-DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the "
    "default user. In this mode connections are only accepted from the loopback interface. If you want to connect from "
    "external computers to Redis you may adopt one of the following solutions: 1) Just disable protected mode …\r\n"
)


async def words(url: str) -> set[str]:
    """What both links say, one after the other, each without a password."""

    async def asked() -> object:
        link = await Link.open(parse_address(url), timeout_s=1)
        try:
            return await link.run(ask_one("PING"))
        finally:
            await link.close()

    def bare() -> object:
        with BareLink(parse_address(url), timeout_s=1) as link:
            return link.run(ask_one("PING"))

    said = set()
    for ask in (asked, lambda: asyncio.to_thread(bare)):
        with pytest.raises(SourceError) as caught:
            await ask()
        said.add(str(caught.value))
    return said


CERTIFICATES: dict[str, tuple[Callable[[Authority], Pair], str, str]] = {
    "expired": (lambda made: made.expired, "127.0.0.1", "certificate has expired"),
    "of another host": (
        lambda made: made.elsewhere,
        "localhost",
        "Hostname mismatch, certificate is not valid for 'localhost'.",
    ),
    "of another address": (
        lambda made: made.elsewhere,
        "127.0.0.1",
        "IP address mismatch, certificate is not valid for '127.0.0.1'.",
    ),
}


@pytest.mark.parametrize("which", CERTIFICATES)
async def test_a_certificate_that_does_not_hold(authority: Authority, which: str) -> None:
    pick, host, reason = CERTIFICATES[which]
    pair = pick(authority)
    files = ("--tls-cert-file", str(pair.certificate), "--tls-key-file", str(pair.key))
    wanted = ("--tls-ca-cert-file", str(authority.ca), "--tls-auth-clients", "no")
    with ServerProcess("redis", (*files, *wanted), tls=True) as server:
        place = f"rediss://{host}:{server.port}"
        assert await words(f"{place}?ssl_ca_certs={authority.ca}") == {
            f"The server cannot be reached: {place}: certificate verify failed: {reason}"
        }


async def test_a_server_in_protected_mode() -> None:
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(DENIED.encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    (said,) = await words(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    server.close()
    await server.wait_closed()
    assert said.startswith("The server cannot be reached: DENIED Redis is running in protected mode because protected")
    assert said.endswith("and no password is set for the default user")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("?db=99", "ERR DB index is out of range"),
        ("?username=nobody&password=wr0ng", "WRONGPASS invalid username-password pair or user is disabled."),
    ],
)
async def test_a_login_that_is_refused(valkey: Hand, options: str, reason: str) -> None:
    assert await words(valkey.url + options) == {f"The server refuses the login: {reason}"}


async def test_a_login_where_the_server_was_told_to_forget_the_command_repeats_no_password() -> None:
    with ServerProcess("valkey", ("--rename-command", "AUTH", "", "--rename-command", "HELLO", "")) as server:
        said = await words(server.url.replace("://", "://:S3cret@"))
    assert said == {"The server refuses the login: ERR unknown command 'AUTH'"}
