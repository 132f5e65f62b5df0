"""What is known of a BullMQ queue stands above its jobs."""

from emqtop.sampling.memory import MemorySource, Shelf
from tests.ui.scenes import EMAILS, ORDERS
from tests.ui.stage import stage


async def test_layout_and_workers_of_a_bullmq_queue() -> None:
    shelf = Shelf(EMAILS, about=(("layout", "5 (meta.version is 5)"), ("workers", "2, 1 idle (ma\x1biler)")))
    async with stage((120, 24), MemorySource(shelf)) as held:
        await held.press("enter")
        await held.settle()
        assert held.text().splitlines()[2].strip() == "layout 5 (meta.version is 5)   workers 2, 1 idle (ma␛iler)"
        assert held.source.reads.count("about") == 1


async def test_an_echomq_queue_has_no_such_line() -> None:
    async with stage((120, 24), MemorySource(Shelf(ORDERS))) as held:
        await held.press("enter")
        assert not held.screen.query("#about")
        assert held.source.reads.count("about") == 0
