"""One act as the audit file has it: what was ordered, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from emqtop.model.actions import Order, Outcome, Reason, Verb
from emqtop.model.queue import Family, QueueId

MOST_IDS = 1_000
"""Ids that a line names in full; a larger act is told by its selection, its count, and its first and last id."""
_FINAL = frozenset({Reason.GONE, Reason.MOVED, Reason.NOT_DEAD})
"""Why a job is left alone for good."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One act as the file has it."""

    id: str
    """Its name, rising with time; journal and undo go by it."""
    at: str
    """When it began, ISO 8601 with offset, this machine's clock."""
    who: str
    """The user and host that acted: `root@box`."""
    server: str
    """Address without password."""
    verb: Verb
    """What was done."""
    queue: QueueId
    """To which queue."""
    ids: tuple[str, ...] = ()
    """The jobs, where they were no more than 1,000."""
    ends: tuple[str, ...] = ()
    """The first and the last of them, where they were more."""
    count: int = 0
    """How many jobs it covered."""
    selection: str = ""
    """How they were chosen, in words."""
    options: dict[str, Any] = field(default_factory=dict)
    """The options that were not at their default."""
    errors: dict[str, int] = field(default_factory=dict)
    """Last errors that the jobs had, with the number of jobs; an act may have cleared them."""
    undoable: bool = False
    """Was a journal written with it?"""
    undoes: str | None = None
    """The entry that it took back."""
    ended: str | None = None
    """When it ended; None: it did not, so its outcome was never written down."""
    result: dict[str, Any] | None = None
    """How many moved and which, which were skipped and why, which are unknown."""

    @property
    def left_a_mark(self) -> bool:
        """Is there something to take back, as far as the file tells?"""
        result = self.result
        return self.undoable and (result is None or bool(result["moved"] or result["unknown"]))

    @property
    def is_through(self) -> bool:
        """Did it come to a verdict on each job that no second try would change?"""
        result = self.result
        return (
            result is not None
            and not result["stopped"]
            and not result["unknown"]
            and result["reasons"].keys() <= _FINAL
        )


def order_options(order: Order) -> dict[str, Any]:
    """The options of an order that say something."""
    said = {
        "force": order.force,
        "early": order.early,
        "reset_attempts": order.afresh,
        "reason": order.error,
        "by_ms": order.by_ms,
        "lane": order.lane,
        "limit": order.ceiling,
        "due_ms": order.due_ms,
        "priority": order.priority,
        "first": order.first,
        "scheduler": order.scheduler,
    }
    return {name: value for name, value in said.items() if value not in (None, False, "", 0)}


def result(outcome: Outcome, moved: Sequence[str] = ()) -> dict[str, Any]:
    """An outcome as the file keeps it.

    Args:
        outcome: what came of the act.
        moved: ids of the jobs that moved, in the order of the act.
    """
    named, ends = named_ids(moved)
    reasons: dict[str, int] = {}
    for skip in outcome.skipped:
        reasons[skip.reason] = reasons.get(skip.reason, 0) + 1
    return {
        "matched": outcome.matched,
        "moved": outcome.moved,
        "moved_ids": named,
        "moved_ends": ends,
        "deferred": list(outcome.deferred[:MOST_IDS]),
        "skipped": [{"id": s.id, "reason": s.reason, "detail": s.detail} for s in outcome.skipped[:MOST_IDS]],
        "reasons": reasons,
        "unknown": list(outcome.unknown[:MOST_IDS]),
        "stopped": outcome.stopped,
        **({"lost": outcome.lost} if outcome.lost else {}),
    }


def named_ids(ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Ids as a line names them: all of them, or the first and the last."""
    return (list(ids), []) if len(ids) <= MOST_IDS else ([], [ids[0], ids[-1]])


def entry_of(line: dict[str, Any], end: dict[str, Any] | None) -> Entry | None:
    """The act of a begun line and the ended line that there may be; None: it cannot be read."""
    try:
        return Entry(
            id=line["id"],
            at=line["at"],
            who=line["who"],
            server=line["server"],
            verb=Verb(line["verb"]),
            queue=QueueId(Family(line["family"]), line["prefix"], line["queue"]),
            ids=tuple(line["ids"]),
            ends=tuple(line.get("ends", ())),
            count=line["count"],
            selection=line["selection"],
            options=line["options"],
            errors=line["errors"],
            undoable=line["undoable"],
            undoes=line["undoes"],
            ended=end["at"] if end else None,
            result=end["result"] if end else None,
        )
    except (KeyError, ValueError, TypeError):
        return None
