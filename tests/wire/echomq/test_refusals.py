"""The class words of the scripts, as exceptions with words for a person."""

import pytest

from emqtop.wire.echomq.refusals import (
    AtCeiling,
    JobLocked,
    NotAJob,
    Refusal,
    StaleToken,
    WrongState,
    refusal,
    refusing,
)
from emqtop.wire.resp import ReplyError, ask_one


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ("EMQKIND job id must be JOB-namespaced", NotAJob, "This id does not name a job"),
        ("EMQSTALE complete token mismatch", StaleToken, "Somebody else holds this job by now, or it is gone"),
        ("EMQRATE at concurrency ceiling", AtCeiling, "The queue is at its concurrency ceiling"),
        ("EMQLOCK job is locked", JobLocked, "A worker holds the lock of this job"),
        ("EMQSTATE not dead", WrongState, "The state does not allow this"),
    ],
)
def test_a_known_word_has_its_exception(said: str, kind: type[Refusal], words: str) -> None:
    found = refusal(ReplyError(said))
    assert type(found) is kind
    assert str(found) == f"{words}: {said}"


@pytest.mark.parametrize("said", ["EMQNEW something else", "WRONGTYPE Operation", "ERR", ""])
def test_any_other_word_passes_through(said: str) -> None:
    error = ReplyError(said)
    assert refusal(error) is error
    conversation = refusing(ask_one("PING"))
    next(conversation)
    with pytest.raises(ReplyError) as raised:
        conversation.send([error])
    assert raised.value is error


@pytest.mark.parametrize(("said", "gone"), [("EMQSTALE job gone", True), ("EMQSTALE retry token mismatch", False)])
def test_a_stale_token_knows_whether_the_job_is_gone(said: str, gone: bool) -> None:
    assert StaleToken(said).gone is gone
