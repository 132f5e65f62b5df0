"""Verdicts in words, the same for both families, for a plan and for what came of it."""

from emqtop.model.actions import Reason, Skip
from emqtop.units import duration
from emqtop.wire.errors import is_withheld
from emqtop.wire.resp import ReplyError
from emqtop.wire.verdicts import Verdict

_NOTHING_RAN = frozenset(
    {
        *("NOPERM", "READONLY", "NOAUTH", "OOM", "MISCONF", "NOREPLICAS", "MASTERDOWN", "LOADING"),
        *("NOSCRIPT", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK"),
    }
)
"""Class words of replies that a script gets before its first write."""

_FORBIDDEN_INSIDE = (
    *("ACL failure in script", "The user executing the script can't"),
    *("Unknown command called from", "Unknown Redis command called from"),
)
"""What Valkey and Redis say where a script has no right to one of its own commands, or the server forgot it."""
_MOVING = "the queue is on its way to another node of the cluster; try again when it is there"
_IN_WORDS = {"ASK": _MOVING, "TRYAGAIN": _MOVING}
_BARE = {
    Reason.RENEWED: "its lease was renewed",
    Reason.GONE: "finished or removed by now",
    Reason.MOVED: "it moved on",
    Reason.LOCKED: "a worker has marked it as held",
    Reason.LEASE_LIVE: "its lease has not run out",
    Reason.PAUSED: "the queue is paused",
    Reason.FLOW_PARENT: "it waits for its children",
    Reason.FLOW_CHILD: "its parent counts on it",
    Reason.SCHEDULER: "it is the next run of a scheduler",
    Reason.NO_ROW: "an id without a row; only repair may touch it",
    Reason.NO_PAYLOAD: "a row without a payload; only repair may touch it",
    Reason.SECOND_LOCATION: "it lies in two places; only repair may touch it",
    Reason.STATE_DIFFERS: "its row names another state than its place; only repair may touch it",
    Reason.NOT_DEAD: "it is not dead",
    Reason.READ_ONLY: "emqtop was started read-only",
    Reason.NOT_PERMITTED: "the server does not permit it",
    Reason.NOT_SUPPORTED: "not supported for this queue",
}


def skip(verdict: Verdict) -> Skip:
    """Why a job was left alone. A reason that no table knows passes through as the detail of `not-supported`."""
    if verdict.reason not in _BARE:
        return Skip(verdict.id, Reason.NOT_SUPPORTED, verdict.note or verdict.reason)
    reason = Reason(verdict.reason)
    return Skip(verdict.id, reason, _note(verdict.kind, verdict.note) or _BARE[reason])


def said(error: ReplyError) -> str:
    """What the server refused an act with; where it speaks in numbers of slots, what that means."""
    return _IN_WORDS.get(error.word, str(error))


def refused(name: str, reason: Reason, detail: str = "") -> Skip:
    """A whole act or a job that was refused before anything was sent, or by the server as a whole."""
    return Skip(name, reason, detail or _BARE[reason])


def ran_nothing(error: ReplyError) -> bool:
    """Was the act refused as a whole, so that the next one would be as well?"""
    return error.word in _NOTHING_RAN or is_withheld(error)


def reason_of(error: ReplyError) -> Reason:
    """Why the server refused an act as a whole: a right, a replica, a full disk; or something it cannot do here."""
    if ran_nothing(error) or any(words in str(error) for words in _FORBIDDEN_INSIDE):
        return Reason.NOT_PERMITTED
    return Reason.NOT_SUPPORTED


def _note(kind: str, note: str) -> str:
    match kind:
        case "lease":
            return _lease(note)
        case "marker":
            return _marker(note)
        case "due":
            return f"due in {_length(note)}"
        case "location":
            return f"moved to {note}"
        case "token":
            return f"attempt {note} holds it now"
        case "state":
            return f"its row says {note or 'nothing'}"
        case "place" | "places":
            return f"it lies in {note}"
        case "children":
            return f"it waits for {note} of its children"
        case "parent":
            return f"parent {note} counts on it"
        case _:
            return note


def _lease(note: str) -> str:
    left = _number(note)
    if left is None:
        return "lease without an end"
    return f"lease has {_length(note)} left" if left > 0 else f"lease was renewed, ran out {duration(-left)} ago"


def _marker(note: str) -> str:
    left = _number(note)
    return f"a worker's mark has {_length(note)} left" if left and left > 0 else "a worker's mark stands in its row"


def _length(note: str) -> str:
    left = _number(note)
    if left is None:
        return "no end"
    return f"{round(left / 1000)} s" if 1_000 <= left < 600_000 else duration(left)


def _number(note: str) -> int | None:
    try:
        return int(float(note))
    except (ValueError, OverflowError):
        return None
