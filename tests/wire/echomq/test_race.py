"""The late worker against the sweep that takes its job back, for real: in one place or gone, never in two or none."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lanes import claim_lane, enqueue_grouped, limit_lane
from emqtop.wire.echomq.lifecycle import Claim, Retried, Settled, claim, complete, enqueue, retry
from emqtop.wire.echomq.recovery import promote, reap, sweep_stalled
from emqtop.wire.echomq.refusals import StaleToken
from emqtop.wire.resp import ask_one, text
from tests.wire.conftest import Drill

KEYS = QueueKeys("emq", "race.q")

# Each row that stands, with the places that hold its id and a lane's count where a lane counts too few or too many.
WHEREABOUTS = b"""
local p, found = KEYS[1], {}
local sets = { p .. 'pending', p .. 'active', p .. 'schedule', p .. 'dead' }
for at = 2, #ARGV do sets[#sets + 1] = p .. 'g:' .. ARGV[at] .. ':pending' end
for _, id in ipairs(cjson.decode(ARGV[1])) do
  local places = 0
  for _, set in ipairs(sets) do
    if redis.call('ZSCORE', set, id) then places = places + 1 end
  end
  local stands = redis.call('EXISTS', p .. 'job:' .. id)
  if places ~= stands then found[#found + 1] = id .. ' rows ' .. stands .. ' places ' .. places end
end
local flying = {}
for _, id in ipairs(redis.call('ZRANGE', p .. 'active', 0, -1)) do
  local group = redis.call('HGET', p .. 'job:' .. id, 'group')
  if group then flying[group] = (flying[group] or 0) + 1 end
end
for at = 2, #ARGV do
  local counted = tonumber(redis.call('HGET', p .. 'gactive', ARGV[at]) or 0)
  if counted ~= (flying[ARGV[at]] or 0) then found[#found + 1] = ARGV[at] .. ' counts ' .. counted end
end
return found
"""


def astray(link: BareLink, jobs: list[str], groups: list[str]) -> object:
    """What is in two places or none at this moment, and lanes whose count of jobs in flight is wrong."""
    listed = "[" + ",".join(f'"{job}"' for job in jobs) + "]"
    return link.run(ask_one("EVAL", WHEREABOUTS, 1, KEYS.base, listed, *groups))


def finish(link: BareLink, taken: Claim) -> Settled | Retried | None:
    return link.run(complete(KEYS, taken.id, taken.token))


def fail(link: BareLink, taken: Claim) -> Settled | Retried | None:
    return link.run(retry(KEYS, taken.id, taken.token, "late", delay_ms=0))


def give_up(link: BareLink, taken: Claim) -> Settled | Retried | None:
    return link.run(retry(KEYS, taken.id, taken.token, "late", delay_ms=0, attempts=1))


def sweep_reap(link: BareLink) -> int:
    return link.run(reap(KEYS))


def sweep_once(link: BareLink) -> int:
    swept = link.run(sweep_stalled(KEYS, max_stalled=9))
    return len(swept.recovered) + len(swept.dead)


@pytest.mark.parametrize("grouped", [False, True], ids=["flat", "lane"])
@pytest.mark.parametrize("settle", [finish, fail, give_up])
@pytest.mark.parametrize("sweep", [sweep_reap, sweep_once])
@pytest.mark.parametrize("worker_first", [True, False], ids=["worker-first", "sweep-first"])
def test_both_orders(
    drill: Drill,
    grouped: bool,
    settle: Callable[[BareLink, Claim], Settled | Retried | None],
    sweep: Callable[[BareLink], int],
    worker_first: bool,
) -> None:
    link, job, group = drill.raw.link, drill.minter.mint(), drill.group()
    link.run(enqueue_grouped(KEYS, group, job, b"x") if grouped else enqueue(KEYS, job, b"x"))
    taken = link.run(claim_lane(KEYS, 0) if grouped else claim(KEYS, 0))
    assert taken is not None
    if worker_first:
        settle(link, taken)
        assert sweep(link) == 0
    else:
        assert sweep(link) == 1
        settle(link, taken)
    assert astray(link, [job], [group]) == []
    row = drill.raw("HGET", KEYS.row(job), "state")
    assert row == {finish: None, fail: b"scheduled", give_up: b"dead"}[settle]


def test_a_worker_is_stale_once_somebody_else_claimed(drill: Drill) -> None:
    link, job = drill.raw.link, drill.minter.mint()
    link.run(enqueue(KEYS, job, b"x"))
    late = link.run(claim(KEYS, 0))
    sweep_reap(link)
    current = link.run(claim(KEYS, 60_000))
    assert late is not None
    assert current is not None
    for settle in (finish, fail, give_up):
        with pytest.raises(StaleToken):
            settle(link, late)
    assert astray(link, [job], []) == []
    assert finish(link, current) is Settled.DONE


JOBS, WORKERS, SWEEPERS = 150, 4, 2


class Arena:
    """Jobs in the flat set and in three lanes, and the clients that fight over them."""

    def __init__(self, url: str, seed: int) -> None:
        self.url = url
        self.seed = seed
        minter = Minter(8)
        self.groups = [minter.mint("PRT") for _ in range(3)]
        self.jobs = [minter.mint() for _ in range(JOBS)]
        self.completed: list[str] = []
        self.over = threading.Event()

    def fill(self, link: BareLink) -> None:
        """Half the jobs flat, half in lanes; one lane has a limit."""
        link.run(limit_lane(KEYS, self.groups[0], 2))
        for at, job in enumerate(self.jobs):
            group = self.groups[at % 3]
            link.run(enqueue_grouped(KEYS, group, job, b"x") if at % 2 else enqueue(KEYS, job, b"x"))

    def work(self, number: int) -> None:
        """Claim with leases that have run out or are about to, settle in time or late."""
        dice = random.Random(self.seed * 100 + number)
        with BareLink(parse_address(self.url)) as link:
            while not self.over.is_set():
                verb = claim_lane if dice.random() < 0.5 else claim
                taken = link.run(verb(KEYS, dice.choice((0, 0, 1, 3))))
                if taken is None:
                    link.run(promote(KEYS))
                elif dice.random() < 0.9:
                    self._settle(link, taken, finish if dice.random() < 0.6 else fail)

    def _settle(
        self, link: BareLink, taken: Claim, settle: Callable[[BareLink, Claim], Settled | Retried | None]
    ) -> None:
        try:
            if settle(link, taken) is Settled.DONE:
                self.completed.append(taken.id)
        except StaleToken:
            pass

    def sweep(self, number: int) -> None:
        """Take back what has run out, by either sweep."""
        with BareLink(parse_address(self.url)) as link:
            while not self.over.is_set():
                sweep_reap(link) if number else sweep_once(link)

    def watch(self) -> list[object]:
        """Look at everything at one moment, again and again, until every job is done or dead."""
        found = []
        with BareLink(parse_address(self.url)) as link:
            while not found:
                found += [wrong for wrong in [astray(link, self.jobs, self.groups)] if wrong]
                dead = link.run(ask_one("ZCARD", KEYS.dead))
                if len(set(self.completed)) + int(str(dead)) == JOBS:
                    break
        self.over.set()
        return found


@pytest.mark.parametrize("seed", [1, 2])
def test_many_clients(drill: Drill, seed: int) -> None:
    arena = Arena(drill.raw.url, seed)
    arena.fill(drill.raw.link)
    with ThreadPoolExecutor(WORKERS + SWEEPERS + 1) as clients:
        watched = clients.submit(arena.watch)
        others = [clients.submit(arena.work, number) for number in range(WORKERS)]
        others += [clients.submit(arena.sweep, number) for number in range(SWEEPERS)]
        try:
            assert watched.result(60) == []
        finally:
            arena.over.set()
        for other in others:
            other.result(10)
    assert astray(drill.raw.link, arena.jobs, arena.groups) == []
    dead = drill.raw("ZRANGE", KEYS.dead, 0, -1)
    assert isinstance(dead, list)
    ended = arena.completed + [text(bytes(job)) for job in dead]
    assert sorted(ended) == arena.jobs
    counts = [drill.raw("HGET", KEYS.part(f"metrics:{name}"), "count") for name in ("completed", "failed")]
    assert counts == [str(len(arena.completed)).encode(), str(len(dead)).encode()]
    assert drill.raw("EXISTS", KEYS.part("ring"), KEYS.part("gactive"), KEYS.pending, KEYS.active, KEYS.schedule) == 0
