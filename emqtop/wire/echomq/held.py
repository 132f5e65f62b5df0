"""Rows that wait for children: they are in no set, so they are found among the rows (echomq.md 10.1)."""

from dataclasses import dataclass

from emqtop.wire.cursor import Cursor
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.members import Member, clock
from emqtop.wire.echomq.rows import read_rows
from emqtop.wire.readings import PageReading
from emqtop.wire.replies import blobs, scan_step
from emqtop.wire.resp import Conversation, ask_all, pack
from emqtop.wire.together import together

_STATE = b"awaiting_children"
_ANY_ROW = b"job:JOB" + b"?" * 11
_STEP = 250
_MOST_STEPS = 80


@dataclass(slots=True)
class _Sweep:
    """How far the scan has come."""

    scan: int
    found: list[bytes]
    step: int
    """Cursor of the step that brought the last ids, so that a page can end in the middle of one."""
    ended: bool = False


def held_page(keys: QueueKeys, cursor: Cursor, limit: int, payload_bytes: int = 0) -> Conversation[PageReading]:
    """Some held jobs, in the order of the scan.

    Looks at some 20,000 keys of the keyspace, at most two round trips per 250, then ends the page, be it empty: `next`
    goes on from there.
    The total counts what has been met so far, on this page or behind it, and is exact where `next` is None.
    """
    at_ms, sweep = yield from together(clock(), _look_through(keys, cursor, limit))
    members = tuple(Member(row, rank=rank) for rank, row in enumerate(sweep.found[:limit], cursor.rank))
    jobs = yield from read_rows(keys, "held", members, payload_bytes)
    seen = cursor.rank + len(members)
    following = None
    if len(sweep.found) > limit:
        following = Cursor(seen, anchor=members[-1].id, scan=sweep.step)
    elif not sweep.ended:
        following = Cursor(seen, scan=sweep.scan)
    met = cursor.rank + len(sweep.found)
    return PageReading(at_ms, met, cursor.rank, jobs, following.text() if following else None)


def _look_through(keys: QueueKeys, cursor: Cursor, limit: int) -> Conversation[_Sweep]:
    sweep = _Sweep(cursor.scan or 0, [], cursor.scan or 0)
    anchor = cursor.anchor
    for _ in range(_MOST_STEPS):
        step = sweep.scan
        command = pack("SCAN", step, "MATCH", keys.glob(_ANY_ROW), "COUNT", _STEP)
        (reply,) = yield from ask_all([command], keys.base)
        following, part = scan_step(reply)
        rows = blobs(part)
        states = yield from ask_all([pack("HGET", row, "state") for row in rows], keys.base)
        ids = [row[len(keys.row_root) :] for row, state in zip(rows, states, strict=True) if state == _STATE]
        if anchor in ids:
            ids = ids[ids.index(anchor) + 1 :]
        anchor = None
        sweep.step, sweep.scan, sweep.ended = step, int(following), following == b"0"
        sweep.found += ids
        if sweep.ended or len(sweep.found) > limit:
            break
    return sweep
