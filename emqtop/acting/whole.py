"""An act on a queue or a lane as a whole, on its way through the server."""

from collections.abc import Callable, Sequence

from emqtop.acting.hands import Hands
from emqtop.acting.plan import Plan
from emqtop.acting.sending import Abandoned, Sender
from emqtop.acting.tally import Tally
from emqtop.acting.words import reason_of, refused, said, skip
from emqtop.model.actions import Reason, Skip, Verb
from emqtop.wire.errors import Frozen, SourceError
from emqtop.wire.resp import ReplyError
from emqtop.wire.verdicts import QueueActRefused, Verdict

STEP = 100
"""Jobs of one step at most."""


class Whole:
    """One plan that is not about jobs one by one.

    Args:
        sender: sends it.
        hands: of the family.
        plan: what is to be done.
        tally: what came of it so far.
        tell: told that the tally changed, with the jobs that are under way.
    """

    def __init__(self, sender: Sender, hands: Hands, plan: Plan, tally: Tally, tell: Callable[[int], None]) -> None:
        self._sender, self._hands, self._plan, self._tally, self._tell = sender, hands, plan, tally, tell
        self._order, self._name = plan.order, plan.order.queue.name

    async def carry_out(self) -> None:
        """Do it; nothing of a queue that was refused."""
        if self._plan.skipped:
            return
        if self._order.verb is not Verb.OBLITERATE:
            await self._once()
            return
        await self._obliterate()
        if not self._tally.stopped:
            self._tally.total = self._tally.done + len(self._tally.unknown)

    async def _once(self) -> None:
        self._tell(1)
        try:
            changed = await self._sender.send(self._hands.send_whole(self._order))
        except QueueActRefused as refusal:
            self._leave(skip(Verdict(self._name, refusal.reason, "words", refusal.note)))
        except ReplyError as error:
            self._leave(refused(self._name, reason_of(error), said(error)))
        except (SourceError, Abandoned) as error:
            self._tally.lost = str(error)
            await self._learn()
        else:
            self._tally.total = self._tally.moved = int(changed)

    async def _learn(self) -> None:
        """Read the queue of an unanswered act until it is known whether it is as it was to be."""
        self._unknown()
        self._tally.total = 1
        told: list[bool] = []

        async def judge(is_so: bool | None) -> bool:
            told.extend([] if is_so is None else [is_so])
            return is_so is not False

        await self._sender.look(lambda: self._hands.is_so(self._order), judge)
        if not told or (self._sender.stop.is_set() and not told[-1]):
            return
        self._tally.total, self._tally.unknown = 0, {}
        if told[-1]:
            self._tally.total = self._tally.moved = int(not self._plan.was_so)
        else:
            self._leave(refused(self._name, Reason.MOVED, "no answer came, and it is not so now"))

    async def _obliterate(self) -> None:
        """Step after step of a bounded number of jobs; the queue itself goes with the last."""
        try:
            lanes = await self._sender.read(self._hands.lanes(self._order.queue))
            seen: int | None = self._plan.held
            while not await self._step(lanes, seen):
                seen = None
                if self._sender.stop.is_set() or self._tally.unknown:
                    self._tally.stopped = True
                    return
        except ReplyError as error:
            self._leave(refused(self._name, reason_of(error), said(error)))

    async def _step(self, lanes: Sequence[bytes], seen: int | None) -> bool:
        """One step; is there nothing more to do?"""
        self._tell(max(1, min(STEP, self._left)))
        try:
            step = await self._sender.send(self._hands.obliterate(self._order, lanes, seen))
        except (SourceError, Abandoned) as error:
            return await self._learn_step(error, lanes)
        if isinstance(step, Verdict):
            self._leave(skip(step))
            return True
        gone, done = step
        self._tally.moved += gone
        self._tell(0)
        return done

    async def _learn_step(self, error: SourceError | Abandoned, lanes: Sequence[bytes]) -> bool:
        """Read how many jobs are left of an unanswered step; is the queue gone?

        A step that was not seen to have run may yet run: then it stays unknown.
        """
        self._unknown()
        self._tally.lost = str(error)
        before = self._left
        through: list[bool] = []

        async def judge(found: tuple[int, Verdict | None]) -> bool:
            jobs, hindrance = found
            is_gone = not jobs and hindrance is not None
            if not is_gone and jobs >= before:
                self._tally.reread = True
                return False
            self._tally.moved += max(0, before - jobs)
            through.append(is_gone)
            return True

        await self._sender.look(lambda: self._hands.stock(self._order, lanes), judge)
        if through:
            self._tally.unknown = {}
            if isinstance(error, Frozen) or through[0]:
                self._tally.lost = ""
            else:
                self._tally.stopped = True
        return bool(through and (through[0] or self._tally.stopped))

    @property
    def _left(self) -> int:
        """Jobs that are not gone yet, as far as the plan knew."""
        return max(0, self._plan.held - self._tally.moved)

    def _unknown(self) -> None:
        self._tally.unknown = {self._name: None}
        self._tell(0)

    def _leave(self, left: Skip) -> None:
        self._tally.total += 1
        self._tally.skipped.append(left)
