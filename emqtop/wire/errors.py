"""What can go wrong between emqtop and a server: one class, one meaning, the docstring is the message."""

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


LOGIN_WORDS = frozenset({"NOAUTH", "WRONGPASS", "NOPERM"})
"""Class words of replies to AUTH, HELLO or SELECT that mean the login itself was refused."""

NOT_NOW_WORDS = frozenset({"BUSY", "LOADING", "MASTERDOWN"})
"""Class words of replies to reads that mean a state of the whole server, which passes."""

_CLUSTER_DOWN = "CLUSTERDOWN The cluster is down"
"""Said for every key; the same word is said for the keys of one slot that nobody serves."""

MISSING_SCRIPT = "NOSCRIPT"


def is_missing_script(reply: object) -> bool:
    """Did the server forget the script, so that nothing ran and its body may be sent?"""
    return isinstance(reply, ReplyError) and reply.word == MISSING_SCRIPT


def check_ready(replies: Iterable[object]) -> None:
    """Let replies pass that are about what was asked.

    Raises:
        NotNow: one says that the server as a whole cannot answer now.
    """
    for reply in replies:
        if isinstance(reply, ReplyError) and (reply.word in NOT_NOW_WORDS or str(reply).startswith(_CLUSTER_DOWN)):
            raise NotNow(str(reply))


def check_permitted(replies: Iterable[object]) -> None:
    """Let replies pass unless a right is missing, without which they would tell of things that are not so.

    Raises:
        ReplyError: in the server's words.
    """
    for reply in replies:
        if isinstance(reply, ReplyError) and reply.word == "NOPERM":
            raise reply


def is_full_house(reply: object) -> bool:
    """Is this what a server says before it hangs up on a client too many?"""
    return isinstance(reply, ReplyError) and "max number of clients" in str(reply)
