"""What the version fence of a deployment means for who looks at it and acts on it (echomq.md 1.2, 11).

Clients of EchoMQ refuse every version but their own; the wire has been one and the same across those that are known.
"""

import re

from emqtop.wire.resp import Conversation, raw
from emqtop.wire.server import wire_version

KNOWN_MAJORS = frozenset({2, 3})
"""Major versions whose layout is the one that is written down."""

_FORM = re.compile(r"echomq:([0-9]{1,9})\.[0-9]{1,9}\.[0-9]{1,9}")
_MOST = 40


def bar() -> Conversation[str | None]:
    """Why nobody may act on the EchoMQ queues of this server, in words; None: no reason. One round trip."""
    return refusal((yield from wire_version()))


def refusal(version: str | None) -> str | None:
    """Why a version keeps acts off; None: it does not, and neither does a missing one."""
    if version is None or _FORM.fullmatch(version) is not None:
        return None
    return f"{{emq}}:version is {_short(version)!r}, which is no version of EchoMQ: its queues are only looked at"


def limit(version: str | None) -> str | None:
    """What a version means for the whole server, in words; None: it is a known one, or there is none."""
    match = _FORM.fullmatch(version or "")
    if version is None or (match is not None and int(match[1]) in KNOWN_MAJORS):
        return None
    if match is None:
        return refusal(version)
    return f"{{emq}}:version is {version}: a major version that is not known, whose keys may mean something else"


def _short(version: str) -> str:
    return raw(version)[:_MOST].decode("utf-8", "replace")
