"""The conversation with a server, without the socket.

Everything that is asked of a server is written once, as a generator that yields `Ask`s (bytes to send, number of
replies to wait for) and is sent the replies. A link drives it: `wire.bare` over a blocking socket of the standard
library (first numbers and one-shots, nothing heavy imported), `wire.link` over redis-py's asyncio connection (the
dashboard, workers, TLS, Sentinel, Cluster). So a read or an act has one implementation, and tests need no server to
see what it sends.
"""

import re
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import hiredis

A = TypeVar("A")
R = TypeVar("R")
T = TypeVar("T")

Arg: TypeAlias = bytes | str | int | float


class ReplyError(Exception):
    """The server answered with an error."""

    @property
    def word(self) -> str:
        """Its class word: `NOSCRIPT`, `WRONGTYPE`, `NOAUTH`, `EMQSTALE`, …"""
        return str(self).split(" ", 1)[0]


_IN_A_SCRIPT = (
    # Redis 6 wraps what a command of a script was refused with, its class word included.
    re.compile(r"^ERR Error running script \(call to f_\w+\): @user_script:\d+: (?:@user_script: \d+: )?-?"),
    re.compile(r" script: (?:\w+, )?on @user_script:\d+\.$"),
)
_ARGUMENTS = re.compile(r",? with args beginning with: .*", re.DOTALL)
"""Of a command that the server does not know: a whole script, or a password."""
_CLASS_WORD = re.compile(r"[A-Z]+ ")


def refusal(said: str) -> ReplyError:
    """What the server said, without the place in a script where it was said, and without what was sent."""
    words = _ARGUMENTS.sub("", said)
    for around in _IN_A_SCRIPT:
        words = around.sub("", words)
    return ReplyError(words if words == said or _CLASS_WORD.match(words) else f"ERR {words}")


Reply: TypeAlias = int | float | bool | bytes | ReplyError | list["Reply"] | dict["Reply", "Reply"] | None


@dataclass(frozen=True, slots=True)
class Ask:
    """Bytes to send in one write, and how many replies they will bring."""

    payload: bytes
    """One or more commands, already packed."""
    replies: int
    """Number of replies to read, errors included."""
    key: bytes | None = None
    """A key whose slot names the cluster node to ask; None: whichever node the link stands for."""


Conversation: TypeAlias = Generator[Ask, list[Reply], T]

Burst: TypeAlias = Generator[list[Ask], list[list[Reply]], T]
"""A conversation whose asks do not wait for each other: yields several, is sent the replies of each, in order.

What reads many queues at once is written so: links send as many asks ahead as the distance to the server wants, and
in a cluster every node works at the same time.
"""


def drive(talk: Generator[A, R, T], answer: Callable[[A], R]) -> T:
    """Hold a conversation, or anything of its kind, to its end and return its result; raises what either side does.

    Args:
        talk: what is asked.
        answer: asks the server, and waits.
    """
    try:
        asked = next(talk)
        while True:
            asked = talk.send(answer(asked))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def drive_async(talk: Generator[A, R, T], answer: Callable[[A], Awaitable[R]]) -> T:
    """The same over a link of asyncio."""
    try:
        asked = next(talk)
        while True:
            asked = talk.send(await answer(asked))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


Push = hiredis.PushNotification
"""What RESP3 delivers beside the replies; a list."""


def pack(*args: Arg) -> bytes:
    """One command in wire form. Text goes out as UTF-8, lone surrogates as the bytes they stand for."""
    out = [b"*%d\r\n" % len(args)]
    for arg in args:
        part = arg if isinstance(arg, bytes) else raw(str(arg))
        out.append(b"$%d\r\n%b\r\n" % (len(part), part))
    return b"".join(out)


def text(part: bytes) -> str:
    """Foreign bytes as text that `raw` and `pack` turn back into the same bytes."""
    return part.decode("utf-8", "surrogateescape")


def raw(part: str) -> bytes:
    """Text as the bytes it stands for: UTF-8, lone surrogates as the bytes that `text` met."""
    return part.encode("utf-8", "surrogateescape")


_NO_MORE = object()


def reader() -> hiredis.Reader:
    """A parser whose error replies are made by `refusal`, in their place among the replies; read it by `drain`."""
    return hiredis.Reader(replyError=refusal, protocolError=ConnectionError, notEnoughData=_NO_MORE)


def drain(parser: hiredis.Reader) -> list[Reply]:
    """Every reply that is whole by now.

    Raises:
        ConnectionError: what was fed to it is no reply.
    """
    # A loop in C: most of the client's work is here, 110,000 times for ten thousand queues.
    return list(iter(parser.gets, _NO_MORE))


def ask_one(*args: Arg, key: bytes | None = None) -> Conversation[Reply]:
    """Send one command.

    Raises:
        ReplyError: the server refused it.
    """
    (reply,) = yield Ask(pack(*args), 1, key)
    if isinstance(reply, ReplyError):
        raise reply
    return reply


def ask_all(commands: list[bytes], key: bytes | None = None) -> Conversation[list[Reply]]:
    """Send packed commands in one write; error replies stay in the list."""
    if not commands:
        return []
    return (yield Ask(b"".join(commands), len(commands), key))
