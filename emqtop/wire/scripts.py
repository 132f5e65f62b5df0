"""The Lua scripts by name: loaded with their fragments, sent by SHA, the body once when the server asks for it.

A script is `lua/<verb>-<N>.lua`, N = number of KEYS. A line `--@include NAME` stands for `lua/include/NAME.lua`; a
fragment may include others, each lands once in a body.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emqtop.resources import folder
from emqtop.wire.errors import is_missing_script
from emqtop.wire.resp import Arg, Ask, Conversation, Reply, ReplyError, pack

_INCLUDE = re.compile(r"^--@include ([a-z_]+)\n", re.MULTILINE)
_FILE = re.compile(r"([a-z_]+)-([0-9]+)\.lua")


@dataclass(frozen=True, slots=True)
class Script:
    """One verb, ready to send."""

    name: str
    """The verb, as in the file's name."""
    keys: int
    """How many KEYS it declares."""
    body: bytes
    """The text with its fragments spliced in; UTF-8."""
    sha: str
    """SHA-1 of the body in hex, as EVALSHA wants it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One run of a script."""

    script: Script
    """What runs."""
    keys: tuple[bytes, ...]
    """Its KEYS; as many as the script declares."""
    args: tuple[Arg, ...]
    """Its ARGV."""

    def __post_init__(self) -> None:
        if len(self.keys) != self.script.keys:
            raise ValueError(f"{self.script.name} declares {self.script.keys} keys, got {len(self.keys)}")

    def by_sha(self) -> bytes:
        """The EVALSHA command, packed."""
        return pack("EVALSHA", self.script.sha, len(self.keys), *self.keys, *self.args)

    def by_body(self) -> bytes:
        """The EVAL command, packed; the server keeps the script afterwards."""
        return pack("EVAL", self.script.body, len(self.keys), *self.keys, *self.args)


@cache
def script(verb: str) -> Script:
    """The script of a verb.

    Raises:
        KeyError: no such file in `lua/`.
    """
    path = _files()[verb]
    body = _splice(path.read_text("utf-8"), path.parent / "include", set()).encode()
    keys = int(path.stem.rpartition("-")[2])
    return Script(verb, keys, body, hashlib.sha1(body, usedforsecurity=False).hexdigest())


def forget() -> None:
    """Read every file anew at its next call: somebody saved one."""
    script.cache_clear()
    _files.cache_clear()


def names() -> list[str]:
    """Every verb that has a script, sorted."""
    return sorted(_files())


def call(verb: str, keys: list[bytes], *args: Arg) -> Conversation[Reply]:
    """Run a script once: one round trip when the server knows it, two when its body is needed.

    Raises:
        ReplyError: the script refused (`EMQSTALE …`) or could not run.
    """
    (reply,) = yield from call_many([Call(script(verb), tuple(keys), args)])
    if isinstance(reply, ReplyError):
        raise reply
    return reply


def call_many(calls: list[Call]) -> Conversation[list[Reply]]:
    """Run scripts in one write; error replies stay in the list, in order.

    Those that the server does not know ran not at all, so they are sent again: the first of each script with its
    body, the rest by SHA behind it. Nothing else is ever sent twice (operator law 9).
    """
    if not calls:
        return []
    key = calls[0].keys[0] if calls[0].keys else None
    replies = yield Ask(b"".join(c.by_sha() for c in calls), len(calls), key)
    missing = [at for at, reply in enumerate(replies) if is_missing_script(reply)]
    if missing:
        seen: set[str] = set()
        again = []
        for at in missing:
            sha = calls[at].script.sha
            again.append(calls[at].by_sha() if sha in seen else calls[at].by_body())
            seen.add(sha)
        for at, reply in zip(missing, (yield Ask(b"".join(again), len(again), key)), strict=True):
            replies[at] = reply
    return replies


@cache
def _files() -> dict[str, Path]:
    return {match[1]: path for path in folder("lua").iterdir() if (match := _FILE.fullmatch(path.name))}


def _splice(text: str, fragments: Path, seen: set[str]) -> str:
    def fragment(match: re.Match[str]) -> str:
        name = match[1]
        if name in seen:
            return ""
        seen.add(name)
        return _splice((fragments / f"{name}.lua").read_text("utf-8"), fragments, seen)

    return _INCLUDE.sub(fragment, text)
