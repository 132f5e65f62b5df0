"""`kill -9` of emqtop in the middle of an act leaves every job in exactly one state."""

import subprocess
import sys

import pytest

from emqtop.wire.bullmq import operator
from tests.interop.conftest import Real
from tests.interop.rig import until
from tests.wire.bullmq.writing import Seen

ACTING = """
import sys
from emqtop.wire.address import parse_address
from emqtop.wire.bare import BareLink
from emqtop.wire.bullmq import operator
from emqtop.wire.bullmq.keyspace import QueueKeys
from tests.wire.bullmq.writing import Seen

url, prefix, name, verb, location, first, last = sys.argv[1:]
acts = {
    "requeue": operator.requeue,
    "dead-letter": lambda keys, jobs: operator.dead_letter(keys, jobs, "given up"),
    "remove": operator.remove,
}
with BareLink(parse_address(url)) as link:
    for at in range(int(first), int(last), 5):
        jobs = [Seen(str(job), location) for job in range(at, min(at + 5, int(last)))]
        link.run(acts[verb](QueueKeys(prefix, name), jobs))
"""
JOBS = 600


@pytest.mark.parametrize(
    ("verb", "location", "start", "end"),
    [
        ("requeue", "dead", "failed", "wait"),
        ("dead-letter", "pending", "wait", "failed"),
        ("remove", "pending", "wait", None),
    ],
)
@pytest.mark.parametrize("release", ["pypi"], indirect=True)
def test_killed_in_the_middle(real: Real, verb: str, location: str, start: str, end: str | None) -> None:
    real.call("add_bulk", jobs=[{}] * JOBS)
    if location == "dead":
        for at in range(1, JOBS + 1, operator.BATCH):
            seen = [Seen(str(job), "pending") for job in range(at, min(at + operator.BATCH, JOBS + 1))]
            real.ask(operator.dead_letter(real.keys, seen, "boom"))
    size = "LLEN" if start == "wait" else "ZCARD"
    command = [sys.executable, "-c", ACTING, real.valkey.url, real.keys.prefix, real.keys.name, verb, location]
    process = subprocess.Popen([*command, "1", str(JOBS + 1)])
    until(lambda: int(real.put(size, start)) < JOBS - 50, "for the act to be on its way")  # type: ignore[arg-type]
    process.kill()
    process.wait()
    left = int(real.put(size, start))  # type: ignore[arg-type]
    assert 0 < left < JOBS
    for job in range(1, JOBS + 1):
        here, row = real.places(str(job)), real.put("EXISTS", str(job))
        assert (here, row) in [([start], 1), ([end], 1) if end else ([], 0)]
    assert real.put("LLEN", "active") == 0
