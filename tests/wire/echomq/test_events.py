"""Announcements of a queue, well formed or not."""

import pytest

from emqtop.wire.echomq.events import EventReading, every_channel, parse_event, queue_of_channel

JOB = "JOB0NgWEfAEJfs"


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (b'{"event":"completed","job":"JOB0NgWEfAEJfs"}', EventReading("completed", JOB)),
        (
            b'{"job":"JOB0NgWEfAEJfs","event":"progress","progress":"50"}',
            EventReading("progress", JOB, (("progress", "50"),)),
        ),
        (
            b'{"event":"failed","job":"JOB0NgWEfAEJfs","error":"a\nb"}',
            EventReading("failed", JOB, (("error", "a\nb"),)),
        ),
        (b'{"event":"scored","job":"JOB0NgWEfAEJfs","by":{"n":1}}', EventReading("scored", JOB, (("by", '{"n": 1}'),))),
        (
            b'{"event":"failed","job":"JOB0NgWEfAEJfs","error":"a\\"b\\z"}',
            EventReading("failed", JOB, (("error", 'a"bz'),)),
        ),
        (b'{"event":"failed","job":"JOB0NgWEfAEJfs","error":"cut', EventReading("failed", JOB)),
        (b'{"event":"x\xff"}', EventReading("x\udcff", None)),
        (b'{"job":"JOB0NgWEfAEJfs"}', EventReading("unknown", JOB)),
        (b"", EventReading("unknown", None)),
        (b"[1,2]", EventReading("unknown", None)),
        (b"[" * 100_000, EventReading("unknown", None)),
        (b'{"event":' + b"9" * 5_000 + b"}", EventReading("unknown", None)),
    ],
)
def test_what_is_read_of_an_announcement(raw: bytes, wanted: EventReading) -> None:
    assert parse_event(raw) == wanted


@pytest.mark.parametrize(
    ("prefix", "wanted"),
    [("emq", "emq:{*}:events"), ("*", "*:{*}:events"), ("a*[b]", "a\\*\\[b\\]:{*}:events"), ("é", "??:{*}:events")],
)
def test_the_pattern_of_all_channels_of_a_prefix(prefix: str, wanted: str) -> None:
    assert every_channel(prefix) == wanted


@pytest.mark.parametrize(
    ("channel", "wanted"),
    [
        (b"emq:{orders}:events", ("emq", "orders")),
        (b"a:b:{x:{y}}:events", ("a:b", "x:{y}")),
        (b"emq:{\xff}:events", ("emq", "\udcff")),
        (b"emq:{}:events", None),
        (b"bull:mail:events", None),
        (b"emq:{orders}:events:more", None),
    ],
)
def test_the_queue_of_a_channel(channel: bytes, wanted: tuple[str, str] | None) -> None:
    assert queue_of_channel(channel) == wanted
