"""BullMQ's own scripts, read as text out of the installed package `bullmq` at the first act; it is never imported.

What a release of the package changes is looked at before it acts: a file whose SHA-1 is not the one that this was
checked with is refused (bullmq.md 6.1).
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from emqtop.wire.resp import Arg, pack
from emqtop.wire.scripts import Call, Script

CHECKED = {
    "changeDelay-4": "de220c4e0e17e976d762e5c2aa0b5015ea32cb50",
    "changePriority-7": "35fbc2569911c2b95dd1f91d11f517607623ca02",
    "extendLock-2": "dc9605328a4cc37f68acbf27cdd42e393f7b762e",
    "moveJobFromActiveToWait-9": "2f746a769bc3d182a0f73ace6bb7a4906faf5df9",
    "moveToActive-11": "d96ca626f1ea141b44a856b312fc636d99aa9ea9",
    "moveToDelayed-11": "9f83944d6edafd63c74121d73299dd3358ddfe0c",
    "moveToFinished-14": "69666e69dd5621df59067a03de685e55a486560d",
    "pause-7": "8c25f7be363de2a28428dae13ddc20ffb3f6e7aa",
    "promote-9": "1d740f19fe984343737df70206877be7cbab6913",
    "removeDeduplicationKey-1": "9ddd27ba08a7ec8a36289beb96191d7ce870198f",
    "removeJob-2": "574af105e7df948fdf7e5410f3190a87f037d7f3",
    "removeJobScheduler-3": "b68502558f85f3bf9c5d6b25b1b44e2fcc5d4c92",
    "reprocessJob-9": "1323ff649a78371c602a52252e61dc9f2fdfe36d",
}
"""Name of each file that acts use, with the number of its KEYS, and the SHA-1 of its text in release 3.4.4."""


class NotShipped(Exception):
    """A script of BullMQ is not there, or is not the one that emqtop was checked with."""


def library_call(name: str, keys: tuple[bytes, ...], *args: Arg) -> Call:
    """One run of a script of BullMQ.

    Args:
        name: file name without `.lua`, such as `promote-9`.
        keys: its KEYS.
        args: its ARGV.

    Raises:
        NotShipped: the package is not installed, or another release is.
    """
    return Call(_script(name), keys, args)


def in_transaction(calls: Sequence[Call | bytes]) -> tuple[bytes, int]:
    """MULTI … EXEC around commands, in one write, and how many replies it brings.

    The first run of a script carries its body and the others its SHA, since a script that the server does not know
    would fail in the middle of what cannot be rolled back.
    """
    sent: set[str] = set()
    out = [pack("MULTI")]
    for each in calls:
        if isinstance(each, bytes):
            out.append(each)
            continue
        out.append(each.by_sha() if each.script.sha in sent else each.by_body())
        sent.add(each.script.sha)
    out.append(pack("EXEC"))
    return b"".join(out), len(out)


@cache
def _script(name: str) -> Script:
    try:
        body = (_folder() / f"{name}.lua").read_bytes()
    except OSError as error:
        raise NotShipped(f"the package bullmq has no {name}.lua: {error.strerror}") from None
    sha = hashlib.sha1(body, usedforsecurity=False).hexdigest()
    if sha != CHECKED[name]:
        raise NotShipped(f"{name}.lua of the installed package bullmq is not the one of 3.4.4 that was checked")
    return Script(name, int(name.rpartition("-")[2]), body, sha)


def _folder() -> Path:
    spec = find_spec("bullmq")
    if spec is None or not spec.submodule_search_locations:
        raise NotShipped("acts on BullMQ queues need the package bullmq: pip install 'emqtop[bullmq]'")
    return Path(spec.submodule_search_locations[0]) / "commands"
