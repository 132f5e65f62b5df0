"""One queue of the BullMQ family on the test's Valkey."""

import pytest

from tests.conftest import Hand
from tests.wire.bullmq.writing import Bull


@pytest.fixture(params=["5.81.5", "6.7.0", None], ids=["5", "6", "unknown"])
def bull(request: pytest.FixtureRequest, valkey: Hand) -> Bull:
    """A queue of each layout, and one that does not tell."""
    return Bull(valkey, version=request.param)


@pytest.fixture
def six(valkey: Hand) -> Bull:
    """A queue of layout 6."""
    return Bull(valkey, version="6.7.0")
