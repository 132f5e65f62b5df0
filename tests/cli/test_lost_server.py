"""What the command line says of an act whose server was lost meanwhile."""

import pytest

from emqtop.cli.act_command import tell
from emqtop.cli.console import Exit
from emqtop.model.actions import Outcome, Verb
from emqtop.model.queue import Family, QueueId

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")
LOST = "The server cannot be reached: reset"


@pytest.mark.parametrize(
    ("outcome", "code", "said"),
    [
        (
            Outcome(Verb.REQUEUE, ORDERS, 100, 25, unknown=("a", "b"), stopped=True, lost=LOST),
            Exit.UNKNOWN,
            f"emqtop: the server was lost during the act ({LOST}), unknown 2: sent, and no answer came, not begun 73\n",
        ),
        (
            Outcome(Verb.REQUEUE, ORDERS, 100, 25, stopped=True, lost=LOST),
            Exit.FINDINGS,
            f"emqtop: the server was lost during the act ({LOST}), not begun 75\n",
        ),
        (Outcome(Verb.REQUEUE, ORDERS, 100, 25, stopped=True), Exit.FINDINGS, ""),
    ],
)
def test_a_lost_server_is_named_beside_the_outcome(
    capsys: pytest.CaptureFixture[str], outcome: Outcome, code: Exit, said: str
) -> None:
    assert tell(outcome, as_json=False) == code
    out, err = capsys.readouterr()
    assert err == said
    words = "stopped as the server was lost" if outcome.lost else "stopped"
    assert out.splitlines()[0].endswith(words)
