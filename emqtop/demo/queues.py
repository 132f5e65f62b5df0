"""The queues of the demo workload and the part that each plays."""

from dataclasses import dataclass
from random import Random

from emqtop.wire.echomq.branded_id import encode

USUAL_RATE = 40.0
"""Jobs a second at which jobs take their usual time; above it they take less, so that the fleet keeps up."""


@dataclass(frozen=True, slots=True)
class Role:
    """One queue and its ways."""

    name: str
    """Name of the queue."""
    share: float
    """Its part of all jobs; the parts add up to 1."""
    work_ms: tuple[int, int]
    """Shortest and longest time that a job takes."""
    lease_ms: int = 10_000
    """Length of a lease."""
    attempts: int = 3
    """Attempts at most."""
    burst_s: float = 0.0
    """Jobs come all at once every so many seconds; 0: steadily."""
    backlog: int = 300
    """With as many jobs waiting no more are made, so that a demo can run for days."""
    dead: int = 200
    """With as many dead no more jobs are made that are bound to die."""
    reap_ms: int = 0
    """Time between two sweeps for leases that ran out; 0: each beat."""


ROLES = (
    # Reaped as rarely as EchoMQ's own stalled sweep looks, so that one can see, and be faster than, the sweep.
    Role("orders", 0.30, (20, 120), lease_ms=3_000, reap_ms=30_000),
    Role("emails", 0.25, (30, 150), burst_s=8.0, backlog=600),
    Role("tenants", 0.15, (60, 300), lease_ms=4_000, reap_ms=30_000, backlog=200),
    Role("payments", 0.12, (80, 250)),
    Role("thumbnails", 0.12, (100, 400)),
    Role("reports", 0.06, (100, 400), lease_ms=3_000, backlog=100),
)
"""Steady, bursty, in lanes, flaky, in flows, scheduled and slow, in this order."""

BY_NAME = {role.name: role for role in ROLES}


@dataclass(frozen=True, slots=True)
class Tenant:
    """One lane of `tenants`."""

    name: str
    """Who it is."""
    group: str
    """Its branded id."""
    share: float
    """Its part of the jobs of the queue."""
    limit: int | None = None
    """Jobs in flight at most."""
    paused: bool = False
    """Is it held back?"""
    slowness: float = 1.0
    """How many times the usual time its jobs take."""
    backlog: int = 40
    """With as many waiting it gets no more."""


def tenants(seed: int) -> tuple[Tenant, ...]:
    """The tenants of a seed: one large, two small, one that its limit holds back, one that is paused."""
    dice = Random(f"{seed}:tenants")
    group = [encode("TEN", dice.getrandbits(62)) for _ in range(5)]
    return (
        Tenant("acme", group[0], 0.50),
        Tenant("globex", group[1], 0.15),
        Tenant("initech", group[2], 0.10),
        Tenant("umbrella", group[3], 0.20, limit=1, slowness=8.0),
        Tenant("hooli", group[4], 0.05, paused=True, backlog=25),
    )
