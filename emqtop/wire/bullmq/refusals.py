"""May this be done to that job? The same answer for a plan and for the act (operator laws 1, 3, 6, 7)."""

from emqtop.wire.bullmq.locks import NO_EXPIRY, NO_TOKEN
from emqtop.wire.bullmq.lookup import Case, Lookup
from emqtop.wire.bullmq.scores import due_ms
from emqtop.wire.resp import text
from emqtop.wire.verdicts import Verdict

_RENEWED_MS = 1000
"""A lock whose end moved by more than this was renewed: PTTL is exact to a millisecond or two only."""

_FITS = {
    "reap": {"active"},
    "promote": {"schedule"},
    "dead-letter": {"pending", "active", "schedule"},
    "requeue": {"dead"},
    "rerun": {"done"},
    "remove": {"pending", "active", "schedule", "dead", "done", "held"},
    "extend": {"active"},
    "delay": {"schedule"},
    "reprioritize": {"pending"},
    "free": {"pending", "active", "schedule", "dead", "done", "held"},
}
_COUNTS_NOTHING = {"extend", "free"}


def judge(verb: str, lookup: Lookup, case: Case, *, force: bool = False, early: bool = False) -> Verdict | None:
    """Why the job is left alone; None: the act may go on.

    Args:
        verb: which act.
        lookup: the moment.
        case: the job.
        force: against a live lock, where the act allows it.
        early: promote before the time.
    """
    return (
        _of_layout(verb, lookup, case)
        or _of_row(case)
        or _of_place(verb, case)
        or _of_attempt(case)
        or _of_lock(verb, lookup, case, force=force)
        or _of_pause(verb, lookup, case)
        or _of_family(verb, case, force=force)
        or _of_time(verb, lookup, case, early=early)
        or _of_deduplication(verb, case)
    )


def _of_layout(verb: str, lookup: Lookup, case: Case) -> Verdict | None:
    odd_number = None if verb in _COUNTS_NOTHING else lookup.layout.odd_number
    if (refusal := lookup.layout.refusal or odd_number) is not None:
        return Verdict(case.seen.id, "not-supported", "", refusal)
    if case.is_of_old_worker:
        return Verdict(case.seen.id, "not-supported", "", "a worker of version 4 or older ran it")
    return None


def _of_row(case: Case) -> Verdict | None:
    if not case.is_row:
        return Verdict(case.seen.id, "no-row" if case.places else "gone")
    if not case.has_payload:
        return Verdict(case.seen.id, "no-payload")
    if case.odd_part is not None:
        return Verdict(case.seen.id, "not-supported", "", case.odd_part)
    if len(case.places) > 1:
        return Verdict(case.seen.id, "second-location", "places", " and ".join(place.part for place in case.places))
    if not case.places:
        return Verdict(case.seen.id, "state-differs", "", "a row whose id lies nowhere; only repair may touch it")
    return None


def _of_place(verb: str, case: Case) -> Verdict | None:
    here = case.location or ""
    if verb == "requeue" and here != "dead":
        kind = "place" if here == case.seen.location else "location"
        return Verdict(case.seen.id, "flow-parent" if here == "held" else "not-dead", kind, here)
    if here != case.seen.location:
        return Verdict(case.seen.id, "moved", "location", here)
    if here == "held" and "held" not in _FITS[verb]:
        return Verdict(case.seen.id, "flow-parent", "children", str(case.children))
    if here not in _FITS[verb]:
        return Verdict(case.seen.id, "moved", "place", here)
    return None


def _of_attempt(case: Case) -> Verdict | None:
    if case.seen.attempts is None or case.seen.attempts == case.attempts:
        return None
    return Verdict(case.seen.id, "moved", "token", str(case.attempts))


def _of_lock(verb: str, lookup: Lookup, case: Case, *, force: bool) -> Verdict | None:
    """A live lock stops everything but an extension. Nothing recalls a running job, so no force makes it dead."""
    if verb == "extend":
        if case.token in (None, NO_TOKEN) or case.lock_ms == NO_EXPIRY:
            note = "its lock has no end" if case.lock_ms == NO_EXPIRY else "no worker holds a lock on it"
            return Verdict(case.seen.id, "not-supported", "", note)
        return None
    if not case.is_locked or verb == "free" or (force and verb in {"reap", "remove"}):
        return None
    ends_ms, seen_ms = lookup.now_ms + case.lock_ms, case.seen.deadline_ms
    renewed = case.lock_ms != NO_EXPIRY and seen_ms is not None and ends_ms - seen_ms > _RENEWED_MS
    if verb == "dead-letter":
        return Verdict(case.seen.id, "lease-live", "", _holder(case))
    left = "" if case.lock_ms == NO_EXPIRY else str(case.lock_ms)
    return Verdict(case.seen.id, "renewed" if renewed else "lease-live", "lease", left)


def _holder(case: Case) -> str:
    """Who runs the job: the name of its worker, else the first half of the token, which its jobs share (4.1)."""
    name = case.fields["pb"] or (case.token or b"").partition(b":")[0]
    return f"worker {text(name)} runs it and cannot be recalled; its lock has {_left(case)}"


def _left(case: Case) -> str:
    return "no end" if case.lock_ms == NO_EXPIRY else f"{round(case.lock_ms / 1000)} s left"


_PUSHES = {"reap", "promote", "requeue", "rerun", "reprioritize"}


def _of_pause(verb: str, lookup: Lookup, case: Case) -> Verdict | None:
    """On a paused queue of layout 5 a push to `wait` is lost at the next resume of that version (3.3 c)."""
    if lookup.layout.is_list_paused and verb in _PUSHES:
        note = "paused in layout 5: what is pushed to wait would be lost; resume first"
        return Verdict(case.seen.id, "paused", "", note)
    frees_parent = verb in {"dead-letter", "remove"} and case.is_awaited
    if frees_parent and case.parent_is_paused:
        return Verdict(case.seen.id, "paused", "", "the queue of its parent is paused in layout 5; resume that first")
    return None


def _of_family(verb: str, case: Case, *, force: bool) -> Verdict | None:
    if case.children and verb in {"requeue", "remove", "rerun"}:
        return Verdict(case.seen.id, "flow-parent", "children", str(case.children))
    if case.parent_is_elsewhere and verb in {"requeue", "rerun", "remove", "dead-letter"}:
        return Verdict(case.seen.id, "flow-child", "", "its parent lies in another slot of the cluster")
    if case.is_last_child and verb == "remove" and not force:
        return Verdict(case.seen.id, "flow-child", "", "it is the last child that its parent waits for")
    if case.is_armed and verb in {"remove", "dead-letter"}:
        return Verdict(case.seen.id, "scheduler")
    return None


def _of_time(verb: str, lookup: Lookup, case: Case, *, early: bool) -> Verdict | None:
    if verb != "promote" or early or case.score is None:
        return None
    left = due_ms(case.score) - lookup.now_ms
    return Verdict(case.seen.id, "moved", "due", str(left)) if left > 0 else None


def _of_deduplication(verb: str, case: Case) -> Verdict | None:
    if verb == "free" and not case.fields["deid"]:
        return Verdict(case.seen.id, "not-supported", "", "it has no deduplication id")
    return None
