"""What the processes of the demo workload are told, in a form that fits through a pipe."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from emqtop.settings import Secret
from emqtop.wire.address import Address


@dataclass(frozen=True, slots=True)
class Assignment:
    """What is to be done, and where."""

    address: Address
    """The server."""
    prefix: str = "emq"
    """Key prefix of the queues."""
    rate: float = 40.0
    """Jobs a second, all queues together."""
    workers: int = 4
    """Jobs of one queue that are worked on at a time."""
    seed: int = 1
    """Decides payloads, kinds and failures."""
    reaper: bool = True
    """Are leases that ran out taken back?"""

    def to_json(self) -> dict[str, Any]:
        """The same as JSON can carry it, the password in clear: for a pipe only."""
        told = asdict(self)
        secret = self.address.password
        told["address"]["password"] = None if secret is None else secret.reveal()
        return told


def read_assignment(told: Mapping[str, Any]) -> Assignment:
    """The assignment out of what `to_json` gave."""
    place = dict(told["address"])
    if place["password"] is not None:
        place["password"] = Secret(place["password"])
    place["options"] = tuple((name, value) for name, value in place["options"])
    return Assignment(**{**told, "address": Address(**place)})
