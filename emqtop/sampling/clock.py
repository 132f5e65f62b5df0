"""The server's clock, kept between two readings by the viewer's own (operator law 14)."""

from collections.abc import Callable

from emqtop.units import now_ms
from emqtop.wire.replies import server_ms
from emqtop.wire.resp import Reply


class Clock:
    """What time it is on one node.

    Args:
        local_ms: the viewer's clock, Unix ms.
    """

    def __init__(self, local_ms: Callable[[], int] = now_ms) -> None:
        self.kind = "local"
        """`server`, or `local` where the server withholds TIME."""
        self._local_ms = local_ms
        self._ahead_ms = 0

    def note(self, reply: Reply) -> None:
        """Take over a reply to TIME; a refusal leaves the viewer's clock in charge."""
        told = isinstance(reply, list)
        self.kind = "server" if told else "local"
        self._ahead_ms = server_ms(reply) - self._local_ms() if told else 0

    def now_ms(self) -> int:
        """Unix ms by the server, as far as it told."""
        return self._local_ms() + self._ahead_ms
