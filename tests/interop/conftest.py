"""Real BullMQ for the tests of this folder: every test runs against every release, under two names."""

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import Hand
from tests.interop.rig import RELEASES, Rig, open_rig, until
from tests.wire.bullmq.writing import Bull


class Real(Bull):
    """A queue that a real BullMQ fills and works on."""

    def __init__(self, valkey: Hand, prefix: str, name: str, release: str, opened: Callable[[], Rig]) -> None:
        super().__init__(valkey, prefix, name)
        self.rig = opened()
        self._opened = opened
        self.release = release
        """Which release it is."""
        self._where = {"prefix": prefix, "queue": name}
        self.told: list[tuple[str | None, str]] = []
        """Each event of the workers so far: id, and `started`, `completed`, `failed` or `error`."""

    def call(self, op: str, **args: object) -> object:
        """One operation on this queue."""
        return self.rig.call(op, **self._where, **args)

    def add(self, **options: object) -> str:
        """Add a job and return its id."""
        return str(self.call("add", **options))

    def work(self, **options: object) -> None:
        """Start a worker."""
        self.call("work", opts=options)

    def await_event(self, job: str, event: str) -> None:
        """Wait until the workers told so."""

        def told() -> bool:
            self.told += [(one["id"], one["event"]) for one in self.rig.call("ended")]
            return (job, event) in self.told

        until(told, f"for {event} of {job}, told {self.told}")

    def await_place(self, job: str, place: str) -> None:
        """Wait until the id lies there and nowhere else."""
        until(lambda: self.places(job) == [place], f"for {job} in {place}")

    def start_and_kill(self, *jobs: str) -> None:
        """Let a worker start these jobs and die; their locks end as if the time had passed."""
        self.work(concurrency=len(jobs), lockDuration=30_000)
        for job in jobs:
            self.await_event(job, "started")
        self.stop()
        for job in jobs:
            self.put("DEL", f"{job}:lock")

    def stop(self) -> None:
        """End the workers with their process: one that is closed by the library may still claim a job and drop it."""
        self.rig.kill()
        self.rig = self._opened()
        self.told.clear()


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[("bull", "mail"), ("emq", "{emails}")], ids=lambda names: ":".join(names))
def real(request: pytest.FixtureRequest, valkey: Hand, release: str) -> Iterator[Real]:
    opened: list[Rig] = []

    def another() -> Rig:
        opened.append(open_rig(release, valkey.url))
        return opened[-1]

    yield Real(valkey, *request.param, release, another)
    for rig in opened:
        rig.kill()
