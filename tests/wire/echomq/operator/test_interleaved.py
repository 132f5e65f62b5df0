"""Workers, sweeps and operators in any order, the operators on an old view: nothing is lost or doubled."""

import random
from collections import Counter
from contextlib import suppress

import pytest

from emqtop.model.actions import Seen
from emqtop.model.queue import Location
from emqtop.wire.echomq import lanes, lifecycle, operator, recovery
from emqtop.wire.echomq.lifecycle import Claim
from emqtop.wire.echomq.refusals import StaleToken
from tests.conftest import Hand
from tests.wire.echomq.operator.stage import GROUP, KEYS, STATE, Dump, Stage, job

FIRST, SECOND = GROUP, GROUP[:-1] + "2"
LIMIT = {FIRST: 2}
STEPS = 150


class Play:
    """A queue with its workers and an operator whose view lags behind."""

    def __init__(self, valkey: Hand, seed: int) -> None:
        self.run = valkey.link.run
        self.stage = Stage(valkey)
        self.dice = random.Random(seed)
        self.minted = 0
        self.claims: list[Claim] = []
        self.view: list[Seen] = []
        self.run(operator.set_limit(KEYS, FIRST, LIMIT[FIRST]))

    def step(self) -> str:
        """One random step; its name."""
        act = self.dice.choice(
            (self.enqueue, self.enqueue, self.claim, self.claim, self.settle, self.sweep, self.look, self.operate)
        )
        act()
        return act.__name__

    def enqueue(self) -> None:
        self.minted += 1
        group = self.dice.choice((None, FIRST, SECOND))
        if group is None:
            self.run(lifecycle.enqueue(KEYS, job(self.minted), b"x"))
        else:
            self.run(lanes.enqueue_grouped(KEYS, group, job(self.minted), b"x"))

    def claim(self) -> None:
        # Half of the leases run out at once, so that sweeps and operators find their holders gone.
        lease_ms = self.dice.choice((0, 3_600_000))
        claim = self.run(self.dice.choice((lifecycle.claim, lanes.claim_lane))(KEYS, lease_ms))
        if claim is not None:
            self.claims.append(claim)

    def settle(self) -> None:
        if not self.claims:
            return
        # A worker settles once: EchoMQ's own scripts would take a second word with the same token.
        claim = self.claims.pop(self.dice.randrange(len(self.claims)))
        with suppress(StaleToken):
            if self.dice.random() < 0.4:
                self.run(lifecycle.complete(KEYS, claim.id, claim.token))
            else:
                self.run(lifecycle.retry(KEYS, claim.id, claim.token, "boom", delay_ms=0, attempts=3))

    def sweep(self) -> None:
        self.run(self.dice.choice((recovery.reap, recovery.promote))(KEYS))

    def look(self) -> None:
        dump = self.stage.dump()
        self.view = [
            Seen(
                name,
                Location(place),
                int(dump[f"job:{name}"]["attempts"]),
                int(score) if place == "active" else None,
            )
            for name, place, score in places(dump)
        ]

    def operate(self) -> None:
        if not self.view:
            return
        jobs = self.dice.sample(self.view, min(len(self.view), self.dice.choice((1, 3, 100))))
        force = self.dice.random() < 0.3
        act = self.dice.choice(
            (
                operator.reap(KEYS, jobs, force=force),
                operator.promote(KEYS, jobs, early=True, force=force),
                operator.dead_letter(KEYS, jobs, "by hand", force=force),
                operator.requeue(KEYS, jobs, force=force),
                operator.remove(KEYS, jobs[:2], force=force),
            )
        )
        self.run(act)


def places(dump: Dump) -> list[tuple[str, str, float]]:
    """Every id in every location: id, location, score."""
    found = []
    for key, value in dump.items():
        if key in {"pending", "active", "schedule", "dead"} or key.startswith("g:"):
            place = "pending" if key.startswith("g:") else key
            found += [(name, place, score) for name, score in value.items()]
    return found


def faults(dump: Dump) -> list[str]:
    """What is wrong with a queue (echomq.md 1.1: what each key holds)."""
    spots = places(dump)
    found = [f"{name} lies {times} times" for name, times in Counter(name for name, _, _ in spots).items() if times > 1]
    rows = {key[4:]: row for key, row in dump.items() if key.startswith("job:")}
    if ghosts := [f"{name} has no row" for name, _, _ in spots if name not in rows]:
        return found + ghosts
    found += [f"{name} lies nowhere" for name in rows.keys() - {name for name, _, _ in spots}]
    found += [
        f"{name}: {rows[name]['state']} in {place}" for name, place, _ in spots if rows[name]["state"] != STATE[place]
    ]
    flat = [name for name in dump.get("pending", ()) if "group" in rows[name]]
    found += [f"{name} of a lane waits in the flat set" for name in flat]
    active = Counter(rows[name].get("group") for name in dump.get("active", ()))
    for group in (FIRST, SECOND):
        counted = int(dump.get("gactive", {}).get(group, 0))
        found += [f"{group}: {counted} counted, {active[group]} active"] * (counted != active[group])
        served = f"g:{group}:pending" in dump and counted < LIMIT.get(group, counted + 1)
        found += [f"{group}: served {served}"] * (served != (group in dump.get("ring", ())))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_lost_or_doubled(valkey: Hand, seed: int) -> None:
    play = Play(valkey, seed)
    told = []
    for _ in range(STEPS):
        told.append(play.step())
        assert faults(play.stage.dump()) == [], told
    assert len(set(told)) == 6
