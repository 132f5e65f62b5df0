"""Refusals in the words of every server, put so that they are known again."""

import pytest

from emqtop.wire.errors import LoginRefused, NotNow, Unreachable, check_told, farewell, is_withheld
from emqtop.wire.ready import ready
from emqtop.wire.resp import Conversation, Reply, ReplyError, ask_one, drain, drive, reader, refusal

SHA = "f_119b0beb461d5982ddacc6dda6829882d5e16b4d"
SIX = f"ERR Error running script (call to {SHA}): @user_script:1: "


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (SIX + "WRONGTYPE Operation against a key", "WRONGTYPE Operation against a key"),
        (SIX + "@user_script: 1: -OOM command not allowed", "OOM command not allowed"),
        (SIX + "@user_script: 1: -READONLY You can't write", "READONLY You can't write"),
        (SIX + "@user_script: 1: Unknown Redis command called", "ERR Unknown Redis command called"),
        (SIX + "user_script:1: boom", "ERR user_script:1: boom"),
        ("OOM not allowed. script: 119b0beb, on @user_script:1.", "OOM not allowed."),
        ("OOM not allowed. script: on @user_script:360.", "OOM not allowed."),
        (
            "ERR unknown command 'AUTH', with args beginning with: 'S3cret' '-- a\r\nscript' ",
            "ERR unknown command 'AUTH'",
        ),
        ("EMQSTALE token 3", "EMQSTALE token 3"),
        ("lower case and no class", "lower case and no class"),
    ],
)
def test_where_in_a_script_and_what_was_sent_is_left_out(said: str, wanted: str) -> None:
    assert str(refusal(said)) == wanted
    parser = reader()
    parser.feed(f"-{said.replace(chr(13), ' ').replace(chr(10), ' ')}\r\n")
    assert [str(reply) for reply in drain(parser)] == [wanted]


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (ReplyError("NOPERM no permissions to run the 'scan' command"), True),
        (ReplyError("ERR unknown command 'SCAN'"), True),
        (ReplyError("ERR unknown command `SCAN`"), True),
        (ReplyError("WRONGTYPE Operation"), False),
        (ReplyError("LOADING Redis is loading"), False),
        (b"NOPERM", False),
        (None, False),
    ],
)
def test_what_is_withheld(reply: Reply, wanted: bool) -> None:
    assert is_withheld(reply) is wanted


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (ReplyError("NOAUTH HELLO must be called with …"), LoginRefused("NOAUTH Authentication required.")),
        (ReplyError("ERR max number of clients reached"), Unreachable("max number of clients reached")),
        (
            ReplyError("DENIED Redis is in protected mode. In this mode …"),
            Unreachable("DENIED Redis is in protected mode"),
        ),
        (ReplyError("NOPERM no"), None),
        (b"NOAUTH", None),
    ],
)
def test_what_is_said_before_a_server_hangs_up(reply: Reply, wanted: Exception | None) -> None:
    assert (type(farewell(reply)), str(farewell(reply))) == (type(wanted), str(wanted))


@pytest.mark.parametrize(
    "said", ["NOPERM no", "CLUSTERDOWN Hash slot not served", "TRYAGAIN later", "ERR unknown command"]
)
def test_a_refusal_is_no_absence(said: str) -> None:
    check_told([b"v", None, [], ReplyError("WRONGTYPE"), ReplyError("CROSSSLOT")])
    with pytest.raises(ReplyError, match=said):
        check_told([None, ReplyError(said)])


@pytest.mark.parametrize("said", ["LOADING", "BUSY a script", "MASTERDOWN", "CLUSTERDOWN The cluster is down"])
def test_a_read_ends_where_the_server_as_a_whole_cannot_answer(said: str) -> None:
    def absent() -> Conversation[bool]:
        try:
            return (yield from ask_one("EXISTS", "k")) == 0
        except ReplyError:
            return True

    with pytest.raises(NotNow, match=said):
        drive(ready(absent()), lambda ask: [ReplyError(said)])
    assert drive(ready(absent()), lambda ask: [ReplyError("NOPERM no")])
    assert not drive(ready(absent()), lambda ask: [1])
