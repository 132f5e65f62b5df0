"""Where jobs lie that are known by id alone (bullmq.md 2)."""

from collections.abc import Sequence

from emqtop.wire.bullmq.keyed_reads import ask_each, clock, read
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.members import Member
from emqtop.wire.bullmq.places import ACTIVE, ALL
from emqtop.wire.bullmq.rows import job_readings
from emqtop.wire.errors import check_told
from emqtop.wire.readings import JobReading
from emqtop.wire.replies import number, server_ms
from emqtop.wire.resp import Conversation, Reply, raw

_PER_JOB = len(ALL) + 1


def locate(keys: QueueKeys, jobs: Sequence[str]) -> Conversation[list[tuple[str | None, JobReading]]]:
    """Location and line of each job, in the order asked; None: in no location. Three round trips.

    An id in two places stands in the first that BullMQ itself looks into.

    Raises:
        ReplyError: the server refused to tell.
    """
    if not jobs:
        return []
    reads = [clock(keys)]
    for job in map(raw, jobs):
        reads += [place.holds(keys, job) for place in ALL]
        reads.append(read("PTTL", keys.sub(job, "lock")))
    now, *replies = yield from ask_each(keys, reads)
    check_told(replies)
    at_ms = server_ms(now)
    found = [_found(raw(job), replies[at * _PER_JOB : (at + 1) * _PER_JOB], at_ms) for at, job in enumerate(jobs)]
    lines = yield from job_readings(keys, found, 0)
    return [(each.place.location if each.place else None, line) for each, line in zip(found, lines, strict=True)]


def _found(job: bytes, replies: list[Reply], now_ms: int) -> Member:
    *where, ttl = replies
    for place, rank in zip(ALL, where, strict=True):
        if (score := number(rank)) is not None:
            return Member.running(job, place, ttl, now_ms) if place is ACTIVE else Member(job, place, score)
    return Member(job, None)
