"""Who works on a queue and who holds its jobs."""

import base64

import pytest

from emqtop.meaning.teams import team_of
from emqtop.model.team import Team, Tie, Worker
from emqtop.wire.around import HolderReading
from emqtop.wire.bullmq.workers import MOST_ACTIVE, team
from emqtop.wire.resp import ReplyError
from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull

MAIL = base64.b64encode(b"mail").decode()


def connect(valkey: Hand, *names: str) -> list[Hand]:
    hands = [Hand(valkey.url) for _ in names]
    for hand, name in zip(hands, names, strict=True):
        hand("CLIENT", "SETNAME", name)
    return hands


def told(found: Team) -> set[tuple[str | None, Tie, int | None, int, int]]:
    return {(one.name, one.tie, one.holds, one.lapsed, one.namesakes) for one in found.workers}


def test_jobs_are_told_by_the_name_in_their_rows_else_by_their_locks(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.active("a", "u1:1", pb="ada")
    bull.active("b", pb="ada")
    bull.active("c", "u2:7")
    bull.active("d", "u2:8")
    bull.active("e", "single")
    bull.active("f")
    read = bull.ask(team(bull.keys))
    assert (read.active, read.looked_at) == (6, 6)
    assert set(read.holders or ()) == {
        HolderReading(b"ada", None, 2, 1),
        HolderReading(None, b"u2", 2, 0),
        HolderReading(None, b"single", 1, 0),
        HolderReading(None, None, 1, 1),
    }


def test_a_worker_whose_connection_is_gone_is_seen_by_its_jobs(valkey: Hand) -> None:
    bull = Bull(valkey)
    hands = connect(valkey, f"bull:{MAIL}:w:ada", f"bull:{MAIL}:w:bob")
    bull.active("a", "u1:1", pb="ada")
    bull.active("b", pb="killed")
    found = team_of(bull.ask(team(bull.keys)))
    assert told(found) == {
        ("ada", Tie.NAME, 1, 0, 1),
        ("bob", Tie.NAME, 0, 0, 1),
        ("killed", Tie.GONE, 1, 1, 1),
    }
    assert found.connected == 2
    for hand in hands:
        hand.link.close()


def test_no_number_is_told_where_a_job_could_be_anybodys(valkey: Hand) -> None:
    bull = Bull(valkey)
    hands = connect(valkey, "bull:mail:w:py", "bull:mail", "bull:mail")
    bull.active("a", "u1:1")
    assert told(team_of(bull.ask(team(bull.keys)))) == {
        ("py", Tie.NAME, None, 0, 1),
        (None, Tie.NAME, None, 0, 2),
        ("u1", Tie.LOCKS, 1, 0, 1),
    }
    for hand in hands:
        hand.link.close()


def test_workers_of_one_name_hold_their_jobs_together(valkey: Hand) -> None:
    bull = Bull(valkey)
    hands = connect(valkey, f"bull:{MAIL}:w:ada", f"bull:{MAIL}:w:ada")
    bull.active("a", "u1:1", pb="ada")
    found = team_of(bull.ask(team(bull.keys)))
    assert [(one.holds, one.namesakes) for one in found.workers] == [(1, 2), (1, 2)]
    for hand in hands:
        hand.link.close()


def test_a_long_list_of_running_jobs_is_looked_at_in_part(valkey: Hand) -> None:
    bull = Bull(valkey)
    (hand,) = connect(valkey, f"bull:{MAIL}:w:bob")
    bull.put("RPUSH", "active", *range(MOST_ACTIVE + 30))
    for job in range(MOST_ACTIVE + 30):
        bull.put("HSET", str(job), "pb", "ada" if job >= 30 else "bob")
    found = team_of(bull.ask(team(bull.keys)))
    assert (found.active, found.looked_at) == (MOST_ACTIVE + 30, MOST_ACTIVE)
    # Its jobs are the newest, which are not looked at: how many it holds is not known.
    assert told(found) == {("bob", Tie.NAME, None, 0, 1), ("ada", Tie.GONE, MOST_ACTIVE, MOST_ACTIVE, 1)}
    hand.link.close()


def test_workers_of_another_database_are_not_this_queues(valkey: Hand) -> None:
    bull = Bull(valkey)
    hands = connect(valkey, "bull:mail:w:here", "bull:mail:w:there")
    hands[1]("SELECT", 1)
    assert [one.name for one in team_of(bull.ask(team(bull.keys, 0))).workers] == ["here"]
    for hand in hands:
        hand.link.close()


def test_what_is_withheld_leaves_the_jobs(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.active("a", "u1:1", pb="ada")
    valkey("ACL", "SETUSER", "looker", "on", ">pw", "~*", "+@all", "-client|list")
    looker = Hand(valkey.url)
    looker("AUTH", "looker", "pw")
    found = team_of(looker.link.run(team(bull.keys)))
    assert found == Team((Worker("ada None", Tie.JOBS, "ada", holds=1),), withheld=True, active=1, looked_at=1)
    looker.link.close()
    valkey("ACL", "DELUSER", "looker")


def test_an_active_key_of_another_kind_is_refused(valkey: Hand) -> None:
    bull = Bull(valkey)
    bull.put("SET", "active", 1)
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        bull.ask(team(bull.keys))
