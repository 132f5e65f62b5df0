"""What the server's tracking messages are turned into."""

import pytest

from emqtop.model.queue import QueueId
from emqtop.sampling.signals import BUSY_TICKS, CALM_S, MOST_MISSED, Signals
from emqtop.wire.resp import Reply, ReplyError
from tests.sampling.queues import bullmq, echomq

OWNERS = {
    b"emq:{q}:": [echomq("q"), bullmq("{q}", "emq")],
    b"bull:a:": [bullmq("a")],
    b"bull:a:b:": [bullmq("a:b")],
}


class Woken:
    """Collects what it is called with."""

    def __init__(self) -> None:
        self.calls: list[set[QueueId] | None] = []

    def __call__(self, queues: object) -> None:
        self.calls.append(None if queues is None else set(queues))  # type: ignore[call-overload]


@pytest.fixture
def woken() -> Woken:
    return Woken()


@pytest.fixture
def signals(woken: Woken) -> Signals:
    made = Signals(OWNERS, woken)
    made.collect(0)
    return made


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        (b"emq:{q}:pending", {echomq("q"), bullmq("{q}", "emq")}),
        (b"emq:{q}:g:PRT0NgWEfAEJfs:pending", {echomq("q"), bullmq("{q}", "emq")}),
        (b"bull:a:wait", {bullmq("a")}),
        (b"bull:a:17:lock", {bullmq("a")}),
        (b"bull:a:b:wait", {bullmq("a:b")}),
        (b"bull:a:b:x:y:lock", {bullmq("a:b")}),
        (b"emq:{other}:pending", set()),
        (b"nothing", set()),
    ],
)
def test_a_key_moves_the_queues_at_its_longest_root(
    signals: Signals, woken: Woken, key: bytes, wanted: set[QueueId]
) -> None:
    signals.take([b"invalidate", [key]])
    assert woken.calls == [wanted]
    assert signals.collect(0) == (False, wanted)
    assert signals.collect(0) == (False, set())


def test_a_null_message_moves_everything(signals: Signals, woken: Woken) -> None:
    signals.take([b"invalidate", None])
    assert woken.calls == [None]
    assert signals.collect(0)[0]
    assert not signals.collect(0)[0]


@pytest.mark.parametrize("push", [[], [b"message", b"ch", b"x"], [b"invalidate", b"x"], [ReplyError("ERR x")]])
def test_other_pushes_move_nothing(signals: Signals, push: list[Reply]) -> None:
    signals.take(push)
    assert signals.collect(0) == (False, set())


def test_a_queue_that_moves_at_every_tick_is_read_untracked_for_a_while(signals: Signals) -> None:
    for tick in range(BUSY_TICKS):
        assert signals.busy(tick) == set()
        signals.take([b"invalidate", [b"bull:a:wait"]])
        signals.collect(tick)
    assert signals.busy(BUSY_TICKS) == {bullmq("a")}
    assert signals.busy(BUSY_TICKS, shown=[bullmq("a")]) == set()
    assert signals.busy(BUSY_TICKS + CALM_S) == set()
    # Nothing told its moves meanwhile, so it is read once more to be tracked again.
    assert signals.collect(BUSY_TICKS + CALM_S) == (False, {bullmq("a")})


def test_moves_that_are_told_behind_the_choice_count_as_well(signals: Signals) -> None:
    for tick in range(BUSY_TICKS):
        signals.collect(tick)
        signals.take([b"invalidate", [b"bull:a:wait"]])
        signals.late(set(), tick)
    assert signals.busy(BUSY_TICKS) == {bullmq("a")}


def test_a_pause_starts_the_count_of_busy_ticks_anew(signals: Signals) -> None:
    for tick in range(3 * BUSY_TICKS):
        if tick % BUSY_TICKS:
            signals.take([b"invalidate", [b"bull:a:wait"]])
        signals.collect(tick)
    assert signals.busy(3 * BUSY_TICKS) == set()


def test_what_is_told_behind_a_reading_is_left_for_the_next_tick(signals: Signals) -> None:
    signals.take([b"invalidate", [b"bull:a:wait", b"bull:a:b:wait"]])
    assert signals.late({bullmq("a")}, 0) == (False, {bullmq("a:b")})
    assert signals.collect(0) == (False, {bullmq("a")})
    signals.take([b"invalidate", None])
    assert signals.late(set(), 0) == (True, set())
    assert not signals.collect(0)[0]


def test_tracking_ends_where_it_misses_changes(signals: Signals) -> None:
    assert signals.on
    signals.missed = MOST_MISSED
    assert not signals.on


@pytest.mark.parametrize(("reply", "on"), [(b"OK", True), (ReplyError("NOPERM no"), False)])
def test_arming_says_whether_the_server_tracks(signals: Signals, reply: Reply, on: bool) -> None:
    talk = signals.arm()
    assert next(talk).replies == 1
    with pytest.raises(StopIteration):
        talk.send([reply])
    assert signals.on is on
    assert signals.collect(0)[0]
