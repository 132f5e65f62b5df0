"""What the dialog of an act says."""

from collections import Counter
from collections.abc import Iterator

from emqtop.acting.plan import Plan
from emqtop.model.actions import Verb, named
from emqtop.model.acts import ACTS, Danger
from emqtop.model.job import Job
from emqtop.text import safe
from emqtop.ui import verdict
from emqtop.ui.act_state import ActState, Stage
from emqtop.ui.wants import Want
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Text
from emqtop.units import duration

ERRORS = 3
"""Errors that are named."""


def lines(state: ActState) -> Iterator[Text]:
    """All that there is to say at this stage; what matters most comes first."""
    if state.stage in {Stage.TYPING, Stage.ASKING}:
        yield from essence(state)
        if state.stage is Stage.ASKING and state.plan is not None:
            yield from _rest(state, state.plan)
        return
    yield from _head(state)
    match state.stage:
        case Stage.RUNNING:
            yield from _running(state)
        case Stage.OVER if state.outcome is not None:
            yield (verdict.headline(state.outcome),)
            yield from verdict.details(state.outcome)
        case Stage.OVER:
            yield from ((Part(words, "dim" if place else "bad"),) for place, words in enumerate(state.failure))
        case _:
            found = f", {verdict.number(state.found)} so far" if state.found else ""
            words = "looking how it is now" if state.stage is Stage.LOOKING else "looking what it would touch"
            yield (Part(f"{words}{found}", "dim"),)


def essence(state: ActState) -> Iterator[Text]:
    """What must be seen for an answer to mean anything."""
    yield from _head(state)
    if state.stage is Stage.TYPING:
        yield from _typing(state)
    else:
        yield from _asking(state)


def _head(state: ActState) -> Iterator[Text]:
    yield (
        Part(ACTS[state.order.verb].label, "strong"),
        Part(f"  {safe(state.order.queue.name)}", "accent"),
        Part("  "),
        *state.server,
    )
    yield ()


def _typing(state: ActState) -> Iterator[Text]:
    yield from _where(state)
    if (want := state.want) is None:
        return
    yield (Part(want.name, "strong"), Part(f"  ({want.hint})", "dim"))
    if want.is_kept and state.standing is not None:
        yield (Part(f"now {safe(want.shown(state.standing))}", "dim"),)
    if state.complaint:
        yield (Part(safe(state.complaint), "bad"),)


def _where(state: ActState) -> Iterator[Text]:
    """To what the value belongs, where that is not the whole queue."""
    if state.order.lane is not None:
        yield (Part(f"lane {safe(state.order.lane)}"),)
    for seen in state.aim.seen[:1]:
        more = len(state.aim.seen) - 1
        yield (Part(safe(seen.id)), Part(f"  and {verdict.number(more)} more" if more else "", "dim"))


def _asking(state: ActState) -> Iterator[Text]:
    act, plan = ACTS[state.order.verb], state.plan
    what = verdict.jobs(0 if plan is None else len(plan.jobs))
    lane = f" lane {safe(state.order.lane)}" if state.order.lane is not None else ""
    queue = safe(state.order.queue.name) + lane
    if plan is not None and plan.was_so:
        yield (Part(act.was_so.format(queue=queue) or "it is so already", "plain"),)
    elif not state.is_movable:
        stays = plan is not None and plan.is_whole
        yield (Part(f"{queue} stays as it is" if stays else "nothing here that can be moved"),)
    else:
        tone = "bad" if act.danger is Danger.DESTROYS else "plain"
        yield (Part(act.asks.format(jobs=what, queue=queue), tone),)
    if (want := state.want) is not None:
        yield _change(state, want)
    elif state.order.scheduler:
        yield (Part("  scheduler ", "dim"), Part(safe(state.order.scheduler), "strong"))
    if state.is_movable and act.for_good:
        yield (Part(f"  {act.for_good}", "warn"),)
    if state.complaint:
        yield (Part(f"  {safe(state.complaint)}", "bad"),)
    if state.aim.where is not None and (where := str(state.aim.where)):
        yield (Part(f"  only where {safe(where)}", "warn"),)
    if plan is not None and len(plan.jobs) == 1:
        yield from (_job(job, state.now_ms) for job in plan.sample)


def _change(state: ActState, want: Want) -> Text:
    """The value, and the one before it."""
    value = (Part(safe(want.shown(state.order)), "strong"),)
    if not want.is_kept or state.standing is None:
        return (Part(f"  {want.name} ", "dim"), *value)
    return (Part(f"  {want.name} {safe(want.shown(state.standing))} → ", "dim"), *value)


def _rest(state: ActState, plan: Plan) -> Iterator[Text]:
    if len(plan.jobs) > 1:
        yield from (_job(job, state.now_ms) for job in plan.sample)
        if len(plan.jobs) > len(plan.sample):
            yield (Part(f"  and {verdict.number(len(plan.jobs) - len(plan.sample))} more", "dim"),)
            yield from _ends(state, plan)
    if plan.skipped:
        yield ()
    for reason, number in Counter(skip.reason for skip in plan.skipped).items():
        detail = next(skip.detail for skip in plan.skipped if skip.reason is reason)
        yield (Part(f"left alone: {number} {named(reason)}", "warn"), Part(f"  {safe(detail)}", "dim"))
    for error, number in plan.errors[:ERRORS]:
        yield (Part(f"  {number} × ", "dim"), Part(safe(error), "warn"))


def _ends(state: ActState, plan: Plan) -> Iterator[Text]:
    for word, job in (("oldest", plan.oldest), ("newest", plan.newest)):
        if job is not None and job.minted_ms is not None:
            ago = duration(max(0, state.now_ms - job.minted_ms))
            yield (Part(f"  {word} ", "dim"), Part(safe(job.id)), Part(f"  minted {ago} ago", "dim"))


def _job(job: Job, now_ms: int) -> Text:
    words = [] if job.attempts is None else [f"attempt {job.attempts}"]
    if job.deadline_ms is not None:
        left = job.deadline_ms - now_ms
        words.append(f"lease has {duration(left)} left" if left > 0 else f"lease ran out {duration(-left)} ago")
    if job.due_ms is not None:
        left = job.due_ms - now_ms
        words.append(f"due in {duration(left)}" if left > 0 else f"due since {duration(-left)}")
    if job.group is not None:
        words.append(f"lane {safe(job.group)}")
    return (Part(f"  {safe(job.id)}", "strong"), Part(f"  {', '.join(words)}", "dim"))


def _running(state: ActState) -> Iterator[Text]:
    plan, progress = state.plan, state.progress
    counts_jobs = plan is not None and (not plan.is_whole or plan.order.verb is Verb.OBLITERATE)
    done = 0 if progress is None else progress.done
    if plan is not None and counts_jobs:
        yield (Part(f"{verdict.number(done)} of {verdict.number(len(plan.jobs))}"),)
    if state.waited_ms is None:
        return
    seconds = state.waited_ms // 1_000
    ago = f"{seconds} s" if seconds < 120 else duration(1_000 * seconds)
    if state.under_way:
        yield from _waiting(state, ago, counts_jobs)
    else:
        yield (Part(f"the server has not answered for {ago}", "warn"),)
        yield (Part("nothing is under way; nothing more is sent before it answers"),)


def _waiting(state: ActState, ago: str, counts_jobs: bool) -> Iterator[Text]:
    """What was sent so long ago, what is not known, and what will be read."""
    if not counts_jobs:
        sent, moved, read = "it was", "it was done", "the queue is"
    elif state.under_way == 1:
        sent, moved, read = "1 job was", "it moved", "it is"
    else:
        sent, moved, read = f"{verdict.jobs(state.under_way)} were", "they moved", "they are"
    yield (Part(f"{sent} sent {ago} ago, and the server has not answered", "warn"),)
    yield (Part(f"whether {moved} is not known; nothing is sent a second time"),)
    yield (Part(f"once it answers {read} read and the outcome is told here", "dim"),)
