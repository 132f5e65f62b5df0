"""Which jobs are meant: small conditions that join and describe themselves.

The same objects choose the rows of the dashboard and the jobs of a command. What cannot be said of a job, because its
row is gone or its payload was not read, is neither true nor false: such a job is not chosen, whichever way the
condition is turned.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from emqtop.model.error_groups import fold
from emqtop.model.job import Job


class Field(StrEnum):
    """What a condition can be about; the words of the language."""

    ID = "id"
    GROUP = "group"
    ERROR = "error"
    LIKE = "like"
    PAYLOAD = "payload"
    STATE = "state"
    ODD = "odd"
    ATTEMPTS = "attempts"
    AGE = "age"
    SIZE = "size"


TEXTS = frozenset({Field.ID, Field.GROUP, Field.ERROR, Field.LIKE, Field.PAYLOAD, Field.STATE, Field.ODD})
"""Fields that are compared as text, `like` being the error as `error_groups.fold` has it; the others are numbers."""

CASED = frozenset({Field.ID, Field.GROUP})
"""Texts in which capital letters make a difference, since ids differ by nothing else."""


class Op(StrEnum):
    """How a field is compared."""

    EQUAL = "="
    UNEQUAL = "!="
    HAS = "~"
    LACKS = "!~"
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


_ORDER: dict[Op, Callable[[int, int], bool]] = {
    Op.EQUAL: operator.eq,
    Op.UNEQUAL: operator.ne,
    Op.LESS: operator.lt,
    Op.AT_MOST: operator.le,
    Op.MORE: operator.gt,
    Op.AT_LEAST: operator.ge,
}


class Filter(ABC):
    """A condition on a job. `str()` of it is its text in the language of `emqtop.model.where`."""

    @property
    @abstractmethod
    def needs(self) -> frozenset[Field]:
        """The fields that must have been read."""

    @abstractmethod
    def verdict(self, job: Job, now_ms: int) -> bool | None:
        """Is it so? None: what was read of the job does not tell. `now_ms` is the server's clock, Unix ms."""

    def matches(self, job: Job, now_ms: int) -> bool:
        """Is it known to be so?"""
        return self.verdict(job, now_ms) is True

    @property
    def needs_payload(self) -> bool:
        """Must payloads be read? They are not unless a condition asks for them."""
        return Field.PAYLOAD in self.needs

    def __and__(self, other: "Filter") -> "Filter":
        return All((self, other))

    def __or__(self, other: "Filter") -> "Filter":
        return Either((self, other))

    def __invert__(self) -> "Filter":
        return Not(self)


@dataclass(frozen=True, slots=True)
class Amount(Filter):
    """A number of the job against a limit."""

    field: Field
    """`attempts`, `age` (ms since it was minted) or `size` (bytes of its payload)."""
    op: Op
    """One that orders."""
    limit: int
    """What it is compared with, in the unit of the field."""
    written: str = ""
    """The limit as the user wrote it, `2h` or `64kB`; empty: the bare number."""

    @property
    def needs(self) -> frozenset[Field]:
        """Its field."""
        return frozenset({self.field})

    def verdict(self, job: Job, now_ms: int) -> bool | None:
        """Unknown where the job has no such number."""
        amount = self._amount(job, now_ms)
        return None if amount is None else _ORDER[self.op](amount, self.limit)

    def _amount(self, job: Job, now_ms: int) -> int | None:
        if self.field is Field.AGE:
            return None if job.minted_ms is None else now_ms - job.minted_ms
        return job.attempts if self.field is Field.ATTEMPTS else job.payload_bytes

    def __str__(self) -> str:
        return f"{self.field}{self.op}{self.written or self.limit}"


@dataclass(frozen=True, slots=True)
class Text(Filter):
    """A text of the job against another; `~` and `!~` look for a part. A job without it has the empty text."""

    field: Field
    """One of `TEXTS`."""
    op: Op
    """`=`, `!=`, `~` or `!~`."""
    wanted: str
    """What is looked for."""

    @property
    def needs(self) -> frozenset[Field]:
        """Its field."""
        return frozenset({self.field})

    def verdict(self, job: Job, now_ms: int) -> bool | None:  # noqa: ARG002 - one question for all conditions
        """Unknown where only a part of the payload was read and that does not decide."""
        if self.field is Field.ODD:
            found: bool | None = any(self._fits(str(odd)) for odd in job.odd or ("",))
        elif self.field is Field.PAYLOAD:
            found = self._in_payload(job)
        else:
            found = self._fits(_text(job, self.field))
        turned = self.op in {Op.UNEQUAL, Op.LACKS}
        return found if found is None else found is not turned

    def _fits(self, text: str) -> bool:
        wanted = self.wanted
        if self.field not in CASED:
            text, wanted = text.casefold(), wanted.casefold()
        return text == wanted if self.op in {Op.EQUAL, Op.UNEQUAL} else wanted in text

    def _in_payload(self, job: Job) -> bool | None:
        part = job.payload or b""
        whole = len(part) == (job.payload_bytes or 0)
        found = self._fits(part.decode("utf-8", "surrogateescape"))
        if whole:
            return found
        return True if found and self.op in {Op.HAS, Op.LACKS} else None

    def __str__(self) -> str:
        return f"{self.field}{self.op}{quoted(self.wanted)}"


@dataclass(frozen=True, slots=True)
class Word(Filter):
    """A word that the id, the group or the error has in it."""

    word: str
    """What is looked for."""

    @property
    def needs(self) -> frozenset[Field]:
        """Those three."""
        return frozenset({Field.ID, Field.GROUP, Field.ERROR})

    def verdict(self, job: Job, now_ms: int) -> bool | None:
        """Always known."""
        return any(Text(field, Op.HAS, self.word).matches(job, now_ms) for field in self.needs)

    def __str__(self) -> str:
        return quoted(self.word, bare=True)


@dataclass(frozen=True, slots=True)
class Joined(Filter):
    """Several conditions that are one."""

    parts: tuple[Filter, ...]
    """The conditions."""

    @property
    def needs(self) -> frozenset[Field]:
        """What any of them needs."""
        return frozenset().union(*(part.needs for part in self.parts))


@dataclass(frozen=True, slots=True)
class All(Joined):
    """Several conditions of which each must hold; without any, every job will do."""

    def verdict(self, job: Job, now_ms: int) -> bool | None:
        """False where one is; else unknown where one is."""
        verdicts = {part.verdict(job, now_ms) for part in self.parts}
        return False if False in verdicts else None if None in verdicts else True

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, Either) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Either(Joined):
    """Several conditions, at least one, of which one must hold."""

    def verdict(self, job: Job, now_ms: int) -> bool | None:
        """True where one is; else unknown where one is."""
        verdicts = {part.verdict(job, now_ms) for part in self.parts}
        return True if True in verdicts else None if None in verdicts else False

    def __str__(self) -> str:
        return " or ".join(str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Not(Filter):
    """A condition turned around."""

    part: Filter
    """The condition."""

    @property
    def needs(self) -> frozenset[Field]:
        """What the condition needs."""
        return self.part.needs

    def verdict(self, job: Job, now_ms: int) -> bool | None:
        """Unknown stays unknown."""
        verdict = self.part.verdict(job, now_ms)
        return None if verdict is None else not verdict

    def __str__(self) -> str:
        return f"not ({self.part})" if isinstance(self.part, Joined) else f"not {self.part}"


def _text(job: Job, field: Field) -> str:
    match field:
        case Field.ID:
            return job.id
        case Field.GROUP:
            return job.group or ""
        case Field.STATE:
            return job.state or ""
        case Field.LIKE:
            return fold(job.last_error or "")
        case _:
            return job.last_error or ""


EVERY = All(())
"""Any job at all."""


def quoted(text: str, *, bare: bool = False) -> str:
    """A text as a value of the language, in quotes where it needs them; `bare`: as a word that stands alone."""
    plain = text.isprintable() and not any(letter.isspace() or letter in "()\"'\\" for letter in text)
    if bare:
        plain = plain and not any(letter in "=~<>!" for letter in text) and text.lower() not in {"and", "or", "not"}
    if plain and text:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
