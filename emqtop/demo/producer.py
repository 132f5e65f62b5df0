"""The process that makes the jobs of the demo workload, and makes none where too many wait already."""

import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from emqtop.demo.assignment import Assignment, read_assignment
from emqtop.demo.leash import Leash
from emqtop.demo.mix import REPEATS, Made, Way, make
from emqtop.demo.queues import ROLES, Role, tenants
from emqtop.wire.bare import BareLink
from emqtop.wire.echomq.branded_id import Minter
from emqtop.wire.echomq.flows import Node, add_flow
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.lanes import enqueue_grouped, lane_counts, limit_lane, pause_lane
from emqtop.wire.echomq.lifecycle import enqueue_many, schedule_in
from emqtop.wire.echomq.locations import SETS
from emqtop.wire.echomq.queue_ops import counts
from emqtop.wire.echomq.repeat import cancel_repeat, register_repeat
from emqtop.wire.errors import SourceError
from emqtop.wire.resp import Conversation, ReplyError

_TICK_S = 0.1
_LOOK_S = 1.0


@dataclass(slots=True)
class Line:
    """One queue that jobs are made for."""

    role: Role
    """The part it plays."""
    keys: QueueKeys
    """Its keys."""
    number: int = 0
    """Number of the next job."""
    owed: float = 0.0
    """Jobs that its rate has earned and that were not made yet."""
    burst_at: float = 0.0
    """When the next burst may come, monotonic seconds."""
    waiting: int = 0
    """Jobs that wait, as last seen, with those made since."""
    dead: int = 0
    """Jobs that are dead, as last seen."""
    lanes: Counter[str] = field(default_factory=Counter)
    """Jobs that wait in each lane, likewise."""


class Producer:
    """Makes jobs at a steady rate over all.

    Args:
        assignment: what is to be done.
        link: a connection.
    """

    def __init__(self, assignment: Assignment, link: BareLink) -> None:
        self._assignment = assignment
        self._link = link
        self._mint = Minter(os.getpid()).mint
        self._lines = [Line(role, QueueKeys(assignment.prefix, role.name)) for role in ROLES]
        self._tenants = tenants(assignment.seed)
        self._made_at = time.monotonic()
        self._looked_at = -_LOOK_S

    def reconnect(self, link: BareLink) -> None:
        """Go on over a new connection."""
        self._link = link

    def prepare(self) -> None:
        """Set up lanes and repeating jobs; harmless when done again."""
        lanes = QueueKeys(self._assignment.prefix, "tenants")
        for tenant in self._tenants:
            if tenant.limit is not None:
                self._link.run(limit_lane(lanes, tenant.group, tenant.limit))
            if tenant.paused:
                self._link.run(pause_lane(lanes, tenant.group))
        for queue, name, every_ms, template in REPEATS:
            self._link.run(register_repeat(QueueKeys(self._assignment.prefix, queue), name, every_ms, template))

    def clear_up(self) -> None:
        """Forget the repeating jobs, which would be nobody's to fire."""
        for queue, name, _, _ in REPEATS:
            self._link.run(cancel_repeat(QueueKeys(self._assignment.prefix, queue), name))

    def tick(self) -> None:
        """Make what has been earned since the last tick."""
        now = time.monotonic()
        if now - self._looked_at >= _LOOK_S:
            self._looked_at = now
            self._look()
        # After a pause, such as a laptop's sleep, nothing is caught up.
        passed, self._made_at = min(now - self._made_at, 1.0), now
        for line in self._lines:
            line.owed += self._assignment.rate * line.role.share * passed
            if now >= line.burst_at:
                line.burst_at = now + line.role.burst_s
                self._pay(line)

    def _look(self) -> None:
        for line in self._lines:
            seen = self._link.run(counts(line.keys, SETS))
            line.waiting, line.dead = seen["pending"] + seen["schedule"], seen["dead"]
            if line.role.name == "tenants":
                line.lanes = Counter(self._link.run(lane_counts(line.keys, [each.group for each in self._tenants])))
                line.waiting += line.lanes.total()

    def _pay(self, line: Line) -> None:
        ready: list[tuple[str, bytes]] = []
        while line.owed >= 1:
            if line.waiting >= line.role.backlog:
                line.owed = 0.0
                break
            made = make(self._assignment.seed, line.role.name, line.number)
            line.number += 1
            line.owed -= made.size
            if self._unwanted(line, made):
                continue
            line.waiting += made.size
            if made.way is Way.READY:
                ready.append((self._mint(), made.payload))
            else:
                self._link.run(self._admit(line, made))
        if ready:
            self._link.run(enqueue_many(line.keys, ready))

    def _unwanted(self, line: Line, made: Made) -> bool:
        """Would it add to what is too much already?"""
        if made.doomed and any(each.dead >= each.role.dead for each in self._lines):
            return True
        full = {each.role.name for each in self._lines if each.waiting >= each.role.backlog}
        if any(child.queue in full for child in made.children):
            return True
        return any(made.group == each.group and line.lanes[each.group] >= each.backlog for each in self._tenants)

    def _admit(self, line: Line, made: Made) -> Conversation[object]:
        if made.way is Way.LATER:
            return schedule_in(line.keys, self._mint(), made.payload, made.delay_ms)
        if made.way is Way.LANE:
            line.lanes[made.group] += 1
            return enqueue_grouped(line.keys, made.group, self._mint(), made.payload)
        children = [Node(self._mint(), child.payload, child.queue, child.policy) for child in made.children]
        return add_flow(line.keys, Node(self._mint(), made.payload, children=tuple(children)))


def _produce(leash: Leash, producer: Producer, assignment: Assignment) -> None:
    producer.prepare()
    while not leash.released.wait(_TICK_S):
        try:
            producer.tick()
        except ReplyError:
            # A key of the wrong type, a script killed by an operator: the queue's trouble, to be seen, not ours.
            continue
        except SourceError:
            _find_again(leash, producer, assignment)
    producer.clear_up()


def _find_again(leash: Leash, producer: Producer, assignment: Assignment) -> None:
    """Wait until the server is back."""
    while not leash.released.wait(1):
        try:
            producer.reconnect(BareLink(assignment.address))
            producer.prepare()
        except SourceError:
            continue
        return


def main() -> int:
    """Make jobs until the owner lets go; exit code 3 where the server cannot be reached at the start."""
    leash = Leash()
    assignment = read_assignment(leash.orders)
    try:
        _produce(leash, Producer(assignment, BareLink(assignment.address)), assignment)
    except (SourceError, ReplyError) as error:
        print(error, file=sys.stderr)
        return 0 if leash.released.is_set() else 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
