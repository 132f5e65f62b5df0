"""The numbers of one BullMQ queue by plain reads; the library's own counting scripts write (bullmq.md 7).

Two steps. The first asks what every queue has. The second asks what only its answers name: the locks of the active
ids, the age of the waiting ones, whether an id that looks like a wake-up mark is a job. A reader remembers the second
step and asks the same at once next time, so that another trip comes only with another id.
"""

from dataclasses import dataclass

from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.bullmq.locks import NO_LOCK
from emqtop.wire.bullmq.scores import PSEUDO, due_before, due_ms
from emqtop.wire.numbers import Counts
from emqtop.wire.replies import blobs, first_error, first_named_error, scored, whole
from emqtop.wire.resp import Arg, Ask, Conversation, Reply, ReplyError, pack

MOST_LOCKS = 1000
"""How many locks a tick asks for; those of the oldest claims, which lapse first."""

_MOST_KNOWN = 100

_ASKED = (
    ("LLEN", "wait"),
    ("LINDEX", "wait", 0),
    ("LINDEX", "wait", -1),
    ("LLEN", "paused"),
    ("LINDEX", "paused", 0),
    ("LINDEX", "paused", -1),
    ("ZCARD", "prioritized"),
    ("ZRANGE", "prioritized", 0, 0),
    ("ZCARD", "delayed"),
    ("ZRANGE", "delayed", 0, 0, "WITHSCORES"),
    ("ZCARD", "failed"),
    ("ZCARD", "completed"),
    ("ZCARD", "waiting-children"),
    ("HEXISTS", "meta", "paused"),
)
_PARTS = (*(str(part) for _, part, *_ in _ASKED), "active")
_REPLIES = len(_PARTS)
_CHECKED = tuple(at for at, (verb, *_) in enumerate(_ASKED) if verb in {"LLEN", "ZCARD", "HEXISTS"})


class CountsReader:
    """Reads one queue again and again.

    Args:
        keys: which queue.
        most_locks: how many locks to ask for at most; past it `overdue` is a lower bound.
    """

    settled = True
    """What the answers name is counted in the second step."""

    def __init__(self, keys: QueueKeys, most_locks: int = MOST_LOCKS) -> None:
        self.keys = keys
        self.most_locks = most_locks
        first = [pack(verb, keys.part(part), *rest) for verb, part, *rest in _ASKED]
        self._request = b"".join([*first, pack("LRANGE", keys.part("active"), -most_locks, -1)])
        self._known: tuple[bytes, ...] = ()
        self.stand: list[Reply] | None = None
        """What `check` is answered while all is as it was last read; None: only a reading tells."""

    def ask(self, now_ms: int) -> tuple[bytes, int]:  # noqa: ARG002 - the same call as for an EchoMQ queue
        """The first step: bytes to send, and how many replies they bring."""
        return self._request + b"".join(self._known), _REPLIES + len(self._known)

    def follow_up(self, replies: list[Reply], now_ms: int) -> "FollowUp":
        """The second step, made from the answers of the first.

        Args:
            replies: of `ask`, errors in their place.
            now_ms: server's clock.
        """
        self.stand = self._stand(replies)
        known = dict(zip(self._known, replies[_REPLIES:], strict=False))
        second = FollowUp(self.keys, self.most_locks, replies[:_REPLIES], known, now_ms)
        self._known = second.wanted[:_MOST_KNOWN]
        return second

    def check(self) -> tuple[bytes, int]:
        """Half a reading, to learn whether a whole one brings other numbers: bytes to send, and how many replies."""
        sizes = [pack(verb, self.keys.part(part), *rest) for verb, part, *rest in map(_ASKED.__getitem__, _CHECKED)]
        return b"".join([*sizes, pack("LLEN", self.keys.part("active"))]), len(_CHECKED) + 1

    def _stand(self, replies: list[Reply]) -> list[Reply] | None:
        active = replies[_REPLIES - 1]
        if not isinstance(active, list) or len(active) >= self.most_locks:
            return None
        return [*(replies[at] for at in _CHECKED), len(active)]


@dataclass(frozen=True, slots=True)
class _First:
    """The answers of the first step by name; anything that is no answer is None or empty."""

    wait: int | None
    wait_ends: tuple[bytes, ...]
    held_back: int | None
    held_back_ends: tuple[bytes, ...]
    prioritized: int | None
    next_prioritized: list[bytes]
    delayed: int | None
    next_delayed: list[tuple[bytes, float]]
    failed: int | None
    completed: int | None
    held: int | None
    flag: int | None
    active: list[bytes] | None


def _first(replies: list[Reply]) -> _First:
    wait, left, right, paused, p_left, p_right, prio, next_prio, delayed, next_delayed, *rest = replies
    failed, completed, held, flag, active = rest
    return _First(
        whole(wait),
        tuple(blobs([right, left])),
        whole(paused),
        tuple(blobs([p_right, p_left])),
        whole(prio),
        blobs(next_prio),
        whole(delayed),
        scored(next_delayed),
        whole(failed),
        whole(completed),
        whole(held),
        whole(flag),
        blobs(active) if isinstance(active, list) else None,
    )


class FollowUp:
    """The second step of one reading: `request` may be empty, then `decode([])` is the whole answer at once."""

    def __init__(
        self, keys: QueueKeys, most_locks: int, replies: list[Reply], known: dict[bytes, Reply], now_ms: int
    ) -> None:
        self._first = _first(replies)
        self._error = first_named_error(zip(_PARTS, replies, strict=True))
        self._now_ms = now_ms
        ends = dict.fromkeys(self._first.wait_ends + self._first.held_back_ends)
        self._marks = [end for end in ends if end.startswith(PSEUDO)]
        self._waiting = [end for end in ends if not end.startswith(PSEUDO)] + self._first.next_prioritized
        self._locks = self._first.active or []
        self._full = len(self._locks) >= most_locks
        self._some_due = any(due_ms(score) <= now_ms for _, score in self._first.next_delayed)
        self.wanted: tuple[bytes, ...] = tuple(self._plan(keys))
        """Every read of this step, packed."""
        self._known = known
        missing = [command for command in self.wanted if command not in known]
        self.request: bytes = b"".join(missing)
        """Those that the first step did not ask already, in one write."""
        self.replies: int = len(missing)
        """How many replies they bring."""

    def decode(self, replies: list[Reply]) -> Counts:
        """The numbers of the queue."""
        fresh = iter(replies)
        second = [self._known[command] if command in self._known else next(fresh) for command in self.wanted]
        first, told = self._first, iter(second)
        marks = sum(next(told) == 0 for _ in self._marks)
        minted = [stamp for _ in self._waiting if (stamp := whole(next(told))) is not None]
        ttls = [next(told) for _ in self._locks]
        active = whole(next(told)) if self._full else len(self._locks)
        due = whole(next(told)) if self._some_due else 0
        lapsed = sum(ttl == NO_LOCK for ttl in ttls)
        return Counts(
            pending=_pending(first, marks),
            lanes=0,
            active=None if first.active is None else active,
            schedule=first.delayed,
            dead=first.failed,
            held=first.held,
            completed=first.completed,
            failed=first.failed,
            overdue=None if first.active is None else lapsed,
            due=None if first.delayed is None else due,
            paused=_paused(first),
            next_deadline_ms=self._now_ms - 1 if lapsed else self._earliest(ttls),
            next_due_ms=next((due_ms(score) for _, score in first.next_delayed), None),
            oldest_pending_ms=min((stamp for stamp in minted if stamp > 0), default=None),
            error=self._error or first_error([reply for reply in second if not _is_odd_row(reply)]),
        )

    def _plan(self, keys: QueueKeys) -> list[bytes]:
        rows: list[tuple[str, bytes, tuple[Arg, ...]]] = []
        rows += [("EXISTS", keys.row(mark), ()) for mark in self._marks]
        rows += [("HGET", keys.row(job), ("timestamp",)) for job in self._waiting]
        rows += [("PTTL", keys.sub(job, "lock"), ()) for job in self._locks]
        if self._full:
            rows.append(("LLEN", keys.part("active"), ()))
        if self._some_due:
            rows.append(("ZCOUNT", keys.part("delayed"), ("-inf", due_before(self._now_ms))))
        return [pack(verb, key, *rest) for verb, key, rest in rows]

    def _earliest(self, ttls: list[Reply]) -> int | None:
        live = [ttl for ttl in ttls if isinstance(ttl, int) and ttl >= 0]
        return self._now_ms + min(live) if live else None


def _pending(first: _First, marks: int) -> int | None:
    if first.wait is None or first.held_back is None or first.prioritized is None:
        return None
    return first.wait + first.held_back + first.prioritized - marks


def _paused(first: _First) -> bool | None:
    """BullMQ 6 sets a flag in `meta`; BullMQ 5 and older also rename `wait` to `paused`, which only a resume undoes."""
    if first.flag is None:
        return None
    return first.flag > 0 or bool(first.held_back)


def _is_odd_row(reply: Reply) -> bool:
    """Did a read meet a key of another type? Ids such as `wait` make a row's key one of the queue's own (2)."""
    return isinstance(reply, ReplyError) and reply.word == "WRONGTYPE"


def counts(keys: QueueKeys, now_ms: int, most_locks: int = MOST_LOCKS) -> Conversation[Counts]:
    """The numbers of one queue, once: one or two round trips.

    Args:
        keys: which queue.
        now_ms: server's clock.
        most_locks: how many locks to ask for at most.
    """
    reader = CountsReader(keys, most_locks)
    more = reader.follow_up((yield Ask(*reader.ask(now_ms), keys.base)), now_ms)
    return more.decode((yield Ask(more.request, more.replies, keys.base)) if more.replies else [])
