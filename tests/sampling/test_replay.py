"""A recorded server behind the port."""

from pathlib import Path

import pytest

from emqtop.model.queue import Family, Location, Queue, QueueId
from emqtop.model.recording import Recorder, Recording
from emqtop.model.snapshot import Snapshot
from emqtop.sampling.replay import LostThen, NotRecorded, Replay, open_recording
from emqtop.sampling.source import PageRequest, Source

ORDERS = QueueId(Family.ECHOMQ, "emq", "orders")


class Clock:
    """Seconds that run when told to."""

    def __init__(self) -> None:
        self.now_s = 500.0

    def __call__(self) -> float:
        return self.now_s


def recording(*times_ms: int) -> Recording:
    recorder = Recorder()
    snapshots = (Snapshot(at_ms=at_ms, queues=(Queue(ORDERS, pending=at_ms),)) for at_ms in times_ms)
    return Recording([line for snapshot in snapshots for line in recorder.lines(snapshot)])


@pytest.mark.parametrize(
    ("speed", "elapsed_s", "wanted"),
    [(1, 0, 1_000), (1, 0.9, 1_000), (1, 1, 2_000), (1, 3.5, 4_000), (1, 99, 10_000), (4, 1, 4_000), (0, 99, 1_000)],
)
async def test_the_moment_that_had_been_recorded_by_then(speed: float, elapsed_s: float, wanted: int) -> None:
    clock = Clock()
    replay: Source = Replay(recording(1_000, 2_000, 4_000, 10_000), speed, clock)
    clock.now_s += 50
    assert (await replay.sample()).at_ms == 1_000
    clock.now_s += elapsed_s
    assert (await replay.sample()).at_ms == wanted


async def test_seek_and_speed() -> None:
    clock = Clock()
    replay = Replay(recording(1_000, 2_000, 4_000, 10_000), 1, clock)
    await replay.sample()
    replay.seek(5_000)
    assert (await replay.sample()).at_ms == 4_000
    replay.play(2)
    clock.now_s += 2
    assert (replay.at_ms, replay.ended, replay.speed) == (9_000, False, 2)
    replay.seek(0)
    assert (await replay.sample()).at_ms == replay.begin_ms == 1_000
    replay.seek(99_000)
    assert (replay.ended, replay.at_ms) == (True, replay.end_ms)


async def test_a_server_that_was_lost_is_lost_again_until_it_is_back() -> None:
    recorder, clock = Recorder(), Clock()
    lines = [
        *recorder.lines(Snapshot(at_ms=1_000)),
        *recorder.gap(2_000, "frozen"),
        *recorder.lines(Snapshot(at_ms=5_000)),
    ]
    replay = Replay(Recording(lines), 1, clock)
    assert (await replay.sample()).at_ms == 1_000
    clock.now_s += 3
    with pytest.raises(LostThen, match="It was lost then: frozen"):
        await replay.sample()
    clock.now_s += 1
    assert (await replay.sample()).at_ms == 5_000


async def test_played_time_never_goes_back_though_a_clock_did() -> None:
    clock = Clock()
    replay = Replay(recording(5_000, 3_000, 6_000), 1, clock)
    assert (await replay.sample()).at_ms == 3_000
    clock.now_s += 1
    assert (await replay.sample()).at_ms == 6_000


async def test_moved_when_the_next_moment_is_due() -> None:
    replay = Replay(recording(1_000, 1_001, 9_000), speed=1)
    await replay.sample()
    assert await replay.moved(5)
    await replay.sample()
    assert not await replay.moved(0.01)


async def test_jobs_were_not_recorded() -> None:
    replay = Replay(recording(1_000))
    for read in (
        replay.page(PageRequest(ORDERS, Location.DEAD)),
        replay.job(ORDERS, "x"),
        replay.field(ORDERS, "x", "payload", 0, 1),
        replay.lanes(ORDERS),
        replay.lane_look(ORDERS),
    ):
        with pytest.raises(NotRecorded, match="not their jobs"):
            await read


def test_a_file_is_read_and_its_torn_bytes_survived(tmp_path: Path) -> None:
    path, recorder = tmp_path / "incident", Recorder()
    lines = recorder.lines(Snapshot(at_ms=1_000, queues=(Queue(ORDERS),)))
    path.write_bytes("\n".join(lines).encode() + b"\n\xff{")
    found = open_recording(path)
    assert (len(found), found.damaged) == (1, 1)
