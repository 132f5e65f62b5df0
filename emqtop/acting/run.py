"""One plan on its way through the server: batch after batch, each sent once, its outcome told as it is."""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from emqtop.acting.course import Course
from emqtop.acting.hands import Hands, Link
from emqtop.acting.journal import Journal
from emqtop.acting.plan import Plan, tag_of
from emqtop.acting.sending import Abandoned, Sender
from emqtop.acting.succession import Succession
from emqtop.acting.tally import Progress, Tally
from emqtop.acting.truth import Truth
from emqtop.acting.whole import Whole
from emqtop.acting.words import ran_nothing, reason_of, refused, said
from emqtop.model.actions import Reason, Seen, Skip
from emqtop.model.acts import REMOVING
from emqtop.wire.errors import Frozen, SourceError
from emqtop.wire.readings import JobReading
from emqtop.wire.resp import ReplyError, raw
from emqtop.wire.verdicts import DONE, UNKNOWN, Verdict

BATCH = 100
"""Jobs a script call at most."""
NEAR_BATCH = 25
"""Jobs a call where the server is so near that nothing else gives its other clients a turn."""

_NEAR_S = 0.005
_TAKEN_BACK = "it lies in {} again: another server took the place of the one where it moved"
_CAME_BACK_WITHOUT = "not there when the server was back: finished, removed, or lost with the server"


class Run:
    """One plan being carried out.

    Args:
        link: to the server.
        hands: of the family.
        plan: what is to be done.
        course: which way.
        patience_s: how long to ask for the truth about what was not answered.
        stop: ends it after the batch that runs.
        on_progress: told how far it is.

    Attributes:
        journal: where each batch is kept before it is sent; None: it need not be.
        on_moved: told which jobs moved, batch by batch; None: nobody wants to know.
        tally: what came of it so far.
    """

    def __init__(
        self,
        link: Link,
        hands: Hands,
        plan: Plan,
        course: Course,
        patience_s: float,
        stop: asyncio.Event,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._sender = Sender(link, stop, patience_s)
        self._hands, self._plan = hands, plan
        self._order = plan.order
        self._course = course
        self._stop = stop
        self._on_progress = on_progress
        self._begun = time.monotonic()
        self._dedup: dict[str, list[str]] = {}
        self.journal: Journal | None = None
        self.on_moved: Callable[[Sequence[str]], None] | None = None
        self.tally = Tally(plan.order, plan.matched, skipped=list(plan.skipped), stopped=plan.stopped)

    async def carry_out(self, rate: float | None) -> None:
        """The whole plan, at most so many jobs a second."""
        if self._plan.is_whole:
            await Whole(self._sender, self._hands, self._plan, self.tally, self._tell).carry_out()
            return
        succession = Succession(self._sender, raw(f"{self._order.queue.prefix}:{tag_of(self._order.queue)}:"))
        # A single batch is over before anybody takes a server's place.
        is_long = len(self._plan.jobs) > BATCH
        if is_long:
            await succession.begin()
        await self._jobs(rate)
        if is_long and self.tally.moved and await succession.has_come():
            await self._look_back()

    async def _look_back(self) -> None:
        """Read what moved on the server that another one has replaced, and count anew what did not come along."""
        jobs = {job.id: job for job in self._plan.jobs}
        moved = list(self.tally.moved_ids)
        for begin in range(0, len(moved), BATCH):
            batch = moved[begin : begin + BATCH]
            try:
                found = await self._sender.read(self._hands.locate(self._order.queue, batch))
            except (SourceError, ReplyError) as error:
                self.tally.lost = str(error)
                return
            self.tally.take_back(
                [
                    Skip(name, Reason.MOVED, _TAKEN_BACK.format(place))
                    for name, (place, reading) in zip(batch, found, strict=True)
                    if self._course.truth(jobs[name], place, reading) is Truth.AS_SEEN
                ]
            )

    async def _jobs(self, rate: float | None) -> None:
        """Batch after batch until the plan is through, the operator stops it, or the server refuses or is lost."""
        jobs = self._plan.jobs
        if self._order.verb in REMOVING:
            await self._find_dedup(jobs)
        begin = 0
        while begin < len(jobs):
            if rate is not None:
                await self._sender.rest(self._begun + begin / rate - time.monotonic())
            if self._stop.is_set() or self.tally.unknown or self.tally.lost:
                self.tally.stopped = True
                return
            end = begin + self._size(rate)
            if (refusal := await self._batch(jobs[begin:end])) is not None:
                self._refuse(jobs[begin:], refusal)
                return
            begin = end
            self._tell()
            # One turn of the loop, so that a dashboard's keys are served between batches.
            await asyncio.sleep(0)
        self.tally.stopped |= bool(self._stop.is_set() and self.tally.unknown)

    def _size(self, rate: float | None) -> int:
        """Jobs of the next call: few for a near server, a quarter of a second's where a pace is set."""
        size = BATCH if _NEAR_S < self._sender.round_trip_s < math.inf else NEAR_BATCH
        return size if rate is None else max(1, min(size, int(rate / 4)))

    def _tell(self, under_way: int = 0) -> None:
        """Say how far it is, with so many jobs sent and not answered."""
        if self._on_progress is not None:
            self._on_progress(self.tally.progress(time.monotonic() - self._begun, under_way))

    async def _batch(self, batch: Sequence[Seen]) -> ReplyError | None:
        """One script call; a refusal of the server as a whole comes back."""
        dedup = [name for job in batch for name in self._dedup.get(job.id, ())]
        try:
            await self._keep(batch)
        except ReplyError as error:
            return error
        except SourceError as error:
            if not self.tally.done:
                raise
            self.tally.stopped, self.tally.lost = True, str(error)
            return None
        self._tell(len(batch))
        try:
            verdicts = await self._sender.send(self._course.send(batch, dedup))
        except ReplyError as error:
            if ran_nothing(error):
                return error
            await self._learn(batch, error)
        except (SourceError, Abandoned) as error:
            await self._learn_after(error, batch)
        except asyncio.CancelledError:
            self.tally.unknown.update(dict.fromkeys(job.id for job in batch))
            raise
        else:
            await self._note(self.tally.take(verdicts))
            if broken := {verdict.id: verdict.note for verdict in verdicts if verdict.reason == UNKNOWN}:
                await self._learn([job for job in batch if job.id in broken], ReplyError(next(iter(broken.values()))))
        return None

    async def _keep(self, batch: Sequence[Seen]) -> None:
        if self.journal is None:
            return
        removing = self._order.verb in REMOVING
        records = await self._sender.read(self._hands.record(self._order.queue, batch, whole=removing))
        for record in records:
            record["dedup"] = self._dedup.get(record["id"], [])
        await asyncio.to_thread(self.journal.keep, records, to_disk=removing)

    async def _note(self, moved: list[str]) -> None:
        if self.on_moved is not None:
            await asyncio.to_thread(self.on_moved, moved)

    async def _learn_after(self, error: SourceError | Abandoned, batch: Sequence[Seen]) -> None:
        """Read what became of a batch; a server that was lost is given no other one, as it may be none of the old."""
        self.tally.lost = str(error)
        await self._learn(batch)
        if isinstance(error, Frozen) and not self.tally.unknown:
            self.tally.lost = ""

    async def _learn(self, batch: Sequence[Seen], error: ReplyError | None = None) -> None:
        """Read the jobs of an unanswered act until it is known what became of them; nothing is sent again."""
        self.tally.unknown.update(dict.fromkeys(job.id for job in batch))
        self._tell()
        open_jobs = {job.id: job for job in batch}

        async def judge(found: Sequence[tuple[str | None, JobReading]]) -> bool:
            await self._judge(open_jobs, found, error)
            return not open_jobs

        await self._sender.look(lambda: self._hands.locate(self._order.queue, list(open_jobs)), judge)

    async def _judge(
        self, open_jobs: dict[str, Seen], found: Sequence[tuple[str | None, JobReading]], error: ReplyError | None
    ) -> None:
        moved = []
        for job, (place, reading) in zip(list(open_jobs.values()), found, strict=True):
            told = self._course.truth(job, place, reading)
            if told is Truth.AS_SEEN and error is not None:
                told = refused(job.id, reason_of(error), said(error))
            if told is Truth.AS_SEEN:
                self.tally.reread = True
                continue
            del open_jobs[job.id], self.tally.unknown[job.id]
            if isinstance(told, Skip):
                is_empty = self.tally.lost and told.reason is Reason.GONE
                self.tally.skipped.append(replace(told, detail=_CAME_BACK_WITHOUT) if is_empty else told)
            else:
                moved.append(job.id)
        self.tally.take([Verdict(name, DONE) for name in moved])
        if moved:
            await self._note(moved)

    async def _find_dedup(self, jobs: Sequence[Seen]) -> None:
        ids = frozenset(job.id for job in jobs)
        try:
            self._dedup = await self._sender.read(self._hands.dedup(self._order.queue, ids))
        except (SourceError, ReplyError):
            self._dedup = {}

    def _refuse(self, jobs: Sequence[Seen], error: ReplyError) -> None:
        self.tally.skipped += [refused(job.id, reason_of(error), said(error)) for job in jobs]
