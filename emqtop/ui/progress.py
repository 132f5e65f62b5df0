"""How an act goes on, as its dialog is told."""

from textual.message import Message

from emqtop.acting.plan import Plan
from emqtop.acting.tally import Progress
from emqtop.model.actions import Order, Outcome


class StandingArrived(Message):
    """It is known how it is now; None: there is no one value."""

    def __init__(self, standing: Order | None) -> None:
        super().__init__()
        self.standing = standing


class PlanArrived(Message):
    """It is known what an act would touch."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan


class Found(Message):
    """So many jobs are found."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def can_replace(self, message: Message) -> bool:
        """The newest count is all that is needed."""
        return isinstance(message, Found)


class Progressed(Message):
    """An act is so far."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self.progress = progress

    def can_replace(self, message: Message) -> bool:
        """The newest is all that is needed."""
        return isinstance(message, Progressed)


class ActFailed(Message):
    """An act could not be planned or begun; the words say why, in safe text, a line each."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self.words = words


class OutcomeArrived(Message):
    """An act is through, one way or another."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome
