"""The process that dies in mid-job: it takes jobs like any worker, and its owner kills it while it holds them."""

import sys
from collections.abc import Callable
from itertools import cycle
from typing import TypeAlias

from emqtop.demo.assignment import read_assignment
from emqtop.demo.leash import Leash
from emqtop.demo.queues import BY_NAME
from emqtop.wire.bare import BareLink
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lanes import claim_lane
from emqtop.wire.echomq.lifecycle import Claim, claim, complete
from emqtop.wire.echomq.refusals import StaleToken
from emqtop.wire.errors import SourceError
from emqtop.wire.replies import count
from emqtop.wire.resp import Conversation, ReplyError, ask_one

Take: TypeAlias = Callable[[QueueKeys, int], Conversation[Claim | None]]

_PART_OF_LEASE = 0.8
_LOOK_S = 0.1
_LOOKS = 12
_MOST_LEFT_BEHIND = 100


class Victim:
    """Takes a flat job and one of a lane in turn and works on each for most of its lease, until it is killed.

    Args:
        leash: its end of the leash.
    """

    def __init__(self, leash: Leash) -> None:
        self._leash = leash
        assignment = read_assignment(leash.orders)
        self._link = BareLink(assignment.address)
        sources = (("orders", claim), ("tenants", claim_lane))
        at = assignment.seed % 2
        self._sources = cycle((QueueKeys(assignment.prefix, name), take) for name, take in sources[at:] + sources[:at])

    def work(self) -> None:
        """Work until the owner lets go.

        Raises:
            SourceError, ReplyError: the server is lost or refuses.
        """
        self._link.run(ask_one("CLIENT", "SETNAME", "demo-victim"))
        for keys, take in self._sources:
            lease_ms = BY_NAME[keys.name].lease_ms
            if (job := self._next(keys, take, lease_ms)) is None:
                continue
            # One that was left behind before is done at once, lest the same few jobs go from victim to victim.
            if job.token == 1 and self._leash.released.wait(lease_ms * _PART_OF_LEASE / 1000):
                return
            self._finish(keys, job)

    def _next(self, keys: QueueKeys, take: Take, lease_ms: int) -> Claim | None:
        """A job where there is one soon, unless enough are left behind: without a reaper nobody takes them back."""
        if self._link.run(_left_behind(keys)) >= _MOST_LEFT_BEHIND:
            self._leash.released.wait(_LOOK_S)
            return None
        for _ in range(_LOOKS):
            # In line with the other workers, or they would always be quicker; nothing wakes for flat jobs.
            self._link.run(ask_one("BLPOP", keys.wake, _LOOK_S))
            if (job := self._link.run(take(keys, lease_ms))) is not None:
                return job
        return None

    def _finish(self, keys: QueueKeys, job: Claim) -> None:
        try:
            self._link.run(complete(keys, job.id, job.token))
        except StaleToken:
            return


def _left_behind(keys: QueueKeys) -> Conversation[int]:
    return count((yield from ask_one("ZCARD", keys.active)))


def main() -> int:
    """Work until killed; exit code 0 where the server is lost, since its owner looks after that."""
    leash = Leash()
    try:
        Victim(leash).work()
    except (SourceError, ReplyError) as error:
        print(error, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
