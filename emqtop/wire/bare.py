"""A blocking link over a plain socket of the standard library.

For the first numbers of the dashboard and for one-shot commands on an ordinary server: redis-py costs 70 to 250 ms to
import, which is more than the whole answer. TLS with own certificates, Sentinel and Cluster are redis-py's job
(`wire.client`).
"""

import socket
from types import TracebackType
from typing import Self, TypeVar

from emqtop.wire.address import Address
from emqtop.wire.errors import Frozen, LoginRefused, Unreachable
from emqtop.wire.resp import Ask, Conversation, Reply, ReplyError, pack, reader

T = TypeVar("T")

_CHUNK = 65536


class BareLink:
    """One blocking connection.

    Args:
        address: a server without TLS.
        timeout_s: how long to wait for the connection and for each answer, in seconds.

    Raises:
        Unreachable, LoginRefused, Frozen: on connecting.
    """

    def __init__(self, address: Address, timeout_s: float = 5.0) -> None:
        self._reader = reader()
        self._socket = _connect(address, timeout_s)
        self._login(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; harmless when done twice."""
        self._socket.close()

    def run(self, conversation: Conversation[T]) -> T:
        """Hold a conversation to its end and return its result.

        Raises:
            Frozen: no answer in time; the link is closed, since a late answer would be taken for the next one's.
            Unreachable: the connection broke.
        """
        try:
            ask = next(conversation)
            while True:
                ask = conversation.send(self._exchange(ask))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def _exchange(self, ask: Ask) -> list[Reply]:
        try:
            self._socket.sendall(ask.payload)
            return [self._next_reply() for _ in range(ask.replies)]
        except TimeoutError:
            self.close()
            raise Frozen from None
        except OSError as error:
            self.close()
            raise Unreachable(error.strerror or str(error)) from None

    def _next_reply(self) -> Reply:
        while (reply := self._reader.gets()) is False:
            chunk = self._socket.recv(_CHUNK)
            if not chunk:
                raise ConnectionResetError("the server hung up")
            self._reader.feed(chunk)
        return reply  # type: ignore[no-any-return]

    def _login(self, address: Address) -> None:
        commands = []
        if address.password is not None:
            user = (address.username,) if address.username else ()
            commands.append(pack("AUTH", *user, address.password.reveal()))
        if address.db:
            commands.append(pack("SELECT", address.db))
        for reply in self._exchange(Ask(b"".join(commands), len(commands))):
            if isinstance(reply, ReplyError):
                self.close()
                raise LoginRefused(str(reply))


def _connect(address: Address, timeout_s: float) -> socket.socket:
    try:
        if address.path is not None:
            link = socket.socket(socket.AF_UNIX)
            link.settimeout(timeout_s)
            link.connect(address.path)
        else:
            link = socket.create_connection((address.host, address.port), timeout_s)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        raise Unreachable(f"{address.label}: {error.strerror or error}") from None
    return link
