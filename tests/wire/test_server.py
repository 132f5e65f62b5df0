"""What a server says of itself: replication, as real masters and replicas tell it."""

import pytest

from emqtop.wire.resp import Reply
from emqtop.wire.server import Facts, changed_facts, facts
from tests.servers.process import ServerProcess
from tests.servers.waiting import wait_for

ONE = "slave0:ip=127.0.0.1,port=1,state=online,offset=7,lag=1"
ANOTHER = "slave1:ip=127.0.0.1,port=2,state=online,offset=7,lag=31"
ODD = "slave0:ip=lag=9,port=1,state=online,offset=7"
NEVER, DOWN = "master_last_io_seconds_ago:-1", "master_link_status:down"


def silent_ms(lines: list[str]) -> int | None:
    """What is made of these lines of the section."""
    asking = changed_facts(Facts(kind="valkey"))
    next(asking)
    replies: list[Reply] = [b"", b"", "\r\n".join(lines).encode()]
    with pytest.raises(StopIteration) as end:
        asking.send(replies)
    found = end.value.value
    assert isinstance(found, Facts)
    return found.silent_ms


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["role:master", "connected_slaves:0"], None),
        (["role:master", "connected_slaves:2", ONE, ANOTHER], 31_000),
        (["role:master", ODD, "slave_read_only:,lag=8"], None),
        (["role:slave", "master_link_status:up", "master_last_io_seconds_ago:4"], 4_000),
        (["role:slave", DOWN, NEVER, "master_link_down_since_seconds:77"], 77_000),
        (["role:slave", DOWN, NEVER, "master_link_down_since_seconds:-1"], None),
        ([], None),
    ],
)
def test_how_long_master_and_replica_have_not_heard_each_other(lines: list[str], wanted: int | None) -> None:
    assert silent_ms(lines) == wanted


def test_a_real_master_and_its_replica(lone_server: ServerProcess) -> None:
    assert lone_server.run(facts()).silent_ms is None
    with ServerProcess(options=("--replicaof", f"127.0.0.1 {lone_server.port}")) as replica:
        wait_for(lambda: replica.info("replication")["master_link_status"] == "up", "the replica to follow")
        wait_for(lambda: "lag=" in lone_server.info("replication").get("slave0", ""), "the master to know it")
        master, follower = lone_server.run(facts()), replica.run(facts())
        assert (master.role, follower.role) == ("master", "replica")
        assert master.silent_ms is not None
        assert follower.silent_ms is not None
        lone_server.kill()
        wait_for(lambda: replica.info("replication")["master_link_status"] == "down", "the replica to notice")
        lost = replica.run(facts())
        assert (lost.role, lost.silent_ms is None) == ("replica", False)
