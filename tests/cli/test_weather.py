"""A server that is there and cannot answer: every command says so in one line, and none takes it for an empty one."""

from collections.abc import Iterator

import pytest

from emqtop.cli.console import Exit
from tests.cli.conftest import Cli, Stock
from tests.conftest import Hand
from tests.servers import states
from tests.servers.cluster import Cluster
from tests.servers.process import ServerProcess
from tests.servers.waiting import wait_for

COMMANDS = [
    "ls",
    "ls --json",
    "ls --watch --seconds 0.2",
    "lanes orders",
    "jobs orders dead",
    "jobs mail dead",
    "job orders {job}",
    "errors orders",
    "doctor",
    "check",
    "check --json",
    "events orders --seconds 0.2",
    "record {file} --seconds 0.2",
    "reap orders",
    "requeue orders --all --dry-run",
    "requeue orders --all --yes --json",
    "requeue mail 1 --json",
    "pause orders",
]
"""One of each way that a command takes to the server."""


@pytest.fixture(scope="module")
def own_server() -> Iterator[ServerProcess]:
    with ServerProcess() as running:
        yield running


@pytest.fixture(scope="module")
def job(own_server: ServerProcess) -> str:
    hand = Hand(own_server.url)
    stock = Stock(hand)
    hand("ZADD", "bull:mail:failed", 5, 1)
    hand.link.close()
    return stock.dead


def _words(state: states.State, server: ServerProcess) -> str:
    return states.WORDS[state].format(kind="Valkey", url=server.url)


@pytest.mark.parametrize("state", states.WORDS, ids=lambda state: state.__name__)
def test_every_command_says_why_and_nothing_else(
    cli: Cli, own_server: ServerProcess, job: str, state: states.State, tmp_path: object
) -> None:
    told = {}
    with state(own_server):
        for line in COMMANDS:
            words = line.format(job=job, file=f"{tmp_path}/kept").split()
            ran = cli(*words, "--url", own_server.url, "--timeout", "100ms")
            told[line] = (ran.code, ran.out if line.startswith("check") else "", ran.err)
    said = _words(state, own_server)
    wanted = dict.fromkeys(COMMANDS, (Exit.UNREACHABLE, "", f"emqtop: {said}\n"))
    wanted["check"] = (Exit.UNREACHABLE, f"UNKNOWN: {said}\n", "")
    wanted["check --json"] = (Exit.UNREACHABLE, f'{{"status": "unknown", "code": 3, "error": "{said}"}}\n', "")
    assert told == wanted
    assert cli("jobs", "orders", "dead", "--url", own_server.url).code == Exit.DONE


def test_a_cluster_that_is_down_is_said_as_such(cli: Cli) -> None:
    with Cluster(node_timeout_ms=500) as cluster:
        key = "emq:{orders}:dead"
        cluster.owner(key)("ZADD", key, 0, "JOB0NgWEfAEJft")
        gone = next(node for node in cluster.nodes[1:] if node is not cluster.owner(key))
        asked = cluster.owner(key)
        gone.kill()
        wait_for(lambda: "cluster_state:fail" in str(asked("CLUSTER", "INFO")), "the cluster to be down")
        for line in ("ls --json", "jobs orders dead", "requeue orders --all --yes --json", "pause orders", "check"):
            ran = cli(*line.split(), "--url", asked.url)
            said = "The server cannot answer now: CLUSTERDOWN The cluster is down"
            assert ran.code == Exit.UNREACHABLE
            assert said in (ran.out if line == "check" else ran.err)
