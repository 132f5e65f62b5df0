"""What `--watch` and `record` look through: a failover is followed, and what stands still is not read again."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from emqtop.cli.watcher import Watcher
from emqtop.settings import Secret, Settings
from emqtop.wire.errors import SourceError, Unreachable
from tests.conftest import Hand
from tests.sampling.queues import JOB, fill
from tests.servers.sentinel import Trio
from tests.servers.waiting import wait_for


@contextmanager
def watcher_on(url: str) -> Iterator[Watcher]:
    watcher = Watcher(Settings(url=Secret(url)))
    try:
        yield watcher
    finally:
        watcher.close()


def pending(watcher: Watcher) -> list[int | None]:
    try:
        return [queue.pending for queue in watcher.look().queues]
    except SourceError:
        return []


def test_a_failover_is_followed_though_the_old_master_lives_on(sentinels: Trio) -> None:
    sentinels.first("ZADD", "emq:{q}:pending", 0, JOB)
    with watcher_on(sentinels.url()) as watcher:
        assert pending(watcher) == [1]
        sentinels.fail_over()("ZADD", "emq:{q}:pending", 0, "JOB00000000002")
        wait_for(lambda: pending(watcher) == [2], "the new master to be looked at")


def test_what_stands_still_is_not_read_again(valkey: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emqtop.sampling.node.CHECK_S", 1e9)
    fill(valkey, 200)
    with watcher_on(valkey.url) as watcher:
        watcher.look()
        watcher.look()
        assert watcher.look().cost.commands <= 5
        valkey("ZADD", "emq:{q7}:pending", 0, "JOB00000000002")
        watcher.rest(0)
        looked = watcher.look()
    assert [queue.id.name for queue in looked.queues if queue.pending == 2] == ["q7"]
    assert looked.mode == "tracking"


def test_a_server_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(Unreachable):
        Watcher(Settings(url=Secret("redis://127.0.0.1:1")))
