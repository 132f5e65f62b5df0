"""What the scripts refuse, in words: one class per class word of the server, the docstring is the message."""

from emqtop.wire.resp import Conversation, Reply, ReplyError


class Refusal(Exception):
    """The queue refuses this."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said

    def __str__(self) -> str:
        headline = (type(self).__doc__ or "").strip().rstrip(".")
        return f"{headline}: {self.said}"


class NotAJob(Refusal):
    """This id does not name a job."""


class StaleToken(Refusal):
    """Somebody else holds this job by now, or it is gone."""

    @property
    def gone(self) -> bool:
        """Did the server find no such job at all?"""
        return self.said.endswith("job gone")


class AtCeiling(Refusal):
    """The queue is at its concurrency ceiling."""


class JobLocked(Refusal):
    """A worker holds the lock of this job."""


class WrongState(Refusal):
    """The state does not allow this."""


_BY_WORD: dict[str, type[Refusal]] = {
    "EMQKIND": NotAJob,
    "EMQSTALE": StaleToken,
    "EMQRATE": AtCeiling,
    "EMQLOCK": JobLocked,
    "EMQSTATE": WrongState,
}


def refusal(error: ReplyError) -> Refusal | ReplyError:
    """The refusal that an error reply stands for; a word that is not known passes through as it is."""
    kind = _BY_WORD.get(error.word)
    return kind(str(error)) if kind is not None else error


def refusing(conversation: Conversation[Reply]) -> Conversation[Reply]:
    """The same conversation, with its error replies raised as refusals.

    Raises:
        Refusal: the script refused.
        ReplyError: any other error of the server.
    """
    try:
        return (yield from conversation)
    except ReplyError as error:
        raise refusal(error) from None
