"""Who works on a queue."""

from collections import Counter

from emqtop.meaning.texts import maybe_text
from emqtop.model.team import Team, Tie, Worker
from emqtop.wire.around import HolderReading, TeamReading, WorkerReading
from emqtop.wire.resp import text


def team_of(reading: TeamReading) -> Team:
    """Who works on a queue: connections, each with the jobs that bear its name, then jobs that no connection claims."""
    workers, holders = reading.workers or (), reading.holders or ()
    named = {holder.name: holder for holder in holders if holder.name is not None}
    # Jobs that tell no name, or were not looked at, could be anybody's.
    all_named = reading.holders is not None and reading.looked_at == reading.active and len(named) == len(holders)
    namesakes = Counter(worker.name for worker in workers if worker.is_told)
    rows = [_worker(one, named.get(one.name or b""), all_named, namesakes[one.name]) for one in workers]
    strangers = (holder for holder in holders if holder.name is None or holder.name not in namesakes)
    unseen = (_unseen(holder, Tie.GONE if reading.workers is not None else Tie.JOBS) for holder in strangers)
    return Team((*rows, *unseen), reading.workers is None, reading.unlisted, reading.active, reading.looked_at)


def _worker(one: WorkerReading, holder: HolderReading | None, all_named: bool, namesakes: int) -> Worker:
    return Worker(
        key=str(one.client),
        tie=Tie.NAME if one.is_told else Tie.WAIT,
        name=maybe_text(one.name),
        address=text(one.address),
        age_s=one.age_s,
        idle_s=one.idle_s,
        waits=one.is_waiting,
        library=text(one.library),
        holds=holder.jobs if holder is not None else 0 if all_named else None,
        lapsed=0 if holder is None else holder.lapsed,
        namesakes=max(1, namesakes),
    )


def _unseen(holder: HolderReading, tie: Tie) -> Worker:
    name, token = maybe_text(holder.name), maybe_text(holder.token)
    return Worker(
        key=f"{name} {token}",
        tie=tie if name is not None else Tie.LOCKS,
        name=name if name is not None else token,
        holds=holder.jobs,
        lapsed=holder.lapsed,
    )
