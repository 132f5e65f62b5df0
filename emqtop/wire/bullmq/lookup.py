"""Jobs as they lie on the server the moment before an act, watched so that a change in between stops the act."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from emqtop.wire.bullmq.keyed_reads import Read, ask_each, clock, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.layout import LAYOUT_REPLIES, Layout, decode_layout, is_countable, layout_reads, release_of
from emqtop.wire.bullmq.locks import NO_LOCK
from emqtop.wire.bullmq.places import ACTIVE, ALL, HELD_BACK, WAIT, Place
from emqtop.wire.errors import check_told
from emqtop.wire.replies import blob, blobs, checked, count, items, number, score_ms, server_ms, whole
from emqtop.wire.resp import Conversation, Reply, ReplyError, pack, raw
from emqtop.wire.verdicts import Sighted

_FIELDS = ("atm", "attemptsMade", "ats", "priority", "parent", "parentKey", "opts", "pb", "deid")
_PER_JOB = 7
_SETS = tuple(place for place in ALL if not place.is_list)
_WINDOW = 1000
_ENDS = ((0, _WINDOW - 1), (-_WINDOW, -1))


class Scattered(Exception):
    """On a cluster, acts need braces in the queue's name or prefix: its keys lie in several slots."""

    def __str__(self) -> str:
        return self.__doc__ or ""


def in_one_slot(reply: Reply) -> None:
    """Take the answer to one command on several keys.

    Raises:
        Scattered: they lie in several slots of a cluster.
        ReplyError: the server refused otherwise.
    """
    if isinstance(reply, ReplyError) and reply.word == "CROSSSLOT":
        raise Scattered
    checked(reply)


@dataclass(slots=True)
class Case:
    """One job, as it was seen and as it is."""

    seen: Sighted
    """As the operator saw it."""
    id: bytes
    """Its id."""
    is_row: bool
    """Is there a row?"""
    has_payload: bool
    """Does the row hold a payload?"""
    fields: dict[str, bytes | None]
    """Small fields of the row."""
    token: bytes | None
    """Who holds the lock."""
    lock_ms: int
    """PTTL of the lock: -2 no lock, -1 one that never ends."""
    children: int
    """Children that it waits for."""
    is_armed: bool
    """Is it the next run of a scheduler?"""
    odd_part: str | None = None
    """Which of its keys has a type that stops a script half-way, in words."""
    places: list[Place] = field(default_factory=list)
    """Every structure that holds it."""
    score: float | None = None
    """Its score, where a ZSET holds it."""
    is_awaited: bool = False
    """Does a flow parent wait for it?"""
    is_last_child: bool = False
    """Is it the last that the parent waits for?"""
    parent_is_elsewhere: bool = False
    """Does the parent lie in another slot of a cluster, where no script of this queue may reach it?"""
    parent_is_paused: bool = False
    """Is the parent's queue paused in a layout where a push to `wait` can be lost?"""

    @property
    def place(self) -> Place | None:
        """The structure that holds it."""
        return self.places[0] if self.places else None

    @property
    def location(self) -> str | None:
        """The same in the word that both families share."""
        return self.place.location if self.place else None

    @property
    def is_locked(self) -> bool:
        """Is the lock alive?"""
        return self.lock_ms != NO_LOCK

    @property
    def attempts(self) -> int:
        """Attempts made."""
        old, made = whole(self.fields["attemptsMade"]), whole(self.fields["atm"])
        return made or 0 if old is None else old

    @property
    def is_of_old_worker(self) -> bool:
        """Was it claimed by a worker of version 4 or older, which counts in another field?"""
        return self.fields["attemptsMade"] is not None and self.fields["ats"] is None

    @property
    def priority(self) -> int:
        """0: none."""
        return whole(self.fields["priority"]) or 0


@dataclass(frozen=True, slots=True)
class Lookup:
    """What an act decides on."""

    now_ms: int
    """Server's clock."""
    layout: Layout
    """Layout of the queue."""
    active: int
    """Running jobs."""
    is_limited: bool
    """Does a window of a rate limit run?"""
    cases: tuple[Case, ...]
    """The jobs, in the order asked."""


def look(keys: QueueKeys, jobs: Sequence[Sighted], *, watch: bool = True) -> Conversation[Lookup]:
    """Read what is there: two to four round trips.

    Args:
        keys: which queue.
        jobs: as they were seen.
        watch: let a change of the rows or of `meta` stop the transaction that follows. Whoever asks for that ends
            with EXEC or UNWATCH.

    Raises:
        Scattered: the keys lie in several slots of a cluster.
        ReplyError: the server refused to tell.
    """
    ids = [raw(job.id) for job in jobs]
    head = [
        (keys.base, pack("WATCH" if watch else "EXISTS", keys.part("meta"), *map(keys.row, ids))),
        clock(keys),
        read("LLEN", keys.part("active")),
        read("EXISTS", keys.part("limiter")),
        *layout_reads(keys),
        *(read("ZMSCORE", keys.part(place.part), *ids) for place in _SETS),
        *(read("LRANGE", keys.part(place.part), *ends) for place in (WAIT, HELD_BACK) for ends in _ENDS),
    ]
    replies = yield from ask_each(keys, [*head, *(one for job in ids for one in _job_reads(keys, job))])
    together, now, active, limiter, *rest = replies[: len(head)]
    in_one_slot(together)
    each = replies[len(head) :]
    check_told([active, limiter, *rest, *each])
    layout, rest = decode_layout(rest[:LAYOUT_REPLIES]), rest[LAYOUT_REPLIES:]
    cases = [
        _case(job, id_, each[at * _PER_JOB :][:_PER_JOB]) for at, (job, id_) in enumerate(zip(jobs, ids, strict=True))
    ]
    _place_in_sets(cases, rest[: len(_SETS)])
    windows = {WAIT: {*blobs(rest[-4]), *blobs(rest[-3])}, HELD_BACK: {*blobs(rest[-2]), *blobs(rest[-1])}}
    yield from _place_in_lists(keys, cases, windows)
    yield from _look_at_parents(keys, cases, watch=watch)
    return Lookup(server_ms(now), layout, count(active), count(limiter) == 1, tuple(cases))


def _job_reads(keys: QueueKeys, job: bytes) -> list[Read]:
    row, scheduler = keys.row(job), _scheduler(job)
    return [
        read("TYPE", row),
        read("HMGET", row, *_FIELDS),
        read("HSTRLEN", row, "data"),
        read("GET", keys.sub(job, "lock")),
        read("PTTL", keys.sub(job, "lock")),
        read("ZSCORE", keys.part("repeat"), scheduler) if scheduler else read("SCARD", keys.sub(job, "dependencies")),
        read("ZCARD", keys.sub(job, "unsuccessful")),
    ]


def _scheduler(job: bytes) -> bytes | None:
    """The scheduler that an id of the form `repeat:<scheduler>:<ms>` names."""
    if not job.startswith(b"repeat:"):
        return None
    return job[len(b"repeat:") :].rpartition(b":")[0] or None


def _case(job: Sighted, id_: bytes, replies: list[Reply]) -> Case:
    kind, fields, data, token, ttl, last, unsuccessful = replies
    scheduler = _scheduler(id_)
    values = items(fields) or [None] * len(_FIELDS)
    ttl_ms = whole(ttl)
    return Case(
        seen=job,
        id=id_,
        is_row=kind == b"hash",
        has_payload=count(data) > 0,
        fields={name: blob(value) for name, value in zip(_FIELDS, values, strict=True)},
        token=blob(token),
        lock_ms=NO_LOCK if ttl_ms is None else ttl_ms,
        children=0 if scheduler else count(last),
        is_armed=scheduler is not None and _is_run(id_, last),
        odd_part=_odd_part(lock=token, dependencies=last, unsuccessful=unsuccessful) or _odd_field(values),
    )


def _odd_field(values: list[Reply]) -> str | None:
    """The first field of a row that a script stumbles over."""
    told = dict(zip(_FIELDS, map(blob, values), strict=True))
    for name in ("atm", "ats"):
        if not is_countable(told[name]):
            return f"{name} of its row is no number"
    parent, key = told["parent"], told["parentKey"]
    if (parent is not None and _queue_in(parent) is None) or (key and b":" not in key):
        return "what its row tells of its parent cannot be read"
    return None


def _odd_part(**replies: Reply) -> str | None:
    """The first part of a job's keys that is of another type than was asked for."""
    odd = (part for part, reply in replies.items() if isinstance(reply, ReplyError) and reply.word == "WRONGTYPE")
    return next((f"its {part} is of another type than BullMQ gives it" for part in odd), None)


def _is_run(job: bytes, score: Reply) -> bool:
    """Does the id end in the time at which the scheduler runs next?"""
    next_ms = score_ms(score)
    return next_ms is not None and whole(job.rpartition(b":")[2]) == next_ms


def _place_in_sets(cases: list[Case], replies: list[Reply]) -> None:
    for place, reply in zip(_SETS, replies, strict=True):
        for case, score in zip(cases, items(reply), strict=False):
            if (found := number(score)) is not None:
                case.places.append(place)
                case.score = found


def _place_in_lists(keys: QueueKeys, cases: list[Case], windows: dict[Place, set[bytes]]) -> Conversation[None]:
    """Backlogs are searched whole only for an id that nothing else holds; for others near their ends.

    A search from end to end of a long one holds the server for milliseconds, for each job anew. In the first step the
    keys of deduplication ids are tried too, which the rows have told.
    """
    named = [(case, dedup) for case in cases if (dedup := case.fields["deid"])]
    finds = [ACTIVE.find(keys, case.id) for case in cases]
    owners = [read("GET", keys.part("de:") + dedup) for _, dedup in named]
    replies = yield from ask_each(keys, [*finds, *owners])
    check_told(replies)
    for (case, _), reply in zip(named, replies[len(finds) :], strict=True):
        case.odd_part = case.odd_part or _odd_part(deduplication=reply)
    for case, reply in zip(cases, replies, strict=False):
        case.places += [place for place, ends in windows.items() if case.id in ends]
        if whole(reply) is not None:
            case.places.append(ACTIVE)
    asked = [(case, place) for case in cases if not case.places for place in (WAIT, HELD_BACK)]
    replies = yield from ask_each(keys, [place.find(keys, case.id) for case, place in asked])
    check_told(replies)
    for (case, place), reply in zip(asked, replies, strict=True):
        if whole(reply) is not None:
            case.places.append(place)


def _look_at_parents(keys: QueueKeys, cases: list[Case], *, watch: bool) -> Conversation[None]:
    children = [(case, parent) for case in cases if (parent := case.fields["parentKey"])]
    if not children:
        return
    reads = []
    for case, parent in children:
        meta = queue_of(case.fields["parent"], parent) + b":meta"
        waits = parent + b":dependencies"
        reads += [
            (parent, pack("WATCH" if watch else "EXISTS", parent, waits, meta)),
            read("SISMEMBER", waits, keys.row(case.id)),
            read("SCARD", waits),
            read("HMGET", meta, "paused", "version"),
            read("EXISTS", keys.part("meta"), parent),
        ]
    replies = yield from ask_each(keys, reads)
    check_told(replies)
    for at, (case, _) in enumerate(children):
        _, is_member, waiting, meta_reply, beside = replies[5 * at :][:5]
        case.parent_is_elsewhere = isinstance(beside, ReplyError) and beside.word == "CROSSSLOT"
        paused, version = [blob(value) for value in items(meta_reply)] or [None, None]
        case.odd_part = case.odd_part or _odd_part(**{"parent's dependencies": is_member})
        case.is_awaited = count(is_member) == 1
        case.is_last_child = case.is_awaited and count(waiting) == 1
        case.parent_is_paused = paused is not None and (release_of(version) or (0,)) < (6,)


def queue_of(parent: bytes | None, key: bytes) -> bytes:
    """`prefix:name` of the parent's queue; from its key where the JSON does not tell, as the scripts do."""
    return _queue_in(parent or b"") or key.rpartition(b":")[0]


def _queue_in(parent: bytes) -> bytes | None:
    try:
        return raw(str(json.loads(parent)["queueKey"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
