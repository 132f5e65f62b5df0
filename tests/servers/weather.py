"""A loopback proxy between a client and a server that makes the weather: distance, loss, thin lines, dead lines."""

import asyncio
import contextlib
import random
import socket
import struct
import threading
from collections.abc import Callable
from typing import Self

_CHUNK = 1 << 16
_RESET = struct.pack("ii", 1, 0)
_LOST_MS = 200.0
"""What a lost packet costs: the shortest wait of Linux before it is sent again."""


class Weather:
    """A TCP port of 127.0.0.1 that leads to a server; fair at first.

    Every public attribute may be changed at any time, from any thread, and counts for the bytes that come from then on.

    Args:
        target: port of 127.0.0.1, or path of a unix socket, that it leads to.
        rtt_ms: see the attribute.
    """

    def __init__(self, target: int | str, rtt_ms: float = 0.0) -> None:
        self.rtt_ms = rtt_ms
        """What the way there and back takes."""
        self.loss = 0.0
        """Share of chunks whose packet is lost and sent again, 0 to 1: it and all behind it come later."""
        self.bytes_a_second = 0.0
        """How much goes through each way; 0: as much as comes."""
        self.connections = 0
        """Connections accepted so far."""
        self.to_server = 0
        """Bytes that reached the server."""
        self.to_client = 0
        """Bytes that reached clients."""
        self._target = target
        self._flowing = threading.Event()
        self._flowing.set()
        self._lines: set[_Line] = set()
        self._dice = random.Random(7)
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self.port = 0
        self._thread = threading.Thread(target=self._loop.run_forever, name="weather", daemon=True)
        self._thread.start()
        self.port = self._call(self._listen)

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"redis://127.0.0.1:{self.port}"

    def stall(self) -> None:
        """Nothing goes through, either way, nobody is told, new connections are accepted (a half-open line)."""
        self._flowing.clear()

    def flow(self) -> None:
        """What waits goes through again."""
        self._flowing.set()

    def cut(self) -> None:
        """Reset every connection; new ones are accepted."""

        async def cut() -> None:
            for line in list(self._lines):
                line.reset()

        self._call(cut)

    def vanish(self) -> None:
        """Forget every connection without telling either side, as a firewall does: later bytes are swallowed."""
        for line in list(self._lines):
            line.swallows = True

    def refuse(self) -> None:
        """Cut everything, and refuse new connections until `accept`."""

        async def refuse() -> None:
            if self._server is not None:
                self._server.close()

        self._call(refuse)
        self.cut()

    def accept(self) -> None:
        """Listen again, at the same port."""
        self._call(self._listen)

    def close(self) -> None:
        """End it; harmless when done twice."""
        if not self._thread.is_alive():
            return

        async def end() -> None:
            if self._server is not None:
                self._server.close()
            for line in list(self._lines):
                line.reset()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self._call(end)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, coroutine: Callable[[], object]) -> int:
        return asyncio.run_coroutine_threadsafe(coroutine(), self._loop).result(10)  # type: ignore[arg-type]

    async def _listen(self) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            if isinstance(self._target, str):
                far_reader, far_writer = await asyncio.open_unix_connection(self._target)
            else:
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        line = _Line(writer, far_writer)
        self._lines.add(line)
        try:
            # The end of the proxy cancels this; asyncio's own callback would complain of it.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(self._carry(line, reader, far_writer, 0), self._carry(line, far_reader, writer, 1))
        finally:
            self._lines.discard(line)
            line.end()

    async def _carry(self, line: "_Line", source: asyncio.StreamReader, sink: asyncio.StreamWriter, side: int) -> None:
        """One way of a connection: what is read is delivered when its time has come, in order."""
        on_the_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(maxsize=1024)
        delivery = asyncio.create_task(self._deliver(line, on_the_way, sink, side))
        clock, free_at = self._loop.time, 0.0
        with contextlib.suppress(OSError):
            while chunk := await source.read(_CHUNK):
                await self._may_flow()
                free_at = max(free_at, clock()) + (len(chunk) / self.bytes_a_second if self.bytes_a_second else 0.0)
                if self.loss and self._dice.random() < self.loss:
                    free_at += _LOST_MS / 1000
                await on_the_way.put((free_at + self.rtt_ms / 2000, chunk))
        await on_the_way.put((0.0, b""))
        await delivery

    async def _deliver(
        self, line: "_Line", on_the_way: asyncio.Queue[tuple[float, bytes]], sink: asyncio.StreamWriter, side: int
    ) -> None:
        with contextlib.suppress(OSError):
            while (item := await on_the_way.get())[1]:
                due, chunk = item
                if (left := due - self._loop.time()) > 0:
                    await asyncio.sleep(left)
                await self._may_flow()
                if line.swallows:
                    continue
                self.to_server += len(chunk) * (side == 0)
                self.to_client += len(chunk) * (side == 1)
                sink.write(chunk)
                await sink.drain()
        if not line.swallows:
            sink.close()

    async def _may_flow(self) -> None:
        while not self._flowing.is_set():
            await asyncio.sleep(0.005)


class _Line:
    """One connection through the proxy."""

    def __init__(self, near: asyncio.StreamWriter, far: asyncio.StreamWriter) -> None:
        self.swallows = False
        self._ends = (near, far)

    def reset(self) -> None:
        """Hang up on both sides with a reset, which throws away what is on the way."""
        for end in self._ends:
            link = end.get_extra_info("socket")
            if link is not None and link.family == socket.AF_INET and not end.transport.is_closing():
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            end.transport.abort()

    def end(self) -> None:
        """Let go of both sides."""
        for end in self._ends:
            end.transport.abort()
