"""Shows a scene on the terminal: `python -m tests.ui.play [SCENE] [THEME]`."""

import sys
import time

from emqtop.model.job import Job
from emqtop.model.queue import Location
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.memory import START_MS, MemorySource, Shelf
from emqtop.settings import Settings
from emqtop.ui.app import run_dashboard
from tests.ui.hand import MemoryActs
from tests.ui.scenes import BROKEN, IDLE, ORDERS, job_id, small_server


class Running(MemorySource):
    """Its clock goes on."""

    began = time.monotonic()

    async def sample(self) -> Snapshot:
        """All queues, now."""
        self.now_ms = START_MS + int(1_000 * (time.monotonic() - self.began))
        return await super().sample()


class Counting(Running):
    """One number rises at every look."""

    async def sample(self) -> Snapshot:
        """All queues, now."""
        waiting = self.shelves[ORDERS].at(Location.PENDING)
        waiting.append(Job(job_id(len(waiting))))
        return await super().sample()


class Bursting(Running):
    """Fails in a way that nobody foresaw, a password at hand."""

    async def sample(self) -> Snapshot:
        """All queues, now."""
        password = "hunter2" * 2
        if time.monotonic() - self.began > 1.5:
            raise RuntimeError("\x1b[2Jburst", len(password))
        return await super().sample()


class Hanging(Running):
    """Answers once, then never again."""

    async def sample(self) -> Snapshot:
        """All queues, now."""
        self.frozen = bool(self.reads)
        return await super().sample()


def scene(name: str) -> MemorySource:
    """A source by its name."""
    shown = small_server()
    shelves = tuple(shown.shelves.values())
    match name:
        case "quiet":
            return Running(Shelf(IDLE), Shelf(BROKEN, error="WRONGTYPE"), server=shown.server)
        case "burst":
            return Bursting(*shelves, server=shown.server)
        case "hang":
            return Hanging(*shelves, server=shown.server)
        case "count":
            return Counting(Shelf(ORDERS), *(Shelf(shelf.id) for shelf in shelves[1:]), server=shown.server)
        case _:
            return Running(*shelves, server=shown.server)


if __name__ == "__main__":
    source = scene(sys.argv[1] if len(sys.argv) > 1 else "")
    wishes = Settings(theme=sys.argv[2] if len(sys.argv) > 2 else "dark")
    sys.exit(run_dashboard(source, acts=MemoryActs(source), settings=wishes))
