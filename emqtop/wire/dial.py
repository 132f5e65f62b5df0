"""Asking redis-py for a logged-in connection, and what its refusals mean."""

import asyncio
import os
from typing import Any

from redis.asyncio import Connection, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError, ResponseError

from emqtop.wire.address import Address
from emqtop.wire.errors import Frozen, LoginRefused, SourceError, Unreachable, farewell, system_words
from emqtop.wire.resp import ReplyError, refusal

_WITH_LOGIN = 1.1
"""How much longer than the connection both may take, so that it is known which of the two was waited for in vain."""


async def dial(address: Address, timeout_s: float, *, resp3: bool = False) -> AbstractConnection:
    """Connect and log in; RESP2 where the server knows no RESP3.

    Args:
        address: where, and as whom.
        timeout_s: how long the connection may take, and with the login hardly longer, in seconds.
        resp3: ask for RESP3.

    Raises:
        Unreachable, LoginRefused, Frozen: it did not work.
    """
    connection = _connection(address, timeout_s, 3 if resp3 else 2)
    try:
        async with asyncio.timeout(timeout_s * _WITH_LOGIN):
            await connection.connect()  # type: ignore[no-untyped-call]
    except TimeoutError:
        raise Frozen(address.label) from None
    except RedisError as raised:
        # On a unix socket redis-py wraps what the handshake raised.
        error = raised.__cause__ if isinstance(raised.__cause__, RedisError) else raised
        if resp3 and isinstance(error, ResponseError) and not isinstance(error, AuthenticationError):
            return await dial(address, timeout_s)
        raise _reason(error, address) from None
    except OSError as error:
        raise Unreachable(f"{address.label}: {system_words(error)}") from None
    return connection


def _connection(address: Address, timeout_s: float, protocol: int) -> AbstractConnection:
    options: dict[str, Any] = {
        "db": address.db,
        "username": address.username,
        "password": address.password.reveal() if address.password is not None else None,
        # Its own deadline makes a task of each write, and swallows a cancellation that comes while one ends.
        "socket_timeout": None,
        "socket_connect_timeout": timeout_s,
        "protocol": protocol,
        # Neither a second login nor a command is ever tried by itself.
        "retry": Retry(NoBackoff(), 0),
        "driver_info": None,
    }
    if address.path is not None:
        return UnixDomainSocketConnection(path=address.path, **options)
    options |= {"host": address.host, "port": address.port}
    if not address.tls:
        return Connection(**options)
    tls = address.certificates
    return SSLConnection(
        ssl_ca_certs=tls.ca_certs,
        ssl_certfile=tls.certfile,
        ssl_keyfile=tls.keyfile or tls.certfile,
        ssl_cert_reqs="none" if tls.insecure else "required",
        ssl_check_hostname=not tls.insecure,
        **options,
    )


def said_by(error: RedisError) -> ReplyError:
    """What the server said that redis-py made this of."""
    return refusal(f"{error.status_code} {error}" if error.status_code else str(error))


def _reason(error: RedisError, address: Address) -> SourceError:
    said = said_by(error)
    if (last := farewell(said)) is not None:
        return last
    if isinstance(error, (AuthenticationError, NoPermissionError, ResponseError)):
        return LoginRefused(str(said))
    if str(error) == "Invalid Database":
        return LoginRefused(str(error))
    return Unreachable(f"{address.label}: {_detail(error)}")


def _detail(error: RedisError) -> str:
    """What the system says, where that is known; redis-py and asyncio wrap it twice and repeat the address."""
    if str(error).startswith("Timeout connecting"):
        return "no connection in time"
    cause = error.__context__
    if not isinstance(cause, OSError) or cause.errno is None or cause.strerror is None:
        return str(error)
    return os.strerror(cause.errno) if cause.strerror.startswith("Connect call failed") else system_words(cause)
