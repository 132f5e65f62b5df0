"""What became of an act, in words."""

from collections import Counter
from collections.abc import Iterator

from emqtop.model.actions import Outcome, Verb, named
from emqtop.model.acts import ACTS
from emqtop.text import safe
from emqtop.ui.widgets.line import Part
from emqtop.ui.widgets.paper import Text

EXAMPLES = 3
"""Jobs that are named for each reason."""


def number(value: int) -> str:
    """`12`, `12 000`."""
    return f"{value:,}".replace(",", " ")


def jobs(count: int) -> str:
    """`1 job`, `12 000 jobs`."""
    return "1 job" if count == 1 else f"{number(count)} jobs"


def headline(outcome: Outcome) -> Part:
    """The verdict in one line."""
    unknown = "outcome" if is_of_queue(outcome) else f"outcome of {jobs(len(outcome.unknown))}"
    if outcome.unknown and not outcome.lost:
        return Part(f"{outcome.verb}: {unknown} unknown, the server did not answer", "bad")
    lane = "" if outcome.lane is None else f" lane {safe(outcome.lane)}"
    done = ACTS[outcome.verb].done.format(jobs=jobs(outcome.moved), queue=safe(outcome.queue.name) + lane)
    words = [done] if outcome.moved or outcome.took_queue else []
    words += _left(outcome)
    if outcome.deferred:
        words.append(f"{len(outcome.deferred)} when a worker next claims them")
    if outcome.unknown:
        words.append(f"{unknown} unknown")
    if outcome.lost:
        words.append(f"the server was lost ({safe(outcome.lost)})")
        words += [f"{jobs(outcome.not_begun)} not begun"] * (outcome.not_begun > 0)
        return Part(f"{outcome.verb}: {', '.join(words)}", "bad")
    if outcome.stopped:
        words.append("stopped")
    whole = words == [done] and not outcome.skipped and not outcome.stopped
    return Part(f"{outcome.verb}: {', '.join(words) or 'nothing to do'}", "good" if whole else "warn")


def is_of_queue(outcome: Outcome) -> bool:
    """Was it an act on a queue or a lane as a whole, not on jobs one by one?"""
    return outcome.verb is not Verb.UNDO and not ACTS[outcome.verb].fits


def _left(outcome: Outcome) -> list[str]:
    """What was left alone, in a few words."""
    if is_of_queue(outcome):
        return [f"left alone, {safe(skip.detail)}" for skip in outcome.skipped[:1]]
    reasons = Counter(skip.reason for skip in outcome.skipped)
    return [f"{number(count)} left alone ({named(reason)})" for reason, count in reasons.items()]


def is_whole(outcome: Outcome) -> bool:
    """Did all of it happen, so that one line says everything?"""
    return not (outcome.skipped or outcome.unknown or outcome.stopped or outcome.deferred)


def details(outcome: Outcome) -> Iterator[Text]:
    """Why what was left alone was left alone, with examples for each reason."""
    by_reason: dict[str, list[Text]] = {}
    if is_of_queue(outcome):
        # What is said of the queue itself stands in the headline.
        jobs_named = [skip.id for skip in outcome.skipped if skip.id != outcome.queue.name]
        yield from ((Part(f"  {safe(job)}", "dim"),) for job in jobs_named[:EXAMPLES])
        yield from _unknown(outcome)
        return
    for skip in outcome.skipped:
        line = (Part(f"  {safe(skip.id)}  ", "dim"), Part(safe(skip.detail)))
        by_reason.setdefault(skip.reason.value, []).append(line)
    for reason, lines in by_reason.items():
        yield (Part(f"{named(reason)}: {number(len(lines))} left alone", "warn"),)
        yield from lines[:EXAMPLES]
        if len(lines) > EXAMPLES:
            yield (Part(f"  and {len(lines) - EXAMPLES} more", "dim"),)
    yield from _unknown(outcome)


def _unknown(outcome: Outcome) -> Iterator[Text]:
    """What was sent without an answer, and what has been read of it since."""
    if not outcome.unknown:
        return
    number = "" if is_of_queue(outcome) else f"{len(outcome.unknown)}, "
    yield (Part(f"unknown: {number}sent once, and no answer came", "bad"),)
    for job in outcome.unknown[:EXAMPLES]:
        yield (Part(f"  {safe(job)}", "dim"),)
    if len(outcome.unknown) > EXAMPLES:
        yield (Part(f"  and {len(outcome.unknown) - EXAMPLES} more", "dim"),)
    as_before = "it lies as it did" if len(outcome.unknown) == 1 else "they lie as they did"
    read = f"read again since, {as_before}; the act may yet come" if outcome.reread else "not read since"
    yield (Part(f"{read}: look again before another act"),)
