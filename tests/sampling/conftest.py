"""The live source on the test's Valkey."""

from collections.abc import AsyncIterator

import pytest

from emqtop.sampling.live import Live
from tests.conftest import Hand
from tests.sampling.queues import settings


@pytest.fixture
async def live(valkey: Hand) -> AsyncIterator[Live]:
    """A source, closed afterwards."""
    source = Live(settings(valkey))
    yield source
    await source.close()
