"""What can go wrong between emqtop and a server: one class, one meaning, the docstring is the message."""

import re
from collections.abc import Iterable

from emqtop.wire.resp import ReplyError


class SourceError(Exception):
    """The server could not be asked."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail

    def __str__(self) -> str:
        headline = (type(self).__doc__ or "").strip().splitlines()[0].rstrip(".")
        return f"{headline}: {self.detail}" if self.detail else headline


class Unreachable(SourceError):
    """The server cannot be reached."""


class LoginRefused(SourceError):
    """The server refuses the login."""


class Frozen(SourceError):
    """The server does not answer."""


class Refused(SourceError):
    """The server refuses this request."""


class NotNow(SourceError):
    """The server cannot answer now."""


class BadAddress(SourceError):
    """This is not the URL of a server."""


_ABOUT_WHAT_IS_THERE = frozenset({"WRONGTYPE", "CROSSSLOT"})

NOT_NOW_WORDS = frozenset({"BUSY", "LOADING", "MASTERDOWN"})
"""Class words of replies to reads that mean a state of the whole server, which passes."""

NO_LOGIN = "NOAUTH Authentication required."
"""What is said of a login that is missing: the handshake says it in the terms of its own commands."""

HUNG_UP = "the server hung up"
_OF_OPENSSL = re.compile(r"^\[[A-Z]+: \w+\] | \(_ssl\.c:\d+\)$")
_FULL_HOUSE = "max number of clients reached"
_CLUSTER_DOWN = "CLUSTERDOWN The cluster is down"
"""Said for every key; the same word is said for the keys of one slot that nobody serves."""

MISSING_SCRIPT = "NOSCRIPT"


def is_missing_script(reply: object) -> bool:
    """Did the server forget the script, so that nothing ran and its body may be sent?"""
    return isinstance(reply, ReplyError) and reply.word == MISSING_SCRIPT


def system_words(error: OSError) -> str:
    """What the system says of a connection that failed, without the places in the source of its TLS."""
    words = error.strerror or str(error)
    return HUNG_UP if "EOF occurred" in words else _OF_OPENSSL.sub("", words)


def check_ready(replies: Iterable[object]) -> None:
    """Let replies pass that are about what was asked.

    Raises:
        NotNow: one says that the server as a whole cannot answer now.
    """
    for reply in replies:
        if isinstance(reply, ReplyError) and (reply.word in NOT_NOW_WORDS or str(reply).startswith(_CLUSTER_DOWN)):
            raise NotNow(str(reply))


def is_withheld(reply: object) -> bool:
    """Does the server not let this be asked, be it for want of a right or since it was told to forget the command?"""
    if not isinstance(reply, ReplyError):
        return False
    return reply.word == "NOPERM" or str(reply).lower().startswith("err unknown command")


def check_told(replies: Iterable[object]) -> None:
    """Let replies pass that tell of what was asked for: its value, its absence, or that it is of another type.

    Raises:
        ReplyError: another refusal, in the server's words; taken for an absence it would tell what is not so.
    """
    for reply in replies:
        if isinstance(reply, ReplyError) and reply.word not in _ABOUT_WHAT_IS_THERE:
            raise reply


def farewell(reply: object) -> SourceError | None:
    """Why the server hangs up on this client, where it says so first; None: it has said something else."""
    if not isinstance(reply, ReplyError):
        return None
    if reply.word == "NOAUTH":
        return LoginRefused(NO_LOGIN)
    if reply.word == "DENIED":
        # What protected mode is fills a screen.
        return Unreachable(str(reply).partition(". ")[0])
    return Unreachable(_FULL_HOUSE) if _FULL_HOUSE in str(reply) else None
