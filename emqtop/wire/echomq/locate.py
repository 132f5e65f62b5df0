"""Where jobs lie that are known by id alone (echomq.md 10.1)."""

from collections.abc import Sequence

from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.locations import SETS
from emqtop.wire.echomq.members import Member
from emqtop.wire.echomq.rows import read_rows
from emqtop.wire.errors import check_told
from emqtop.wire.readings import JobReading
from emqtop.wire.replies import blob, items
from emqtop.wire.resp import Conversation, Reply, ask_all, pack
from emqtop.wire.together import all_together


def locate(keys: QueueKeys, jobs: Sequence[str]) -> Conversation[list[tuple[str | None, JobReading]]]:
    """Location and line of each job, in the order asked; None: in no location. Three round trips, four
    with lanes, one more where something seems odd or is nowhere.

    Raises:
        BadId: one is not the id of a job; nothing was sent.
        ReplyError: a right is missing.
    """
    if not jobs:
        return []
    members = yield from _members(keys, jobs)
    places = sorted({place or "" for place, _ in members})
    groups = [[(at, m) for at, (place, m) in enumerate(members) if (place or "") == name] for name in places]
    rows = yield from all_together(
        [read_rows(keys, name, tuple(m for _, m in group)) for name, group in zip(places, groups, strict=True)]
    )
    found: dict[int, tuple[str | None, JobReading]] = {}
    for name, group, lines in zip(places, groups, rows, strict=True):
        found.update({at: (name or None, line) for (at, _), line in zip(group, lines, strict=True)})
    return [found[at] for at in range(len(jobs))]


def _members(keys: QueueKeys, jobs: Sequence[str]) -> Conversation[list[tuple[str | None, Member]]]:
    commands = [pack("ZMSCORE", keys.part(name), *jobs) for name in SETS]
    commands += [pack("HMGET", keys.row(job), "state", "group") for job in jobs]
    replies = yield from ask_all(commands, keys.base)
    check_told(replies)
    sets, rows = [items(reply) for reply in replies[: len(SETS)]], [items(reply) for reply in replies[len(SETS) :]]
    groups = [blob(row[1]) if len(row) == 2 else None for row in rows]
    lanes = yield from ask_all(
        [pack("ZSCORE", keys.found_lane(group or b""), job) for job, group in zip(jobs, groups, strict=True)], keys.base
    )
    return [
        _place(
            keys.row(job)[len(keys.row_root) :],
            {name: scores[at] for name, scores in zip(SETS, sets, strict=True) if at < len(scores)},
            groups[at] if lanes[at] is not None else None,
            rows[at][:1] == [b"awaiting_children"],
        )
        for at, job in enumerate(jobs)
    ]


def _place(raw: bytes, scores: dict[str, Reply], lane: bytes | None, held: bool) -> tuple[str | None, Member]:
    for name, score in scores.items():
        if isinstance(score, bytes | int | float):
            return name, Member(raw, float(score))
    if lane is not None:
        return "pending", Member(raw, lane=lane)
    return ("held" if held else None), Member(raw)
