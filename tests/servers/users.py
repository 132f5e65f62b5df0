"""Users with less than all rights, on any test server."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from emqtop.wire.resp import Reply

Send = Callable[..., Reply]
"""Sends one command as a user who may do everything: a `Hand` or a `ServerProcess`."""


@contextmanager
def user(send: Send, *rules: str) -> Iterator[tuple[str, str]]:
    """A user of these rules, gone afterwards; yields name and password.

    Args:
        send: who makes the user.
        rules: as ACL SETUSER takes them (`+@read`, `~emq:*`, `&emq:*`); without a rule it may do nothing.
    """
    name, password = f"test-{secrets.token_hex(4)}", secrets.token_hex(8)
    send("ACL", "SETUSER", name, "reset", "on", f">{password}", *rules)
    try:
        yield name, password
    finally:
        send("ACL", "DELUSER", name)


@contextmanager
def withheld(send: Send, *rules: str) -> Iterator[None]:
    """The user of everybody without some rights, which come back afterwards."""
    send("ACL", "SETUSER", "default", *rules)
    try:
        yield
    finally:
        send("ACL", "SETUSER", "default", "+@all", "~*", "&*")


def as_user(url: str, name: str, password: str) -> str:
    """The URL of a server, to log in there as somebody."""
    scheme, _, place = url.partition("://")
    return f"{scheme}://{name}:{password}@{place}"
