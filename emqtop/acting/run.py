"""One plan on its way through the server: batch after batch, each sent once, its outcome told as it is."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from emqtop.acting.course import Course
from emqtop.acting.hands import Hands, Link
from emqtop.acting.journal import Journal
from emqtop.acting.plan import Plan
from emqtop.acting.tally import Progress, Tally
from emqtop.acting.truth import Truth
from emqtop.acting.words import NOTHING_RAN, reason_of, refused, skip
from emqtop.model.actions import Reason, Seen, Skip, Verb
from emqtop.wire.errors import Frozen, SourceError
from emqtop.wire.readings import JobReading
from emqtop.wire.resp import Conversation, ReplyError
from emqtop.wire.verdicts import DONE, UNKNOWN, QueueActRefused, Verdict

T = TypeVar("T")

BATCH = 100
"""Jobs a script call at most."""
NEAR_BATCH = 25
"""Jobs a call where the server is so near that nothing else gives its other clients a turn."""
REMOVING = frozenset({Verb.REMOVE, Verb.DRAIN})
"""Acts after which a job is nowhere but in the journal."""

_STOP_WITHIN_S = 0.7
_NEAR_S = 0.005
_CAME_BACK_WITHOUT = "not there when the server was back: finished, removed, or lost with the server"
_PAUSES_S = (0.1, 0.3, 0.6, 1.0)


class _Abandoned(Exception):
    """The operator stopped waiting for an answer."""


class Run:
    """One plan being carried out."""

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
        self._link, self._hands, self._plan = link, hands, plan
        self._order = plan.order
        self._course = course
        self._patience_s = patience_s
        self._stop = stop
        self._on_progress = on_progress
        self._begun = time.monotonic()
        self._round_trip_s = math.inf
        self._dedup: dict[str, list[str]] = {}
        self.journal: Journal | None = None
        self.on_moved: Callable[[Sequence[str]], None] | None = None
        self.tally = Tally(plan.order, plan.matched, skipped=list(plan.skipped), stopped=plan.stopped)

    async def carry_out(self, rate: float | None) -> None:
        """The whole plan, at most so many jobs a second; nothing of a queue that was refused as a whole."""
        if self._plan.is_whole and self._plan.skipped:
            return
        if self._order.verb is Verb.OBLITERATE:
            await self._obliterate()
        elif self._plan.is_whole:
            await self._whole()
        else:
            await self._jobs(rate)

    async def _jobs(self, rate: float | None) -> None:
        """Batch after batch until the plan is through, the operator stops it, or the server refuses or is lost."""
        jobs = self._plan.jobs
        if self._order.verb in REMOVING:
            await self._find_dedup(jobs)
        begin = 0
        while begin < len(jobs):
            if rate is not None:
                await self._rest(self._begun + begin / rate - time.monotonic())
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
        size = BATCH if _NEAR_S < self._round_trip_s < math.inf else NEAR_BATCH
        return size if rate is None else max(1, min(size, int(rate / 4)))

    async def _obliterate(self) -> None:
        """Step after step of a bounded number of jobs; the queue itself goes with the last."""
        queue, done = self._order.queue, False
        try:
            lanes = await self._link.run(self._hands.lanes(queue))
            while not done:
                if self._stop.is_set():
                    self.tally.stopped = True
                    return
                step = await self._send(self._hands.obliterate(self._order, lanes))
                if isinstance(step, Verdict):
                    self._leave_whole(skip(step))
                    return
                gone, done = step
                self.tally.moved += gone
                self.tally.total += gone
                self._tell()
        except ReplyError as error:
            self._leave_whole(refused(queue.name, reason_of(error), str(error)))
        except (SourceError, _Abandoned) as error:
            self.tally.lost = str(error)
            self.tally.total += 1
            self.tally.unknown[queue.name] = None

    async def _whole(self) -> None:
        """The act on the queue or lane itself."""
        name = self._order.queue.name
        try:
            changed = await self._send(self._hands.send_whole(self._order))
        except QueueActRefused as refusal:
            self._leave_whole(skip(Verdict(name, refusal.reason, "words", refusal.note)))
        except ReplyError as error:
            self._leave_whole(refused(name, reason_of(error), str(error)))
        except (SourceError, _Abandoned) as error:
            self.tally.lost = str(error)
            await self._learn_whole()
        else:
            self.tally.total = self.tally.moved = int(changed)

    async def _learn_whole(self) -> None:
        """Read the queue of an unanswered act until it is known whether it is as it was to be."""
        name = self._order.queue.name
        self.tally.total, self.tally.unknown = 1, {name: None}
        told: list[bool] = []

        async def judge(is_so: bool | None) -> bool:
            told.extend([] if is_so is None else [is_so])
            return is_so is not False

        await self._look(lambda: self._hands.is_so(self._order), judge)
        if not told or (self._stop.is_set() and not told[-1]):
            return
        self.tally.total, self.tally.unknown = 0, {}
        if told[-1]:
            self.tally.total = self.tally.moved = int(not self._plan.was_so)
        else:
            self._leave_whole(refused(name, Reason.MOVED, "no answer came, and it is not so now"))

    def _leave_whole(self, left: Skip) -> None:
        self.tally.total += 1
        self.tally.skipped.append(left)

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.tally.progress(time.monotonic() - self._begun))

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
        try:
            verdicts = await self._send(self._course.send(batch, dedup))
        except ReplyError as error:
            if error.word in NOTHING_RAN:
                return error
            await self._learn(batch, error)
        except (SourceError, _Abandoned) as error:
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
        records = await self._link.run(self._hands.record(self._order.queue, batch, whole=removing))
        for record in records:
            record["dedup"] = self._dedup.get(record["id"], [])
        await asyncio.to_thread(self.journal.keep, records, to_disk=removing)

    async def _note(self, moved: list[str]) -> None:
        if self.on_moved is not None:
            await asyncio.to_thread(self.on_moved, moved)

    async def _send(self, conversation: Conversation[T]) -> T:
        """Send once and wait for the answer; when the operator stops, not much longer."""
        begun = time.monotonic()
        sent = asyncio.ensure_future(self._link.run(conversation))
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({sent, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not sent.done():
                await asyncio.wait({sent}, timeout=_STOP_WITHIN_S)
            if not sent.done():
                raise _Abandoned
            answer = sent.result()
            self._round_trip_s = min(self._round_trip_s, time.monotonic() - begun)
            return answer
        finally:
            sent.cancel()
            stopped.cancel()

    async def _learn_after(self, error: SourceError | _Abandoned, batch: Sequence[Seen]) -> None:
        """Read what became of a batch; a server that was lost is given no other one, as it may be none of the old."""
        self.tally.lost = str(error)
        await self._learn(batch)
        if isinstance(error, Frozen) and not self.tally.unknown:
            self.tally.lost = ""

    async def _learn(self, batch: Sequence[Seen], error: ReplyError | None = None) -> None:
        """Read the jobs of an unanswered act until it is known what became of them; nothing is sent again."""
        self.tally.unknown.update(dict.fromkeys(job.id for job in batch))
        open_jobs = {job.id: job for job in batch}

        async def judge(found: Sequence[tuple[str | None, JobReading]]) -> bool:
            await self._judge(open_jobs, found, error)
            return not open_jobs

        await self._look(lambda: self._hands.locate(self._order.queue, list(open_jobs)), judge)

    async def _look(self, ask: Callable[[], Conversation[T]], judge: Callable[[T], Awaitable[bool]]) -> None:
        """Ask again and again once the server answers, since the act may still be on its way; until judged settled."""
        end = time.monotonic() + self._patience_s
        looks = 0
        while looks < len(_PAUSES_S) and time.monotonic() < end and not self._stop.is_set():
            await self._rest(_PAUSES_S[looks])
            try:
                found = await self._link.run(ask())
            except (SourceError, ReplyError):
                continue
            looks += 1
            if await judge(found):
                return

    async def _judge(
        self, open_jobs: dict[str, Seen], found: Sequence[tuple[str | None, JobReading]], error: ReplyError | None
    ) -> None:
        moved = []
        for job, (place, reading) in zip(list(open_jobs.values()), found, strict=True):
            told = self._course.truth(job, place, reading)
            if told is Truth.AS_SEEN and error is not None:
                told = refused(job.id, reason_of(error), str(error))
            if told is Truth.AS_SEEN:
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
            self._dedup = await self._link.run(self._hands.dedup(self._order.queue, ids))
        except (SourceError, ReplyError):
            self._dedup = {}

    def _refuse(self, jobs: Sequence[Seen], error: ReplyError) -> None:
        self.tally.skipped += [refused(job.id, reason_of(error), str(error)) for job in jobs]

    async def _rest(self, seconds: float) -> None:
        """Wait, but no longer than the operator does."""
        if seconds > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._stop.wait()
