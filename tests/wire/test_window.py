"""How many asks go ahead of their answers."""

import math

import pytest

from emqtop.wire.window import window


@pytest.mark.parametrize(
    ("rtt_ms", "wanted"), [(math.inf, 2), (0.0, 2), (0.99, 2), (1.5, 3), (20.0, 40), (32.0, 64), (900.0, 64)]
)
def test_the_farther_the_more(rtt_ms: float, wanted: int) -> None:
    assert window(rtt_ms) == wanted
