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


async def test_a_low_window_spares_its_lines_for_the_keys() -> None:
    shelf = Shelf(EMAILS, about=(("layout", "5"), ("workers", "2")))
    async with stage((60, 5), MemorySource(shelf)) as held:
        await held.press("enter")
        lines = held.text().splitlines()
        assert "layout" not in held.text()
        assert lines[1].startswith(" Pe0 [active 0]")
        assert lines[-1].rstrip().endswith("q quit")
        await held.pilot.resize_terminal(60, 12)
        await held.settle()
        assert "layout 5   workers 2" in held.text()
