"""The process that dies in mid-job: it takes jobs like any worker, and its owner kills it while it holds them."""

import sys
from itertools import cycle

from emqtop.demo.assignment import read_assignment
from emqtop.demo.leash import Leash
from emqtop.demo.queues import BY_NAME
from emqtop.wire.bare import BareLink
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lanes import claim_lane
from emqtop.wire.echomq.lifecycle import Claim, claim, complete
from emqtop.wire.echomq.refusals import StaleToken
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import ReplyError, ask_one

_PART_OF_LEASE = 0.8
_LOOK_S = 0.05
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
        for keys, take in self._sources:
            lease_ms = BY_NAME[keys.name].lease_ms
            job = None
            if self._left_behind(keys) < _MOST_LEFT_BEHIND:
                job = self._link.run(take(keys, lease_ms))
            if self._leash.released.wait(_LOOK_S if job is None else lease_ms * _PART_OF_LEASE / 1000):
                return
            if job is not None:
                self._finish(keys, job)

    def _left_behind(self, keys: QueueKeys) -> int:
        """Jobs under leases: without a reaper nobody takes them back, and there must be an end to them."""
        count = self._link.run(ask_one("ZCARD", keys.active))
        return count if isinstance(count, int) else 0

    def _finish(self, keys: QueueKeys, job: Claim) -> None:
        try:
            self._link.run(complete(keys, job.id, job.token))
        except StaleToken:
            return


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
