"""Acts on the jobs of a queue, and what they answer in short."""

from collections.abc import Callable

from emqtop.wire.bullmq import operator
from emqtop.wire.bullmq.keyspace import QueueKeys
from emqtop.wire.resp import Conversation
from emqtop.wire.verdicts import Verdict
from tests.wire.bullmq.writing import Bull, Seen

Acting = Callable[[QueueKeys, list[Seen]], Conversation[list[Verdict]]]


def dead(keys: QueueKeys, jobs: list[Seen], *, force: bool = False) -> Conversation[list[Verdict]]:
    """Give jobs up."""
    return operator.dead_letter(keys, jobs, "given up", force=force)


def act(bull: Bull, verb: Acting, *jobs: Seen, **options: object) -> list[tuple[str, str, str]]:
    """Do it; reason, kind and note of each verdict."""
    verdicts = bull.ask(verb(bull.keys, list(jobs), **options))  # type: ignore[call-arg]
    assert [verdict.id for verdict in verdicts] == [job.id for job in jobs]
    return [(verdict.reason, verdict.kind, verdict.note) for verdict in verdicts]


def reasons(bull: Bull, verb: Acting, *jobs: Seen, **options: object) -> list[str]:
    """Do it; the reason of each verdict."""
    return [reason for reason, _, _ in act(bull, verb, *jobs, **options)]
