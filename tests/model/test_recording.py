"""Snapshots through lines of text and back."""

import json
from dataclasses import replace

import pytest

from emqtop.model.queue import Family, Queue, QueueId
from emqtop.model.recording import BadRecording, Recorder, Recording
from emqtop.model.snapshot import Cost, Server, Snapshot

ORDERS = Queue(QueueId(Family.ECHOMQ, "emq", "orders"), pending=1, lanes=0, active=2, paused=False, completed=10)
ODD = Queue(QueueId(Family.BULLMQ, "bull", '{"x"}\udcff\n'), error="WRONGTYPE")
FIRST = Snapshot(
    at_ms=1_000,
    clock="local",
    server=Server(url="redis://h", kind="valkey", memory_bytes=5),
    queues=(ODD, ORDERS),
    swept=True,
    cost=Cost(commands=3, round_trip_ms=0.25),
    mode="tracking",
    limits=("TIME is withheld",),
)
SECOND = replace(FIRST, at_ms=2_000, queues=(replace(ORDERS, pending=5, error="gone"),))
THIRD = replace(FIRST, at_ms=3_000, queues=(ORDERS,))


def record(*snapshots: Snapshot) -> list[str]:
    recorder = Recorder()
    return [line for snapshot in snapshots for line in recorder.lines(snapshot)]


def test_snapshots_come_back_in_any_order() -> None:
    recording = Recording(record(FIRST, SECOND, THIRD))
    wanted = (FIRST, SECOND, THIRD)
    for number in (0, 1, 2, 0, 2, 1, 1):
        assert recording.snapshot(number) == wanted[number]
    assert (len(recording), recording.times_ms, recording.damaged) == (3, (1_000, 2_000, 3_000), 0)
    for number in (-1, 3):
        with pytest.raises(IndexError):
            recording.snapshot(number)


def test_a_line_tells_what_changed_and_every_60th_is_whole() -> None:
    lines = record(*(replace(FIRST, at_ms=1_000 * at) for at in range(62)))
    told = [len(json.loads(line)["queues"]) for line in lines[1:]]
    assert told == [2] + [0] * 59 + [2, 0]
    assert all(line.isascii() and "\n" not in line for line in lines)


def test_queues_that_go_are_named() -> None:
    line = json.loads(record(FIRST, SECOND)[2])
    assert line["gone"] == [["bullmq", "bull", ODD.id.name]]
    assert line["queues"] == [
        {"id": ["echomq", "emq", "orders"], "pending": 5, "lanes": 0, "active": 2, "completed": 10, "paused": False}
        | {"error": "gone"}
    ]


def test_a_recording_that_was_killed_in_mid_line_is_read_to_there() -> None:
    lines = record(FIRST, SECOND, THIRD)
    recording = Recording([*lines[:-1], lines[-1][:50]])
    assert (len(recording), recording.damaged, recording.snapshot(1)) == (2, 1, SECOND)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"at_ms":1}', "[" * 100_000, '{"at_ms":1e400}'])
def test_behind_a_damaged_line_the_next_whole_one_goes_on(damage: str) -> None:
    lines = record(*(replace(FIRST, at_ms=1_000 * at) for at in range(63)))
    lines[5] = damage
    recording = Recording(lines)
    assert recording.times_ms == (0, 1_000, 2_000, 3_000, 60_000, 61_000, 62_000)
    assert recording.damaged == 56
    assert recording.snapshot(5).queues == FIRST.queues


def test_fields_of_a_later_version_are_left_out() -> None:
    header, line = record(FIRST)
    later = json.loads(line)
    later["server"]["colour"] = later["cost"]["euro"] = later["queues"][0]["mood"] = 1
    assert Recording([header, json.dumps(later)]).snapshot(0) == FIRST


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "first line"),
        (["hello"], "first line"),
        (["[1]"], "first line"),
        (['{"emqtop-recording":2}'], "format is 2"),
        (['{"emqtop-recording":1}'], "no snapshot"),
        (['{"emqtop-recording":1}', "x"], "no snapshot"),
        (record(FIRST, SECOND)[::2], "no snapshot"),
    ],
)
def test_what_is_no_recording_is_refused(lines: list[str], problem: str) -> None:
    with pytest.raises(BadRecording, match=problem):
        Recording(lines)


def test_a_gap_keeps_the_time_and_the_words_and_the_next_line_is_whole() -> None:
    recorder = Recorder()
    lines = [*recorder.lines(FIRST), *recorder.gap(1_500, "frozen"), *recorder.lines(SECOND), *recorder.lines(THIRD)]
    recording = Recording(lines)
    assert recording.times_ms == (1_000, 1_500, 2_000, 3_000)
    assert [recording.lost(number) for number in range(4)] == ["", "frozen", "", ""]
    assert recording.snapshot(1) == replace(FIRST, at_ms=1_500, cost=Cost())
    assert [recording.snapshot(number) for number in (2, 3)] == [SECOND, THIRD]
    assert json.loads(lines[3])["whole"]


def test_a_recording_may_begin_with_a_gap() -> None:
    recorder = Recorder()
    recording = Recording([*recorder.gap(500, "gone"), *recorder.lines(FIRST)])
    assert recording.snapshot(0) == Snapshot(at_ms=500)
    assert recording.snapshot(1) == FIRST


def test_a_recording_goes_on_in_the_same_file() -> None:
    lines = [*record(FIRST, SECOND), *Recorder(header=False).lines(THIRD), *record(FIRST)]
    recording = Recording(lines)
    assert (recording.damaged, [recording.snapshot(number) for number in range(4)]) == (
        0,
        [FIRST, SECOND, THIRD, FIRST],
    )
