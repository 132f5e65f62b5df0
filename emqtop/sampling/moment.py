"""A snapshot put together from what the nodes of a server told."""

from collections.abc import Iterable, Sequence

from emqtop.model.queue import Queue, QueueId
from emqtop.model.snapshot import Cost, Server, Snapshot
from emqtop.sampling.sampler import Sampler
from emqtop.wire.echomq import fence

INFO_WITHHELD = "INFO is withheld: version, memory and clients are not known"


def moment(
    samplers: Sequence[Sampler], server: Server, cost: Cost, *, limits: Iterable[str] = (), mode: str = "polling"
) -> Snapshot:
    """All queues of all nodes, now.

    Args:
        samplers: one per node; the clock of the first that answers is the snapshot's.
        server: who answered.
        cost: what the sample cost.
        limits: what the server withholds beside what the samplers noticed.
        mode: how changes are noticed.
    """
    answering = [sampler for sampler in samplers if sampler.lost is None]
    clock = (answering or samplers)[0].clock
    return Snapshot(
        at_ms=clock.now_ms(),
        clock=clock.kind,
        server=server,
        queues=_queues(samplers),
        swept=all(sampler.discovery.is_whole for sampler in samplers),
        cost=cost,
        mode=mode,
        limits=tuple(dict.fromkeys([*_limits(answering, server), *limits])),
    )


def _queues(samplers: Sequence[Sampler]) -> tuple[Queue, ...]:
    if len(samplers) == 1:
        return samplers[0].queues()
    found: dict[QueueId, Queue] = {}
    for queue in (queue for sampler in samplers for queue in sampler.queues()):
        # While a slot moves, both nodes have keys of it: the one that can be read counts.
        if queue.id not in found or queue.error is None:
            found[queue.id] = queue
    return tuple(found[each] for each in sorted(found))


def _limits(samplers: Sequence[Sampler], server: Server) -> Iterable[str]:
    if (words := fence.limit(server.wire_version)) is not None:
        yield words
    if any(sampler.clock.kind == "local" for sampler in samplers):
        yield "TIME is withheld: leases and ages are told by the local clock"
    if any(sampler.discovery.refused for sampler in samplers):
        yield "SCAN is withheld: only queues asked for by name are shown"
