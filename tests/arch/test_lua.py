"""The Lua scripts: each has its header and a caller, and keeps to the keys of one queue."""

import hashlib
from pathlib import Path

import pytest

from emqtop.resources import folder
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.resp import ReplyError, ask_one
from emqtop.wire.scripts import Call, Script, call_many, names, script
from tests.arch.lua_faults import callers, commands, faults, fragments, scripts
from tests.conftest import Hand
from tests.wire.echomq.every_verb import Exchange, every_verb, recorded
from tests.wire.echomq.every_verb import commands as sent

PACKAGE = Path(__file__).parents[2] / "emqtop"
KEYS = QueueKeys("emq", "fenced.q")


def test_no_faults() -> None:
    assert faults(folder("lua"), callers(PACKAGE)) == []


def test_what_a_header_says_of_reading_and_writing(valkey: Hand) -> None:
    known = fragments(folder("lua"))
    for lua in scripts(folder("lua")):
        flags = [valkey("COMMAND", "INFO", command)[0][2] for command in commands(lua, known)]
        writes = any(b"write" in listed or b"pubsub" in listed for listed in flags)
        assert lua.header["Cost"].endswith("; writes" if writes else "; reads"), lua.path.name


GOOD = """\
-- Note a thing.
--
-- KEYS: 1 row, 2 ring*
-- ARGV: 1 text
-- Returns: 1
-- Refuses: nothing
-- Cost: O(1); writes

--@include ring
ring_in(ARGV[1], redis.call('HGET', KEYS[1], 'group'))
return 1
"""
RING = "local function ring_in(p, group)\n  redis.call('RPUSH', p .. 'ring', group)\nend\n"


@pytest.mark.parametrize(
    ("name", "old", "new", "wanted"),
    [
        ("note-2", "", "", []),
        ("note-2", "-- Note a thing.\n", "", ["no purpose"]),
        ("note-2", "-- ARGV: 1 text\n", "", ["no ARGV"]),
        ("note-2", "-- Returns: 1\n", "", ["no Returns"]),
        ("note-2", "-- Refuses: nothing\n", "", ["no Refuses"]),
        ("note-2", "-- Cost: O(1); writes\n", "", ["no Cost", "does not say whether it reads or writes"]),
        ("note-2", "; writes", "", ["does not say whether it reads or writes"]),
        ("note-3", "", "", ["declares 3 keys, names 2"]),
        ("note-2", "2 ring*", "2 ring", ["names keys [1, 2], uses ['1']"]),
        ("note-2", "KEYS[1]", "KEYS[3]", ["names keys [1, 2], uses ['3']"]),
        ("odd-2", "", "", ["no caller"]),
        ("note", "", "", ["is not named verb-N.lua", "declares 0 keys, names 2"]),
        ("note-2", "--@include ring\n", "", ["calls ring_in without its fragment"]),
        (
            "note-2",
            "include ring",
            "include rings",
            ["includes rings, which is missing", "calls ring_in without its fragment"],
        ),
        ("note-2", "ring_in(ARGV[1], ", "print(", ["includes ring, but uses nothing of it"]),
        ("note-2", "KEYS[1], 'group'", "'emq:x', KEYS[1]", ["touches a key of its own: 'HGET' 'emq:x'"]),
        ("note-2", "'HGET'", "ARGV[1]", ["sends a command that is not spelled out: ARGV[1]"]),
        ("note-2", "return 1", "return redis.call('DBSIZE')", ["sends 'DBSIZE' without a key"]),
    ],
)
def test_a_planted_fault_is_found(tmp_path: Path, name: str, old: str, new: str, wanted: list[str]) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "ring.lua").write_text(RING)
    (tmp_path / "fine-2.lua").write_text(GOOD)
    assert old in GOOD
    (tmp_path / f"{name}.lua").write_text(GOOD.replace(old, new))
    found = faults(tmp_path, {"fine", "note"})
    assert found == [f"{name}.lua: {text}" for text in wanted]


def test_a_fragment_that_nobody_includes_is_found(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "ring.lua").write_text(RING)
    assert faults(tmp_path, set()) == ["include/ring.lua: no script includes it"]


def test_a_caller_is_found_by_name_and_by_pattern(tmp_path: Path) -> None:
    (tmp_path / "verbs.py").write_text("call('claim')\nVERBS = ['reap']\ncall(f'operator_{verb}')\n")
    (tmp_path / "words.py").write_text("NAMES = ['drain']\n")
    assert callers(tmp_path) == {"claim", "operator_(?:claim|operator_|reap)"}


@pytest.fixture
def fenced(valkey: Hand) -> BareLink:
    """A link that may touch the keys and channels of one queue only."""
    valkey(
        "ACL", "SETUSER", "fenced", "reset", "on", ">pw", "+@all", f"~{KEYS.base.decode()}*", f"&{KEYS.base.decode()}*"
    )
    link = BareLink(parse_address(valkey.url))
    link.run(ask_one("AUTH", "fenced", "pw"))
    return link


def test_every_script_keeps_to_its_queue(fenced: BareLink) -> None:
    log: list[Exchange] = []
    for step in every_verb(KEYS, Minter(4)):
        fenced.run(recorded(step.talk, log))
    errors = [reply for exchange in log for reply in exchange.replies if isinstance(reply, ReplyError)]
    assert [error for error in errors if error.word != "NOSCRIPT"] == []
    of_sha = {script(name).sha.encode(): name for name in names()}
    run = {of_sha[command[1]] for exchange in log for command in sent(exchange.ask.payload) if command[0] == b"EVALSHA"}
    assert set(names()) - run == set(), "give each a step in tests/wire/echomq/every_verb.py"
    fenced.close()


def test_a_script_that_strays_is_stopped(fenced: BareLink) -> None:
    body = b"return redis.call('SET', ARGV[1] .. 'x', 1)"
    stray = Script("stray", 1, body, hashlib.sha1(body).hexdigest())
    (kept,) = fenced.run(call_many([Call(stray, (KEYS.base,), (KEYS.base,))]))
    assert kept == b"OK"
    (stopped,) = fenced.run(call_many([Call(stray, (KEYS.base,), ("emq:{other}:",))]))
    assert isinstance(stopped, ReplyError)
    fenced.close()
