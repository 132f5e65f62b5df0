"""A blocking link over a plain socket of the standard library.

For the first numbers of the dashboard and for one-shot commands: redis-py costs 70 to 250 ms to import, which is more
than the whole answer. `wire.bare_client` finds the way to a master behind Sentinels or through a cluster with it.
"""

import math
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self, TypeVar

from emqtop.wire.address import Address
from emqtop.wire.errors import HUNG_UP, Frozen, LoginRefused, Unreachable, farewell, system_words
from emqtop.wire.resp import Ask, Burst, Conversation, Reply, ReplyError, drain, drive, pack, reader
from emqtop.wire.window import window

if TYPE_CHECKING:
    import ssl

T = TypeVar("T")

_CHUNK = 1 << 18


class BareLink:
    """One blocking connection.

    Args:
        address: where to connect and how to log in.
        timeout_s: how long to wait for the connection and for each answer, in seconds.

    Raises:
        Unreachable, LoginRefused, Frozen: on connecting.
    """

    def __init__(self, address: Address, timeout_s: float = 5.0) -> None:
        self.address = address
        self.commands = 0
        """Commands sent."""
        self.sent_bytes = 0
        """Bytes sent."""
        self.received_bytes = 0
        """Bytes received."""
        self.round_trips = 0
        """Times that this side waited for the other."""
        self.rtt_ms = math.inf
        """Shortest time from an ask to the last of its answers, ms."""
        self._timeout_s = timeout_s
        self._reader = reader()
        self._arrived: list[Reply] = []
        self._socket = _connect(address, timeout_s)
        self._socket.setblocking(False)
        self._login(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; harmless when done twice."""
        self._socket.close()

    def run(self, conversation: Conversation[T], timeout_s: float | None = None) -> T:
        """Hold a conversation to its end and return its result.

        Args:
            conversation: what to ask.
            timeout_s: how long to wait for each answer, in seconds; None: the link's own.

        Raises:
            Frozen: no answer in time; the link is closed, since a late answer would be taken for the next one's.
            Unreachable: the connection broke.
            LoginRefused: the server wants a login.
        """
        return drive(conversation, lambda ask: self.stream([ask], timeout_s)[0])

    def hold(self, burst: Burst[T], timeout_s: float | None = None) -> T:
        """Hold a burst to its end; raises as `run` does."""
        return drive(burst, lambda asks: self.stream(asks, timeout_s))

    def stream(self, asks: Sequence[Ask], timeout_s: float | None = None) -> list[list[Reply]]:
        """Send independent asks, as many in flight as the distance to the server wants; raises as `run` does."""
        try:
            return self._stream(asks, self._timeout_s if timeout_s is None else timeout_s)
        except TimeoutError:
            self.close()
            raise Frozen from None
        except OSError as error:
            self.close()
            raise Unreachable(system_words(error)) from None

    def _stream(self, asks: Sequence[Ask], timeout_s: float) -> list[list[Reply]]:
        most = window(self.rtt_ms)
        answers: list[list[Reply]] = []
        in_flight: deque[tuple[int, float]] = deque()
        waiting = deque(asks)
        unsent = memoryview(b"")
        while waiting or in_flight:
            while waiting and len(in_flight) < most:
                ask = waiting.popleft()
                in_flight.append((ask.replies, time.perf_counter()))
                unsent = memoryview(bytes(unsent) + ask.payload) if unsent else memoryview(ask.payload)
                self.commands += ask.replies
            wanted, asked_at = in_flight.popleft()
            unsent = self._exchange(unsent, wanted, timeout_s)
            if wanted:
                self.rtt_ms = min(self.rtt_ms, (time.perf_counter() - asked_at) * 1000)
            answers.append(self._arrived[:wanted])
            del self._arrived[:wanted]
        return answers

    def _exchange(self, unsent: memoryview, wanted: int, timeout_s: float) -> memoryview:
        """Write while reading, until the wanted replies are there; returns what is still unsent.

        A server or proxy that stops reading until its answers are taken would lock up a link that writes first.
        """
        deadline = time.monotonic() + timeout_s
        self.round_trips += 1
        while True:
            # A command without replies still has to leave.
            if len(self._arrived) >= wanted and (wanted or not unsent):
                return unsent
            unsent = self._write(unsent)
            if not self._read() and not self._wait(bool(unsent), deadline):
                raise TimeoutError

    def _write(self, unsent: memoryview) -> memoryview:
        if not unsent:
            return unsent
        try:
            sent = self._socket.send(unsent)
        except _would_block():
            return unsent
        self.sent_bytes += sent
        return unsent[sent:]

    def _read(self) -> bool:
        try:
            chunk = self._socket.recv(_CHUNK)
        except _would_block():
            return False
        if not chunk:
            raise ConnectionResetError(HUNG_UP)
        self.received_bytes += len(chunk)
        self._reader.feed(chunk)
        self._arrived += drain(self._reader)
        if self._arrived and (last := farewell(self._arrived[0])) is not None:
            self.close()
            raise last
        return True

    def _wait(self, writes: bool, deadline: float) -> bool:
        left = deadline - time.monotonic()
        poll = select.poll()
        poll.register(self._socket, select.POLLIN | (select.POLLOUT if writes else 0))
        return left > 0 and bool(poll.poll(left * 1000))

    def _login(self, address: Address) -> None:
        for commands in _login_commands(address):
            (replies,) = self.stream([Ask(commands, 1)])
            if isinstance(replies[0], ReplyError):
                self.close()
                raise LoginRefused(str(replies[0]))


def _login_commands(address: Address) -> Iterable[bytes]:
    if address.password is not None:
        user = (address.username,) if address.username else ()
        yield pack("AUTH", *user, address.password.reveal())
    if address.db:
        yield pack("SELECT", address.db)


def _would_block() -> tuple[type[OSError], ...]:
    """What a socket raises instead of blocking; those of an encrypted one only where `ssl` was needed."""
    tls = sys.modules.get("ssl")
    return (BlockingIOError, *((tls.SSLWantReadError, tls.SSLWantWriteError) if tls is not None else ()))


def _connect(address: Address, timeout_s: float) -> socket.socket:
    link: socket.socket | None = None
    try:
        if address.path is not None:
            link = socket.socket(socket.AF_UNIX)
            link.settimeout(timeout_s)
            link.connect(address.path)
            return link
        link = socket.create_connection((address.host, address.port), timeout_s)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _tls(address).wrap_socket(link, server_hostname=address.host) if address.tls else link
    except OSError as error:
        if link is not None:
            link.close()
        reason = "no connection in time" if isinstance(error, TimeoutError) else system_words(error)
        raise Unreachable(f"{address.label}: {reason}") from None


def _tls(address: Address) -> "ssl.SSLContext":
    # 40 ms of import that only an encrypted connection pays.
    import ssl

    wanted = address.certificates
    context = ssl.create_default_context(cafile=wanted.ca_certs)
    if wanted.certfile is not None:
        context.load_cert_chain(wanted.certfile, wanted.keyfile)
    if wanted.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
