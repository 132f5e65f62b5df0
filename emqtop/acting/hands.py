"""What a family of queues lets an operator do: the one place where families part ways."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from emqtop.acting.bullmq import BullMQHands
from emqtop.acting.echomq import EchoMQHands
from emqtop.model.actions import Order, Seen, Verb
from emqtop.model.queue import Family, QueueId
from emqtop.wire.readings import JobReading, PageReading
from emqtop.wire.resp import Conversation
from emqtop.wire.verdicts import Verdict

T = TypeVar("T")


class Hands(Protocol):
    """The acts of one family as conversations. Each raises ReplyError where the server refuses it as a whole."""

    verbs: frozenset[Verb]
    """What it can do."""

    def check(self, order: Order) -> None:
        """Raises ValueError for an option that this family cannot have; nothing is sent."""

    def page(
        self, queue: QueueId, location: str, after: str | None, limit: int, payload_bytes: int, lane: str | None
    ) -> Conversation[PageReading]:
        """Some jobs of a location."""

    def locate(self, queue: QueueId, ids: Sequence[str]) -> Conversation[list[tuple[str | None, JobReading]]]:
        """Location and line of each job; raises ValueError for what is no id of this family."""

    def foresee(self, order: Order, jobs: Sequence[Seen]) -> Conversation[list[Verdict]]:
        """What each job would meet now, by plain reads."""

    def send(self, order: Order, jobs: Sequence[Seen], dedup: Sequence[str]) -> Conversation[list[Verdict]]:
        """Do it to at most 100 jobs, once."""

    def send_each(self, orders: Sequence[Order], jobs: Sequence[Seen]) -> Conversation[list[Verdict]]:
        """Dead-letter or requeue at most 100 jobs, once, each by an order of its own; all orders are of one verb."""

    def send_whole(self, order: Order) -> Conversation[bool]:
        """Do it to the queue or lane, once; False: it was so already.

        Raises:
            QueueActRefused: its layout forbids it.
        """

    def is_so(self, order: Order) -> Conversation[bool | None]:
        """Is the queue or lane as the order wants it, by plain reads? None: nothing tells."""

    def standing(self, order: Order, jobs: Sequence[Seen]) -> Conversation[Order | None]:
        """The order with the value that stands now in place of its own; None: there is no one value."""

    def bar(self) -> Conversation[str | None]:
        """Why the server as a whole lets no act on queues of this family, in words; None: no reason."""

    def lanes(self, queue: QueueId) -> Conversation[list[bytes]]:
        """Groups of all lanes that can be found."""

    def stock(self, order: Order, lanes: Sequence[bytes]) -> Conversation[tuple[int, Verdict | None]]:
        """How many jobs a queue holds, each place counted, and what holds its obliteration back now, by plain reads."""

    def obliterate(
        self, order: Order, lanes: Sequence[bytes], seen: int | None
    ) -> Conversation[tuple[int, bool] | Verdict]:
        """Forget at most 100 jobs of a queue, at last itself; how many went, and is it through? Or why not.

        Args:
            order: with its force.
            lanes: as `lanes` found them.
            seen: jobs that it held when it was looked up: with more nothing is done; None: that is not compared.
        """

    def dedup(self, queue: QueueId, ids: frozenset[str]) -> Conversation[dict[str, list[str]]]:
        """Dedup ids that hold these jobs, as far as a bounded look finds them."""

    def record(self, queue: QueueId, jobs: Sequence[Seen], *, whole: bool) -> Conversation[list[dict[str, Any]]]:
        """Place and token of each job for the journal, and if whole all else that is kept of it; as JSON has it."""

    def restore(self, queue: QueueId, record: dict[str, Any]) -> Conversation[Verdict]:
        """Put a removed job back as the journal has it, unless its id lives again."""


class Link(Protocol):
    """Whatever holds a conversation with the server: the client of the dashboard, or a wrapped bare link."""

    async def run(self, conversation: Conversation[T]) -> T:
        """Hold it to its end; nothing is ever sent twice."""


_HANDS: dict[Family, Hands] = {Family.ECHOMQ: EchoMQHands(), Family.BULLMQ: BullMQHands()}


def hands_of(family: Family) -> Hands:
    """The acts of a family."""
    return _HANDS[family]
