"""What the feed makes of two moments."""

from emqtop.sampling.memory import START_MS
from tests.ui.scenes import ORDERS, small_server
from tests.ui.stage import stage


async def test_where_time_went_back_speeds_begin_anew() -> None:
    source = small_server()
    async with stage((100, 24), source) as held:
        for _ in range(3):
            source.now_ms += 1_000
            await held.sample()
        assert held.app.moment.before.at_ms == START_MS
        # A recording that is wound back, or another server, whose clock stands behind.
        source.now_ms = START_MS - 600_000
        await held.sample()
        assert held.app.moment.before.at_ms in {0, source.now_ms}
        source.now_ms += 1_000
        source.shelves[ORDERS].completed += 5
        await held.sample()
        assert held.app.moment.before.at_ms == START_MS - 600_000
        assert held.app.moment.speeds[ORDERS].done == 5.0
