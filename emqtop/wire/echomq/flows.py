"""Flows: a parent that waits for its children, in one queue or over several, as a tree of any shape (echomq.md 4.9)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from emqtop.wire.echomq.branded_id import BadId
from emqtop.wire.echomq.keyspace import QueueKeys
from emqtop.wire.echomq.refusals import refusing
from emqtop.wire.replies import blobs, count, fields
from emqtop.wire.resp import Arg, Conversation, Reply, ReplyError, ask_one, text
from emqtop.wire.scripts import call

DEPTH_CAP = 8
"""Levels of a tree, the root being the first."""
SWEEP_BATCH = 100
"""Outbox entries that one sweep delivers at most."""


class Policy(StrEnum):
    """What a child's death means to its parent."""

    FAIL_PARENT = "fp"
    """The parent dies too."""
    IGNORE = "id"
    """The child counts as done, its error is kept with the parent."""


@dataclass(frozen=True, slots=True)
class Node:
    """One job of a flow."""

    id: str
    """Its branded id, minted by the caller."""
    payload: bytes
    """Its payload."""
    queue: str | None = None
    """The queue that it runs in; None: its parent's."""
    policy: Policy = Policy.FAIL_PARENT
    """What its death means to its parent; meaningless at the root."""
    children: tuple["Node", ...] = ()
    """The jobs that it waits for; none: it is ready at once."""


class FlowCycle(ValueError):
    """An id stands twice in a flow."""


class FlowTooDeep(ValueError):
    """A flow has more levels than may be."""


@dataclass(frozen=True, slots=True)
class Landing:
    """One node and where it goes."""

    node: Node
    """The job."""
    keys: QueueKeys
    """Its queue."""
    parent: str
    """Its parent's id; empty at the root."""
    parent_queue: str
    """Its parent's queue where that is another; else empty."""


def add_flow(keys: QueueKeys, root: Node) -> Conversation[int]:
    """Add a flow under the root, which runs in the queue of `keys`; the number of jobs added.

    Children that all run in the root's queue and have none of their own land with it in one step. Any other shape
    lands job by job, parents first: where it breaks off, the parents above stay held, and adding it again completes it.
    An existing row is overwritten, as EchoMQ does.

    Raises:
        BadId, FlowCycle, FlowTooDeep, ValueError (a root without children): before anything is sent.
        ReplyError: the server refused one of the jobs.
    """
    landings = list(_walk(root, keys))
    _check(landings)
    if all(not spot.node.children and not spot.parent_queue for spot in landings[1:]):
        yield from _add_whole(keys, root)
    else:
        for spot in landings:
            yield from _land(spot)
    return len(landings)


def children_results(keys: QueueKeys, parent: str) -> Conversation[dict[str, bytes]]:
    """What the completed children of a parent gave, by child id; a child without a result gave its own id."""
    return _pairs((yield from ask_one("HGETALL", key := keys.sub(parent, "processed"), key=key)))


def ignored_failures(keys: QueueKeys, parent: str) -> Conversation[dict[str, bytes]]:
    """The errors of dead children that the parent goes on without, by child id."""
    return _pairs((yield from ask_one("HGETALL", key := keys.sub(parent, "unsuccessful"), key=key)))


def waiting_for(keys: QueueKeys, parent: str) -> Conversation[int]:
    """How many children a parent still waits for; 0 for a job that is no parent."""
    reply = yield from ask_one("GET", key := keys.sub(parent, "dependencies"), key=key)
    return count(reply)


def sweep_outbox(keys: QueueKeys, batch: int = SWEEP_BATCH) -> Conversation[int]:
    """Deliver what children of this queue have to tell to parents elsewhere; the number of entries delivered.

    In order, and trimmed only once delivered, so a crash between repeats what changes nothing the second time. The
    first entry that cannot be delivered holds back those behind it. Never run two sweeps of one queue at once: both
    would trim, and the second drops what was not delivered.
    """
    entries = yield from ask_one("LRANGE", keys.outbox, 0, batch - 1, key=keys.outbox)
    delivered = 0
    for entry in blobs(entries):
        if not (yield from _deliver(keys.prefix, entry)):
            break
        delivered += 1
    if delivered:
        yield from ask_one("LTRIM", keys.outbox, delivered, -1, key=keys.outbox)
    return delivered


def _walk(node: Node, keys: QueueKeys, parent: str = "", parent_queue: str = "", level: int = 1) -> Iterator[Landing]:
    if level > DEPTH_CAP:
        raise FlowTooDeep(f"a flow has at most {DEPTH_CAP} levels")
    yield Landing(node, keys, parent, parent_queue)
    for child in node.children:
        queue = child.queue or keys.name
        yield from _walk(
            child,
            keys if queue == keys.name else QueueKeys(keys.prefix, queue),
            node.id,
            "" if queue == keys.name else keys.name,
            level + 1,
        )


def _check(landings: list[Landing]) -> None:
    if len(landings) == 1:
        raise ValueError("a flow without children would wait for ever")
    seen: set[str] = set()
    for spot in landings:
        spot.keys.row(spot.node.id)
        if spot.node.id in seen:
            raise FlowCycle(f"{spot.node.id} stands twice in the flow")
        seen.add(spot.node.id)


def _add_whole(keys: QueueKeys, root: Node) -> Conversation[Reply]:
    row, outstanding = keys.row(root.id), keys.sub(root.id, "dependencies")
    args: list[Arg] = [keys.base, root.id, root.payload, len(root.children)]
    for child in root.children:
        args += [child.id, child.payload, child.policy]
    return (yield from refusing(call("flow_add", [row, outstanding, keys.pending], *args)))


def _land(spot: Landing) -> Conversation[Reply]:
    node, keys, row = spot.node, spot.keys, spot.keys.row(spot.node.id)
    link = (spot.parent, spot.parent_queue, node.policy)
    if not node.children:
        return (yield from refusing(call("flow_child", [row, keys.pending], node.id, node.payload, *link)))
    held = [row, keys.sub(node.id, "dependencies")]
    return (yield from refusing(call("flow_hold", held, node.id, node.payload, len(node.children), *link)))


def _deliver(prefix: str, entry: bytes) -> Conversation[bool]:
    """Was the entry understood and its parent told?"""
    try:
        if entry.startswith(b"\0fail\0"):
            reply = yield from _deliver_death(prefix, entry)
        else:
            reply = yield from _deliver_result(prefix, entry)
    except (BadId, ValueError, ReplyError):
        return False
    return reply == 1


def _deliver_result(prefix: str, entry: bytes) -> Conversation[Reply]:
    queue, parent, child, result = entry.split(b"\0", 3)
    keys, job = QueueKeys(prefix, text(queue)), text(parent)
    row, told = keys.row(job), [keys.sub(job, part) for part in ("dependencies", "processed")]
    return (yield from call("flow_deliver", [*told, row], child, result, parent, keys.base))


def _deliver_death(prefix: str, entry: bytes) -> Conversation[Reply]:
    _, _, queue, parent, child, policy, error = entry.split(b"\0", 6)
    keys, job = QueueKeys(prefix, text(queue)), text(parent)
    row, told = keys.row(job), [keys.sub(job, part) for part in ("dependencies", "failed", "unsuccessful")]
    return (yield from call("flow_deliver_death", [*told, row], child, error, policy, keys.base, parent))


def _pairs(reply: Reply) -> dict[str, bytes]:
    return {text(child): told for child, told in fields(reply).items() if isinstance(told, bytes)}
